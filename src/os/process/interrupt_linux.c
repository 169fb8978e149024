#include "os/process/interrupt.h"

#include "base/compiler.h"

#include <signal.h>
#include <stddef.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction before[LEN(caught)];
static bool catching;
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
    catching = true;
    for (size_t i = 0; i < LEN(caught); i++) {
        (void)sigaction(caught[i], NULL, &before[i]);
        if (caught[i] != SIGHUP || before[i].sa_handler != SIG_IGN)
            (void)sigaction(caught[i], &a, NULL);
    }
}

bool interrupt_came(void)
{
    return came != 0;
}

void interrupt_release(void)
{
    if (!catching)
        return;
    catching = false;
    for (size_t i = 0; i < LEN(caught); i++)
        (void)sigaction(caught[i], &before[i], NULL);
}
