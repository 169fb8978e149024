/* reader.h -- between the files that read a model: reader.c the model and its
 * graphs, reader_node.c nodes, reader_tensor.c tensors, reader_value.c types,
 * link.c what holds them together. */
#pragma once

#include "base/compiler.h"
#include "base/error.h"
#include "base/pb.h"
#include "onnx/graph.h"
#include "onnx/mapping.h"

struct onnx_reader {
    struct onnx_model *model;
    struct mapping *mapping; /* NULL: the bytes lie in memory */
    struct str file;         /* all bytes */
    const char *path;
    struct error *e;
    int depth;       /* graphs within graphs */
    uint64_t things; /* nodes, names, tensors, ... read so far */

    /* Small tensors of floats: which are wanted is known only when all nodes
     * were read. */
    struct onnx_late {
        struct onnx_tensor *tensor;
        uint32_t name; /* of the value: the tensor's, or its Constant's */
        struct str message;
    } * late;
    size_t late_count, late_cap;
    struct map scales; /* symbols that a Resize or Upsample scales by */
};

/* Ends the reading with a sentence: the path, then `fmt`.  Returns the code. */
int reader_fail(const struct onnx_reader *r, int code, const char *fmt, ...)
        PRINTF_LIKE(3, 4);

/* The same for bytes that make no sense at `at`, within `what`. */
int reader_damaged(const struct onnx_reader *r, const char *at,
        const char *what);

/* The next field of a message, like pb_next(); damage is told. */
int reader_next(const struct onnx_reader *r, struct pb_field *f,
        struct str *rest, const char *what);

/* Counts what was read.  Fails when it is more than any real model has, so that
 * a hostile one cannot eat all memory. */
int reader_count(struct onnx_reader *r, uint64_t things);

/* Makes room for one more behind `count` elements: arrays double when
 * the count is a power of two, so they need no field for their room. */
void *reader_grow(void *array, uint32_t count, size_t size);

/* A text of the file, as a symbol and as the symbol's text. */
uint32_t reader_symbol(struct onnx_reader *r, struct str text);
struct str reader_text(struct onnx_reader *r, struct str text);
/* The number that nodes of an operator, and a function that they call, share.
 * ONNX's own domain goes by two names: `domain` becomes the empty one. */
uint64_t reader_kind(struct onnx_reader *r, struct str name,
        struct str *domain);
/* A text of which only the beginning is kept. */
struct str reader_beginning(struct onnx_reader *r, struct str text);

/* Reads the whole model.  Bytes that are no model at all are told by
 * reader_unreadable(), which `rest` begins with. */
int reader_model(struct onnx_reader *r, struct str bytes);
int reader_unreadable(const struct onnx_reader *r, struct str rest);

/* Each adds what the message says to what is there. */
int reader_graph(struct onnx_reader *r, struct onnx_graph *g, struct str bytes);
int reader_node(struct onnx_reader *r, struct onnx_graph *g, struct str bytes);
int reader_tensor(struct onnx_reader *r, struct onnx_tensor *t,
        struct str bytes);
int reader_sparse(struct onnx_reader *r, struct onnx_tensor *t,
        struct str bytes);
int reader_value(struct onnx_reader *r, struct onnx_value *v, struct str bytes);

/* A graph within `outer`, which may be NULL. */
struct onnx_graph *reader_graph_new(struct onnx_reader *r,
        struct onnx_graph *outer);

/* Reads the floats that turned out to be wanted. */
void reader_late(struct onnx_reader *r);

/* Looks whether all names have values, and in which order nodes can run. */
int reader_link(struct onnx_reader *r);
