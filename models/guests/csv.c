/* Text: reads comma-separated lines, adds up what they say by name and writes
 * a table.
 *
 * Work on single characters: branches that depend on each, short strings
 * compared and hashed, numbers read and written digit by digit with a
 * division for each. Rounds write their own text, bad lines included, know
 * therefore what must be found in it, and compare.
 */
#include "guest.h"
#include "print.h"

#include <stdarg.h>

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 24
#endif

#define TEXT_BYTES 1280
#define ROW_BYTES 56
#define FIELD_BYTES 16 /* the terminating zero included */
#define FIELDS 3
#define ITEMS 16 /* a power of two, more than there are names */
#define ENTRIES 32
#define LARGEST_NUMBER 30000 /* in a field: a product of two fits 32 bits */
#define NUMBER_DIGITS 10 /* of 4294967295 */
#define CHECK_OF_KNOWN_TEXT UINT32_C(0xabefcebf) /* of its table's rows */
#define GENERATOR_SEED UINT32_C(0x1f123bb5)

/* ---- Writing ---- */

/* Characters with a zero behind them; what does not fit is dropped. */
struct text {
    char *bytes;
    uint16_t size;
    uint16_t used; /* without the zero */
};

/* How a value is written; `point` digits of a number stand behind a point. */
struct style {
    uint8_t width;
    uint8_t point;
    uint8_t is_left;
    uint8_t is_long;
    uint8_t has_plus;
    char pad;
};

static void put_char(struct text *text, char c)
{
    if (text->used + 1 >= text->size)
        return;
    text->bytes[text->used++] = c;
    text->bytes[text->used] = '\0';
}

static void put_padding(struct text *text, char pad, uint8_t length, uint8_t width)
{
    for (; length < width; length++)
        put_char(text, pad);
}

static uint8_t length_of(const char *string)
{
    uint8_t length = 0;

    while (string[length] != '\0')
        length++;
    return length;
}

static void put_string(struct text *text, const struct style *style, const char *string)
{
    uint8_t length = length_of(string);

    if (!style->is_left)
        put_padding(text, ' ', length, style->width);
    while (*string != '\0')
        put_char(text, *string++);
    if (style->is_left)
        put_padding(text, ' ', length, style->width);
}

/* Digits and point, the last one first; returns how many characters. */
static uint8_t make_digits(char *digits, uint32_t magnitude, uint8_t base, uint8_t point)
{
    uint8_t length = 0;
    uint8_t made = 0;

    do {
        if (made == point && made != 0)
            digits[length++] = '.';
        digits[length++] = "0123456789abcdef"[magnitude % base];
        magnitude /= base;
        made++;
    } while (magnitude != 0 || made <= point);
    return length;
}

/* The sign, '\0' for none, stands before zeros but after blanks. */
static void put_number(struct text *text, const struct style *style, uint32_t magnitude, uint8_t base,
                       char sign)
{
    char digits[NUMBER_DIGITS + 2]; /* a point, and a zero before it */
    uint8_t made = make_digits(digits, magnitude, base, style->point);
    uint8_t length = (uint8_t)(made + (sign != '\0'));

    if (!style->is_left && style->pad == ' ')
        put_padding(text, ' ', length, style->width);
    if (sign != '\0')
        put_char(text, sign);
    if (!style->is_left && style->pad == '0')
        put_padding(text, '0', length, style->width);
    while (made != 0)
        put_char(text, digits[--made]);
    if (style->is_left)
        put_padding(text, ' ', length, style->width);
}

static void put_signed(struct text *text, const struct style *style, int32_t value)
{
    if (value < 0)
        put_number(text, style, 0 - (uint32_t)value, 10, '-');
    else
        put_number(text, style, (uint32_t)value, 10, style->has_plus ? '+' : '\0');
}

/* Reads flags, width, digits behind the point and length; returns where the
 * conversion stands.
 */
