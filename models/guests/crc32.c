/* Checksums: the CRC-32 of a generated buffer, computed in three forms.
 *
 * Regular work with long loops, byte loads and a table walk. The three forms
 * share no code, so that each checks the other two; all of them are checked
 * against the published value for the nine digits first.
 */
#include "guest.h"
#include "print.h"

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 24
#endif

#define BUFFER_BYTES 1024
#define CRC_POLYNOMIAL UINT32_C(0xedb88320) /* of IEEE 802.3, bits reflected */
#define CRC_OF_DIGITS UINT32_C(0xcbf43926)  /* of "123456789" */
#define GENERATOR_SEED UINT32_C(0x2545f491)

static uint8_t buffer[BUFFER_BYTES];
static uint32_t byte_table[256];
static uint32_t nibble_table[16];

/* Eight polynomial divisions by one bit a byte: the definition. */
static uint32_t crc_bitwise(const uint8_t *bytes, uint16_t length)
{
    uint32_t crc = UINT32_MAX;

    for (; length != 0; length--) {
        uint8_t bit;

        crc ^= *bytes++;
        for (bit = 0; bit < 8; bit++) {
            if (crc & 1)
                crc = (crc >> 1) ^ CRC_POLYNOMIAL;
            else
                crc >>= 1;
        }
    }
    return ~crc;
}

/* Two lookups a byte in a table that fits the smallest machine. */
static uint32_t crc_by_nibble(const uint8_t *bytes, uint16_t length)
{
    uint32_t crc = UINT32_MAX;

    for (; length != 0; length--) {
        crc ^= *bytes++;
        crc = (crc >> 4) ^ nibble_table[crc & 15];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
    }
    return ~crc;
}

/* One lookup a byte. */
static uint32_t crc_by_byte(const uint8_t *bytes, uint16_t length)
{
    uint32_t crc = UINT32_MAX;

    for (; length != 0; length--)
        crc = (crc >> 8) ^ byte_table[(crc ^ *bytes++) & 255];
    return ~crc;
}

/* What `bits` divisions by one bit leave of each of the 2^bits values. */
static void fill_table(uint32_t *table, uint8_t bits)
{
    uint16_t value;

    for (value = 0; value >> bits == 0; value++) {
        uint32_t remainder = value;
        uint8_t bit;

        for (bit = 0; bit < bits; bit++)
            remainder = (remainder >> 1) ^ (CRC_POLYNOMIAL & (0 - (remainder & 1)));
        table[value] = remainder;
    }
}

/* Marsaglia's xorshift generator: shifts alone, the same on every machine. */
static uint32_t fill_buffer(uint32_t state)
{
    uint16_t index;

    for (index = 0; index < BUFFER_BYTES; index++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        buffer[index] = (uint8_t)(state >> 24);
    }
    return state;
}

/* Returns whether the three forms agree, and the checksum they agree on. */
static uint8_t crc_all(const uint8_t *bytes, uint16_t length, uint32_t *crc)
{
    *crc = crc_by_byte(bytes, length);
    return crc_by_nibble(bytes, length) == *crc && crc_bitwise(bytes, length) == *crc;
}

static uint8_t passes_known_answer(void)
{
    static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    uint32_t crc;

    return crc_all(digits, sizeof digits, &crc) && crc == CRC_OF_DIGITS;
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t state = GENERATOR_SEED;
    uint32_t check = 0;
    uint32_t round;

    fill_table(byte_table, 8);
    fill_table(nibble_table, 4);
    if (!passes_known_answer()) {
        print("crc32: the known answer is missed\n");
        return GUEST_FAILED;
    }
    for (round = 0; round < rounds; round++) {
        uint32_t crc;

        state = fill_buffer(state);
        if (!crc_all(buffer, BUFFER_BYTES, &crc)) {
            print("crc32: the forms differ after %lu rounds\n", (unsigned long)round);
            return GUEST_FAILED;
        }
        if (round == 0)
            print("crc32: first round %08lx\n", (unsigned long)crc);
        check = (check << 5 | check >> 27) ^ crc;
    }
    print("crc32: %lu rounds of %d bytes\n", (unsigned long)rounds, BUFFER_BYTES);
    print("crc32: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
