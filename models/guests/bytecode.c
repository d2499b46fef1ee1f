/* An interpreter: a small stack machine runs five programs in its byte code.
 *
 * Irregular work, unlike a checksum: a dispatch through a jump table on every
 * step, short unpredictable branches, calls and returns. Cells have 32 bits
 * and wrap; comparison, quotient and remainder are signed.
 */
#include "guest.h"
#include "print.h"

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 3
#endif

#define STACK_CELLS 32
#define RETURN_CELLS 16
#define LOCAL_CELLS 4

/* An operand is the byte after the opcode: a signed number for OP_PUSH, a
 * local's number, or the address of a byte of the program. OP_PUSH_WORD has
 * two bytes, the high one first. "a b -- c" pops b, then a, and pushes c.
 */
enum opcode {
    OP_HALT,         /* a --      ends the program with result a */
    OP_PUSH,         /* -- a */
    OP_PUSH_WORD,    /* -- a */
    OP_LOAD,         /* -- a */
    OP_STORE,        /* a -- */
    OP_DUP,          /* a -- a a */
    OP_DROP,         /* a -- */
    OP_SWAP,         /* a b -- b a */
    OP_OVER,         /* a b -- a b a */
    OP_ADD,          /* a b -- a+b */
    OP_SUB,          /* a b -- a-b */
    OP_MUL,          /* a b -- a*b */
    OP_DIV,          /* a b -- a/b    b = 0 is a fault */
    OP_REM,          /* a b -- a%b    b = 0 is a fault */
    OP_AND,          /* a b -- a&b */
    OP_SHIFT_RIGHT,  /* a b -- a>>b   b modulo 32, zeros shifted in */
    OP_EQUAL,        /* a b -- 1 or 0 */
    OP_LESS,         /* a b -- 1 or 0 */
    OP_JUMP,         /* -- */
    OP_JUMP_IF_ZERO, /* a -- */
    OP_CALL,         /* --        the return address goes to its own stack */
    OP_RETURN        /* -- */
};

/* Counts the primes below local 0 by trial division.
 * Locals: 0 limit, 1 candidate, 2 divisor, 3 count.
 */
static const uint8_t primes[] = {
    /*  0 */ OP_PUSH, 2,
    /*  2 */ OP_STORE, 1,
    /* next */
    /*  4 */ OP_LOAD, 1,
    /*  6 */ OP_LOAD, 0,
    /*  8 */ OP_LESS,
    /*  9 */ OP_JUMP_IF_ZERO, 58, /* done */
    /* 11 */ OP_PUSH, 2,
    /* 13 */ OP_STORE, 2,
    /* try */
    /* 15 */ OP_LOAD, 1,
    /* 17 */ OP_LOAD, 2,
    /* 19 */ OP_DUP,
    /* 20 */ OP_MUL,
    /* 21 */ OP_LESS,
    /* 22 */ OP_JUMP_IF_ZERO, 33, /* divide */
    /* 24 */ OP_LOAD, 3,
    /* 26 */ OP_PUSH, 1,
    /* 28 */ OP_ADD,
    /* 29 */ OP_STORE, 3,
    /* 31 */ OP_JUMP, 49, /* advance */
    /* divide */
    /* 33 */ OP_LOAD, 1,
    /* 35 */ OP_LOAD, 2,
    /* 37 */ OP_REM,
    /* 38 */ OP_JUMP_IF_ZERO, 49, /* advance */
    /* 40 */ OP_LOAD, 2,
    /* 42 */ OP_PUSH, 1,
    /* 44 */ OP_ADD,
    /* 45 */ OP_STORE, 2,
    /* 47 */ OP_JUMP, 15, /* try */
    /* advance */
    /* 49 */ OP_LOAD, 1,
    /* 51 */ OP_PUSH, 1,
    /* 53 */ OP_ADD,
    /* 54 */ OP_STORE, 1,
    /* 56 */ OP_JUMP, 4, /* next */
    /* done */
    /* 58 */ OP_LOAD, 3,
    /* 60 */ OP_HALT,
};

