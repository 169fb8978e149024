/* model_folder.h -- what an exporter left of a language model in a folder:
 * which files it is, and what its settings say.
 *
 * Known are: genai_config.json and its decoder; encoder_model.onnx with a
 * decoder; decoder_model_merged.onnx; decoder_model.onnx with
 * decoder_with_past_model.onnx; model.onnx, also quantised or in a folder
 * "onnx". */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "llm/ids.h"

#include <stdbool.h>

#define MODEL_WINDOWS_MAX 256

struct model_folder {
    char *decoder;   /* path of the model that makes tokens */
    char *with_past; /* of one that goes on with a cache; NULL: the same */
    char *encoder;   /* or NULL */
    char architecture[48]; /* "llama"; "": nothing tells */
    int64_t layers, heads, kv_heads, head_size, hidden, context, vocabulary;
    int64_t bos, pad, start; /* start: of a decoder behind an encoder */
    struct ids stops;        /* tokens that end a text */
    int64_t window;          /* of layers that look back so far only */
    struct buf chat;         /* the chat template; empty: none */
    struct buf bos_text, eos_text;
    struct buf tokenizer; /* tokenizer.json; empty: none */
};

/* Numbers that nothing tells are -1.  -ENOENT: it is no folder, or has no model
 * that we know; the error names it. */
int model_folder_read(struct model_folder *m, const char *path,
        struct error *e);
void model_folder_release(struct model_folder *m);

/* Reads settings from the texts of config.json, generation_config.json and
 * genai_config.json, each may be empty: for tests and fuzzing. */
int model_folder_settings(struct model_folder *m, struct str config,
        struct str generation, struct str genai, struct error *e);
