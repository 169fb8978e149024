/* test_local.c -- messages between processes of one user, in a folder made for
 * the test. */
#include "os/local.h"

#include "base/compiler.h"
#include "os/clock.h"
#include "os/thread.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(30000000000)

static char folder[64];

/* Answers each message by itself, and "subscribe" by subscribing. */
static void echo(void *to)
{
    struct local_hub *h = to;
    char message[LOCAL_MESSAGE_MAX];
    uint64_t from;
    int len;

    while ((len = local_hub_take(h, message, &from)) != -ECANCELED) {
        if (len == 9 && memcmp(message, "subscribe", 9) == 0)
            local_hub_subscribe(h, from);
        local_hub_answer(h, from, message, (size_t)len);
    }
}

static void check_asking(void)
{
    char answer[LOCAL_MESSAGE_MAX];

    CHECK_INT(local_ask("run-1", "hello", 5, answer, mono_ns() + PATIENCE_NS),
            5);
    CHECK(memcmp(answer, "hello", 5) == 0);
    CHECK_INT(local_ask("nobody", "hello", 5, answer, mono_ns() + PATIENCE_NS),
            -ENOENT);
    CHECK_INT(local_ask("../x", "hello", 5, answer, mono_ns() + PATIENCE_NS),
            -ENOENT);
}

/* One who never reads holds nobody up; who reads gets it all up to the limit,
 * and sees the end. */
static void check_telling(struct local_hub *h)
{
    struct local_links *l = local_links_new(), *deaf = local_links_new();
    char message[LOCAL_MESSAGE_MAX], name[LOCAL_NAME_MAX] = "";

    CHECK(!local_hub_has_subscribers(h));
    CHECK(local_links_add(deaf, "run-1", "subscribe", 9));
    CHECK(local_links_add(l, "run-1", "subscribe", 9));
    CHECK(local_links_add(l, "run-1", "subscribe", 9)); /* no second one */
    CHECK(!local_links_add(l, "nobody", "subscribe", 9));
    /* The answer says that it is subscribed. */
    CHECK_INT(local_links_take(l, message, name, mono_ns() + PATIENCE_NS), 9);
    CHECK(strcmp(name, "run-1") == 0);
    CHECK(local_hub_has_subscribers(h));
    for (int i = 0; i < 5000; i++) {
        local_hub_tell(h, "new", 3);
        CHECK_INT(local_links_take(l, message, name, mono_ns() + PATIENCE_NS),
                3);
    }
    CHECK_INT(local_links_take(l, message, name, 0), -ETIMEDOUT);
    local_links_drop(deaf);
    local_links_free(deaf);
    local_links_free(l);
}

/* A socket whose owner is dead is removed by who notices. */
static void check_dead(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    char answer[LOCAL_MESSAGE_MAX];
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    (void)snprintf(a.sun_path, sizeof(a.sun_path), "%s/ortmeter/dead", folder);
    CHECK_INT(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
    (void)close(fd);
    CHECK_INT(access(a.sun_path, F_OK), 0);
    CHECK_INT(local_ask("dead", "hello", 5, answer, mono_ns() + PATIENCE_NS),
            -ENOENT);
    CHECK(access(a.sun_path, F_OK) != 0);
}

/* A folder that others may look into is not used. */
static void check_open_folder(void)
{
    char path[96], answer[LOCAL_MESSAGE_MAX];

    (void)snprintf(path, sizeof(path), "%s/ortmeter", folder);
    CHECK_INT(chmod(path, 0755), 0);
    CHECK_INT(local_ask("run-1", "hello", 5, answer, mono_ns() + PATIENCE_NS),
            -ENOENT);
    CHECK_INT(chmod(path, 0700), 0);
}

int main(void)
{
    struct local_hub *h = NULL;
    struct thread *t = NULL;
    struct error e = { 0 };
    char path[96];

    (void)snprintf(folder, sizeof(folder), "/tmp/test_local.XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    (void)setenv("XDG_RUNTIME_DIR", folder, 1);
    CHECK_INT(local_hub_open(&h, "run-1", &e), 0);
    CHECK_INT(thread_start(&t, echo, h), 0);
    check_asking();
    check_telling(h);
    check_dead();
    check_open_folder();
    local_hub_wake(h);
    thread_join(t);
    local_hub_close(h);
    (void)snprintf(path, sizeof(path), "%s/ortmeter/run-1", folder);
    CHECK(access(path, F_OK) != 0);
    (void)snprintf(path, sizeof(path), "%s/ortmeter", folder);
    CHECK_INT(rmdir(path), 0);
    CHECK_INT(rmdir(folder), 0);
    return test_result();
}