/* The Fibonacci number of local 0, by double recursion. */
static const uint8_t fibonacci[] = {
    /*  0 */ OP_LOAD, 0,
    /*  2 */ OP_CALL, 5, /* fibonacci */
    /*  4 */ OP_HALT,
    /* fibonacci */
    /*  5 */ OP_DUP,
    /*  6 */ OP_PUSH, 2,
    /*  8 */ OP_LESS,
    /*  9 */ OP_JUMP_IF_ZERO, 12, /* recurse */
    /* 11 */ OP_RETURN,
    /* recurse */
    /* 12 */ OP_DUP,
    /* 13 */ OP_PUSH, 1,
    /* 15 */ OP_SUB,
    /* 16 */ OP_CALL, 5, /* fibonacci */
    /* 18 */ OP_SWAP,
    /* 19 */ OP_PUSH, 2,
    /* 21 */ OP_SUB,
    /* 22 */ OP_CALL, 5, /* fibonacci */
    /* 24 */ OP_ADD,
    /* 25 */ OP_RETURN,
};

/* The most Collatz steps that any start from 1 to local 0 takes to reach 1.
 * Locals: 0 start, 1 value, 2 steps, 3 most.
 */
static const uint8_t collatz[] = {
    /* start */
    /*  0 */ OP_LOAD, 0,
    /*  2 */ OP_JUMP_IF_ZERO, 74, /* done */
    /*  4 */ OP_LOAD, 0,
    /*  6 */ OP_STORE, 1,
    /*  8 */ OP_PUSH, 0,
    /* 10 */ OP_STORE, 2,
    /* step */
    /* 12 */ OP_LOAD, 1,
    /* 14 */ OP_PUSH, 1,
    /* 16 */ OP_EQUAL,
    /* 17 */ OP_JUMP_IF_ZERO, 39, /* more */
    /* 19 */ OP_LOAD, 3,
    /* 21 */ OP_LOAD, 2,
    /* 23 */ OP_LESS,
    /* 24 */ OP_JUMP_IF_ZERO, 30, /* keep */
    /* 26 */ OP_LOAD, 2,
    /* 28 */ OP_STORE, 3,
    /* keep */
    /* 30 */ OP_LOAD, 0,
    /* 32 */ OP_PUSH, 1,
    /* 34 */ OP_SUB,
    /* 35 */ OP_STORE, 0,
    /* 37 */ OP_JUMP, 0, /* start */
    /* more */
    /* 39 */ OP_LOAD, 2,
    /* 41 */ OP_PUSH, 1,
    /* 43 */ OP_ADD,
    /* 44 */ OP_STORE, 2,
    /* 46 */ OP_LOAD, 1,
    /* 48 */ OP_PUSH, 1,
    /* 50 */ OP_AND,
    /* 51 */ OP_JUMP_IF_ZERO, 65, /* even */
    /* 53 */ OP_LOAD, 1,
    /* 55 */ OP_PUSH, 3,
    /* 57 */ OP_MUL,
    /* 58 */ OP_PUSH, 1,
    /* 60 */ OP_ADD,
    /* 61 */ OP_STORE, 1,
    /* 63 */ OP_JUMP, 12, /* step */
    /* even */
    /* 65 */ OP_LOAD, 1,
    /* 67 */ OP_PUSH, 1,
    /* 69 */ OP_SHIFT_RIGHT,
    /* 70 */ OP_STORE, 1,
    /* 72 */ OP_JUMP, 12, /* step */
    /* done */
    /* 74 */ OP_LOAD, 3,
    /* 76 */ OP_HALT,
};

/* Sums the greatest common divisors of all pairs from 1 to local 0.
 * Locals: 0 limit, 1 left, 2 right, 3 sum.
 */
static const uint8_t gcd[] = {
    /*  0 */ OP_LOAD, 0,
    /*  2 */ OP_STORE, 1,
    /* row */
    /*  4 */ OP_LOAD, 0,
    /*  6 */ OP_STORE, 2,
    /* pair */
    /*  8 */ OP_LOAD, 1,
    /* 10 */ OP_LOAD, 2,
    /* 12 */ OP_CALL, 46, /* gcd */
    /* 14 */ OP_LOAD, 3,
    /* 16 */ OP_ADD,
    /* 17 */ OP_STORE, 3,
    /* 19 */ OP_LOAD, 2,
    /* 21 */ OP_PUSH, 1,
    /* 23 */ OP_SUB,
    /* 24 */ OP_DUP,
    /* 25 */ OP_STORE, 2,
    /* 27 */ OP_JUMP_IF_ZERO, 31, /* row done */
    /* 29 */ OP_JUMP, 8, /* pair */
    /* row done */
    /* 31 */ OP_LOAD, 1,
    /* 33 */ OP_PUSH, 1,
    /* 35 */ OP_SUB,
    /* 36 */ OP_DUP,
    /* 37 */ OP_STORE, 1,
    /* 39 */ OP_JUMP_IF_ZERO, 43, /* done */
    /* 41 */ OP_JUMP, 4, /* row */
    /* done */
    /* 43 */ OP_LOAD, 3,
    /* 45 */ OP_HALT,
    /* gcd */
    /* 46 */ OP_DUP,
    /* 47 */ OP_JUMP_IF_ZERO, 54, /* last */
    /* 49 */ OP_SWAP,
    /* 50 */ OP_OVER,
    /* 51 */ OP_REM,
    /* 52 */ OP_JUMP, 46, /* gcd */
    /* last */
    /* 54 */ OP_DROP,
    /* 55 */ OP_RETURN,
};

