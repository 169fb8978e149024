/* interrupt.h -- a person, or whoever may, asks us to stop. */
#pragma once

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP do not end us; they are only noted,
 * and wake a sleeping thread.  A SIGHUP that was ignored stays so: nohup(1). */
void interrupt_catch(void);

/* Whether one came. */
bool interrupt_came(void);

/* As it was before; also in a child, for the program that it becomes.  Nothing
 * happens where nothing is caught. */
void interrupt_release(void);
