/* stub_onnxruntime.c -- what programs are linked against where ONNX Runtime is
 * not there to link to.  It has the real library's soname and its one entry
 * point; LD_LIBRARY_PATH puts the real one in its place. */
#include "ort/api.h"

#include <stddef.h>

const struct ort_api_base *OrtGetApiBase(void);

const struct ort_api_base *OrtGetApiBase(void)
{
    return NULL;
}