/* A walk through negative numbers: for i from -local 0 to local 0,
 * value = (value * -3 + i) / 7 - i * i % 1000, rounding towards zero.
 * Locals: 0 last, 1 i, 2 value.
 */
static const uint8_t zigzag[] = {
    /*  0 */ OP_PUSH, 0,
    /*  2 */ OP_LOAD, 0,
    /*  4 */ OP_SUB,
    /*  5 */ OP_STORE, 1,
    /* next */
    /*  7 */ OP_LOAD, 0,
    /*  9 */ OP_LOAD, 1,
    /* 11 */ OP_LESS,
    /* 12 */ OP_JUMP_IF_ZERO, 17, /* step */
    /* 14 */ OP_LOAD, 2,
    /* 16 */ OP_HALT,
    /* step */
    /* 17 */ OP_LOAD, 2,
    /* 19 */ OP_PUSH, 253, /* -3 */
    /* 21 */ OP_MUL,
    /* 22 */ OP_LOAD, 1,
    /* 24 */ OP_ADD,
    /* 25 */ OP_PUSH, 7,
    /* 27 */ OP_DIV,
    /* 28 */ OP_LOAD, 1,
    /* 30 */ OP_DUP,
    /* 31 */ OP_MUL,
    /* 32 */ OP_PUSH_WORD, 3, 232, /* 1000 */
    /* 35 */ OP_REM,
    /* 36 */ OP_SUB,
    /* 37 */ OP_STORE, 2,
    /* 39 */ OP_LOAD, 1,
    /* 41 */ OP_PUSH, 1,
    /* 43 */ OP_ADD,
    /* 44 */ OP_STORE, 1,
    /* 46 */ OP_JUMP, 7, /* next */
};

enum status { RUNNING, HALTED, STACK_FAULT, DIVISION_FAULT, OPCODE_FAULT };

struct machine {
    uint32_t stack[STACK_CELLS];
    uint32_t locals[LOCAL_CELLS];
    uint32_t executed; /* instructions since the start of the guest */
    uint8_t returns[RETURN_CELLS];
    uint8_t depth;
    uint8_t return_depth;
    uint8_t next; /* address of the next byte of the program */
    uint8_t status;
};

static struct machine machine;

static void push(uint32_t cell)
{
    if (machine.depth == STACK_CELLS)
        machine.status = STACK_FAULT;
    else
        machine.stack[machine.depth++] = cell;
}

static uint32_t pop(void)
{
    if (machine.depth == 0) {
        machine.status = STACK_FAULT;
        return 0;
    }
    return machine.stack[--machine.depth];
}

static void call(uint8_t target)
{
    if (machine.return_depth == RETURN_CELLS) {
        machine.status = STACK_FAULT;
        return;
    }
    machine.returns[machine.return_depth++] = machine.next;
    machine.next = target;
}

static void return_from_call(void)
{
    if (machine.return_depth == 0)
        machine.status = STACK_FAULT;
    else
        machine.next = machine.returns[--machine.return_depth];
}

/* The one quotient that overflows wraps, as a sum does. */
static void divide(uint8_t opcode, int32_t left, int32_t right)
{
    if (right == 0)
        machine.status = DIVISION_FAULT;
    else if (right == -1)
        push(opcode == OP_DIV ? 0 - (uint32_t)left : 0);
    else
        push((uint32_t)(opcode == OP_DIV ? left / right : left % right));
}

