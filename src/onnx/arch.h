/* arch.h -- which kind of network a model is, and which part of it each node
 * is: layer and component.
 *
 * Exporters leave the modules' names in those of nodes, values and weights:
 * "/model/layers.3/self_attn/q_proj/MatMul" is the query projection of layer 3.
 * Where nodes have no telling name, those of what they put out and of weights
 * that they alone use may have; and what stands around a softmax is known by
 * its place there.
 *
 * A family is named only where the graph shows it.  Llama and Mistral, for
 * one, differ by numbers that a graph may not hold: "llama-like" says so.  What
 * fits no family is "generic ...", and `fallback` is set. */
#pragma once

#include "onnx/graph.h"

enum arch_component {
    ARCH_NONE, /* nothing is known */
    ARCH_EMBEDDING,
    ARCH_INPUT_NORM, /* before attention */
    ARCH_QKV,        /* the three projections in one */
    ARCH_Q,
    ARCH_K,
    ARCH_V,
    ARCH_Q_NORM,
    ARCH_K_NORM,
    ARCH_ROTARY,
    ARCH_KV_CACHE,
    ARCH_QK, /* queries times keys */
    ARCH_SCALE,
    ARCH_MASK,
    ARCH_SOFTMAX,
    ARCH_AV,        /* weights times values */
    ARCH_ATTENTION, /* as one operator, or what else is in it */
    ARCH_O,
    ARCH_POST_NORM, /* after attention */
    ARCH_GATE_UP,   /* both in one */
    ARCH_GATE,
    ARCH_UP, /* also fc1, c_fc: the first of two */
    ARCH_ACTIVATION,
    ARCH_MULTIPLY,    /* gate times up */
    ARCH_DOWN,        /* also fc2, and c_proj of the MLP */
    ARCH_MLP,         /* what else is in it */
    ARCH_OUTPUT_NORM, /* that ends a layer, as in BERT */
    ARCH_RESIDUAL,
    ARCH_FINAL_NORM,
    ARCH_LM_HEAD,
    ARCH_HEAD, /* of another kind: pooler, classifier */
    ARCH_COMPONENTS,
};

/* "q_proj", "softmax", ...: as JSON and tables have it. */
const char *arch_component_name(enum arch_component component);

struct arch_place {
    int layer; /* -1: in none, or not known */
    enum arch_component component;
};

struct arch {
    const char *name; /* "llama", "llama-like", "qwen", "generic ..." */
    bool fallback;    /* none of the families that we know */
    bool transformer; /* else no node has a place */
    int layers;       /* 0: none, or not known */
    char reason[160]; /* what it was recognised by, a sentence's part */

    const struct onnx_model *model;
    struct arch_place *places; /* by node of the model's graph */
    struct map by_name;        /* from a node's name to its number */
};

/* The model outlives it. */
struct arch *arch_new(const struct onnx_model *m);
void arch_free(struct arch *a);

/* The place of a node that ran, by the name it then had.  Optimisers keep the
 * name of one of the nodes they fuse and add to it; a name that is not the
 * model's is read as if it were one. */
struct arch_place arch_find(const struct arch *a, struct str name,
        struct str op_type);

/* The place that a name alone tells, for any transformer. */
struct arch_place arch_place(struct str name, struct str op_type);
