/* schema_2.c -- energy, figures of the machine, and finding runs.
 *
 * Adds the tables that EP-006 names and those of a machine's figures.  What it
 * calls `*_ms` is computed from our whole nanoseconds.
 *
 * `text_uses` tells which texts go when a run goes; `run_labels`, `prompts` and
 * the indexes of profiling_runs find runs among a million. */
#include "store/schema/schema.h"

static const char runs[] =
        "ALTER TABLE profiling_runs ADD COLUMN total_energy_mj REAL;"
        "ALTER TABLE profiling_runs ADD COLUMN energy_method INTEGER;"
        "ALTER TABLE profiling_runs ADD COLUMN input_tokens INTEGER;"
        "ALTER TABLE profiling_runs ADD COLUMN output_tokens INTEGER;"
        "ALTER TABLE profiling_runs ADD COLUMN inferences INTEGER;"
        "ALTER TABLE profiling_runs ADD COLUMN failed INTEGER;"
        "ALTER TABLE profiling_runs ADD COLUMN total_duration_ms REAL"
        " AS (duration_ns / 1e6) VIRTUAL;"
        "ALTER TABLE profiling_runs ADD COLUMN avg_power_mw REAL"
        " AS (total_energy_mj * 1e9 / duration_ns) VIRTUAL;"
        "CREATE TABLE hosts (id INTEGER PRIMARY KEY,"
        " info TEXT NOT NULL UNIQUE);" /* a JSON object */
        "INSERT INTO hosts (info) SELECT DISTINCT host FROM profiling_runs"
        " WHERE host NOT NULL;"
        "ALTER TABLE profiling_runs ADD COLUMN host_id INTEGER"
        " REFERENCES hosts;"
        "UPDATE profiling_runs SET host_id ="
        " (SELECT h.id FROM hosts h WHERE h.info = host);"
        "ALTER TABLE profiling_runs DROP COLUMN host;"
        "UPDATE profiling_runs SET inferences = (SELECT count(*) FROM"
        "  inferences i WHERE i.run = profiling_runs.id),"
        " failed = (SELECT count(*) FROM inferences i"
        "  WHERE i.run = profiling_runs.id AND i.flags & 1)"
        " WHERE status <> 0;"
        "CREATE INDEX profiling_runs_duration"
        " ON profiling_runs (duration_ns, timestamp);"
        "CREATE INDEX profiling_runs_energy"
        " ON profiling_runs (total_energy_mj, timestamp);"
        "CREATE INDEX profiling_runs_keys ON profiling_runs"
        " (id, timestamp, duration_ns, total_energy_mj);"
        "CREATE INDEX profiling_runs_running ON profiling_runs (status)"
        " WHERE status = 0;"
        "ALTER TABLE profiling_runs ADD COLUMN" /* run_figures has them */
        " summed INTEGER NOT NULL DEFAULT 0;"
        "CREATE INDEX profiling_runs_unsummed ON profiling_runs (summed)"
        " WHERE summed = 0;";

/* --- finding runs -------------------------------------------------------- */

static const char finding[] =
        "CREATE TABLE labels (" /* 'model', 'tag' or 'experiment' */
        " id INTEGER PRIMARY KEY,"
        " kind TEXT NOT NULL,"
        " name TEXT NOT NULL,"
        " UNIQUE (kind, name));"
        "CREATE TABLE run_labels (" /* with what runs are sorted by */
        " label INTEGER NOT NULL REFERENCES labels,"
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " timestamp INTEGER NOT NULL,"
        " duration_ns INTEGER,"
        " total_energy_mj REAL,"
        " PRIMARY KEY (label, run)) WITHOUT ROWID;"
        "CREATE INDEX run_labels_run ON run_labels (run);"
        "CREATE INDEX run_labels_date ON run_labels (label, timestamp);"
        "CREATE TEMP TABLE old AS WITH RECURSIVE w (run, tag, rest) AS"
        " (SELECT id, '', tags || ',' FROM profiling_runs WHERE tags NOT NULL"
        "  UNION ALL SELECT run, trim(substr(rest, 1, instr(rest, ',') - 1)),"
        "  substr(rest, instr(rest, ',') + 1) FROM w WHERE rest <> '')"
        " SELECT run, 'tag' AS kind, tag AS name FROM w WHERE tag <> ''"
        " UNION SELECT run, 'model', model FROM sessions WHERE model NOT NULL"
        " UNION SELECT id, 'experiment', experiment_name FROM profiling_runs"
        "  WHERE experiment_name NOT NULL;"
        "INSERT INTO labels (kind, name) SELECT DISTINCT kind, name FROM old;"
        "INSERT INTO run_labels SELECT l.id, r.id, r.timestamp, r.duration_ns,"
        " r.total_energy_mj FROM old o JOIN profiling_runs r ON r.id = o.run"
        " JOIN labels l ON l.kind = o.kind AND l.name = o.name;"
        "DROP TABLE old;"

        "CREATE VIRTUAL TABLE prompts USING fts5 (prompt, detail = none,"
        " content = 'profiling_runs', content_rowid = 'id',"
        " tokenize = 'trigram');"
        "INSERT INTO prompts (rowid, prompt) SELECT id, prompt"
        " FROM profiling_runs WHERE prompt NOT NULL;"

        "CREATE TABLE text_uses ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " text INTEGER NOT NULL REFERENCES texts,"
        " PRIMARY KEY (run, text)) WITHOUT ROWID;"
        "CREATE INDEX text_uses_text ON text_uses (text);"
        "INSERT INTO text_uses"
        " SELECT run, error FROM inferences WHERE error NOT NULL"
        " UNION SELECT run, name FROM operators WHERE name NOT NULL"
        " UNION SELECT run, op_type FROM operators WHERE op_type NOT NULL"
        " UNION SELECT run, provider FROM operators WHERE provider NOT NULL"
        " UNION SELECT run, inputs FROM operators WHERE inputs NOT NULL"
        " UNION SELECT run, outputs FROM operators WHERE outputs NOT NULL"
        " UNION SELECT run, section_name FROM pipeline_sections"
        "  WHERE section_name NOT NULL"
        " UNION SELECT run, token_text FROM tokens WHERE token_text NOT NULL"
        " UNION SELECT run, text FROM events WHERE text NOT NULL;";

