/* parquet_dict.h -- the different texts of a column, numbered as they come. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A dictionary that grows beyond these is of no use. */
#define PARQUET_DICT_BYTES ((size_t)1 << 20)
#define PARQUET_DICT_TEXTS 65536

/* Starts zeroed. */
struct parquet_dict {
    struct buf texts; /* as Parquet stores them: length and bytes, each */
    struct parquet_slot {
        uint32_t hash;
        uint32_t at;     /* in `texts` */
        uint32_t number; /* + 1; 0: the slot is free */
    } * slots;
    size_t slot_count; /* a power of 2 */
    uint32_t count;
    bool full; /* a text was refused: no more are taken */
};

/* The number of the text, which is added if need be.  False: it is full. */
bool parquet_dict_number(struct parquet_dict *d, struct str text,
        uint32_t *number);

/* Empties it and keeps the memory. */
void parquet_dict_clear(struct parquet_dict *d);
void parquet_dict_release(struct parquet_dict *d);
