/* The target layer for an ATmega: standard output is USART0, and a program
 * ends by going to sleep with interrupts off, its status where `main` returned
 * it. avr-libc's start code stands before, libgcc's copies and clears the
 * variables; a processor without a command line has `argc == 0`.
 */
#include <avr/io.h>
#include <avr/sleep.h>

#include "guest.h"
#include "print.h"

void prepare_main(void) __attribute__((naked, used, section(".init8")));
void exit(int status) __attribute__((noreturn));
uint32_t __wrap_guest_repeat(int argc, char **argv, uint32_t fallback);
uint32_t __real_guest_repeat(int argc, char **argv, uint32_t fallback);

/* Part of the start code: falls through to the call of `main`. */
void prepare_main(void)
{
    UBRR0 = 0;
    UCSR0B = _BV(TXEN0);
    __asm__ volatile("clr r24\n\tclr r25\n\tclr r22\n\tclr r23"); /* argc, argv */
}

void guest_write(const char *bytes, size_t length)
{
    for (; length != 0; length--) {
        loop_until_bit_is_set(UCSR0A, UDRE0);
        UDR0 = (uint8_t)*bytes++;
    }
}

void guest_exit(int status)
{
    register int result __asm__("r24") = status;

    sleep_enable();
    for (;;)
        __asm__ volatile("cli\n\tsleep" : : "r"(result));
}

/* Without a command line a repeat count stands in the three general purpose
 * I/O registers, its low byte first; 0, as after reset, is none. The linker
 * leads calls of `guest_repeat` here.
 */
uint32_t __wrap_guest_repeat(int argc, char **argv, uint32_t fallback)
{
    uint32_t count = GPIOR0 | (uint32_t)GPIOR1 << 8 | (uint32_t)GPIOR2 << 16;

    return count != 0 ? count : __real_guest_repeat(argc, argv, fallback);
}

/* Where the start code goes when `main` has returned. */
void exit(int status)
{
    print_flush();
    guest_exit(status);
}
