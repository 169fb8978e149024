/* What libraries read beside the model: Hugging Face's config.json and
 * generation_config.json, and ONNX Runtime GenAI's genai_config.json. */
#include "tools/models/decoder.h"
#include "tools/models/model.h"

#include "base/json.h"

static void special_tokens(struct json *j)
{
    json_int(j, "bos_token_id", DECODER_BOS_ID);
    json_int(j, "eos_token_id", DECODER_EOS_ID);
    json_int(j, "pad_token_id", DECODER_PAD_ID);
}

static void end_file(struct json *j)
{
    json_end(j);
    buf_char(j->out, '\n');
}

void decoder_config_write(struct buf *file)
{
    struct json j = json_into(file);

    json_object(&j, NULL);
    json_array(&j, "architectures");
    json_text(&j, NULL, "LlamaForCausalLM");
    json_end(&j);
    json_text(&j, "model_type", "llama");
    special_tokens(&j);
    json_int(&j, "vocab_size", DECODER_VOCAB);
    json_int(&j, "hidden_size", DECODER_HIDDEN);
    json_int(&j, "intermediate_size", DECODER_MLP);
    json_text(&j, "hidden_act", "silu");
    json_int(&j, "num_hidden_layers", DECODER_LAYERS);
    json_int(&j, "num_attention_heads", DECODER_HEADS);
    json_int(&j, "num_key_value_heads", DECODER_KV_HEADS);
    json_int(&j, "head_dim", DECODER_HEAD_SIZE);
    json_int(&j, "max_position_embeddings", DECODER_CONTEXT);
    json_real(&j, "rms_norm_eps", DECODER_NORM_EPSILON);
    json_real(&j, "rope_theta", DECODER_ROPE_THETA);
    json_bool(&j, "tie_word_embeddings", false);
    json_bool(&j, "use_cache", true);
    json_text(&j, "torch_dtype", "float32");
    end_file(&j);
}

void decoder_generation_config_write(struct buf *file)
{
    struct json j = json_into(file);

    json_object(&j, NULL);
    special_tokens(&j);
    json_bool(&j, "do_sample", false);
    json_int(&j, "max_length", DECODER_CONTEXT);
    end_file(&j);
}

static void genai_decoder(struct json *j)
{
    json_object(j, "decoder");
    json_object(j, "session_options");
    json_array(j, "provider_options");
    json_end(j);
    json_end(j);
    json_text(j, "filename", "model.onnx");
    json_int(j, "head_size", DECODER_HEAD_SIZE);
    json_int(j, "hidden_size", DECODER_HIDDEN);
    json_int(j, "num_attention_heads", DECODER_HEADS);
    json_int(j, "num_key_value_heads", DECODER_KV_HEADS);
    json_int(j, "num_hidden_layers", DECODER_LAYERS);
    json_object(j, "inputs");
    json_text(j, "input_ids", "input_ids");
    json_text(j, "attention_mask", "attention_mask");
    json_text(j, "position_ids", "position_ids");
    json_text(j, "past_key_names", "past_key_values.%d.key");
    json_text(j, "past_value_names", "past_key_values.%d.value");
    json_end(j);
    json_object(j, "outputs");
    json_text(j, "logits", "logits");
    json_text(j, "present_key_names", "present.%d.key");
    json_text(j, "present_value_names", "present.%d.value");
    json_end(j);
    json_end(j);
}

void decoder_genai_config_write(struct buf *file)
{
    struct json j = json_into(file);

    json_object(&j, NULL);
    json_object(&j, "model");
    json_text(&j, "type", "llama");
    special_tokens(&j);
    json_int(&j, "vocab_size", DECODER_VOCAB);
    json_int(&j, "context_length", DECODER_CONTEXT);
    genai_decoder(&j);
    json_end(&j);
    json_object(&j, "search");
    json_bool(&j, "do_sample", false);
    json_int(&j, "max_length", DECODER_CONTEXT);
    json_bool(&j, "past_present_share_buffer", false);
    json_end(&j);
    end_file(&j);
}
