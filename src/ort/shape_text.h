/* shape_text.h -- types and shapes of a node's inputs or outputs, as ONNX
 * Runtime writes them: [{"float":[1,3,48,192]},{"int64":[]}]. */
#pragma once

#include <stdbool.h>

/* Whether it is that, to the letter, and so may stand in JSON as it is. */
bool shape_text_is_sound(const char *text);
