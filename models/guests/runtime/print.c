/* A host call costs far more than a byte, so text is gathered in a buffer.
 * Numbers are 32 bits wide at most: a 64-bit division would need the
 * compiler's support library on every 32-bit target.
 */
#include "print.h"

#include <stdarg.h>

#include "guest.h"

#define BUFFER_BYTES 128
#define NUMBER_DIGITS 10 /* of 4294967295 */

struct field {
    uint8_t width;
    uint8_t is_long;
    char pad;
};

static char buffer[BUFFER_BYTES];
static uint8_t used;

void print_flush(void)
{
    if (used != 0)
        guest_write(buffer, used);
    used = 0;
}

static void put_char(char c)
{
    if (used == BUFFER_BYTES)
        print_flush();
    buffer[used++] = c;
}

static void put_padding(struct field field, size_t length)
{
    for (; length < field.width; length++)
        put_char(field.pad);
}

static void put_string(struct field field, const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    put_padding(field, length);
    while (*text != '\0')
        put_char(*text++);
}

/* A sign stands before zeros but after blanks. */
static void put_number(struct field field, uint32_t magnitude, uint8_t base, uint8_t negative)
{
    char digits[NUMBER_DIGITS];
    uint8_t length = 0;

    do {
        digits[length++] = "0123456789abcdef"[magnitude % base];
        magnitude /= base;
    } while (magnitude != 0);

    if (negative && field.pad == '0')
        put_char('-');
    put_padding(field, (size_t)length + negative);
    if (negative && field.pad != '0')
        put_char('-');
    while (length != 0)
        put_char(digits[--length]);
}

static void put_signed(struct field field, int32_t value)
{
    uint32_t bits = (uint32_t)value;

    if (value < 0)
        put_number(field, 0 - bits, 10, 1);
    else
        put_number(field, bits, 10, 0);
}

static int32_t next_signed(struct field field, va_list *arguments)
{
    if (field.is_long)
        return (int32_t)va_arg(*arguments, long);
    return va_arg(*arguments, int);
}

static uint32_t next_unsigned(struct field field, va_list *arguments)
{
    if (field.is_long)
        return (uint32_t)va_arg(*arguments, unsigned long);
    return va_arg(*arguments, unsigned int);
}

/* Reads padding, width and length, and returns where the conversion stands. */
static const char *parse_field(struct field *field, const char *format)
{
    field->pad = ' ';
    field->width = 0;
    field->is_long = 0;
    if (*format == '0')
        field->pad = '0';
    for (; *format >= '0' && *format <= '9'; format++)
        field->width = (uint8_t)(field->width * 10 + (*format - '0'));
    if (*format == 'l') {
        field->is_long = 1;
        format++;
    }
    return format;
}

void print(const char *format, ...)
{
    va_list arguments;
    struct field field;

    va_start(arguments, format);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            put_char(*format);
            continue;
        }
        format = parse_field(&field, format + 1);
        switch (*format) {
        case 'd': put_signed(field, next_signed(field, &arguments)); break;
        case 'u': put_number(field, next_unsigned(field, &arguments), 10, 0); break;
        case 'x': put_number(field, next_unsigned(field, &arguments), 16, 0); break;
        case 's': put_string(field, va_arg(arguments, const char *)); break;
        case 'c':
            put_padding(field, 1);
            put_char((char)va_arg(arguments, int));
            break;
        case '\0': format--; break; /* a lone % at the end */
        default: put_char(*format); break;
        }
    }
    va_end(arguments);
}
