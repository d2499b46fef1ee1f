/* Must print one line per system call, each with the result that Linux gives,
 * then, with the name of a file in argv[1], that file's size and contents,
 * and exit with 0; with 1 if the file cannot be opened.
 *
 * Errors matter as much as successes: a bad descriptor is -9 (EBADF), a
 * missing file -2 (ENOENT), an address that is not mapped -14 (EFAULT), a
 * clock that is none -22 (EINVAL), a number that is no system call -38
 * (ENOSYS).
 *
 * Linux on 32-bit RISC-V has neither fstat nor the clock_gettime with 32-bit
 * time; C libraries for bare machines use both all the same. For these two,
 * absence (-38) and an answer are equally right, and print the same.
 */
#include "guest.h"
#include "print.h"

enum {
    SYS_OPENAT = 56,
    SYS_CLOSE = 57,
    SYS_LLSEEK = 62,
    SYS_READ = 63,
    SYS_WRITE = 64,
    SYS_FSTAT = 80,
    SYS_CLOCK_GETTIME = 113,
    SYS_BRK = 214,
    SYS_CLOCK_GETTIME64 = 403,
    SYS_NONE = 9999
};

enum { STDOUT = 1, BAD_DESCRIPTOR = 99 };
enum { AT_FDCWD = -100, READ_ONLY = 0 };
enum { SEEK_FROM_START = 0, SEEK_FROM_END = 2 };
enum { CLOCK_MONOTONIC = 1, BAD_CLOCK = 99 };

#define NO_SUCH_CALL (-38)
#define NOWHERE UINT32_C(0x40000000) /* an address that no guest maps */
#define NANOSECONDS UINT32_C(1000000000)
#define PAGE_BYTES 4096

/* Seconds and nanoseconds, each low half first; the high halves are 0 for the
 * next 80 years.
 */
struct time64 {
    uint32_t seconds, seconds_high, nanoseconds, nanoseconds_high;
};

struct time32 {
    uint32_t seconds, nanoseconds;
};

static char block[256];
static uint32_t status_block[64]; /* more than any fstat writes */

static int32_t system_call(uint32_t number, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                           uint32_t e)
{
    register uint32_t a0 __asm__("a0") = a;
    register uint32_t a1 __asm__("a1") = b;
    register uint32_t a2 __asm__("a2") = c;
    register uint32_t a3 __asm__("a3") = d;
    register uint32_t a4 __asm__("a4") = e;
    register uint32_t a7 __asm__("a7") = number;

    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7)
                     : "memory");
    return (int32_t)a0;
}

