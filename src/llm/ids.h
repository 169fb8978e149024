/* ids.h -- a list of tokens that grows.  Starts zeroed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ids {
    uint32_t *id;
    size_t count, cap;
};

void ids_add(struct ids *l, uint32_t id);
void ids_add_all(struct ids *l, const uint32_t *id, size_t count);
void ids_release(struct ids *l);
