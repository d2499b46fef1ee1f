/* Sorting: six algorithms on five kinds of input.
 *
 * Comparisons whose outcome nothing predicts, records moved about in memory,
 * and an indirect call for each run of an algorithm. A result must be in
 * order, must hold every record of the input once and, if the algorithm
 * promises so, must keep records of equal keys in the input's order.
 */
#include "guest.h"
#include "print.h"

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 3
#endif

#define RECORDS 128
#define DIGIT_BITS 4
#define DIGITS 16
#define RANGES 8 /* more than log2 of RECORDS */
#define GENERATOR_SEED UINT32_C(0x6c078965)

struct record {
    uint16_t key;
    uint16_t place; /* in the input */
};

static struct record input[RECORDS];
static struct record records[RECORDS];
static struct record scratch[RECORDS];
static uint8_t is_seen[RECORDS];
static uint32_t comparisons;
static uint32_t random_state = GENERATOR_SEED;

static uint8_t is_before(struct record left, struct record right)
{
    comparisons++;
    return left.key < right.key;
}

static void swap(uint16_t left, uint16_t right)
{
    struct record record = records[left];

    records[left] = records[right];
    records[right] = record;
}

/* Insertion sort of every gap-th record; with a gap of 1, of all. */
static void insert_by_gap(uint16_t count, uint16_t gap)
{
    uint16_t next;

    for (next = gap; next < count; next++) {
        struct record record = records[next];
        uint16_t hole = next;

        while (hole >= gap && is_before(record, records[hole - gap])) {
            records[hole] = records[hole - gap];
            hole = (uint16_t)(hole - gap);
        }
        records[hole] = record;
    }
}

static void sort_by_insertion(uint16_t count)
{
    insert_by_gap(count, 1);
}

/* Shell's method with the gaps that Ciura found by experiment. */
static void sort_by_shell(uint16_t count)
{
    static const uint8_t gaps[] = {57, 23, 10, 4, 1};
    uint8_t index;

    for (index = 0; index < sizeof gaps; index++)
        insert_by_gap(count, gaps[index]);
}

/* Lets the record at `root` sink to where no child is greater. */
static void sink(uint16_t root, uint16_t count)
{
    uint16_t child;

    for (; (child = (uint16_t)(2 * root + 1)) < count; root = child) {
        if (child + 1 < count && is_before(records[child], records[child + 1]))
            child++;
        if (!is_before(records[root], records[child]))
            return;
        swap(root, child);
    }
}

static void sort_by_heap(uint16_t count)
{
    uint16_t root;

    for (root = count / 2; root-- != 0;)
        sink(root, count);
    while (count > 1) {
        swap(0, --count);
        sink(0, count);
    }
}

struct range {
    uint16_t first;
    uint16_t last; /* belongs to the range */
};

/* Puts the median of first, middle and last into the middle: the others bound
 * the searches of the partition.
 */
static struct record take_pivot(struct range range)
{
    uint16_t middle = (uint16_t)(range.first + (range.last - range.first) / 2);

    if (is_before(records[middle], records[range.first]))
        swap(middle, range.first);
    if (is_before(records[range.last], records[middle])) {
        swap(range.last, middle);
        if (is_before(records[middle], records[range.first]))
            swap(middle, range.first);
    }
    return records[middle];
}

/* Hoare's partition: no record up to the returned one is greater than any
 * behind it.
 */
static uint16_t partition(struct range range)
{
    struct record pivot = take_pivot(range);
    uint16_t left = range.first;
    uint16_t right = range.last;

    for (;;) {
        while (is_before(records[left], pivot))
            left++;
        while (is_before(pivot, records[right]))
            right--;
        if (left >= right)
            return right;
        swap(left++, right--);
    }
}

/* The longer part waits, so that the waiting ones stay few. */
static void sort_by_partition(uint16_t count)
{
    struct range waiting[RANGES];
    struct range range;
    uint8_t depth = 1;

    waiting[0].first = 0;
    waiting[0].last = (uint16_t)(count - 1);
    while (depth != 0) {
        range = waiting[--depth];
        while (range.first < range.last) {
            uint16_t split = partition(range);

            if (split - range.first < range.last - split) {
                waiting[depth].first = (uint16_t)(split + 1);
                waiting[depth++].last = range.last;
                range.last = split;
            } else {
                waiting[depth].first = range.first;
                waiting[depth++].last = split;
                range.first = (uint16_t)(split + 1);
            }
        }
    }
}

/* Merges records[first..middle) and records[middle..end) by way of scratch. */
static void merge(uint16_t first, uint16_t middle, uint16_t end)
{
    uint16_t left = first;
    uint16_t right = middle;
    uint16_t next;

    for (next = first; next < end; next++) {
        if (left < middle && (right == end || !is_before(records[right], records[left])))
            scratch[next] = records[left++];
        else
            scratch[next] = records[right++];
    }
    for (next = first; next < end; next++)
        records[next] = scratch[next];
}

static void sort_by_merging(uint16_t count)
{
    uint16_t length;
    uint16_t first;

    for (length = 1; length < count; length = (uint16_t)(2 * length)) {
        for (first = 0; first + length < count; first = (uint16_t)(first + 2 * length)) {
            uint16_t middle = (uint16_t)(first + length);
            uint16_t end = (uint16_t)(count - middle > length ? middle + length : count);

            merge(first, middle, end);
        }
    }
}

