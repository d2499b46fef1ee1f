/* Hashing: SHA-256, as FIPS 180-4 defines it, of generated streams.
 *
 * Straight work on registers: rotations, sums and bitwise choices, 64 steps a
 * block, no branch that depends on data. Published digests are checked first.
 * Every stream is hashed twice, in one piece and in pieces of uneven length,
 * so that what waits for the rest of its block is checked too.
 */
#include "guest.h"
#include "print.h"

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 12
#endif

#define STREAM_BYTES 1000
#define BLOCK_BYTES 64
#define LENGTH_AT 56 /* in the last block: the message's length in bits */
#define STEPS 64
#define STATE_WORDS 8
#define SCHEDULE_WORDS 16
#define GENERATOR_SEED UINT32_C(0x9e3779b9)

/* A message as far as it is hashed. */
struct hash {
    uint32_t state[STATE_WORDS];
    uint32_t length; /* in bytes */
    uint8_t block[BLOCK_BYTES];
    uint8_t used; /* bytes of the block, fewer than it holds */
};

/* The first 32 bits of the fractional parts of the cube roots of the first 64
 * primes (FIPS 180-4, 4.2.2).
 */
static const uint32_t step_constants[STEPS] = {
    UINT32_C(0x428a2f98), UINT32_C(0x71374491), UINT32_C(0xb5c0fbcf), UINT32_C(0xe9b5dba5),
    UINT32_C(0x3956c25b), UINT32_C(0x59f111f1), UINT32_C(0x923f82a4), UINT32_C(0xab1c5ed5),
    UINT32_C(0xd807aa98), UINT32_C(0x12835b01), UINT32_C(0x243185be), UINT32_C(0x550c7dc3),
    UINT32_C(0x72be5d74), UINT32_C(0x80deb1fe), UINT32_C(0x9bdc06a7), UINT32_C(0xc19bf174),
    UINT32_C(0xe49b69c1), UINT32_C(0xefbe4786), UINT32_C(0x0fc19dc6), UINT32_C(0x240ca1cc),
    UINT32_C(0x2de92c6f), UINT32_C(0x4a7484aa), UINT32_C(0x5cb0a9dc), UINT32_C(0x76f988da),
    UINT32_C(0x983e5152), UINT32_C(0xa831c66d), UINT32_C(0xb00327c8), UINT32_C(0xbf597fc7),
    UINT32_C(0xc6e00bf3), UINT32_C(0xd5a79147), UINT32_C(0x06ca6351), UINT32_C(0x14292967),
    UINT32_C(0x27b70a85), UINT32_C(0x2e1b2138), UINT32_C(0x4d2c6dfc), UINT32_C(0x53380d13),
    UINT32_C(0x650a7354), UINT32_C(0x766a0abb), UINT32_C(0x81c2c92e), UINT32_C(0x92722c85),
    UINT32_C(0xa2bfe8a1), UINT32_C(0xa81a664b), UINT32_C(0xc24b8b70), UINT32_C(0xc76c51a3),
    UINT32_C(0xd192e819), UINT32_C(0xd6990624), UINT32_C(0xf40e3585), UINT32_C(0x106aa070),
    UINT32_C(0x19a4c116), UINT32_C(0x1e376c08), UINT32_C(0x2748774c), UINT32_C(0x34b0bcb5),
    UINT32_C(0x391c0cb3), UINT32_C(0x4ed8aa4a), UINT32_C(0x5b9cca4f), UINT32_C(0x682e6ff3),
    UINT32_C(0x748f82ee), UINT32_C(0x78a5636f), UINT32_C(0x84c87814), UINT32_C(0x8cc70208),
    UINT32_C(0x90befffa), UINT32_C(0xa4506ceb), UINT32_C(0xbef9a3f7), UINT32_C(0xc67178f2),
};

