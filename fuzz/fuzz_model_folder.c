/* The settings beside a model, and arrays of numpy: read or refused with a
 * reason, and never beyond their bytes. */
#include "llm/model_folder.h"
#include "llm/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct model_folder m = { 0 };
    struct error e = { 0 };
    struct npy array;

    if (model_folder_settings(&m, text, text, text, &e) && !e.text[0])
        abort();
    model_folder_release(&m);
    if (!npy_read(&array, text, &e) && array.data.len &&
            (array.data.p < text.p ||
                    array.data.p + array.data.len > text.p + text.len))
        abort();
    return 0;
}