static uint32_t address(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

static int32_t open_file(int32_t directory, const char *path)
{
    return system_call(SYS_OPENAT, (uint32_t)directory, address(path), READ_ONLY, 0, 0);
}

static int32_t close_file(int32_t file)
{
    return system_call(SYS_CLOSE, (uint32_t)file, 0, 0, 0, 0);
}

/* Linux splits the offset in two words, high one first, and stores the new
 * position, two words too, in `position`.
 */
static int32_t seek(int32_t file, uint32_t offset, uint32_t *position, uint32_t whence)
{
    return system_call(SYS_LLSEEK, (uint32_t)file, 0, offset, address(position), whence);
}

static uint32_t set_break(uint32_t end)
{
    return (uint32_t)system_call(SYS_BRK, end, 0, 0, 0, 0);
}

static void report(const char *what, int32_t result)
{
    print("%s: %ld\n", what, (long)result);
}

static void report_truth(const char *what, uint8_t holds)
{
    print("%s: %s\n", what, holds ? "yes" : "no");
}

static void test_break(void)
{
    uint32_t start = set_break(0);
    volatile uint32_t *cell = (uint32_t *)(uintptr_t)((start + 3) & ~UINT32_C(3));

    report_truth("brk starts after the variables", start >= address(status_block));
    report_truth("brk grows by a page", set_break(start + PAGE_BYTES) == start + PAGE_BYTES);
    report_truth("new memory holds zeros", *cell == 0);
    *cell = 0x12345678;
    report_truth("new memory holds what is stored", *cell == 0x12345678);
    report_truth("brk below the start changes nothing", set_break(1) == start + PAGE_BYTES);
    report_truth("brk shrinks again", set_break(start) == start);
}

static void test_bad_descriptor(void)
{
    uint32_t position[2];

    report("read, bad descriptor",
           system_call(SYS_READ, BAD_DESCRIPTOR, address(block), sizeof block, 0, 0));
    report("write, bad descriptor",
           system_call(SYS_WRITE, BAD_DESCRIPTOR, address(block), sizeof block, 0, 0));
    report("lseek, bad descriptor", seek(BAD_DESCRIPTOR, 0, position, SEEK_FROM_START));
    report("close, bad descriptor", close_file(BAD_DESCRIPTOR));
    report("openat, bad directory", open_file(BAD_DESCRIPTOR, "missing"));
}

static void test_bad_address(void)
{
    report("write, bad address", system_call(SYS_WRITE, STDOUT, NOWHERE, 1, 0, 0));
    report("openat, bad address",
           system_call(SYS_OPENAT, (uint32_t)AT_FDCWD, NOWHERE, READ_ONLY, 0, 0));
    report("clock_gettime64, bad address",
           system_call(SYS_CLOCK_GETTIME64, CLOCK_MONOTONIC, NOWHERE, 0, 0, 0));
}

static void test_fstat(void)
{
    int32_t good = system_call(SYS_FSTAT, STDOUT, address(status_block), 0, 0, 0);
    int32_t bad = system_call(SYS_FSTAT, BAD_DESCRIPTOR, address(status_block), 0, 0, 0);

    report_truth("fstat answers or is absent", good == 0 || good == NO_SUCH_CALL);
    report_truth("fstat, bad descriptor, is an error", bad == -9 || bad == NO_SUCH_CALL);
}

static uint8_t is_later(const struct time64 *first, const struct time64 *second)
{
    if (second->seconds != first->seconds)
        return second->seconds > first->seconds;
    return second->nanoseconds >= first->nanoseconds;
}

static void test_clock64(void)
{
    struct time64 first = {0, 0, NANOSECONDS, 0};
    struct time64 second = {0, 0, NANOSECONDS, 0};

    report("clock_gettime64",
           system_call(SYS_CLOCK_GETTIME64, CLOCK_MONOTONIC, address(&first), 0, 0, 0));
    report("clock_gettime64 again",
           system_call(SYS_CLOCK_GETTIME64, CLOCK_MONOTONIC, address(&second), 0, 0, 0));
    report_truth("nanoseconds are below a second",
                 first.nanoseconds < NANOSECONDS && second.nanoseconds < NANOSECONDS);
    report_truth("time does not run backwards", is_later(&first, &second));
    report("clock_gettime64, bad clock",
           system_call(SYS_CLOCK_GETTIME64, BAD_CLOCK, address(&first), 0, 0, 0));
}

static void test_clock32(void)
{
    struct time32 time = {0, NANOSECONDS};
    int32_t result =
        system_call(SYS_CLOCK_GETTIME, CLOCK_MONOTONIC, address(&time), 0, 0, 0);

    report_truth("clock_gettime answers or is absent",
                 result == NO_SUCH_CALL || (result == 0 && time.nanoseconds < NANOSECONDS));
}

/* Writes the rest of an open file and returns how many bytes that were. */
static uint32_t copy_to_output(int32_t file)
{
    uint32_t copied = 0;
    int32_t length;

    print_flush();
    for (;;) {
        length = system_call(SYS_READ, (uint32_t)file, address(block), sizeof block, 0, 0);
        if (length <= 0)
            break;
        guest_write(block, (size_t)length);
        copied += (uint32_t)length;
    }
    report("read at end of file", length);
    return copied;
}

static int test_file(const char *path)
{
    int32_t file = open_file(AT_FDCWD, path);
    uint32_t size[2] = {0, 0};
    uint32_t position[2] = {1, 1};

    if (file < 0) {
        report("openat", file);
        return GUEST_FAILED;
    }
    report_truth("openat gives a new descriptor", file > 2);
    report("lseek to the end", seek(file, 0, size, SEEK_FROM_END));
    report("lseek to the start", seek(file, 0, position, SEEK_FROM_START));
    report_truth("the start is position 0", position[0] == 0 && position[1] == 0);
    report("lseek, bad whence", seek(file, 0, position, 99));
    print("the file has %lu bytes\n", (unsigned long)size[0]);
    report_truth("all of them were read", copy_to_output(file) == size[0]);
    report("close", close_file(file));
    report("close again", close_file(file));
    return GUEST_PASSED;
}

int main(int argc, char **argv)
{
    test_break();
    test_bad_descriptor();
    test_bad_address();
    report("openat, missing file", open_file(AT_FDCWD, "missing"));
    report("no such system call", system_call(SYS_NONE, 0, 0, 0, 0, 0));
    test_fstat();
    test_clock64();
    test_clock32();
    if (argc < 2) {
        print("no file is named\n");
        return GUEST_PASSED;
    }
    return test_file(argv[1]);
}
