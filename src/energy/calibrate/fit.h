/* fit.h -- the watts of each kind of work, from many windows that hold them in
 * different mixtures.
 *
 * A window with energy y and times t[k] says: y = sum of t[k] * watts[k].  One
 * such window cannot tell the kinds apart; many, whose borders fall on
 * different parts of what repeats, can.  Windows that follow each other are
 * also taken together, 8 and 64 of them: at the borders, where most is in
 * doubt, little is then lost, while the mixtures differ more and more.
 *
 * Least squares with two prejudices: watts are not below zero, and, as far as
 * the windows do not say otherwise, all kinds draw alike, which is sharing by
 * busy time.  How much the windows have to say is judged by how well they
 * agree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fit;

/* At most this many kinds: the work grows with the cube of it. */
#define FIT_KINDS_MAX 96

struct fit *fit_new(size_t kinds);
void fit_free(struct fit *f);

/* One window: its parts in the order of time; a kind may come several times.
 * Where a window's border is known only to lie within `slack_s` around where it
 * is drawn, what lies there counts by the chance that it is in. */
struct fit_part {
    size_t kind;
    double seconds;
};
struct fit_window {
    double joules;
    const struct fit_part *parts;
    size_t count;
    double start_slack_s, end_slack_s;
    bool follows; /* it begins where the one before ended */
};
void fit_add(struct fit *f, const struct fit_window *w);

/* False: too few windows for so many kinds; nothing is then said.  `error` is
 * the standard error of each in watts, rather too great than too small, and
 * may be NULL. */
bool fit_solve(struct fit *f, double *watts, double *error);
