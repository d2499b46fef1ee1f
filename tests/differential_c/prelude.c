/* What the printed statements use; every macro evaluates its arguments once, left to right. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

static jmp_buf fault;

#define ONES(n) ((u128)-1 >> (128 - (n)))
#define UNSIGNED(type, n, value) ((type)((u128)(value) & ONES(n)))
#define SIGNED(type, n, value) ((type)((s128)((u128)(value) << (128 - (n))) >> (128 - (n))))
/* A part of 128 bits is the only one. */
#define JOIN(left, right, n) ((left) << ((n) % 128) | ((u128)(right) & ONES(n)))
#define MERGE(old, new, low, n) \
    (((u128)(old) & ~(ONES(n) << (low))) | ((u128)(new) & ONES(n)) << (low))
/* An index too large for the type is as wrong as a negative one. */
#define INDEX(value) ({ __auto_type x_ = +(value); (s128)x_; })

#define IN_ORDER(left, operator, right) \
    ({ __auto_type l_ = +(left); __auto_type r_ = +(right); l_ operator r_; })
#define BEYOND(amount, value) ((amount) < 0 || (amount) >= (int)(8 * sizeof(value)))
#define SHIFT_LEFT(left, right) \
    ({ __auto_type l_ = +(left); __auto_type r_ = +(right); BEYOND(r_, l_) ? (__typeof__(l_))0 : l_ << r_; })
#define SHIFT_RIGHT(left, right) \
    ({ __auto_type l_ = +(left); __auto_type r_ = +(right); \
       BEYOND(r_, l_) ? (__typeof__(l_))(l_ < 0 ? -1 : 0) : l_ >> r_; })
#define MINUS_ONE(type, value) ((type)-1 < 0 && (type)(value) == (type)-1)
#define DIVIDE(left, right) \
    ({ __auto_type l_ = +(left); __auto_type r_ = +(right); \
       if (r_ == 0) longjmp(fault, 1); \
       MINUS_ONE(__typeof__(l_ / r_), r_) ? (__typeof__(l_ / r_))(0 - (__typeof__(l_ / r_))l_) : l_ / r_; })
#define REMAINDER(left, right) \
    ({ __auto_type l_ = +(left); __auto_type r_ = +(right); \
       if (r_ == 0) longjmp(fault, 1); \
       MINUS_ONE(__typeof__(l_ / r_), r_) ? (__typeof__(l_ / r_))0 : l_ % r_; })
#define BIT(value, index, width) \
    ({ __auto_type b_ = +(value); __auto_type i_ = +(index); \
       i_ < 0 || i_ >= (width) ? 0 : (int)((u128)b_ >> (int)i_ & 1); })

static int count_ones(u128 value) {
    return __builtin_popcountll(value) + __builtin_popcountll(value >> 64);
}
#define popcount(value, width) count_ones(UNSIGNED(u128, width, value))
static int leading_zeros(u128 value, int width) {
    int count = 0;
    while (count < width && !(value >> (width - 1 - count) & 1)) count++;
    return count;
}
#define clz(value, width) leading_zeros(UNSIGNED(u128, width, value), width)
static int trailing_zeros(u128 value, int width) {
    int count = 0;
    while (count < width && !(value >> count & 1)) count++;
    return count;
}
#define ctz(value, width) trailing_zeros(UNSIGNED(u128, width, value), width)

static int outside(void) {
    longjmp(fault, 2);
}
#define element(index, count) \
    ({ __auto_type e_ = +(index); e_ < 0 || e_ >= (count) ? outside() : (int)e_; })

static unsigned char ram[256];
static u128 load(unsigned address, int bytes) {
    u128 value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | ram[address - 0x8000 + i];
    return value;
}
static void store(unsigned address, int bytes, u128 value) {
    for (int i = 0; i < bytes; i++) ram[address - 0x8000 + i] = value >> 8 * i;
}

/* What stands in a place before an operation; `runner.rs` has the same. */
static u128 start_value(unsigned salt, unsigned place) {
    unsigned long mixed = ((unsigned long)salt << 12 | place) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
    mixed ^= mixed >> 32;
    switch (mixed & 7) {
        case 0: return 0;
        case 1: return (u128)-1;
        case 2: return 1;
        case 3: return mixed >> 56;
        default: return (u128)mixed << 64 | mixed * 0xd6e8feb86659fd93;
    }
}

static void show(u128 value) {
    if (value >> 64) printf(" %lx%016lx", (unsigned long)(value >> 64), (unsigned long)value);
    else printf(" %lx", (unsigned long)value);
}
