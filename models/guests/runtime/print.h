/* Formatted output: the part of printf that guests need. */
#ifndef PRINT_H
#define PRINT_H

/* Appends formatted text to the print buffer, which is written when full.
 *
 * Conversions are %d %u %x %c %s %% and, for 32-bit values where `int` may
 * have 16 bits, %ld %lu %lx. A width (up to 255) pads on the left with blanks,
 * or with zeros if it begins with 0. Only the low 32 bits of a `long` are
 * printed. An unknown conversion prints as itself.
 */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes out what the print buffer holds. The start code calls it after
 * `main` returns.
 */
void print_flush(void);

#endif
