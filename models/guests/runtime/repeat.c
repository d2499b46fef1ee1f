/* The repeat count scales one guest from a quick test to a long benchmark
 * without a second build.
 */
#include "guest.h"
#include "print.h"

/* Returns 0, which is no valid count, for text that is none. */
static uint32_t parse_count(const char *text)
{
    uint32_t count = 0;

    for (; *text != '\0'; text++) {
        uint32_t digit = (uint32_t)*text - '0';

        if (digit > 9 || count > (UINT32_MAX - digit) / 10)
            return 0;
        count = count * 10 + digit;
    }
    return count;
}

uint32_t guest_repeat(int argc, char **argv, uint32_t fallback)
{
    uint32_t count;

    if (argc < 2)
        return fallback;
    count = parse_count(argv[1]);
    if (count == 0) {
        print("repeat count %s: expected 1 to 4294967295\n", argv[1]);
        print_flush();
        guest_exit(GUEST_USAGE);
    }
    return count;
}
