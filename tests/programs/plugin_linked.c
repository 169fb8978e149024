/* plugin_linked.c -- a plugin that is linked to ONNX Runtime. */
#include "ort_host.h"

const struct ort_api_base *OrtGetApiBase(void);
void plugin_run(const char *model, uint64_t count);

void plugin_run(const char *model, uint64_t count)
{
    host_session(OrtGetApiBase(), "plugin_linked", model, count);
}
