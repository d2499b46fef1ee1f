/* What picolibc asks of an operating system, as Linux system calls of RISC-V:
 * enough for programs that read and write files, ask for the time, and fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum {
    SYS_OPENAT = 56,
    SYS_CLOSE = 57,
    SYS_LSEEK = 62,
    SYS_READ = 63,
    SYS_WRITE = 64,
    SYS_EXIT_GROUP = 94,
    SYS_CLOCK_GETTIME = 113,
    SYS_BRK = 214,
    SYS_CLOCK_GETTIME64 = 403
};

#define CURRENT_FOLDER (-100)
#define LINUX_CREAT 0x40
#define LINUX_EXCL 0x80
#define LINUX_TRUNC 0x200
#define LINUX_APPEND 0x400

static long call(long number, long a, long b, long c, long d, long e)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a7) : "memory");
    return a0;
}

/* A result as C knows it: -1, and errno. */
static long checked(long result)
{
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

int open(const char *path, int flags, ...)
{
    long linux_flags = flags & (O_RDONLY | O_WRONLY | O_RDWR);

    if (flags & O_CREAT)
        linux_flags |= LINUX_CREAT;
    if (flags & O_EXCL)
        linux_flags |= LINUX_EXCL;
    if (flags & O_TRUNC)
        linux_flags |= LINUX_TRUNC;
    if (flags & O_APPEND)
        linux_flags |= LINUX_APPEND;
    return (int)checked(call(SYS_OPENAT, CURRENT_FOLDER, (long)path, linux_flags, 0644, 0));
}

int close(int file)
{
    return (int)checked(call(SYS_CLOSE, file, 0, 0, 0, 0));
}

ssize_t read(int file, void *bytes, size_t length)
{
    return (ssize_t)checked(call(SYS_READ, file, (long)bytes, (long)length, 0, 0));
}

ssize_t write(int file, const void *bytes, size_t length)
{
    return (ssize_t)checked(call(SYS_WRITE, file, (long)bytes, (long)length, 0, 0));
}

off_t lseek(int file, off_t offset, int from)
{
#if __riscv_xlen == 32
    /* _llseek: the offset in halves, the result in memory. */
    int64_t at = 0, wide = offset;
    long result = call(SYS_LSEEK, file, (long)(wide >> 32), (long)wide, (long)&at, from);

    return checked(result) < 0 ? -1 : (off_t)at;
#else
    return checked(call(SYS_LSEEK, file, offset, from, 0, 0));
#endif
}

/* Files stay: the run has a folder of its own. */
int unlink(const char *path)
{
    (void)path;
    return 0;
}

void *sbrk(ptrdiff_t more)
{
    static long end;
    long old = end != 0 ? end : call(SYS_BRK, 0, 0, 0, 0, 0);

    end = call(SYS_BRK, old + more, 0, 0, 0, 0);
    if (end < old + more) {
        errno = ENOMEM;
        return (void *)-1;
    }
    return (void *)old;
}

void _exit(int status)
{
    for (;;)
        call(SYS_EXIT_GROUP, status, 0, 0, 0, 0);
}

/* A program is alone, and what it raises ends it. */
pid_t getpid(void)
{
    return 1;
}

int kill(pid_t process, int signal)
{
    (void)process;
    if (signal != 0)
        _exit(128 + signal);
    return 0;
}

int isatty(int file)
{
    (void)file;
    errno = ENOTTY;
    return 0;
}

/* A clock of Linux, in microseconds. */
static int64_t microseconds(long clock)
{
    struct { int64_t seconds, nanoseconds; } now = { 0, 0 };

    call(__riscv_xlen == 32 ? SYS_CLOCK_GETTIME64 : SYS_CLOCK_GETTIME, clock, (long)&now, 0, 0, 0);
    return now.seconds * 1000000 + now.nanoseconds / 1000;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int64_t time = microseconds(0);

    (void)zone;
    now->tv_sec = time / 1000000;
    now->tv_usec = time % 1000000;
    return 0;
}

/* In the unit of `clock`, which asks here. */
clock_t times(struct tms *spent)
{
    clock_t time = (clock_t)(microseconds(1) * CLOCKS_PER_SEC / 1000000);

    *spent = (struct tms){ .tms_utime = time };
    return time;
}

/* Nobody else would use the time. */
int usleep(useconds_t time)
{
    (void)time;
    return 0;
}

static int put_byte(char byte, FILE *file)
{
    (void)file;
    return write(STDOUT_FILENO, &byte, 1) == 1 ? (unsigned char)byte : EOF;
}

static int get_byte(FILE *file)
{
    unsigned char byte;

    (void)file;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : EOF;
}

static FILE console = FDEV_SETUP_STREAM(put_byte, get_byte, NULL, _FDEV_SETUP_RW);

FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;
