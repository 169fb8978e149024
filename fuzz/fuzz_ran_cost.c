/* An operator's type, its inputs and its outputs, a line each. */
#include "onnx/ran_cost.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size };
    struct str none = str_of("");
    struct ran_operator o = { none, none, none, NULL };
    struct onnx_cost cost;

    (void)str_line(&o.op_type, &rest);
    (void)str_line(&o.inputs, &rest);
    (void)str_line(&o.outputs, &rest);
    (void)ran_cost(&cost, &o);
    return 0;
}
