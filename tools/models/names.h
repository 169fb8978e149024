/* names.h -- what PyTorch's exporter calls the parts of a model.
 *
 * Parts are named below a scope, the module they come from.  In the scope
 * /model/layers.0, the first node `Add` is /model/layers.0/Add, the second
 * /model/layers.0/Add_1, and the parameter `norm.weight` is
 * model.layers.0.norm.weight.  Names that are returned belong to the
 * `struct names`; nothing here fails. */
#pragma once

struct names;

struct names *names_new(void);
void names_free(struct names *n);

/* Enters a scope, "" or "/model/layers.0", for the first time or again. */
void names_scope(struct names *n, const char *scope);

/* A new node's name below the scope, which no other node has. */
const char *names_node(struct names *n, const char *name);

/* The name of what a node puts out: the node's own and "_output_0". */
const char *names_output(struct names *n, const char *node);

/* A parameter's name: dots for slashes. */
const char *names_parameter(struct names *n, const char *name);

/* A copy. */
const char *names_copy(struct names *n, const char *name);
