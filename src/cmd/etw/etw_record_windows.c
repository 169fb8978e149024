/* etw_record_windows.c -- a session is stopped by Ctrl-C, or after a while.
 * Either comes on a thread of Windows' own. */
#include "cmd/etw/etw_record.h"

#include <windows.h>

#define MS_MAX 4000000000.0

static SRWLOCK lock = SRWLOCK_INIT;
static struct etw_live *watched; /* NULL: none */
static HANDLE timer;

static void stop(void)
{
    AcquireSRWLockExclusive(&lock);
    if (watched)
        etw_live_stop(watched);
    ReleaseSRWLockExclusive(&lock);
}

static BOOL WINAPI on_control(DWORD kind)
{
    (void)kind;
    stop();
    return TRUE; /* we end by ourselves, and say what was lost */
}

static void CALLBACK on_time(void *context, BOOLEAN fired)
{
    (void)context;
    (void)fired;
    stop();
}

void etw_record_watch(struct etw_live *l, double seconds)
{
    double ms = seconds * 1000 < MS_MAX ? seconds * 1000 : MS_MAX;

    watched = l;
    (void)SetConsoleCtrlHandler(on_control, TRUE);
    if (seconds > 0 && !CreateTimerQueueTimer(&timer, NULL, on_time, NULL,
                               (DWORD)ms, 0, WT_EXECUTEONLYONCE))
        timer = NULL;
}

void etw_record_unwatch(void)
{
    (void)SetConsoleCtrlHandler(on_control, FALSE);
    if (timer) /* waits until it is done */
        (void)DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE);
    timer = NULL;
    AcquireSRWLockExclusive(&lock);
    watched = NULL;
    ReleaseSRWLockExclusive(&lock);
}
