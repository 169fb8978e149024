/* top_screen.h -- a terminal that shows a grid and gives keys: ncurses. */
#pragma once

#include "base/error.h"
#include "cmd/top/grid.h"

/* -ENOTTY: there is no terminal that could show it. */
int top_screen_open(struct error *e);
void top_screen_close(void);
/* The terminal went. */
bool top_screen_gone(void);

void top_screen_size(int *rows, int *cols);

void top_screen_show(const struct grid *g);

/* The next key as top_key() takes it, without waiting; -1: none. */
int top_screen_key(void);