/* The same of the square roots of the first eight primes (5.3.3). */
static const uint32_t initial_state[STATE_WORDS] = {
    UINT32_C(0x6a09e667), UINT32_C(0xbb67ae85), UINT32_C(0x3c6ef372), UINT32_C(0xa54ff53a),
    UINT32_C(0x510e527f), UINT32_C(0x9b05688c), UINT32_C(0x1f83d9ab), UINT32_C(0x5be0cd19),
};

static struct hash hash;
static uint8_t stream[STREAM_BYTES];

static uint32_t rotate_right(uint32_t word, uint8_t bits)
{
    return word >> bits | word << (32 - bits);
}

/* The message schedule (6.2.2, step 1) in the sixteen words that the next one
 * depends on: replaces the oldest by its successor.
 */
static void extend_schedule(uint32_t *schedule, uint8_t step)
{
    uint32_t early = schedule[(step + 1) % SCHEDULE_WORDS];
    uint32_t late = schedule[(step + 14) % SCHEDULE_WORDS];
    uint32_t sigma_0 = rotate_right(early, 7) ^ rotate_right(early, 18) ^ early >> 3;
    uint32_t sigma_1 = rotate_right(late, 17) ^ rotate_right(late, 19) ^ late >> 10;

    schedule[step % SCHEDULE_WORDS] += sigma_0 + schedule[(step + 9) % SCHEDULE_WORDS] + sigma_1;
}

/* The 64 steps on one block (6.2.2, steps 2 to 4), with the standard's names. */
static void mix(uint32_t *state, uint32_t *schedule)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint8_t step;

    for (step = 0; step < STEPS; step++) {
        uint32_t sum_0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t sum_1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t first;

        if (step >= SCHEDULE_WORDS)
            extend_schedule(schedule, step);
        first = h + sum_1 + choice + step_constants[step] + schedule[step % SCHEDULE_WORDS];
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + sum_0 + majority;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

/* Words are stored with the high byte first, whatever the machine does. */
static uint32_t load_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store_word(uint8_t *bytes, uint32_t word)
{
    bytes[0] = (uint8_t)(word >> 24);
    bytes[1] = (uint8_t)(word >> 16);
    bytes[2] = (uint8_t)(word >> 8);
    bytes[3] = (uint8_t)word;
}

static void compress(void)
{
    uint32_t schedule[SCHEDULE_WORDS];
    uint8_t word;

    for (word = 0; word < SCHEDULE_WORDS; word++)
        schedule[word] = load_word(&hash.block[4 * word]);
    mix(hash.state, schedule);
    hash.used = 0;
}

static void begin(void)
{
    uint8_t word;

    for (word = 0; word < STATE_WORDS; word++)
        hash.state[word] = initial_state[word];
    hash.length = 0;
    hash.used = 0;
}

static void add_byte(uint8_t byte)
{
    hash.block[hash.used++] = byte;
    if (hash.used == BLOCK_BYTES)
        compress();
}

static void add(const uint8_t *bytes, uint16_t length)
{
    hash.length += length;
    for (; length != 0; length--)
        add_byte(*bytes++);
}

/* Pads the message (5.1.1): a one bit, zeros, the length in 64 bits. The
 * digest is the state then.
 */
static void finish(void)
{
    add_byte(0x80);
    while (hash.used != LENGTH_AT)
        add_byte(0);
    store_word(&hash.block[LENGTH_AT], hash.length >> 29);
    store_word(&hash.block[LENGTH_AT + 4], hash.length << 3);
    compress();
}

static void print_digest(void)
{
    uint8_t word;

    for (word = 0; word < STATE_WORDS; word++)
        print("%08lx", (unsigned long)hash.state[word]);
    print("\n");
}

static uint8_t digest_is(const uint32_t *expected)
{
    uint8_t word;

    for (word = 0; word < STATE_WORDS; word++)
        if (hash.state[word] != expected[word])
            return 0;
    return 1;
}

struct known_answer {
    const char *message;
    uint32_t digest[STATE_WORDS];
};

/* Published with the standard: no block but padding, one, two by padding, and
 * two by length.
 */
static const struct known_answer known_answers[] = {
    {"",
     {UINT32_C(0xe3b0c442), UINT32_C(0x98fc1c14), UINT32_C(0x9afbf4c8), UINT32_C(0x996fb924),
      UINT32_C(0x27ae41e4), UINT32_C(0x649b934c), UINT32_C(0xa495991b), UINT32_C(0x7852b855)}},
    {"abc",
     {UINT32_C(0xba7816bf), UINT32_C(0x8f01cfea), UINT32_C(0x414140de), UINT32_C(0x5dae2223),
      UINT32_C(0xb00361a3), UINT32_C(0x96177a9c), UINT32_C(0xb410ff61), UINT32_C(0xf20015ad)}},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     {UINT32_C(0x248d6a61), UINT32_C(0xd20638b8), UINT32_C(0xe5c02693), UINT32_C(0x0c3e6039),
      UINT32_C(0xa33ce459), UINT32_C(0x64ff2167), UINT32_C(0xf6ecedd4), UINT32_C(0x19db06c1)}},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     {UINT32_C(0xcf5b16a7), UINT32_C(0x78af8380), UINT32_C(0x036ce59e), UINT32_C(0x7b049237),
      UINT32_C(0x0b249b11), UINT32_C(0xe8f07a51), UINT32_C(0xafac4503), UINT32_C(0x7afee9d1)}},
};

