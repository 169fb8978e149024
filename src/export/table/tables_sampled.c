/* tables_sampled.c -- what was read of the machine, and of what could not be,
 * why. */
#include "export/table/columns.h"
#include "export/table/tables.h"

#define ROW subject_entry
static const struct column subject_columns[] = {
    U32("id", id, NULL, ALWAYS),
    COLUMN("kind", TEXT, NULL, KIND, subject.kind, ALWAYS),
    U32("parent", subject.parent, NULL, IF_SET),
    U64("number", subject.number, NULL, ALWAYS),
    TEXT("name", subject.name),
    TEXT("detail", subject.detail),
    TEXT("source", subject.source),
    U64("start_ns", subject.start_ns, "ns", ALWAYS),
    U64("end_ns", end_ns, "ns", IF_SET),
};
#undef ROW
TAKE(subject_entry)
EACH(subject, subject_entry)

static void add_subject(struct store *s, const void *row)
{
    const struct subject_entry *x = row;

    store_add_subject(s, x->id, &x->subject);
    if (x->end_ns)
        store_end_subject(s, x->id, x->end_ns);
}
TABLE(subject, "subjects", subject_entry, each_subject, add_subject,
        "what readings are of: the host, its devices, processes");

#define ROW reading
static const struct column reading_columns[] = {
    U64("time_ns", time_ns, "ns", ALWAYS),
    WALL("time", time_ns),
    U32("subject", subject, NULL, ALWAYS),
    COLUMN("metric", TEXT, NULL, METRIC, metric, ALWAYS),
    COLUMN("value", REAL, NULL, F64, value, ALWAYS),
    COLUMN("method", TEXT, NULL, METHOD, method, ALWAYS),
};
#undef ROW
TAKE(reading)
EACH(reading, reading)
ADD(reading, reading)
TABLE(reading, "readings", reading, each_reading, add_reading,
        "what was read of them, in the units of docs/metrics.md");

#define ROW rollup
static const struct column rollup_columns[] = {
    U64("second", second, "s", ALWAYS),
    U32("subject", subject, NULL, ALWAYS),
    COLUMN("metric", TEXT, NULL, METRIC, metric, ALWAYS),
    U64("count", count, "readings", ALWAYS),
    COLUMN("min", REAL, NULL, F64, min, ALWAYS),
    COLUMN("mean", REAL, NULL, F64, mean, ALWAYS),
    COLUMN("max", REAL, NULL, F64, max, ALWAYS),
};
#undef ROW
TAKE(rollup)
EACH(rollup, rollup)
ADD(rollup, rollup)
TABLE(rollup, "rollups", rollup, each_rollup, add_rollup,
        "the same in short: each second of it");

#define ROW absence_note
static const struct column absence_columns[] = {
    COLUMN("metric", TEXT, NULL, METRIC_ID, metric, ALWAYS),
    U32("subject", subject, NULL, ALWAYS),
    TEXT("reason", reason),
};
#undef ROW
TAKE(absence_note)
EACH(absence, absence_note)
ADD(absence, absence_note)
TABLE(absence, "absences", absence_note, each_absence, add_absence,
        "what could not be read, and why");