static const char *parse_style(struct style *style, const char *format)
{
    style->width = 0;
    style->point = 0;
    style->is_left = 0;
    style->is_long = 0;
    style->has_plus = 0;
    style->pad = ' ';
    for (;; format++) {
        if (*format == '-')
            style->is_left = 1;
        else if (*format == '+')
            style->has_plus = 1;
        else if (*format == '0')
            style->pad = '0';
        else
            break;
    }
    for (; *format >= '0' && *format <= '9'; format++)
        style->width = (uint8_t)(style->width * 10 + (*format - '0'));
    if (*format == '.')
        for (format++; *format >= '0' && *format <= '9'; format++)
            style->point = (uint8_t)(style->point * 10 + (*format - '0'));
    if (*format == 'l') {
        style->is_long = 1;
        format++;
    }
    return format;
}

static int32_t next_signed(const struct style *style, va_list *arguments)
{
    if (style->is_long)
        return (int32_t)va_arg(*arguments, long);
    return va_arg(*arguments, int);
}

static uint32_t next_unsigned(const struct style *style, va_list *arguments)
{
    if (style->is_long)
        return (uint32_t)va_arg(*arguments, unsigned long);
    return va_arg(*arguments, unsigned int);
}

/* Appends formatted text. As in printf, but a precision says how many of a
 * number's digits stand behind the point: 1234 by %.2ld is 12.34.
 */
__attribute__((format(printf, 2, 3)))
static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    struct style style;

    va_start(arguments, format);
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            put_char(text, *format);
            continue;
        }
        format = parse_style(&style, format + 1);
        switch (*format) {
        case 'd': put_signed(text, &style, next_signed(&style, &arguments)); break;
        case 'u': put_number(text, &style, next_unsigned(&style, &arguments), 10, '\0'); break;
        case 'x': put_number(text, &style, next_unsigned(&style, &arguments), 16, '\0'); break;
        case 's': put_string(text, &style, va_arg(arguments, const char *)); break;
        case 'c': put_char(text, (char)va_arg(arguments, int)); break;
        case '\0': format--; break; /* a lone % at the end */
        default: put_char(text, *format); break;
        }
    }
    va_end(arguments);
}

static void clear(struct text *text)
{
    text->used = 0;
    text->bytes[0] = '\0';
}

/* ---- Reading ---- */

enum error {
    NO_ERROR,
    BAD_QUOTES,
    LONG_FIELD,
    BAD_FIELDS,
    NO_NAME,
    BAD_QUANTITY,
    BAD_PRICE,
    ERRORS
};

static const char *const error_texts[ERRORS] = {
    "no error", "quotes are not closed", "a field is too long", "three fields are expected",
    "the name is missing", "the quantity is no number", "the price is no number",
};

struct entry {
    const char *name;
    int32_t quantity;
    int32_t price; /* in cents */
};

/* Where the reader stands in its text. */
static const char *next;
static char fields[FIELDS][FIELD_BYTES];

static uint8_t is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static uint8_t is_line_end(char c)
{
    return c == '\n' || c == '\0';
}

static void skip_blanks(void)
{
    while (is_blank(*next))
        next++;
}

/* Quotes in quotes are doubled. */
static enum error read_quoted_field(char *field)
{
    uint8_t length = 0;

    for (next++; *next != '"' || next[1] == '"'; next++) {
        if (is_line_end(*next))
            return BAD_QUOTES;
        if (length + 1 == FIELD_BYTES)
            return LONG_FIELD;
        if (*next == '"')
            next++;
        field[length++] = *next;
    }
    field[length] = '\0';
    next++;
    skip_blanks();
    return *next == ',' || is_line_end(*next) ? NO_ERROR : BAD_QUOTES;
}

/* Blanks around a field are not part of it. */
static enum error read_plain_field(char *field)
{
    uint8_t length = 0;

    for (; *next != ',' && !is_line_end(*next); next++) {
        if (length + 1 == FIELD_BYTES)
            return LONG_FIELD;
        field[length++] = *next;
    }
    while (length != 0 && is_blank(field[length - 1]))
        length--;
    field[length] = '\0';
    return NO_ERROR;
}

static enum error read_fields(void)
{
    uint8_t index;

    for (index = 0; index < FIELDS; index++) {
        enum error error;

        if (index != 0 && *next++ != ',')
            return BAD_FIELDS;
        skip_blanks();
        error = *next == '"' ? read_quoted_field(fields[index]) : read_plain_field(fields[index]);
        if (error != NO_ERROR)
            return error;
        if (index + 1 < FIELDS && is_line_end(*next))
            return BAD_FIELDS;
    }
    return is_line_end(*next) ? NO_ERROR : BAD_FIELDS;
}

