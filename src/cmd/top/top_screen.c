#include "cmd/top/top_screen.h"

#include "base/compiler.h"
#include "cmd/top/top_draw.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By enum term_style: a pair of colours and what else. */
static const struct {
    short pair;
    short colour;
    chtype more;
} styles[] = {
    [TERM_PLAIN] = { 0, 0, A_NORMAL },
    [TERM_BOLD] = { 0, 0, A_BOLD },
    [TERM_DIM] = { 0, 0, A_DIM },
    [TERM_RED] = { 1, COLOR_RED, A_NORMAL },
    [TERM_GREEN] = { 2, COLOR_GREEN, A_NORMAL },
    [TERM_YELLOW] = { 3, COLOR_YELLOW, A_NORMAL },
};

/* Characters in UTF-8, numbers as in C. */
static void set_locale(void)
{
    (void)setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        (void)setlocale(LC_CTYPE, "C.UTF-8");
}

static void set_colours(void)
{
    if (!term_colours(stdout) || !has_colors())
        return;
    (void)start_color();
    (void)use_default_colors();
    for (size_t i = 0; i < LEN(styles); i++)
        if (styles[i].pair)
            (void)init_pair(styles[i].pair, styles[i].colour, -1);
}

int top_screen_open(struct error *e)
{
    const char *name = getenv("TERM");
    SCREEN *screen;

    if (!term_is_terminal(stdout) || !term_is_terminal(stdin))
        return fail(e, -ENOTTY,
                "there is no terminal to draw on: try 'ortmeter watch'");
    set_locale();
    /* Not initscr(), which exits where it does not know the terminal. */
    screen = newterm(name, stdout, stdin);
    if (!screen)
        return fail(e, -ENOTTY, "the terminal '%s' is not known",
                name ? name : "");
    (void)set_term(screen);
    (void)cbreak();
    (void)noecho();
    (void)curs_set(0);
    (void)nodelay(stdscr, TRUE);
    (void)keypad(stdscr, TRUE);
    (void)set_escdelay(25);
    set_colours();
    return 0;
}

void top_screen_close(void)
{
    (void)endwin();
}

bool top_screen_gone(void)
{
    struct pollfd p = { .fd = STDIN_FILENO };

    return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}

void top_screen_size(int *rows, int *cols)
{
    getmaxyx(stdscr, *rows, *cols);
}

void top_screen_show(const struct grid *g)
{
    (void)erase();
    for (int row = 0; row < g->rows; row++)
        for (int col = 0; col < g->cols; col++) {
            const struct grid_cell *c = &g->cell[row * g->cols + col];

            if (!c->text[0])
                continue;
            (void)attrset((int)(styles[c->style].more |
                                COLOR_PAIR(styles[c->style].pair)));
            (void)mvaddstr(row, col, c->text);
        }
    (void)refresh();
}

int top_screen_key(void)
{
    int key = getch();

    switch (key) {
    case ERR: return -1;
    case KEY_UP: return TOP_KEY_UP;
    case KEY_DOWN: return TOP_KEY_DOWN;
    case KEY_PPAGE: return TOP_KEY_PAGE_UP;
    case KEY_NPAGE: return TOP_KEY_PAGE_DOWN;
    case KEY_BACKSPACE: return TOP_KEY_BACKSPACE;
    case KEY_RESIZE: return 0;
    default: return key < 0x100 ? key : 0;
    }
}
