#include "tools/models/model.h"

#include <stddef.h>

const struct model_file model_files[] = {
    { "convnet.onnx", convnet_write },
    { "mlp.onnx", mlp_write },
    { "chain.onnx", chain_write },
    { "flow.onnx", flow_write },
    { "broken.onnx", broken_write },
    { "decoder/model.onnx", decoder_write },
    { "decoder/config.json", decoder_config_write },
    { "decoder/generation_config.json", decoder_generation_config_write },
    { "decoder/genai_config.json", decoder_genai_config_write },
    { NULL, NULL },
};
