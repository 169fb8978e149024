/* Stacks and the events they belong to; addresses and their images. */
#include "base/alloc.h"
#include "etw/bytes.h"
#include "etw/decode.h"
#include "etw/images.h"
#include "etw/stacks.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define PID    42
#define THREAD 7
#define KERNEL UINT64_C(0xfffff80000001000)
#define USER   UINT64_C(0x7ff600001000)

enum { STACK = 32, DELETED = 35, RUNDOWN = 36, KEY_KERNEL = 37, KEY_USER = 38 };

static void sample(struct etw_stacks *s, int64_t time, uint32_t tid)
{
    unsigned char data[16] = { 0 };
    struct etw_record r = { .kind = ETW_KERNEL,
        .group = ETW_CLASS_PERF_INFO,
        .opcode = 46,
        .version = 2,
        .pointer_bytes = 8,
        .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .time = time,
        .data = data,
        .len = sizeof(data) };

    put_u32(data + 8, tid);
    etw_stacks_await(s, &r, PID);
}

static void take(struct etw_stacks *s, uint8_t opcode, const unsigned char *p,
        size_t len)
{
    struct etw_record r = { .kind = ETW_KERNEL,
        .group = ETW_CLASS_STACK_WALK,
        .opcode = opcode,
        .version = 2,
        .pointer_bytes = 8,
        .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .data = p,
        .len = len };

    etw_stacks_take(s, &r);
}

/* Two addresses, or a key, of the event at that time. */
static void stack(struct etw_stacks *s, uint8_t opcode, int64_t time,
        uint32_t tid, uint64_t first)
{
    unsigned char data[32] = { 0 };

    put_u64(data, (uint64_t)time);
    put_u32(data + 8, PID);
    put_u32(data + 12, tid);
    put_u64(data + 16, first);
    put_u64(data + 24, first + 16);
    take(s, opcode, data, opcode == STACK ? 32 : 24);
}

static void key(struct etw_stacks *s, uint8_t opcode, uint64_t number,
        uint64_t first)
{
    unsigned char data[24];

    put_u64(data, number);
    put_u64(data + 8, first);
    put_u64(data + 16, first + 16);
    take(s, opcode, data, sizeof(data));
}

/* The kernel's half at once, the program's much later. */
static void inline_halves(void)
{
    struct etw_stacks *s = etw_stacks_new();

    sample(s, 100, THREAD);
    stack(s, STACK, 100, THREAD, KERNEL);
    sample(s, 200, THREAD);
    stack(s, STACK, 200, THREAD, KERNEL);
    sample(s, 200, THREAD + 1); /* at the same time, on another processor */
    sample(s, 300, THREAD);
    stack(s, STACK, 100, THREAD, USER);
    stack(s, STACK, 200, THREAD, USER);
    stack(s, STACK, 150, THREAD, USER); /* of an event that nobody awaits */
    stack(s, STACK, 300, THREAD + 2, USER);
    etw_stacks_end(s);
    CHECK_INT(etw_stacks_tally(s)->joined, 2);
    CHECK_INT(etw_stacks_tally(s)->bare, 2);
    CHECK_INT(etw_stacks_tally(s)->others, 2);
    CHECK_INT(etw_stacks_count(s), 1);

    struct etw_stack x = etw_stacks_at(s, 0);

    CHECK_INT(x.pid, PID);
    CHECK_INT(x.count, 2);
    CHECK_INT(x.kernel_count, 2);
    CHECK_INT(x.user_count, 2);
    CHECK(x.kernel[0] == KERNEL && x.kernel[1] == KERNEL + 16);
    CHECK(x.user[0] == USER && x.user[1] == USER + 16);
    etw_stacks_free(s);
}

/* A key's addresses come when it is deleted; then it is another stack's. */
static void keys(void)
{
    struct etw_stacks *s = etw_stacks_new();

    for (int64_t i = 0; i < 3; i++) {
        sample(s, i, THREAD);
        stack(s, KEY_KERNEL, i, THREAD, 5);
    }
    key(s, DELETED, 5, KERNEL);
    sample(s, 10, THREAD);
    stack(s, KEY_KERNEL, 10, THREAD, 5); /* the same number, used again */
    stack(s, KEY_USER, 10, THREAD, 6);
    sample(s, 11, THREAD);
    stack(s, KEY_USER, 11, THREAD, 9); /* never told */
    sample(s, 12, THREAD);
    stack(s, STACK, 12, THREAD, KERNEL); /* as the first three, without a key */
    key(s, RUNDOWN, 5, KERNEL + 0x100);
    key(s, RUNDOWN, 6, USER);
    etw_stacks_end(s);
    CHECK_INT(etw_stacks_tally(s)->joined, 5);
    CHECK_INT(etw_stacks_tally(s)->unsolved, 1);
    CHECK_INT(etw_stacks_tally(s)->bare, 0);
    CHECK_INT(etw_stacks_tally(s)->dropped, 0);
    CHECK_INT(etw_stacks_count(s), 2);

    struct etw_stack first = etw_stacks_at(s, 0), second = etw_stacks_at(s, 1);

    CHECK_INT(first.count, 4);
    CHECK_INT(first.user_count, 0);
    CHECK(first.kernel[0] == KERNEL);
    CHECK_INT(second.count, 1);
    CHECK(second.kernel[0] == KERNEL + 0x100 && second.user[0] == USER);
    etw_stacks_free(s);
}

