/* relay.h -- the signals that were meant for a program that we started.
 *
 * Whoever knows only our number sends us what the program is to get; whoever
 * sends to the whole process group, or to each process of a control group,
 * reaches the program without us.  A process of ours, the canary, lies in the
 * same groups: what it gets too, the program has got, and what it does not get
 * was sent to us alone and is passed on.  It decides by itself, so a signal is
 * not held up while we are busy.
 *
 * Stopped at a terminal (SIGTSTP, SIGTTIN, SIGTTOU), the program stops us too,
 * and we go on when it does: so the shell sees of us what it would see of it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct relay;

/* Before the child is made: signals wait from now on, so that none is lost.
 * Unless it `relays`, that is all that it does. */
struct relay *relay_hold(bool relays);
/* In the child: as it was before, once the parent is in relay_began(). */
void relay_in_child(const struct relay *r);
/* In the parent, as soon as there is a child: signals are let through.  Where
 * no canary could be made, each that comes to us is passed on.  0: there is no
 * child. */
void relay_began(struct relay *r, pid_t pid);

/* The program has ended: what comes now is for nobody.  Before it is waited
 * for, so that no other process ever has its number. */
void relay_ended(struct relay *r);

/* Whether one that asks to end came after relay_ended(). */
bool relay_asked_to_end(void);

/* Frees, and restores what was before, but for what would end us: whoever still
 * sends to the program that was does not end our report.  A third signal that
 * asks to end does. */
void relay_close(struct relay *r);
