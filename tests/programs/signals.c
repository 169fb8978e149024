/* signals.c -- inferences under a storm of signals, 2000 a second, whose
 * handler raises another: signals MODEL COUNT. */
#include "ort_host.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

const struct ort_api_base *OrtGetApiBase(void);

/* A handler may be interrupted by itself. */
static atomic_int outer, inner;

static void on_inner(int signal)
{
    (void)signal;
    inner++;
}

static void on_outer(int signal)
{
    (void)signal;
    outer++;
    (void)raise(SIGUSR1);
}

static void catch (int signal, void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };

    action.sa_flags = SA_NODEFER | SA_RESTART;
    if (sigaction(signal, &action, NULL) != 0)
        die("cannot catch signal %d", signal);
}

int main(int argc, char **argv)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };
    struct itimerspec every = { .it_interval.tv_nsec = 500000 };
    timer_t timer;

    if (argc != 3)
        die("use: %s MODEL COUNT", argv[0]);
    catch (SIGUSR1, on_inner);
    catch (SIGPROF, on_outer);
    event.sigev_signo = SIGPROF;
    every.it_value = every.it_interval;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
            timer_settime(timer, 0, &every, NULL) != 0)
        die("cannot set a timer");
    host_session(OrtGetApiBase(), "signals", argv[1], number(argv[2]));
    (void)timer_delete(timer);
    if (outer == 0 || inner != outer)
        die("%d signals, %d inside them", atomic_load(&outer),
                atomic_load(&inner));
    return 0;
}
