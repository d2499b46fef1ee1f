/* Tail calls, recursion, functions that call each other, a long jump, a call through a pointer. */

struct place {
    unsigned ra, sp, s0;
};

int keep(struct place *place);
void jump_back(struct place *place, int value);
int add_one_and_leaf(int n);

asm(".text\n"
    ".type keep, @function\n"
    "keep:\n"
    "    sw ra, 0(a0)\n"
    "    sw sp, 4(a0)\n"
    "    sw s0, 8(a0)\n"
    "    li a0, 0\n"
    "    ret\n"
    ".size keep, . - keep\n"
    ".type jump_back, @function\n"
    "jump_back:\n"
    "    lw ra, 0(a0)\n"
    "    lw sp, 4(a0)\n"
    "    lw s0, 8(a0)\n"
    "    mv a0, a1\n"
    "    ret\n"
    ".size jump_back, . - jump_back\n"
    ".type add_one_and_leaf, @function\n"
    "add_one_and_leaf:\n"
    "    addi a0, a0, 1\n"
    "    j leaf\n"
    ".size add_one_and_leaf, . - add_one_and_leaf\n");

int leaf(int n) {
    return n * 2;
}

static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int is_odd(int n);

static int is_even(int n) {
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(int n) {
    return n == 0 ? 0 : is_even(n - 1);
}

static struct place back;

static int deep(int n) {
    if (n == 0)
        jump_back(&back, 1);
    return deep(n - 1) + 1;
}

int main(void) {
    int (*const by_pointer)(int) = leaf;
    volatile int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += add_one_and_leaf(i);
    sum += fib(6);
    sum += is_even(7);
    if (keep(&back) == 0)
        sum += deep(3);
    sum += by_pointer(1);
    return sum & 0x3f;
}