/* The digit's value, or something above every base. */
static uint8_t digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint8_t)(c - 'a' + 10);
    return UINT8_MAX;
}

/* Digits, at least one; returns what follows them, NULL for no number. */
static const char *parse_digits(const char *field, uint8_t base, int32_t *value)
{
    const char *digit = field;

    *value = 0;
    for (; digit_value(*digit) < base; digit++) {
        *value = *value * base + digit_value(*digit);
        if (*value > LARGEST_NUMBER)
            return NULL;
    }
    return digit == field ? NULL : digit;
}

/* A sign perhaps, then decimal or, behind 0x, hexadecimal digits. */
static uint8_t parse_quantity(const char *field, int32_t *value)
{
    uint8_t is_negative = *field == '-';

    if (*field == '-' || *field == '+')
        field++;
    if (field[0] == '0' && field[1] == 'x')
        field = parse_digits(field + 2, 16, value);
    else
        field = parse_digits(field, 10, value);
    if (is_negative)
        *value = -*value;
    return field != NULL && *field == '\0';
}

/* Digits, a point and two more digits, or no point: cents. */
static uint8_t parse_price(const char *field, int32_t *cents)
{
    int32_t fraction;

    field = parse_digits(field, 10, cents);
    if (field == NULL || *cents > LARGEST_NUMBER / 100)
        return 0;
    *cents *= 100;
    if (*field == '\0')
        return 1;
    if (*field != '.' || length_of(field) != 3)
        return 0;
    field = parse_digits(field + 1, 10, &fraction);
    *cents += fraction;
    return field != NULL && *field == '\0';
}

static enum error read_entry(struct entry *entry)
{
    enum error error = read_fields();

    if (error != NO_ERROR)
        return error;
    if (fields[0][0] == '\0')
        return NO_NAME;
    entry->name = fields[0];
    if (!parse_quantity(fields[1], &entry->quantity))
        return BAD_QUANTITY;
    if (!parse_price(fields[2], &entry->price))
        return BAD_PRICE;
    return NO_ERROR;
}

/* ---- Adding up ---- */

struct item {
    char name[FIELD_BYTES]; /* empty: the place is free */
    uint16_t entries;
    int32_t quantity;
    int32_t amount; /* in cents */
};

static struct item items[ITEMS];
static uint16_t error_counts[ERRORS];

/* Like strcmp. */
static int8_t compare_names(const char *left, const char *right)
{
    for (; *left != '\0' && *left == *right; left++)
        right++;
    if (*left == *right)
        return 0;
    return *left < *right ? -1 : 1;
}

/* The item of a name, or the free place for it: a hash with linear probing. */
static struct item *find_item(const char *name)
{
    uint16_t hash = 0;
    const char *letter;

    for (letter = name; *letter != '\0'; letter++)
        hash = (uint16_t)(hash * 31u + (uint8_t)*letter);
    hash ^= hash >> 8;
    for (;; hash++) {
        struct item *item = &items[hash % ITEMS];

        if (item->name[0] == '\0' || compare_names(item->name, name) == 0)
            return item;
    }
}

static void add_entry(const struct entry *entry)
{
    struct item *item = find_item(entry->name);
    uint8_t index;

    for (index = 0; entry->name[index] != '\0'; index++)
        item->name[index] = entry->name[index];
    item->name[index] = '\0';
    item->entries++;
    item->quantity += entry->quantity;
    item->amount += entry->quantity * entry->price;
}

static void forget_items(void)
{
    uint8_t index;

    for (index = 0; index < ITEMS; index++) {
        items[index].name[0] = '\0';
        items[index].entries = 0;
        items[index].quantity = 0;
        items[index].amount = 0;
    }
    for (index = 0; index < ERRORS; index++)
        error_counts[index] = 0;
}

/* Reads all lines but empty ones and comments. */
static void read_lines(const char *text, uint8_t is_printed)
{
    uint16_t line;

    forget_items();
    next = text;
    for (line = 1; *next != '\0'; line++) {
        struct entry entry;

        skip_blanks();
        if (!is_line_end(*next) && *next != '#') {
            enum error error = read_entry(&entry);

            error_counts[error]++;
            if (error == NO_ERROR)
                add_entry(&entry);
            else if (is_printed)
                print("csv: line %u: %s\n", line, error_texts[error]);
        }
        while (!is_line_end(*next))
            next++;
        if (*next == '\n')
            next++;
    }
}

