/* clickhouse.h -- statements to a ClickHouse server, over HTTP.
 *
 * Errors are sentences that name the server.  -EAGAIN: it is away, or has too
 * much to do: the same may work later.  -EACCES: it does not let us in.
 * -ENOENT: it has no such database or table.  -EPROTO: anything else that it
 * refuses. */
#pragma once

#include <stdatomic.h>

#include "base/buf.h"
#include "fleet/address.h"

struct clickhouse;

/* What servers know differs by their version. */
struct clickhouse_traits {
    char version[32];
    bool low_cardinality;       /* texts that repeat are kept once */
    bool low_cardinality_asked; /* but only when a setting allows it */
    bool codecs;                /* DoubleDelta, Gorilla, T64: from 19.11 on */
    bool ttl;                   /* rows that go by themselves: from 19.6 on */
    bool async_insert; /* inserts may be gathered, unless told not to */
};

/* Asks the server what it is.  The address is copied. */
int clickhouse_open(struct clickhouse **out, const struct address *a,
        struct error *e);
/* The same; while `cancel` is true, no request goes on, whatever the server
 * does.  It is looked at about once a second. */
int clickhouse_open_until(struct clickhouse **out, const struct address *a,
        const atomic_bool *cancel, struct error *e);
/* NULL is welcome. */
void clickhouse_close(struct clickhouse *c);

const struct clickhouse_traits *clickhouse_traits(const struct clickhouse *c);
const struct address *clickhouse_address(const struct clickhouse *c);

/* No request takes longer than until then; 0: as long as it takes. */
void clickhouse_deadline(struct clickhouse *c, uint64_t mono_moment_ns);

/* Runs a statement.  What it answers, a table of tabs and lines, is added to
 * `answer`, which may be NULL. */
int clickhouse_run(struct clickhouse *c, const char *sql, struct buf *answer,
        struct error *e);

/* `sql` ends with FORMAT; `rows` are in it.  0: all of them are stored, on
 * every shard that they belong to.  Else none of them may be, or all. */
int clickhouse_insert(struct clickhouse *c, const char *sql, struct str rows,
        struct error *e);

/* `take` gets what a SELECT answers piece by piece, once the server has all of
 * it; not 0 gives up with that code and `e` as it is. */
int clickhouse_select(struct clickhouse *c, const char *sql,
        int (*take)(void *context, struct str piece, struct error *e),
        void *context, struct error *e);

/* The N of "Code: N", with which its errors begin; 0: there is none. */
unsigned clickhouse_error_code(struct str text);

/* 18.16.1 is 18016; 0: it cannot be read. */
unsigned clickhouse_version_number(struct str version);

/* Adds a text to a statement, in quotes. */
void clickhouse_quote(struct buf *sql, struct str text);
