enum op { PUSH, ADD, MUL, DUP, JNZ, DEC, HALT };

static const int program[] = { PUSH, 20, PUSH, 1, ADD, DUP, PUSH, 3, MUL, ADD, DUP, DEC, JNZ, 2, HALT };

static int stack[256];
static int depth;

static void push(int v) {
    if (depth < 256)
        stack[depth++] = v;
}

static int pop(void) {
    return depth > 0 ? stack[--depth] : 0;
}

static int run(const int *code, int limit) {
    int pc = 0, steps = 0;
    while (steps < limit) {
        int a, b;
        steps++;
        switch (code[pc++]) {
        case PUSH:
            push(code[pc++]);
            break;
        case ADD:
            a = pop();
            b = pop();
            push(a + b);
            break;
        case MUL:
            a = pop();
            b = pop();
            push((a * b) & 0xff);
            break;
        case DUP:
            a = pop();
            push(a);
            push(a);
            break;
        case DEC:
            a = pop();
            push(a - 1);
            break;
        case JNZ:
            if (pop() != 0 && steps < limit)
                pc = code[pc];
            else
                pc++;
            break;
        default:
            return steps;
        }
    }
    return -1;
}

int main(void) {
    int first = run(program, 100);
    depth = 0;
    int second = run(program, 1000);
    return (first + second) & 0x3f;
}
