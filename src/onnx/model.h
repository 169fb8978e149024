/* model.h -- a .onnx file, opened for its graph.
 *
 * The file is mapped and walked once; what graph.h describes is copied out, and
 * the file is closed again.  Weights are stepped over: their pages are neither
 * read nor kept, whether the file has 3 kB or 3 GB.  Read are numbers that
 * shapes may be made from: whole ones of up to 64 elements, single floats, and
 * up to 8 floats that a Resize or Upsample scales by. */
#pragma once

#include "base/error.h"
#include "onnx/graph.h"

/* Opens a model file.  Fails, with a sentence that names the file and what is
 * wrong, when it cannot be read (an errno value) or is no sound model: not
 * protobuf, cut short, names without a value, a graph that runs in a circle,
 * shapes that cannot be (-EINVAL), or is larger than anything real (-E2BIG). */
int onnx_open(struct onnx_model **out, const char *path, struct error *e);

/* The same with bytes in memory; `path` is for the sentence, and where other
 * files with weights would lie. */
int onnx_parse(struct onnx_model **out, struct str bytes, const char *path,
        struct error *e);

void onnx_close(struct onnx_model *m);
