/* pythons.h -- the Pythons in sight that have onnxruntime: of the active venv,
 * and on PATH.  None is started: what is installed is read from its folders. */
#pragma once

#include <limits.h>
#include <stddef.h>

#define PYTHONS_MAX 16

/* An installed package that holds an ONNX Runtime. */
struct python_found {
    char program[PATH_MAX]; /* the Python; */
    char python[16];        /* its version: "3.11", "3.13t" */
    char package[64];       /* "onnxruntime", "onnxruntime_gpu", ... */
    char version[32];
};

/* Returns how many there are, PYTHONS_MAX at most.  `venv` (VIRTUAL_ENV) and
 * `path` (PATH) may be NULL. */
size_t pythons_find(struct python_found out[PYTHONS_MAX], const char *venv,
        const char *path);

/* What `ortmeter run` sees of it, in a few words. */
const char *pythons_captured(const struct python_found *p);
