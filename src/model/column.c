/* column.c -- from the struct of a row to its values, and back. */
#include "model/column.h"

#include "model/phase.h"
#include "model/reading.h"
#include "model/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool column_nullable(const struct column *c)
{
    return c->when != WHEN_ALWAYS || c->form == FORM_TEXT;
}

const char *column_type_name(enum column_type type)
{
    static const char *const names[] = {
        [COLUMN_INT] = "int64",
        [COLUMN_REAL] = "double",
        [COLUMN_TEXT] = "string",
        [COLUMN_BOOL] = "bool",
        [COLUMN_TIME] = "timestamp",
    };

    return names[type];
}

bool column_is_derived(const struct column *c)
{
    return c->form >= FORM_WALL;
}

/* --- what lies in a struct ------------------------------------------------ */

#define LOAD(name, type)                               \
    static type name(const void *row, size_t at)       \
    {                                                  \
        type x;                                        \
                                                       \
        memcpy(&x, (const char *)row + at, sizeof(x)); \
        return x;                                      \
    }
LOAD(load_u8, uint8_t)
LOAD(load_u16, uint16_t)
LOAD(load_u32, uint32_t)
LOAD(load_u64, uint64_t)
LOAD(load_int, int)
LOAD(load_f64, double)
LOAD(load_bool, bool)
LOAD(load_text, const char *)

static uint64_t load_any(const struct column *c, const void *row)
{
    switch (c->form) {
    case FORM_U8:
    case FORM_PHASE:
    case FORM_METHOD: return load_u8(row, c->at);
    case FORM_U16:
    case FORM_METRIC: return load_u16(row, c->at);
    case FORM_U32: return load_u32(row, c->at);
    case FORM_I32:
    case FORM_STATUS:
    case FORM_METRIC_ID:
    case FORM_KIND: return (uint64_t)load_int(row, c->at);
    default: return load_u64(row, c->at);
    }
}

static bool is_known(const struct column *c, const void *row)
{
    switch (c->when) {
    case WHEN_ALWAYS: return true;
    case WHEN_SET:
        return c->form == FORM_TEXT ? load_text(row, c->at) != NULL
                                    : load_any(c, row) != 0;
    case WHEN_FLAG: return load_u16(row, c->other) & c->mask;
    case WHEN_TRUE: return load_bool(row, c->other);
    case WHEN_FALSE: return !load_bool(row, c->other);
    case WHEN_U32: return load_u32(row, c->at) != UINT32_MAX;
    case WHEN_EITHER:
        return load_any(c, row) != 0 || load_u64(row, c->other) != 0;
    case WHEN_POWER:
        return load_bool(row, c->flag) && load_u64(row, c->other) != 0;
    case WHEN_REAL: return !isnan(load_f64(row, c->at));
    case WHEN_REAL_POWER:
        return !isnan(load_f64(row, c->at)) && load_u64(row, c->other) != 0;
    case WHEN_OTHER_REAL: return !isnan(load_f64(row, c->other));
    case WHEN_EXITED:
        return ((const struct run *)row)->ended &&
               !((const struct run *)row)->signal;
    }
    return false;
}

/* The name behind a number; NULL: it has none. */
static const char *name_of(enum column_form form, uint64_t value)
{
    switch (form) {
    case FORM_PHASE:
        return value <= PHASE_IDLE ? phase_name((enum phase)value) : NULL;
    case FORM_STATUS:
        return value <= RUN_STATUS_LAST
                       ? run_status_name((enum run_status)value)
                       : NULL;
    case FORM_METRIC:
    case FORM_METRIC_ID:
        return value < METRIC_IDS ? metric_table[value].name : NULL;
    case FORM_METHOD:
        return value < READING_METHODS
                       ? reading_method_name((enum reading_method)value)
                       : NULL;
    case FORM_KIND:
        return value < SUBJECT_KINDS
                       ? subject_kind_name((enum subject_kind)value)
                       : NULL;
    default: return NULL;
    }
}

static bool is_named(enum column_form form)
{
    return form >= FORM_PHASE && form <= FORM_KIND;
}

static struct cell text_cell(const char *text)
{
    return text ? (struct cell){ .known = true, .text = str_of(text) }
                : (struct cell){ 0 };
}

struct cell column_get(const struct column *c, const void *row, int64_t number,
        int64_t started_wall_ns)
{
    struct cell cell = { .known = is_known(c, row) };
    const char *name;

    if (!cell.known)
        return cell;
    switch (c->form) {
    case FORM_NUMBER: cell.number = number; break;
    case FORM_U8:
    case FORM_U16:
    case FORM_U32:
    case FORM_U64:
    case FORM_I32:
    case FORM_I64:
    case FORM_TIME: cell.number = (int64_t)load_any(c, row); break;
    case FORM_F64: cell.real = load_f64(row, c->at); break;
    case FORM_BOOL: cell.truth = load_bool(row, c->at); break;
    case FORM_FLAG: cell.truth = load_u16(row, c->at) & c->mask; break;
    case FORM_TEXT: return text_cell(load_text(row, c->at));
    case FORM_CHARS: return text_cell((const char *)row + c->at);
    case FORM_PHASE:
    case FORM_STATUS:
    case FORM_METRIC:
    case FORM_METRIC_ID:
    case FORM_METHOD:
    case FORM_KIND: /* columns of names have no absent cells */
        name = name_of(c->form, load_any(c, row));
        return text_cell(name ? name : "unknown");
    case FORM_WALL:
        cell.number = started_wall_ns + (int64_t)load_u64(row, c->at);
        break;
    case FORM_MS: cell.real = (double)load_u64(row, c->at) / 1e6; break;
    case FORM_END_MS:
        cell.real =
                (double)(load_u64(row, c->at) + load_u64(row, c->other)) / 1e6;
        break;
    case FORM_POWER:
        cell.real =
                load_f64(row, c->at) * 1e9 / (double)load_u64(row, c->other);
        break;
    }
    return cell;
}

