/* The target layer on the developer's own machine: the same guest, run
 * natively, says what every simulator must print.
 */
#include <unistd.h>

#include "guest.h"
#include "print.h"

void guest_write(const char *bytes, size_t length)
{
    while (length != 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);

        if (written <= 0)
            return;
        bytes += written;
        length -= (size_t)written;
    }
}

void guest_exit(int status)
{
    _exit(status);
}

/* The C library calls `main` here, so the flush hangs on its way out. */
__attribute__((destructor)) static void flush_at_exit(void)
{
    print_flush();
}
