/* What a guest may ask of the machine under it.
 *
 * Guests are written once and run on every model, so nothing here depends on
 * word size, byte order or operating system. Each target implements the first
 * two functions in its own file and calls `main` with whatever arguments it
 * has; a target without a command line passes `argc == 0`.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stddef.h>
#include <stdint.h>

/* Writes all `length` bytes to standard output; a write error is ignored. */
void guest_write(const char *bytes, size_t length);

/* Ends the program. Bytes still in the print buffer are lost. */
void guest_exit(int status) __attribute__((noreturn));

/* Repeat count: `argv[1]` in decimal if present, else `fallback`.
 *
 * The range is 1 to 4294967295; anything else ends the program with
 * `GUEST_USAGE`.
 */
uint32_t guest_repeat(int argc, char **argv, uint32_t fallback);

/* Exit statuses that all guests share. */
enum {
    GUEST_PASSED = 0,
    GUEST_FAILED = 1, /* a self check failed */
    GUEST_USAGE = 2   /* the arguments made no sense */
};

#endif
