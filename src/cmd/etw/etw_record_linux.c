/* etw_record_linux.c -- no session is ever started here, so none is stopped. */
#include "cmd/etw/etw_record.h"

void etw_record_watch(struct etw_live *l, double seconds)
{
    (void)l;
    (void)seconds;
}

void etw_record_unwatch(void)
{
}