#define KNOWN_ANSWERS (sizeof known_answers / sizeof known_answers[0])

static uint8_t passes_known_answers(void)
{
    uint8_t passed = 1;
    uint8_t index;

    for (index = 0; index < KNOWN_ANSWERS; index++) {
        const struct known_answer *answer = &known_answers[index];
        uint8_t length = 0;

        while (answer->message[length] != '\0')
            length++;
        begin();
        add((const uint8_t *)answer->message, length);
        finish();
        print("sha256: %3u bytes ", length);
        print_digest();
        if (!digest_is(answer->digest)) {
            print("sha256: the known answer is missed\n");
            passed = 0;
        }
    }
    return passed;
}

/* Marsaglia's xorshift generator. */
static uint32_t next_random(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint32_t fill_stream(uint32_t state)
{
    uint16_t index;

    for (index = 0; index < STREAM_BYTES; index++) {
        state = next_random(state);
        stream[index] = (uint8_t)(state >> 24);
    }
    return state;
}

/* Hashes the stream in pieces of up to 127 bytes, empty ones among them. */
static uint32_t hash_in_pieces(uint32_t state)
{
    uint16_t done = 0;

    begin();
    while (done < STREAM_BYTES) {
        uint16_t length;

        state = next_random(state);
        length = (uint16_t)(state >> 25);
        if (length > STREAM_BYTES - done)
            length = (uint16_t)(STREAM_BYTES - done);
        add(&stream[done], length);
        done = (uint16_t)(done + length);
    }
    finish();
    return state;
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t state = GENERATOR_SEED;
    uint32_t check = 0;
    uint32_t round;

    if (!passes_known_answers())
        return GUEST_FAILED;
    for (round = 0; round < rounds; round++) {
        uint32_t digest[STATE_WORDS];
        uint8_t word;

        state = fill_stream(state);
        state = hash_in_pieces(state);
        for (word = 0; word < STATE_WORDS; word++) {
            digest[word] = hash.state[word];
            check = (check << 5 | check >> 27) ^ digest[word];
        }
        begin();
        add(stream, STREAM_BYTES);
        finish();
        if (!digest_is(digest)) {
            print("sha256: the pieces differ from the whole after %lu rounds\n", (unsigned long)round);
            return GUEST_FAILED;
        }
    }
    print("sha256: last round ");
    print_digest();
    print("sha256: %lu rounds of %d bytes\n", (unsigned long)rounds, STREAM_BYTES);
    print("sha256: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
