/* large_decoder.c -- the files of a decoder that is too large to be made with
 * every build: tools/models, with DECODER_LARGE. */
#include "tools/models/model.h"

#include <stddef.h>

const struct model_file model_files[] = {
    { "model.onnx", decoder_write },
    { "config.json", decoder_config_write },
    { "genai_config.json", decoder_genai_config_write },
    { NULL, NULL },
};
