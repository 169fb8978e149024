/* section_tree.h -- which section of a run lies in which other one: on the same
 * thread, by their times. */
#pragma once

#include "base/error.h"
#include "model/run.h"
#include "store/store.h"

struct section_node {
    uint64_t number; /* from 1, in the order of coming */
    uint32_t process, thread;
    uint8_t phase;
    uint64_t start_ns, end_ns;
    uint64_t parent;   /* 0: in none */
    size_t outer;      /* its parent's place, or SIZE_MAX */
    size_t inferences; /* in it and in none of its children */
    size_t opened;     /* of them, such as the caller has looked into */
};

struct section_tree {
    struct section_node *items; /* by process, thread and start */
    size_t count, cap;
};

/* Those that the program told. */
int section_tree_read(struct section_tree *out, struct store *s, int64_t run,
        struct error *e);
void section_tree_release(struct section_tree *t);

/* The innermost around a stretch of time; NULL: there is none. */
struct section_node *section_tree_around(const struct section_tree *t,
        uint32_t process, uint32_t thread, uint64_t start_ns, uint64_t end_ns);
