
static int fib(int n) {
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}

static int classify(int x) {
    int r = 0;
    switch (x % 6) {
    case 0:
        r = 1;
        break;
    case 1:
        r = 2;
        break;
    case 2:
    case 3:
        r = 3;
        break;
    case 4:
        r = 7;
        /* fall through */
    default:
        r += 5;
    }
    return r;
}

static int both(int a, int b) {
    if (a > 3 && b > 2)
        return 1;
    if (a == 0 || b == 0)
        return 2;
    return a > b ? 3 : 4;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += classify(i);
        for (int j = 0; j < 5; j++)
            sum += both(i, j);
    }
    int k = 0;
    while (k < 10) k++;
    do {
        sum += k;
        k--;
    } while (k > 0);
    sum += fib(10);
    return sum & 0x3f;
}
