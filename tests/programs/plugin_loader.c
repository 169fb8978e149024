/* plugin_loader.c -- a plugin that opens ONNX Runtime by its bare name, which
 * only the plugin's own RUNPATH can find. */
#include "ort_host.h"

void plugin_run(const char *model, uint64_t count);

void plugin_run(const char *model, uint64_t count)
{
    host_session(library_base(library_open("libonnxruntime.so.1", 0)),
            "plugin_loader", model, count);
}