/* Distributes all records over the values of one digit of their keys. */
static void distribute(uint16_t count, uint8_t shift)
{
    uint16_t starts[DIGITS];
    uint16_t index;
    uint16_t start = 0;

    for (index = 0; index < DIGITS; index++)
        starts[index] = 0;
    for (index = 0; index < count; index++)
        starts[records[index].key >> shift & (DIGITS - 1)]++;
    for (index = 0; index < DIGITS; index++) {
        uint16_t length = starts[index];

        starts[index] = start;
        start = (uint16_t)(start + length);
    }
    for (index = 0; index < count; index++)
        scratch[starts[records[index].key >> shift & (DIGITS - 1)]++] = records[index];
    for (index = 0; index < count; index++)
        records[index] = scratch[index];
}

/* The low digit first; no comparison at all. */
static void sort_by_digits(uint16_t count)
{
    uint8_t shift;

    for (shift = 0; shift < 16; shift = (uint8_t)(shift + DIGIT_BITS))
        distribute(count, shift);
}

struct algorithm {
    const char *name;
    void (*sort)(uint16_t count);
    uint8_t is_stable;
};

static const struct algorithm algorithms[] = {
    {"insertion", sort_by_insertion, 1}, {"shell", sort_by_shell, 0},
    {"heap", sort_by_heap, 0},           {"partition", sort_by_partition, 0},
    {"merging", sort_by_merging, 1},     {"digits", sort_by_digits, 1},
};

#define ALGORITHMS (sizeof algorithms / sizeof algorithms[0])

/* Sorts a copy of the input. */
static void run(const struct algorithm *algorithm, uint16_t count)
{
    uint16_t index;

    for (index = 0; index < count; index++)
        records[index] = input[index];
    comparisons = 0;
    algorithm->sort(count);
}

static uint8_t is_right(const struct algorithm *algorithm, uint16_t count)
{
    uint16_t index;

    for (index = 0; index < count; index++)
        is_seen[index] = 0;
    for (index = 0; index < count; index++) {
        struct record record = records[index];

        if (record.place >= count || is_seen[record.place] || record.key != input[record.place].key)
            return 0;
        is_seen[record.place] = 1;
        if (index == 0)
            continue;
        if (records[index - 1].key > record.key)
            return 0;
        if (algorithm->is_stable && records[index - 1].key == record.key
            && records[index - 1].place > record.place)
            return 0;
    }
    return 1;
}

/* Marsaglia's xorshift generator. */
static uint16_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (uint16_t)(random_state >> 16);
}

enum kind { RANDOM, FEW_KEYS, ASCENDING, DESCENDING, DISTURBED, KINDS };

static const char *const kind_names[KINDS] = {"random", "few keys", "ascending", "descending", "disturbed"};

static uint16_t key_of_kind(enum kind kind, uint16_t index)
{
    uint16_t random = next_random();

    switch (kind) {
    case RANDOM: return random;
    case FEW_KEYS: return random % 8;
    case ASCENDING: return (uint16_t)(index * 256 + random % 256);
    case DESCENDING: return (uint16_t)((RECORDS - 1 - index) * 256 + random % 256);
    default: return (uint16_t)(random % 16 == 0 ? random : index * 256);
    }
}

static void fill_input(enum kind kind)
{
    uint16_t index;

    for (index = 0; index < RECORDS; index++) {
        input[index].key = key_of_kind(kind, index);
        input[index].place = index;
    }
}

/* Sorts the letters of a text by every algorithm. */
static uint8_t passes_known_answer(void)
{
    static const char letters[] = "thequickbrownfoxjumpsoverthelazydog";
    static const char expected[] = "abcdeeefghhijklmnoooopqrrsttuuvwxyz";
    uint8_t count = sizeof letters - 1;
    uint8_t passed = 1;
    uint8_t index;
    uint8_t letter;

    for (letter = 0; letter < count; letter++) {
        input[letter].key = (uint16_t)letters[letter];
        input[letter].place = letter;
    }
    for (index = 0; index < ALGORITHMS; index++) {
        run(&algorithms[index], count);
        print("sorting: %9s ", algorithms[index].name);
        for (letter = 0; letter < count; letter++) {
            print("%c", records[letter].key);
            if (records[letter].key != (uint16_t)expected[letter])
                passed = 0;
        }
        print("\n");
        if (!is_right(&algorithms[index], count))
            passed = 0;
    }
    if (!passed)
        print("sorting: expected  %s\n", expected);
    return passed;
}

/* Sorts one input of a kind by all algorithms and folds results into `check`. */
static uint8_t sort_kind(enum kind kind, uint8_t is_printed, uint32_t *check)
{
    uint8_t index;

    fill_input(kind);
    if (is_printed)
        print("sorting: %10s", kind_names[kind]);
    for (index = 0; index < ALGORITHMS; index++) {
        const struct algorithm *algorithm = &algorithms[index];

        run(algorithm, RECORDS);
        if (is_printed)
            print(" %9lu", (unsigned long)comparisons);
        if (!is_right(algorithm, RECORDS)) {
            print("\nsorting: %s fails on %s input\n", algorithm->name, kind_names[kind]);
            return 0;
        }
        *check = (*check << 5 | *check >> 27) ^ (comparisons + records[RECORDS / 2].key);
    }
    if (is_printed)
        print("\n");
    return 1;
}

static void print_heading(void)
{
    uint8_t index;

    print("sorting: %10s", "");
    for (index = 0; index < ALGORITHMS; index++)
        print(" %9s", algorithms[index].name);
    print("\n");
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t check = 0;
    uint32_t round;
    uint8_t kind;

    if (!passes_known_answer())
        return GUEST_FAILED;
    print("sorting: comparisons in the first round\n");
    print_heading();
    for (round = 0; round < rounds; round++)
        for (kind = 0; kind < KINDS; kind++)
            if (!sort_kind((enum kind)kind, round == 0, &check))
                return GUEST_FAILED;
    print("sorting: %lu rounds of %d inputs of %d records\n", (unsigned long)rounds, KINDS, RECORDS);
    print("sorting: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
