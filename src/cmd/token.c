/* token.c -- tokens for who asks the server: made, listed, revoked. */
#include "base/alloc.h"
#include "base/digits.h"
#include "base/json.h"
#include "cmd/cli/output.h"
#include "cmd/cli/when.h"
#include "cmd/cmd.h"
#include "cmd/serving.h"
#include "os/clock.h"
#include "serve/tokens.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const roles[] = { "viewer", "operator", "admin", NULL };

struct settings {
    bool json;
    const char *out, *expires;
    int role; /* of roles */
};

#define NS_PER_S UINT64_C(1000000000)

static bool is_name(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < len; i++)
        if (!((name[i] | 32) >= 'a' && (name[i] | 32) <= 'z') &&
                !(name[i] >= '0' && name[i] <= '9') && !strchr("-_.", name[i]))
            return false;
    return len && len <= TOKEN_NAME_MAX;
}

static size_t place_of(const struct token_list *l, const char *name)
{
    size_t i = 0;

    while (i < l->count && strcmp(l->items[i].name, name) != 0)
        i++;
    return i;
}

static int create(const struct settings *s, struct token_list *l,
        const char *name, struct buf *out, struct error *e)
{
    char token[TOKEN_LEN + 1];
    struct token_entry *t;
    uint64_t span = 0;
    int rc;

    if (!is_name(name) || strcmp(name, "owner") == 0)
        return fail(e, -EINVAL,
                "a token's name has letters, digits, '-', '_' and '.', and is "
                "not 'owner': not '%.64s'",
                name);
    if (place_of(l, name) < l->count)
        return fail(e, -EEXIST, "there is a token '%s' already", name);
    if (l->count == TOKENS_MAX)
        return fail(e, -ENOSPC, "there are %d tokens: revoke some", TOKENS_MAX);
    if (s->expires && (rc = when_span(&span, s->expires, e)))
        return rc;
    l->items = alloc_resize(l->items, (l->count + 1) * sizeof(*l->items));
    t = &l->items[l->count];
    *t = (struct token_entry){ .made_s = wall_ns() / NS_PER_S };
    memcpy(t->name, name, strlen(name));
    t->role = (enum role)(ROLE_VIEWER + s->role);
    t->ends_s = span ? t->made_s + span / NS_PER_S : 0;
    rc = token_make(token, t->hash, e);
    if (rc)
        return rc;
    l->count++;
    buf_printf(out, "%s\n", token);
    return 0;
}

static void moment(struct json *j, const char *key, uint64_t s)
{
    char time[DIGITS_TIME_LEN];

    if (s)
        json_str(j, key,
                (struct str){ time,
                        digits_time(time, (int64_t)(s * NS_PER_S)) });
}

static void list(const struct settings *s, const struct token_list *l,
        struct buf *out)
{
    struct json j = json_into(out);

    if (s->json)
        json_array(&j, NULL);
    for (size_t i = 0; i < l->count; i++) {
        const struct token_entry *t = &l->items[i];
        char time[DIGITS_TIME_LEN] = "never";

        if (s->json) {
            json_object(&j, NULL);
            json_text(&j, "name", t->name);
            json_text(&j, "role", role_name(t->role));
            moment(&j, "made", t->made_s);
            moment(&j, "expires", t->ends_s);
            json_end(&j);
            continue;
        }
        if (t->ends_s)
            (void)digits_time(time, (int64_t)(t->ends_s * NS_PER_S));
        buf_printf(out, "%-24s  %-8s  %.19s\n", t->name, role_name(t->role),
                time);
    }
    if (s->json) {
        json_end(&j);
        buf_char(out, '\n');
    }
}

static int revoke(struct token_list *l, const char *name, struct error *e)
{
    size_t i = place_of(l, name);

    if (i == l->count)
        return fail(e, -ENOENT, "there is no token '%.64s'", name);
    l->items[i] = l->items[--l->count];
    return 0;
}

static int change(const struct settings *s, struct token_list *l,
        char *const *words, const char *path, struct buf *out, struct error *e)
{
    int rc = strcmp(words[0], "create") == 0 ? create(s, l, words[1], out, e)
                                             : revoke(l, words[1], e);

    return rc ? rc : token_file_write(l, path, e);
}

static int check(const struct cmd_call *c, struct error *e)
{
    bool lists = c->word_count == 1 && strcmp(c->words[0], "list") == 0;
    bool changes =
            c->word_count == 2 && (strcmp(c->words[0], "create") == 0 ||
                                          strcmp(c->words[0], "revoke") == 0);

    return lists || changes
                   ? 0
                   : fail(e, -EINVAL,
                             "say what to do: create NAME, list, or revoke "
                             "NAME");
}

static int run(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
    char folder[PATH_MAX - 16], path[PATH_MAX];
    struct token_list l = { 0 };
    struct buf out = { 0 };
    int rc = serving_folder(folder, sizeof(folder), e);

    if (rc)
        return rc;
    (void)snprintf(path, sizeof(path), "%s/tokens", folder);
    rc = token_file_read(&l, path, e);
    if (!rc && c->word_count == 2)
        rc = change(s, &l, c->words, path, &out, e);
    else if (!rc)
        list(s, &l, &out);
    if (!rc)
        rc = output_write(s->out, buf_str(&out), e);
    token_list_release(&l);
    buf_release(&out);
    return rc;
}

static const struct option options[] = {
    OPTION_CHOICE("role", 0, struct settings, role, roles, "ROLE",
            "what it may do: viewer, look (the default); operator, change "
            "tags and notes; admin, delete runs"),
    OPTION_TEXT("expires", 0, struct settings, expires, "SPAN",
            "when it ends: 90s, 45m, 12h, 30d; if not given, never"),
    JSON_OPTION(struct settings),
    OUT_OPTION(struct settings),
    OPTION_END,
};

const struct cmd cmd_token = {
    .name = "token",
    .about = "tokens for who asks the server",
    .usage = "[options] create NAME | list | revoke NAME",
    .text = "Makes a token, which is printed once and of which only a hash is "
            "kept;\n"
            "lists those that there are; or revokes one, which a running "
            "server heeds\n"
            "within a second.\n",
    .options = options,
    .examples = "token create grafana --role viewer --expires 90d\n"
                "token list\n"
                "token revoke grafana\n",
    .words_max = 2,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
