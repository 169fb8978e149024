/* fuzz_control.c -- what comes through a collector's socket, from either side,
 * and the bodies of the two POST requests. */
#include "model/control.h"
#include "serve/answer/generate_request.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* What was taken is understood by the other side. */
static void check_round(const struct control_wish *w)
{
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    struct control_wish again;

    control_wish_json(&j, NULL, w);
    if (control_wish_read(&again, buf_str(&text)))
        abort();
    buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = { (const char *)bytes, len }, content;
    struct control_wish w;
    struct control c;
    struct generate_request r;
    struct buf options = { 0 };

    if (control_message_read(&content, text) == CONTROL_WISH) {
        (void)control_read(&c, content);
        if (!control_wish_read(&w, content))
            check_round(&w);
    }
    if (!control_wish_read(&w, text))
        check_round(&w);
    if (!generate_request_read(&r, text))
        generate_request_options(&options, &r);
    generate_request_release(&r);
    buf_release(&options);
    return 0;
}