/* ---- The table ---- */

/* Rounds to the nearest, halves away from zero. */
static int32_t divide(int32_t dividend, int32_t divisor)
{
    int32_t half;

    if (divisor < 0) {
        dividend = -dividend;
        divisor = -divisor;
    }
    half = divisor / 2;
    return (dividend < 0 ? dividend - half : dividend + half) / divisor;
}

static void append_row(struct text *row, const struct item *item)
{
    clear(row);
    append(row, "%-15s %7u %+9ld %10.2ld", item->name, (unsigned int)item->entries, (long)item->quantity,
           (long)item->amount);
    if (item->quantity == 0)
        append(row, " %8s", "-");
    else
        append(row, " %8.2ld", (long)divide(item->amount, item->quantity));
}

/* Fills `order` with the numbers of the items by name; returns how many. */
static uint8_t sort_items(uint8_t *order)
{
    uint8_t count = 0;
    uint8_t index;

    for (index = 0; index < ITEMS; index++) {
        uint8_t hole = count;

        if (items[index].name[0] == '\0')
            continue;
        for (; hole != 0 && compare_names(items[index].name, items[order[hole - 1]].name) < 0; hole--)
            order[hole] = order[hole - 1];
        order[hole] = index;
        count++;
    }
    return count;
}

static uint32_t fold(uint32_t check, const char *string)
{
    for (; *string != '\0'; string++)
        check = (check << 5 | check >> 27) ^ (uint8_t)*string;
    return check;
}

/* Writes the table, prints it if asked to and folds it into `check`. */
static uint32_t write_table(uint8_t is_printed, uint32_t check)
{
    static char bytes[ROW_BYTES];
    static struct item total = {"total", 0, 0, 0};
    struct text row = {bytes, ROW_BYTES, 0};
    uint8_t order[ITEMS];
    uint8_t count = sort_items(order);
    uint8_t index;

    total.entries = 0;
    total.quantity = 0;
    total.amount = 0;
    if (is_printed)
        print("csv: item            entries  quantity     amount  average\n");
    for (index = 0; index <= count; index++) {
        const struct item *item = index < count ? &items[order[index]] : &total;

        append_row(&row, item);
        check = fold(check, row.bytes);
        if (is_printed)
            print("csv: %s\n", row.bytes);
        total.entries = (uint16_t)(total.entries + item->entries);
        total.quantity += item->quantity;
        total.amount += item->amount;
    }
    return check;
}

/* ---- Rounds ---- */

static char text_bytes[TEXT_BYTES];
static struct text text = {text_bytes, TEXT_BYTES, 0};
static uint32_t random_state = GENERATOR_SEED;

#define NAMES 10

static const char *const names[NAMES] = {
    "bolt",     "nut",   "washer, flat",   "hinge", "spring",
    "3\" nail", "clamp", "\"M6\", short", "hook",  "rivet",
};

/* What must be found. */
struct expected {
    int32_t quantities[NAMES];
    int32_t amounts[NAMES];
    uint16_t entries[NAMES];
    uint16_t errors[ERRORS];
};

static struct expected expected;

/* Marsaglia's xorshift generator; a number below `limit`. */
static uint16_t next_random(uint16_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (uint16_t)((random_state >> 16) % limit);
}

static void write_quoted(const char *name)
{
    append(&text, "\"");
    for (; *name != '\0'; name++)
        append(&text, *name == '"' ? "\"%c" : "%c", *name);
    append(&text, "\"");
}

static uint8_t needs_quotes(const char *name)
{
    for (; *name != '\0'; name++)
        if (*name == '"' || *name == ',')
            return 1;
    return 0;
}

