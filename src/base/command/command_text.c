#include "base/command/command_text.h"

#include <string.h>

void command_text(struct buf *out, char *const *argv)
{
    for (size_t i = 0; argv[i]; i++) {
        bool plain = *argv[i];

        for (const char *c = argv[i]; *c; c++)
            plain &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || strchr("-_./=:,+@%", *c);
        if (i)
            buf_char(out, ' ');
        if (plain) {
            buf_text(out, argv[i]);
            continue;
        }
        buf_char(out, '\'');
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'')
                buf_text(out, "'\\''");
            else
                buf_char(out, *c);
        }
        buf_char(out, '\'');
    }
}
