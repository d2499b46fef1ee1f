/* Statements and conditions over several lines, and several on one. */

static int a[8], calls;
static int f(int x) { calls++; return x * 2; }
static int g(int x, int y, int z)
{
    return x + y - z;
}

static int long_sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += f(i) +
             a[i & 7] +
             f(i + 1) *
             3;
    return s;
}

static int args(int n)
{
    int s = g(n,
              n + 1,
              f(n));
    s = g(f(s),
          f(n),
          f(3));
    a[n & 7] =
        s
        + n;
    return s;
}

static int conds(int x, int y)
{
    if (x > 3 && y < 5)
        return 1;
    if (x > 2
        && y < 4
        && f(x) > 5)
        return 2;
    if (x == 1 ||
        y == 2 ||
        f(y) == 4)
        return 3;
    if ((x & 1) && (y & 1))
        return 4;
    if (x < 0 ||
        (y > 7 && x > 4) ||
        !(x + y))
        return 5;
    return 6;
}

static int choose(int x)
{
    int k = x > 3
                ? f(x)
                : g(x,
                    1,
                    2);
    return k;
}

static int product(int x, int y)
{
    return f(x - y) *
           f(y - x);
}

static int loops(int n)
{
    int s = 0, i = 0;
    while (i < n
           && s < 100)
    {
        s += i;
        i++;
    }
    for (i = 0;
         i < n;
         i++)
        s ^= i;
    do {
        s -= 2;
    } while (s > 0 &&
             s % 7);
    for (int j = 0, k = 10; j < k; j++, k--) s += j;
    while (s > 50) s -= 9;
    return s;
}

static int boolean(int x, int y)
{
    int r = x > 1 && y > 1;
    int q = x > 2 || y > 2;
    int t = !x;
    r += q ? 1 : 2;
    r += (x == y);
    return r && t ? 3 : r
        + q;
}

static int
old_style(int x)
{
    switch (x)
    {
        case 0:
        {
            int t = x + 1;
            return t;
        }
        case 1:
            x++;
            /* fall through */
        case 2:
            x += 2;
            break;
        case 3: x--; break;
        case 4: x = 9;
            break;
        default:
            if (x > 5) break;
            x = -x;
    }
    return x;
}

static void noop(void)
{
}

static int early(int x)
{
    if (x < 0) return -1;
    if (x == 0) { noop(); return 0; }
    else if (x == 1) { x = 5; }
    else { x = x * 2; noop(); }
again:
    if (x > 3) {
        x -= 3;
        goto again;
    }
    return x;
}

int main(void)
{
    int s = long_sum(5);
    for (int i = 0; i < 6; i++) {
        s += args(i);
        for (int j = 0; j < 10; j++)
            s += conds(i - 1, j) + boolean(i, j);
        s += choose(i) + product(i, 2); s += old_style(i) + old_style(i * 3);
        if (i & 1) s++; else s--;
        s += early(i - 1);
    }
    s += loops(12);
    return (s + calls) & 0x7f;
}