static void write_entry(void)
{
    uint16_t index = next_random(NAMES);
    int32_t quantity = (int32_t)next_random(1000) - 300;
    int32_t price = next_random(5000);

    if (needs_quotes(names[index]) || next_random(4) == 0)
        write_quoted(names[index]);
    else
        append(&text, "%s", names[index]);
    if (quantity >= 0 && next_random(3) == 0)
        append(&text, ",0x%lx", (unsigned long)quantity);
    else
        append(&text, ", %ld", (long)quantity);
    append(&text, ",%.2ld\n", (long)price);
    expected.entries[index]++;
    expected.quantities[index] += quantity;
    expected.amounts[index] += quantity * price;
    expected.errors[NO_ERROR]++;
}

/* A line with each error; the first is a comment. */
static const char *const bad_lines[ERRORS] = {
    "# nothing\n", "\"bolt,1,2.00\n", "bolt,1,0.00000000000001\n", "bolt,1\n",
    ",1,2.00\n",   "bolt,1a,2.00\n", "bolt,1,2.0\n",
};

static void write_bad_line(void)
{
    uint16_t error = next_random(ERRORS);

    append(&text, "%s", bad_lines[error]);
    if (error != NO_ERROR)
        expected.errors[error]++;
}

static void write_lines(void)
{
    uint8_t index;

    for (index = 0; index < NAMES; index++) {
        expected.entries[index] = 0;
        expected.quantities[index] = 0;
        expected.amounts[index] = 0;
    }
    for (index = 0; index < ERRORS; index++)
        expected.errors[index] = 0;
    clear(&text);
    for (index = 0; index < ENTRIES; index++) {
        if (next_random(8) == 0)
            write_bad_line();
        else
            write_entry();
    }
}

static uint8_t is_as_expected(void)
{
    uint8_t index;

    for (index = 0; index < NAMES; index++) {
        const struct item *item = find_item(names[index]);

        if (item->entries != expected.entries[index] || item->quantity != expected.quantities[index]
            || item->amount != expected.amounts[index])
            return 0;
    }
    for (index = 0; index < ERRORS; index++)
        if (error_counts[index] != expected.errors[index])
            return 0;
    return 1;
}

/* Every kind of value, and text that does not fit. */
static uint8_t passes_known_format(void)
{
    static const char known[] = "|   -7|-0007|+7  |ff|00ff|0.05|-12.30|ab  |  ab|x%|42949";
    static char bytes[sizeof known];
    struct text formatted = {bytes, sizeof known, 0};

    append(&formatted, "|%5d|%05d|%-+4d|%x|%04lx|", -7, -7, 7, 255u, (unsigned long)255);
    append(&formatted, "%.2ld|%.2ld|%-4s|%4s|%c%%|%lu", (long)5, (long)-1230, "ab", "ab", 'x',
           (unsigned long)UINT32_MAX);
    print("csv: %s\n", bytes);
    if (compare_names(bytes, known) == 0)
        return 1;
    print("csv: %s is expected\n", known);
    return 0;
}

/* A text with a line for each rule and each error. */
static uint8_t passes_known_text(void)
{
    static const char known[] = "# item, quantity, price\n"
                                "bolt,40,0.25\n"
                                "\"washer, flat\",120,0.03\n"
                                "  bolt , -5 ,\t0.25\n"
                                "\n"
                                "\"3\"\" nail\",0x1f,1\n"
                                "hinge,twelve,1.20\n"
                                ",3,1.00\n"
                                "spring,7\n"
                                "\"clamp,1,2.00\n"
                                "clamp,1,2.00,blue\n"
                                "rivet,5,1.5\n"
                                "a very long name,5,1.50\n"
                                "hook,30001,1.50\n"
                                "hook,+6,0.75\n"
                                "nut,-3,0.10\n"
                                "hook,-6,0.50";

    read_lines(known, 1);
    if (write_table(1, 0) == CHECK_OF_KNOWN_TEXT && error_counts[NO_ERROR] == 7)
        return 1;
    print("csv: the known table is missed\n");
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t check = 0;
    uint32_t round;

    if (!passes_known_format() || !passes_known_text())
        return GUEST_FAILED;
    for (round = 0; round < rounds; round++) {
        write_lines();
        read_lines(text.bytes, 0);
        if (!is_as_expected()) {
            print("csv: the sums are wrong after %lu rounds\n", (unsigned long)round);
            return GUEST_FAILED;
        }
        check = write_table(round == 0, check);
    }
    print("csv: %lu rounds of %d lines\n", (unsigned long)rounds, ENTRIES);
    print("csv: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