/* --- energy, and what is inside an inference ----------------------------- */

static const char energy[] =
        "ALTER TABLE pipeline_sections ADD COLUMN energy_mj REAL;"
        "ALTER TABLE pipeline_sections ADD COLUMN energy_method INTEGER;"
        "ALTER TABLE pipeline_sections ADD COLUMN start_time_ms REAL"
        " AS (start_ns / 1e6) VIRTUAL;"
        "ALTER TABLE pipeline_sections ADD COLUMN end_time_ms REAL"
        " AS ((start_ns + duration_ns) / 1e6) VIRTUAL;"
        "ALTER TABLE pipeline_sections ADD COLUMN duration_ms REAL"
        " AS (duration_ns / 1e6) VIRTUAL;"
        "ALTER TABLE pipeline_sections ADD COLUMN avg_power_mw REAL"
        " AS (energy_mj * 1e9 / duration_ns) VIRTUAL;"

        "ALTER TABLE tokens ADD COLUMN duration_ns INTEGER;"
        "ALTER TABLE tokens ADD COLUMN energy_mj REAL;"
        "ALTER TABLE tokens ADD COLUMN energy_method INTEGER;"
        "ALTER TABLE tokens ADD COLUMN duration_ms REAL"
        " AS (duration_ns / 1e6) VIRTUAL;"
        "ALTER TABLE tokens ADD COLUMN avg_power_mw REAL"
        " AS (energy_mj * 1e9 / duration_ns) VIRTUAL;"

        "CREATE TABLE power_samples ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " number INTEGER NOT NULL,"
        " timestamp INTEGER NOT NULL," /* ns since the run's start */
        " cpu_power_mw REAL,"
        " gpu_power_mw REAL,"
        " ane_power_mw REAL," /* of an NPU */
        " dram_power_mw REAL,"
        " total_power_mw REAL,"
        " phase INTEGER,"
        " method INTEGER NOT NULL,"
        " PRIMARY KEY (run, number)) WITHOUT ROWID;"

        "CREATE TABLE layer_metrics ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " id INTEGER NOT NULL,"
        " token_id INTEGER," /* tokens.number; NULL: of the whole run */
        " layer_index INTEGER NOT NULL,"
        " duration_ns INTEGER NOT NULL,"
        " energy_mj REAL,"
        " activation_mean REAL,"
        " activation_std REAL,"
        " activation_max REAL,"
        " activation_sparsity REAL,"
        " duration_ms REAL AS (duration_ns / 1e6) VIRTUAL,"
        " avg_power_mw REAL AS (energy_mj * 1e9 / duration_ns) VIRTUAL,"
        " PRIMARY KEY (run, id)) WITHOUT ROWID;"

        "CREATE TABLE component_metrics ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " id INTEGER NOT NULL,"
        " layer_metric_id INTEGER," /* NULL: of the whole run */
        " component_name INTEGER NOT NULL REFERENCES texts,"
        " count INTEGER NOT NULL,"
        " duration_ns INTEGER NOT NULL,"
        " energy_mj REAL,"
        " activation_mean REAL,"
        " activation_std REAL,"
        " activation_max REAL,"
        " activation_sparsity REAL,"
        " duration_ms REAL AS (duration_ns / 1e6) VIRTUAL,"
        " avg_power_mw REAL AS (energy_mj * 1e9 / duration_ns) VIRTUAL,"
        " PRIMARY KEY (run, id)) WITHOUT ROWID;"

        "CREATE TABLE deep_operation_metrics ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " id INTEGER NOT NULL,"
        " component_metric_id INTEGER," /* NULL: of the whole run */
        " operation_type INTEGER NOT NULL REFERENCES texts,"
        " operation_name INTEGER NOT NULL REFERENCES texts,"
        " count INTEGER NOT NULL,"
        " duration_ns INTEGER NOT NULL,"
        " energy_mj REAL,"
        " attention_entropy REAL,"
        " attention_sparsity REAL,"
        " max_attention_weight REAL,"
        " activation_kill_ratio REAL,"
        " variance_ratio REAL,"
        " duration_ms REAL AS (duration_ns / 1e6) VIRTUAL,"
        " avg_power_mw REAL AS (energy_mj * 1e9 / duration_ns) VIRTUAL,"
        " PRIMARY KEY (run, id)) WITHOUT ROWID;";