/* --- and back ------------------------------------------------------------- */

static int store_number(void *row, size_t at, enum column_form form,
        int64_t value)
{
    char *to = (char *)row + at;
    uint64_t most = form == FORM_U8    ? UINT8_MAX
                    : form == FORM_U16 ? UINT16_MAX
                    : form == FORM_U32 ? UINT32_MAX
                                       : UINT64_MAX;

    if (form == FORM_I32) {
        if (value < INT32_MIN || value > INT32_MAX)
            return -EINVAL;
        memcpy(to, &(int){ (int)value }, sizeof(int));
        return 0;
    }
    if (form != FORM_I64 && (value < 0 || (uint64_t)value > most))
        return -EINVAL;
    switch (form) {
    case FORM_U8: *(uint8_t *)to = (uint8_t)value; break;
    case FORM_U16: memcpy(to, &(uint16_t){ (uint16_t)value }, 2); break;
    case FORM_U32: memcpy(to, &(uint32_t){ (uint32_t)value }, 4); break;
    default: memcpy(to, &value, sizeof(value)); break;
    }
    return 0;
}

/* The number that has this name. */
static int store_named(const struct column *c, void *row, struct str name)
{
    for (uint64_t i = 0;; i++) {
        const char *known = name_of(c->form, i);

        if (!known)
            return -EINVAL;
        if (!str_is(name, known))
            continue;
        if (c->form == FORM_STATUS || c->form == FORM_KIND ||
                c->form == FORM_METRIC_ID)
            return store_number(row, c->at, FORM_I32, (int64_t)i);
        return store_number(row, c->at,
                c->form == FORM_METRIC ? FORM_U16 : FORM_U8, (int64_t)i);
    }
}

/* Whether there is a value, where the struct says so elsewhere. */
static void store_when(const struct column *c, void *row, bool known)
{
    char *other = (char *)row + c->other;

    switch (c->when) {
    case WHEN_FLAG:
        if (known)
            *(uint16_t *)(void *)other |= c->mask;
        break;
    case WHEN_TRUE: *(bool *)(void *)other |= known; break;
    case WHEN_FALSE: *(bool *)(void *)other |= !known; break;
    case WHEN_U32:
        if (!known)
            memcpy((char *)row + c->at, &(uint32_t){ UINT32_MAX }, 4);
        break;
    case WHEN_ALWAYS:
    case WHEN_SET:
    case WHEN_EITHER:
    case WHEN_POWER:
    case WHEN_REAL_POWER:
    case WHEN_OTHER_REAL:
    case WHEN_EXITED: break;
    case WHEN_REAL:
        if (!known)
            memcpy((char *)row + c->at, &(double){ NAN }, sizeof(double));
        break;
    }
}

int column_put(const struct column *c, void *row, const struct cell *cell)
{
    char *to = (char *)row + c->at;

    if (c->form == FORM_NUMBER || c->form >= FORM_WALL)
        return 0;
    store_when(c, row, cell->known);
    if (!cell->known) /* a flag is set, or nobody speaks of it */
        return column_nullable(c) || c->form == FORM_FLAG ? 0 : -EINVAL;
    switch (c->form) {
    case FORM_F64: memcpy(to, &cell->real, sizeof(cell->real)); return 0;
    case FORM_BOOL: *(bool *)(void *)to = cell->truth; return 0;
    case FORM_FLAG:
        if (cell->truth)
            *(uint16_t *)(void *)to |= c->mask;
        return 0;
    case FORM_TEXT: memcpy(to, &cell->text.p, sizeof(cell->text.p)); return 0;
    case FORM_CHARS: /* whoever has such a column knows how long it is */
        return -EINVAL;
    case FORM_PHASE:
    case FORM_STATUS:
    case FORM_METRIC:
    case FORM_METRIC_ID:
    case FORM_METHOD:
    case FORM_KIND: return store_named(c, row, cell->text);
    default: return store_number(row, c->at, c->form, cell->number);
    }
}

/* --- as the store keeps it ------------------------------------------------ */

enum column_type column_plain_type(const struct column *c)
{
    if (is_named(c->form) || c->type == COLUMN_BOOL || c->type == COLUMN_TIME)
        return COLUMN_INT;
    return c->type;
}

struct cell column_get_plain(const struct column *c, const void *row,
        int64_t number)
{
    struct cell cell = { .known = is_known(c, row) };

    if (cell.known && is_named(c->form)) {
        cell.number = (int64_t)load_any(c, row);
        return cell;
    }
    cell = column_get(c, row, number, 0);
    if (c->type == COLUMN_BOOL)
        cell.number = cell.truth;
    return cell;
}

int column_put_plain(const struct column *c, void *row, const struct cell *cell)
{
    struct cell value = *cell;

    if (is_named(c->form) && cell->known) {
        const char *name = name_of(c->form, (uint64_t)cell->number);

        value = text_cell(name);
        if (!name)
            return -EINVAL;
    } else if (c->type == COLUMN_BOOL) {
        value.truth = cell->number != 0;
    }
    return column_put(c, row, &value);
}