/* The stack of a switch is that of the thread which goes on. */
static void switches(void)
{
    struct etw_stacks *s = etw_stacks_new();
    unsigned char data[24] = { 0 };
    struct etw_record r = { .kind = ETW_KERNEL,
        .group = ETW_CLASS_THREAD,
        .opcode = 36,
        .version = 4,
        .pointer_bytes = 8,
        .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .time = 50,
        .data = data,
        .len = sizeof(data) };

    put_u32(data, THREAD);
    put_u32(data + 4, THREAD + 1);
    CHECK_INT(etw_stack_thread(&r), THREAD);
    etw_stacks_await(s, &r, ETW_NO_ID);
    stack(s, STACK, 50, THREAD + 1, KERNEL);
    stack(s, STACK, 50, THREAD, KERNEL);
    etw_stacks_end(s);
    CHECK_INT(etw_stacks_tally(s)->joined, 1);
    CHECK_INT(etw_stacks_tally(s)->others, 1);
    CHECK_INT(etw_stacks_at(s, 0).pid, PID); /* as the stack says */
    etw_stacks_free(s);
}

/* More different stacks than there is room for, and more events than wait: each
 * is still in one of the counts. */
static void limits(void)
{
    struct etw_stacks *s = etw_stacks_new();
    const uint64_t all = 300000;

    for (uint64_t i = 0; i < all; i++) {
        sample(s, (int64_t)i, THREAD);
        stack(s, STACK, (int64_t)i, THREAD, KERNEL + 32 * i);
    }
    stack(s, STACK, 0, THREAD, KERNEL); /* too late */
    take(s, STACK, (const unsigned char *)"short", 5);
    take(s, DELETED, (const unsigned char *)"short", 5);
    etw_stacks_end(s);

    const struct etw_stacks_tally *y = etw_stacks_tally(s);

    CHECK(y->joined > 100000);
    CHECK(y->dropped > 0);
    CHECK_INT(y->joined + y->dropped, all);
    CHECK_INT(y->bare + y->unsolved, 0);
    CHECK_INT(y->others, 1);
    etw_stacks_free(s);
}

static void image(struct etw_images *x, uint32_t pid, uint64_t base,
        const char *path)
{
    unsigned char data[256] = { 0 };
    size_t at = 56;
    struct etw_record r = { .kind = ETW_KERNEL,
        .group = ETW_CLASS_IMAGE,
        .opcode = 3,
        .version = 3,
        .pointer_bytes = 8,
        .data = data };

    put_u64(data, base);
    put_u64(data + 8, 0x1000);
    put_u32(data + 16, pid);
    for (; *path; path++, at += 2)
        data[at] = (unsigned char)*path;
    r.len = at + 2;
    etw_images_take(x, &r);
}

static void named(struct etw_images *x, uint32_t pid, uint64_t address,
        const char *want)
{
    struct buf got = { 0 };

    etw_images_name(&got, x, pid, address);
    if (strcmp(buf_cstr(&got), want) != 0)
        (void)fprintf(stderr, "%s, not %s\n", buf_cstr(&got), want);
    CHECK(strcmp(buf_cstr(&got), want) == 0);
    buf_release(&got);
}

static void images(void)
{
    struct etw_images *x = etw_images_new();

    named(x, PID, USER, "0x7ff600001000");
    image(x, PID, USER, "\\Device\\HarddiskVolume1\\infer.exe");
    image(x, PID, USER + 0x2000, "C:\\onnxruntime.dll");
    image(x, PID + 1, USER, "other.exe");
    image(x, 0, KERNEL, "\\SystemRoot\\ntoskrnl.exe");
    image(x, PID, USER, "\\later.dll"); /* the first one stays */
    named(x, PID, USER, "infer.exe+0x0");
    named(x, PID, USER + 0xfff, "infer.exe+0xfff");
    named(x, PID, USER + 0x1000, "0x7ff600002000");
    named(x, PID, USER + 0x2010, "onnxruntime.dll+0x10");
    named(x, PID + 1, USER + 1, "other.exe+0x1");
    named(x, PID + 2, USER, "0x7ff600001000");
    named(x, PID, KERNEL + 2, "ntoskrnl.exe+0x2");
    etw_images_free(x);
}

int main(void)
{
    inline_halves();
    keys();
    switches();
    limits();
    images();
    return test_result();
}
