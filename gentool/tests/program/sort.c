static unsigned state = 1;

static unsigned next(void) {
    state = state * 1103515245u + 12345u;
    return state >> 16;
}

static void sort(int *a, int low, int high) {
    int i = low, j = high, pivot = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i] = a[j];
            a[j] = t;
            i++;
            j--;
        }
    }
    if (low < j)
        sort(a, low, j);
    if (i < high)
        sort(a, i, high);
}

static int is_even(int n);
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }

static int values[200];

int main(void) {
    int wrong = 0;
    for (int i = 0; i < 200; i++)
        values[i] = next() % 1000;
    sort(values, 0, 199);
    for (int i = 1; i < 200; i++) {
        if (values[i - 1] > values[i] || values[i] < 0)
            wrong++;
    }
    for (int i = 0; i < 10; i++) wrong += is_even(i) == is_odd(i);
    return wrong;
}