static void combine(uint8_t opcode)
{
    uint32_t right = pop();
    uint32_t left = pop();

    switch (opcode) {
    case OP_SWAP: push(right); push(left); break;
    case OP_OVER: push(left); push(right); push(left); break;
    case OP_ADD: push(left + right); break;
    case OP_SUB: push(left - right); break;
    case OP_MUL: push(left * right); break;
    case OP_AND: push(left & right); break;
    case OP_SHIFT_RIGHT: push(left >> (right & 31)); break;
    case OP_EQUAL: push(left == right); break;
    case OP_LESS: push((int32_t)left < (int32_t)right); break;
    default: divide(opcode, (int32_t)left, (int32_t)right); break;
    }
}

/* Widens a signed byte without a conversion that C leaves to the compiler. */
static uint32_t sign_extend(uint8_t byte)
{
    return ((uint32_t)byte ^ 0x80) - 0x80;
}

static void step(const uint8_t *program)
{
    uint8_t opcode = program[machine.next++];
    uint32_t cell;
    uint8_t operand;

    switch (opcode) {
    case OP_HALT:
        machine.status = HALTED;
        break;
    case OP_PUSH:
        push(sign_extend(program[machine.next++]));
        break;
    case OP_PUSH_WORD:
        cell = (uint32_t)program[machine.next++] << 8;
        push(cell | program[machine.next++]);
        break;
    case OP_LOAD:
        push(machine.locals[program[machine.next++] % LOCAL_CELLS]);
        break;
    case OP_STORE:
        operand = program[machine.next++];
        machine.locals[operand % LOCAL_CELLS] = pop();
        break;
    case OP_DUP:
        cell = pop();
        push(cell);
        push(cell);
        break;
    case OP_DROP:
        pop();
        break;
    case OP_SWAP:
    case OP_OVER:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_REM:
    case OP_AND:
    case OP_SHIFT_RIGHT:
    case OP_EQUAL:
    case OP_LESS:
        combine(opcode);
        break;
    case OP_JUMP:
        machine.next = program[machine.next];
        break;
    case OP_JUMP_IF_ZERO:
        operand = program[machine.next++];
        if (pop() == 0)
            machine.next = operand;
        break;
    case OP_CALL:
        operand = program[machine.next++];
        call(operand);
        break;
    case OP_RETURN:
        return_from_call();
        break;
    default:
        machine.status = OPCODE_FAULT;
        break;
    }
}

/* Runs one program with `argument` in local 0 and returns its result. */
static uint32_t run(const uint8_t *program, uint8_t argument)
{
    uint8_t local;

    for (local = 0; local < LOCAL_CELLS; local++)
        machine.locals[local] = 0;
    machine.locals[0] = argument;
    machine.depth = 0;
    machine.return_depth = 0;
    machine.next = 0;
    machine.status = RUNNING;
    while (machine.status == RUNNING) {
        step(program);
        machine.executed++;
    }
    return pop();
}

struct job {
    const char *name;
    const uint8_t *program;
    uint32_t expected; /* result for `argument` */
    uint8_t argument;
};

static const struct job jobs[] = {
    {"primes", primes, 25, 100},
    {"fibonacci", fibonacci, 55, 10},
    {"collatz", collatz, 111, 30},
    {"gcd", gcd, 288, 12},
    {"zigzag", zigzag, 264, 100},
};

#define JOBS (sizeof jobs / sizeof jobs[0])

/* Checks every job against its known answer. */
static uint8_t passes_known_answers(void)
{
    uint8_t passed = 1;
    uint8_t index;

    for (index = 0; index < JOBS; index++) {
        const struct job *job = &jobs[index];
        uint32_t result = run(job->program, job->argument);

        print("bytecode: %9s %3d is %ld\n", job->name, job->argument, (long)(int32_t)result);
        if (machine.status != HALTED || result != job->expected) {
            print("bytecode: expected %ld\n", (long)(int32_t)job->expected);
            passed = 0;
        }
    }
    return passed;
}

/* Runs every job once with an argument that varies from round to round, lest
 * one path through the programs be all that is measured.
 */
static uint32_t run_round(uint32_t round, uint32_t check)
{
    uint8_t index;

    for (index = 0; index < JOBS; index++) {
        const struct job *job = &jobs[index];
        uint32_t result = run(job->program, (uint8_t)(job->argument - (round & 7)));

        check = (check << 5 | check >> 27) ^ (result + machine.status);
    }
    return check;
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t check = 0;
    uint32_t round;

    if (!passes_known_answers())
        return GUEST_FAILED;
    for (round = 0; round < rounds; round++)
        check = run_round(round, check);
    print("bytecode: %lu rounds, %lu instructions\n", (unsigned long)rounds,
          (unsigned long)machine.executed);
    print("bytecode: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
