/* The target layer on a bare processor with picolibc, its start code and semihosting: output goes
 * through the C library.
 */
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"
#include "print.h"

void guest_write(const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, stdout);
}

void guest_exit(int status)
{
    exit(status);
}

/* The start code calls `main`, so the flush hangs on its way out. */
__attribute__((destructor)) static void flush_at_exit(void)
{
    print_flush();
}
