/* board.h -- the newest figure of everything, and how old it is.
 *
 * Readings come in, the newest of each metric of each subject stays.  What is
 * shown to people and programs is read from here.  A subject that has ended
 * keeps its last figures until board_sweep().  For one thread. */
#pragma once

#include "sample/sampler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board;

struct board_figure {
    uint16_t metric; /* enum metric_id */
    uint8_t method;  /* enum reading_method */
    double value;
    uint64_t time_ns; /* of mono_ns(): when it was read */
};

/* What is known of one subject. */
struct board_row {
    uint32_t subject;
    enum subject_kind kind;
    const struct board_figure *figure; /* in the order of first coming */
    size_t count;
};

struct board *board_new(const struct subjects *subjects);
void board_free(struct board *b);

void board_take(struct board *b, const struct batch *batch);

/* Forgets the subjects that have ended. */
void board_sweep(struct board *b);

/* Rows in the order of first coming; a pointer is valid until the next change.
 * NULL: nothing is known of that subject. */
size_t board_count(const struct board *b);
const struct board_row *board_at(const struct board *b, size_t i);
const struct board_row *board_find(const struct board *b, uint32_t subject);

/* NULL: there is no such figure. */
const struct board_figure *board_figure(const struct board *b, uint32_t subject,
        enum metric_id metric);
