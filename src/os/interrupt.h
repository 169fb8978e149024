/* interrupt.h -- a person, or whoever may, asks us to stop. */
#pragma once

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP do not end us; they are only noted,
 * and wake a sleeping thread. */
void interrupt_catch(void);

/* Whether one came. */
bool interrupt_came(void);

/* They end us again. */
void interrupt_release(void);
