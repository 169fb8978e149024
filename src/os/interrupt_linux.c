#include "os/interrupt.h"

#include "base/compiler.h"

#include <signal.h>
#include <stddef.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void interrupt_catch(void)
{
    /* Without SA_RESTART: sleeping ends. */
    struct sigaction a = { .sa_handler = note };

    came = 0;
    for (size_t i = 0; i < LEN(caught); i++)
        (void)sigaction(caught[i], &a, NULL);
}

bool interrupt_came(void)
{
    return came != 0;
}

void interrupt_release(void)
{
    struct sigaction a = { .sa_handler = SIG_DFL };

    for (size_t i = 0; i < LEN(caught); i++)
        (void)sigaction(caught[i], &a, NULL);
}
