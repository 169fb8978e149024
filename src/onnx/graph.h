/* graph.h -- what a .onnx file says, all but its weights.
 *
 * A model has a graph; a graph is a row of nodes that read and make values.  A
 * value is known by its name, and a name by its symbol (symbols.h); the empty
 * name stands for an input or output that is left out.  Nodes of If, Loop and
 * Scan hold graphs of their own, which see the names of the graph around them.
 *
 * All of it belongs to the model and is not changed after it was read.  The
 * field numbers and their meanings: onnx.proto. */
#pragma once

#include "base/map.h"
#include "base/str.h"
#include "onnx/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* TensorProto.DataType; others may come, and are carried as they are. */
enum onnx_type {
    ONNX_UNKNOWN = 0,
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_UINT16 = 4,
    ONNX_INT16 = 5,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_FLOAT16 = 10,
    ONNX_DOUBLE = 11,
    ONNX_UINT32 = 12,
    ONNX_UINT64 = 13,
    ONNX_BFLOAT16 = 16,
};

/* "float", "int64", ...; NULL for a number that we know nothing of. */
const char *onnx_type_name(int type);
/* Bits of an element; 0: it has no fixed size (text), or is unknown. */
unsigned onnx_type_bits(int type);
/* Whole numbers of any width, and booleans. */
bool onnx_type_is_whole(int type);

/* Bytes of that many elements.  False: the type's size is not known, or the
 * number does not fit; `out` is then untouched. */
bool onnx_type_bytes(uint64_t *out, int type, uint64_t elements);

struct onnx_dim {
    int64_t size;  /* -1: chosen with each run */
    uint32_t name; /* symbol of the name that a chosen size goes by */
};

enum onnx_kind {
    ONNX_KIND_NONE, /* the file does not say */
    ONNX_KIND_TENSOR,
    ONNX_KIND_SPARSE,
    ONNX_KIND_SEQUENCE,
    ONNX_KIND_MAP,
    ONNX_KIND_OPTIONAL,
};

/* What the file says of a value. */
struct onnx_value {
    uint32_t name;
    enum onnx_kind kind;
    int type;     /* of a tensor's elements */
    int32_t rank; /* -1: not said */
    struct onnx_dim *dims;
    bool has_default; /* an input that an initializer stands in for */
};

struct onnx_tensor {
    uint32_t name;
    int type;
    uint32_t rank;
    int64_t *dims; /* 0 or more each */
    uint64_t elements;
    uint64_t bytes; /* as the type and the shape say; 0: the type is unknown */
    /* Data in another file: */
    bool external;
    uint32_t location; /* relative to the model's folder */
    uint64_t offset;
    uint64_t length; /* as the file says, else `bytes` */
    /* Of a small one that shapes may be made from: its elements.  NULL for all
     * others: weights are not read. */
    const double *data;
};

enum onnx_attr_kind {
    ONNX_ATTR_NONE, /* empty, or of a kind that nobody here asks for */
    ONNX_ATTR_INT,
    ONNX_ATTR_FLOAT,
    ONNX_ATTR_TEXT,
    ONNX_ATTR_TENSOR,
    ONNX_ATTR_GRAPH,
    ONNX_ATTR_INTS,
    ONNX_ATTR_FLOATS,
    ONNX_ATTR_TEXTS,
    ONNX_ATTR_REFERENCE, /* in a function: the caller's attribute `text` */
};

#define ONNX_LIST_MAX 256 /* numbers of a list that are kept; see `count` */

struct onnx_attr {
    struct str name;
    enum onnx_attr_kind kind;
    uint32_t count; /* of a list; more than ONNX_LIST_MAX: it was not kept */
    union {
        int64_t i;
        float f;
        struct str text; /* at most ONNX_LIST_MAX bytes of it */
        const int64_t *ints;
        const float *floats;
        struct onnx_tensor *tensor;
        struct onnx_graph *graph; /* also the first of several */
    };
};

struct onnx_node {
    struct str name; /* often empty; symbols' texts, like the next two */
    struct str op_type;
    struct str domain; /* "" is ONNX's own, also where the file says
                          "ai.onnx" */
    uint64_t kind;     /* the same for all nodes of an operator and domain */
    uint32_t *inputs;  /* symbols */
    uint32_t *outputs;
    uint32_t input_count;
    uint32_t output_count;
    struct onnx_attr *attrs;
    uint32_t attr_count;
    uint32_t graph_count; /* graphs among the attributes */
};

struct onnx_graph {
    struct str name;
    struct onnx_graph *outer; /* that this one lies in; NULL: none */
    struct onnx_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* nodes, each after those it reads from; NULL: as is */
    struct onnx_tensor **tensors; /* initializers */
    uint32_t tensor_count;
    struct onnx_tensor **sparse; /* the same, stored as what is not zero */
    uint32_t sparse_count;
    struct onnx_value *inputs; /* as the file lists them: of old files also
                                  the initializers */
    uint32_t input_count;
    struct onnx_value *outputs;
    uint32_t output_count;
    struct onnx_value *values; /* what is said of values within */
    uint32_t value_count;
};

struct onnx_function {
    struct str name;
    struct str domain;
    uint64_t kind; /* of the nodes that call it */
    struct onnx_graph *body;
};

struct onnx_opset {
    struct str domain; /* "ai.onnx" for ONNX's own */
    int64_t version;
};

struct onnx_property {
    struct str key;
    struct str value; /* at most ONNX_LIST_MAX bytes of it */
};

/* A file that holds weights for the model. */
struct onnx_side_file {
    uint32_t location;
    uint64_t used_bytes; /* what the tensors refer to, each for itself */
    bool found;
    uint64_t file_bytes; /* where it was found */
};

struct onnx_model {
    uint64_t file_bytes;
    int64_t ir_version;
    struct str producer;
    struct str producer_version;
    struct str domain;
    int64_t version;
    struct onnx_opset *opsets;
    uint32_t opset_count;
    struct onnx_property *properties; /* the model's metadata */
    uint32_t property_count;
    struct onnx_graph *graph;
    struct onnx_function *functions;
    uint32_t function_count;
    struct onnx_side_file *side_files;
    uint32_t side_file_count;

    /* Sums over the graph and all that lie in it, functions too. */
    uint64_t graph_nodes;     /* nodes of all these graphs */
    uint64_t function_nodes;  /* of which in functions */
    uint64_t graph_tensors;   /* initializers of all these graphs */
    uint64_t constants;       /* Constant nodes with a tensor */
    uint64_t parameters;      /* elements of initializers and constants */
    uint64_t parameter_bytes; /* of those whose type has a size */
    uint64_t external_bytes;  /* of which in other files */

    struct symbols symbols;
    struct arena arena;
    struct onnx_graph **graphs; /* all of them */
    uint32_t all_graph_count;
};

/* The node's attribute of this name; NULL: it has none. */
const struct onnx_attr *onnx_attr(const struct onnx_node *n, const char *name);

/* The version of the operators of this domain that the model asks for; 0: it
 * does not. */
int64_t onnx_opset(const struct onnx_model *m, struct str domain);
