#include "os/ticks.h"

#include "os/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* More between two readings than mono_ns() ever takes. */
#define INTERRUPTED 2000
#define TRIES       5

bool ticks_are_steady(void)
{
#ifdef __x86_64__
    static const char source[] = "tsc\n";
    char name[sizeof(source)] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/"
                  "current_clocksource",
            O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof(name));

    if (fd >= 0)
        (void)close(fd);
    return n == sizeof(source) - 1 && memcmp(name, source, (size_t)n) == 0;
#else
    return false;
#endif
}

bool ticks_and_ns(uint64_t *ticks, uint64_t *mono)
{
    uint64_t least = INTERRUPTED;

    for (int i = 0; i < TRIES; i++) {
        uint64_t before = ticks_now();
        uint64_t ns = mono_ns();
        uint64_t took = ticks_now() - before;

        if (took < least) {
            least = took;
            *ticks = before + took / 2;
            *mono = ns;
        }
    }
    return least < INTERRUPTED;
}
