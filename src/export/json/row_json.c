#include "export/json/row_json.h"

#include "base/digits.h"
#include "base/json_read.h"

/* An object or an array; other texts are not to be mistaken for numbers. */
static bool is_json(struct str text)
{
    return text.len && (*text.p == '{' || *text.p == '[') &&
           json_is_sound(text);
}

void row_json(struct json *j, const struct column *columns, size_t count,
        const struct cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        const struct column *c = &columns[i];
        char time[DIGITS_TIME_LEN];

        if (!cells[i].known)
            continue;
        switch (c->type) {
        case COLUMN_INT: json_int(j, c->name, cells[i].number); break;
        case COLUMN_REAL: json_real(j, c->name, cells[i].real); break;
        case COLUMN_BOOL: json_bool(j, c->name, cells[i].truth); break;
        case COLUMN_TIME:
            json_str(j, c->name,
                    (struct str){ time, digits_time(time, cells[i].number) });
            break;
        case COLUMN_TEXT:
            if (c->json && is_json(cells[i].text))
                json_raw_str(j, c->name, cells[i].text);
            else
                json_str(j, c->name, cells[i].text);
            break;
        }
    }
}
