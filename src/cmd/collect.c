/* collect.c -- records programs that somebody else starts. */
#include "analyse/run_figures.h"
#include "analyse/summary.h"
#include "base/buf.h"
#include "base/json.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cmd.h"
#include "cmd/metered.h"
#include "os/file.h"
#include "os/process/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 256 /* of a command line; more are not shown */

struct settings {
    uint64_t pid;
    bool until_eof;
    struct metered_settings metered;
};

/* The process's command line, cut into words. */
struct command {
    char bytes[16384];
    char *words[WORDS_MAX + 1];
};

static void read_command(struct command *c, uint32_t pid)
{
    int len = file_read(c->bytes, sizeof(c->bytes), "/proc/%u/cmdline", pid);
    size_t count = 0;

    for (int i = 0; i < len && count < WORDS_MAX;
            i += (int)strlen(c->bytes + i) + 1)
        c->words[count++] = c->bytes + i;
    if (!count)
        c->words[0] = c->bytes;
}

/* One line, when programs may come. */
static void announce(const struct metered *m)
{
    struct buf line = { 0 };
    struct json j = json_line_into(&line);

    json_object(&j, NULL);
    json_text(&j, "folder", metered_folder(m));
    json_text(&j, "run", metered_id(m));
    json_end(&j);
    buf_text(&line, "\n");
    (void)output_show(stdout, buf_str(&line));
    (void)fflush(stdout);
    buf_release(&line);
}

static int keep_figures(struct store *store, int64_t run, struct error *e)
{
    struct summary summary;
    int rc = summary_read(&summary, store, run, e);

    if (rc)
        return rc;
    (void)run_figures_save(store, &summary, NULL); /* else `list` does it */
    summary_release(&summary);
    return 0;
}

static int check(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;

    if (s->pid > INT32_MAX)
        return fail(e, -EINVAL, "--pid takes the number of a process, not %llu",
                (unsigned long long)s->pid);
    return metered_check(&s->metered, e);
}

static int run(const struct cmd_call *c, struct error *e)
{
    struct settings *s = c->settings;
    struct command command = { 0 };
    struct metered metered;

    s->metered.pid = s->pid ? (uint32_t)s->pid : parent_pid();
    s->metered.until = s->until_eof ? fileno(stdin) : -1;
    s->metered.folder = c->word_count ? c->words[0] : NULL;
    read_command(&command, s->metered.pid);

    int rc = metered_start(&metered, &s->metered, command.words, e);

    if (!rc) {
        announce(&metered);
        metered_follow(&metered);
        if (metered.outcome.record_failed)
            rc = fail(e, -EIO, "%s; of %llu inferences the first %llu are kept",
                    metered.outcome.why.text,
                    (unsigned long long)metered.outcome.inferences,
                    (unsigned long long)metered.outcome.kept);
        else
            rc = keep_figures(metered.store, metered.outcome.run.row, e);
        metered_close(&metered, "collect");
    }
    return rc;
}

static const struct option options[] = {
    OPTION_NUMBER("pid", 0, struct settings, pid, "N",
            "the process whose CPU and memory are sampled, and with whose end "
            "the run ends; the one that started us if not given"),
    OPTION_FLAG("until-eof", 0, struct settings, until_eof,
            "end the run also when stdin ends"),
    METERED_OPTIONS(struct settings, metered),
    OPTION_END,
};

const struct cmd cmd_collect = {
    .name = "collect",
    .about = "record programs that are started by somebody else",
    .usage = "[options] [DIR]",
    .text = "Records, as one run, the programs that have libortmeter.so loaded "
            "and\n"
            "ORTMETER_DIR=DIR in their environment.  DIR is made, or is empty; "
            "without\n"
            "one there is a folder in memory.  When it is ready, one line of "
            "JSON on\n"
            "stdout tells the folder and the run's id.  Python's "
            "ortmeter.record() is\n"
            "made of it.\n",
    .options = options,
    .notes = "What the programs told us before they ended is recorded, however "
             "they\n"
             "ended.\n"
             "\n"
             "Exit code: 0 good, 1 it could not be recorded, 2 wrong usage.\n",
    .examples = "collect /dev/shm/mine --pid 4711\n"
                "collect --until-eof --db /tmp/try.db\n",
    .words_max = 1,
    .settings_size = sizeof(struct settings),
    .check = check,
    .defaults = &(const struct settings){ .metered = METERED_SETTINGS },
    .run = run,
};
