// Loops that are left from their middle.

static int first_above(int limit) {
    int value = 1;
    while (1) {
        value += value >> 1;
        value++;
        if (value > limit)
            return value;
    }
}

static int steps(unsigned value) {
    int count = 0;
    for (;;) {
        if (value == 1)
            break;
        if (value & 1)
            value = 3 * value + 1;
        else
            value >>= 1;
        count++;
    }
    return count;
}

static int counted(int turns) {
    int sum = 0;
    for (;; turns--) {
        if (turns == 0)
            return sum;
        if (turns % 3 == 0)
            continue;
        sum += turns;
    }
}

static int states(int turns) {
    int state = 0, sum = 0;
    while (1) switch (state) {
        case 0:
            sum++;
            state = turns & 1 ? 1 : 2;
            break;
        case 1:
            sum += 2;
            state = 2;
            break;
        case 2:
            if (--turns <= 0) return sum;
            state = turns % 5;
            break;
        case 3:
            sum += 3;
            state = 2;
            break;
        default:
            sum += 5;
            state = 0;
    }
}

int main(void) {
    int sum = 0;
    for (int i = 1; i < 12; i++) {
        sum += first_above(10 * i) + steps(i);
        sum += counted(i) + states(3 * i);
    }
    return sum & 0x3f;
}