/* --- figures of a machine and what runs on it ---------------------------- */

static const char figures[] =
        "CREATE TABLE metrics (id INTEGER PRIMARY KEY,"
        " name TEXT NOT NULL UNIQUE);"

        "CREATE TABLE subjects ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " id INTEGER NOT NULL,"
        " kind TEXT NOT NULL,"
        " parent INTEGER NOT NULL,"
        " number INTEGER NOT NULL,"
        " start_ns INTEGER,"
        " end_ns INTEGER,"
        " name TEXT,"
        " detail TEXT,"
        " source TEXT,"
        " PRIMARY KEY (run, id)) WITHOUT ROWID;"

        "CREATE TABLE readings ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " number INTEGER NOT NULL,"
        " time_ns INTEGER NOT NULL,"
        " subject INTEGER NOT NULL,"
        " metric INTEGER NOT NULL REFERENCES metrics,"
        " value REAL NOT NULL,"
        " method INTEGER NOT NULL,"
        " PRIMARY KEY (run, number)) WITHOUT ROWID;"

        "CREATE TABLE rollups (" /* a second of readings */
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " metric INTEGER NOT NULL REFERENCES metrics,"
        " subject INTEGER NOT NULL,"
        " second INTEGER NOT NULL,"
        " count INTEGER NOT NULL,"
        " min REAL NOT NULL,"
        " mean REAL NOT NULL,"
        " max REAL NOT NULL,"
        " PRIMARY KEY (run, metric, subject, second)) WITHOUT ROWID;"

        "CREATE TABLE run_figures (" /* of a whole run, for its history */
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " metric INTEGER NOT NULL REFERENCES metrics,"
        " value REAL NOT NULL,"
        " PRIMARY KEY (run, metric)) WITHOUT ROWID;"

        "CREATE TABLE absences ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " subject INTEGER NOT NULL,"
        " metric INTEGER NOT NULL REFERENCES metrics,"
        " reason TEXT NOT NULL,"
        " PRIMARY KEY (run, subject, metric)) WITHOUT ROWID;";

/* --- what people decide, and what they did ------------------------------- */

static const char decisions[] =
        "CREATE TABLE baselines ("
        " name TEXT NOT NULL PRIMARY KEY,"
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " timestamp INTEGER NOT NULL," /* when it was chosen: ns since 1970 */
        " note TEXT);"
        "CREATE INDEX baselines_run ON baselines (run);"

        "CREATE TABLE alerts ("
        " run INTEGER NOT NULL REFERENCES profiling_runs ON DELETE CASCADE,"
        " number INTEGER NOT NULL,"
        " time_ns INTEGER NOT NULL,"
        " end_ns INTEGER," /* NULL: it went on */
        " rule TEXT NOT NULL,"
        " subject INTEGER NOT NULL,"
        " metric INTEGER REFERENCES metrics,"
        " value REAL,"
        " threshold REAL,"
        " PRIMARY KEY (run, number)) WITHOUT ROWID;"

        "CREATE TABLE audit ("
        " id INTEGER PRIMARY KEY,"
        " timestamp INTEGER NOT NULL," /* ns since 1970 */
        " who TEXT NOT NULL,"
        " origin TEXT,"
        " action TEXT NOT NULL,"
        " target TEXT,"
        " result TEXT NOT NULL);"
        "CREATE INDEX audit_timestamp ON audit (timestamp);";

const char *const schema_2[] = { runs, finding, energy, figures, decisions,
    NULL };
