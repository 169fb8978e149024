/* web_runtime.h -- whether a JavaScript program has onnxruntime-web at hand,
 * which runs ONNX Runtime as WebAssembly: no library is loaded then, and the
 * file that the code comes from is closed again, so that nothing else shows. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>

/* Looks where node looks: beside and above the script that it is given, and the
 * folder that we are in.  `out` gets the package's folder.  False: it is no
 * such program, or has none. */
bool web_runtime_find(struct buf *out, char *const *argv);
