#include "import/windows_command.h"

#include "base/command/proc_cmdline.h"

/* Backslashes are only escapes before a quote: "C:\dir\" is a path and a lost
 * quote, as it is to programs. */
static size_t take_backslashes(struct buf *out, const char *p, size_t len,
        bool *quoted)
{
    size_t count = 0;

    while (count < len && p[count] == '\\')
        count++;
    if (count == len || p[count] != '"') {
        buf_add(out, p, count);
        return count;
    }
    buf_add(out, p, count / 2);
    if (count % 2)
        buf_char(out, '"');
    else
        *quoted = !*quoted;
    return count + 1;
}

void windows_command_text(struct buf *out, struct str line)
{
    struct buf arguments = { 0 };
    bool quoted = false;

    line = str_trim(line);
    for (size_t i = 0; i < line.len;) {
        char c = line.p[i];

        if (c == '\\' || c == '"')
            i += take_backslashes(&arguments, line.p + i, line.len - i,
                    &quoted);
        else {
            if (!quoted && (c == ' ' || c == '\t'))
                c = 0;
            if (c || (arguments.len && arguments.p[arguments.len - 1]))
                buf_char(&arguments, c);
            i++;
        }
    }
    buf_char(&arguments, 0);
    proc_cmdline_text(out, buf_str(&arguments));
    buf_release(&arguments);
}
