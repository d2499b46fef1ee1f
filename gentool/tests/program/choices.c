/* Choices of many that no table is made of, and conditions that look like them. */

static int by_lines(int x) {
    switch (x) {
    case 0: return 5;
    case 100: return 7;
    case 2000: return 1;
    case 9: return 2;
    }
    return 3;
}

/* The last comparison runs, too. */
static int all_of_them(int x) {
    switch (x) {
    case 0: return 5;
    case 100: return 7;
    case 2000: return 1;
    case 9: return 2;
    default: return 3;
    }
}

static int by_one_line(int x) {
    switch (x) { case 0: return 5; case 100: return 7; case 2000: return 1; case 9: return 2; }
    return 3;
}

static int never(int x) {
    switch (x) {
    case 0: return 5;
    case 100: return 7;
    case 2000: return 1;
    case 9: return 2;
    }
    return 3;
}

static int conditions(int x, int y) {
    int sum = 0;
    if (x == 0) sum += 1; else if (x == 100) sum += 2; else if (y == 9) sum += 3; else sum += 4;
    sum += x == 0 ? 1 : x == 100 ? 2 : y == 3 ? 4 : 5;
    if ((x == 0 && y == 1) || (x == 100 && y == 2)) sum += 5; else sum += 6;
    while (sum > 6 && (x > 300 || y > 1)) { sum -= 3; if (sum == 10 || sum == 8) break; }
    return sum;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += by_lines(i * 100) + by_one_line(i * 100) + conditions(i * 100, i);
        sum += all_of_them(i == 0 ? 9 : i < 3 ? 0 : i < 7 ? 100 : i < 12 ? 2000 : i);
    }
    if (sum == -12345)
        sum = never(sum);
    return sum & 0x3f;
}
