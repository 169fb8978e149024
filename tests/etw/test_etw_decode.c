/* Payloads of the kernel's events, of both sizes of pointers, whole and cut. */
#include "base/compiler.h"
#include "base/json.h"
#include "etw/bytes.h"
#include "etw/decode.h"
#include "test.h"

#include <stdlib.h>

static struct etw_record record(unsigned group, unsigned opcode,
        unsigned version, const unsigned char *data, size_t len, unsigned size)
{
    return (struct etw_record){ .kind = ETW_KERNEL,
        .group = (uint8_t)group,
        .opcode = (uint8_t)opcode,
        .version = (uint16_t)version,
        .pid = ETW_NO_ID,
        .tid = ETW_NO_ID,
        .data = data,
        .len = len,
        .pointer_bytes = (uint8_t)size };
}

static void faults(void)
{
    unsigned char p[40] = { 0 };
    struct etw_decoded d;

    put_u64(p, 111);
    put_u64(p + 8, 222);
    put_u64(p + 16, 0x7ff6000);
    put_u32(p + 32, 1716);
    put_u32(p + 36, 8704);

    struct etw_record r = record(2, 32, 2, p, sizeof(p), 8);

    CHECK(etw_decode(&d, &r));
    CHECK_INT(d.taken, sizeof(p));
    CHECK_INT(etw_number(&d, "VirtualAddress", 0), 0x7ff6000);
    CHECK_INT(etw_number(&d, "ThreadID", 0), 1716);
    CHECK_INT(etw_number(&d, "ByteCount", 0), 8704);
    CHECK_INT(etw_number(&d, "Nothing", 5), 5);

    put_u32(p, 0x1000);
    put_u32(p + 4, 4096);
    put_u32(p + 8, 99);
    r = record(2, 98, 2, p, 16, 4);
    CHECK(etw_decode(&d, &r));
    CHECK_INT(etw_number(&d, "BaseAddr", 0), 0x1000);
    CHECK_INT(etw_number(&d, "Length", 0), 4096);
    CHECK_INT(etw_number(&d, "ProcessID", 0), 99);
    r = record(2, 10, 2, p, 8, 4);
    CHECK(etw_decode(&d, &r));
    CHECK(d.layout && d.count == 2);
}

/* FileIO has the thread in another place since version 3. */
static void files(void)
{
    unsigned char p[64] = { 0 };
    struct etw_decoded d;

    put_u64(p, 512);        /* offset */
    put_u64(p + 8, 1);      /* irp */
    put_u64(p + 16, 2);     /* object */
    put_u64(p + 24, 3);     /* key */
    put_u32(p + 32, 1234);  /* thread */
    put_u32(p + 36, 65536); /* size */

    struct etw_record r = record(4, 67, 3, p, 48, 8);

    CHECK(etw_decode(&d, &r));
    CHECK_INT(etw_number(&d, "ThreadID", 0), 1234);
    CHECK_INT(etw_number(&d, "IoSize", 0), 65536);
    CHECK_INT(etw_number(&d, "FileKey", 0), 3);
    put_u64(p + 16, 77); /* version 2: the thread is second */
    put_u64(p + 24, 2);
    put_u64(p + 32, 3);
    put_u32(p + 40, 4096);
    r = record(4, 67, 2, p, 48, 8);
    CHECK(etw_decode(&d, &r));
    CHECK_INT(etw_number(&d, "ThreadID", 0), 77);
    CHECK_INT(etw_number(&d, "FileKey", 0), 3);
    CHECK_INT(etw_number(&d, "IoSize", 0), 4096);
}

static void network(void)
{
    static const unsigned char p[] = { 4, 0, 0, 0, 10, 0, 0, 0, 10, 1, 2, 3,
        127, 0, 0, 1, 0x01, 0xbb, 0x1f, 0x90, 0, 0, 0, 0, 0, 0, 0, 0 };
    struct etw_record r = record(8, 10, 2, p, sizeof(p), 4);
    struct etw_decoded d;
    struct buf b = { 0 };
    struct json j = json_line_into(&b);

    CHECK(etw_decode(&d, &r));
    json_object(&j, NULL);
    etw_decoded_json(&j, &d);
    json_end(&j);
    CHECK(strcmp(buf_cstr(&b),
                  "{\"PID\":4,\"size\":10,\"daddr\":\"10.1.2.3\","
                  "\"saddr\":\"127.0.0.1\",\"dport\":443,\"sport\":8080,"
                  "\"seqnum\":0,\"connid\":\"0x00000000\"}") == 0);
    buf_release(&b);
}

/* Every layout, of every version, with any number of bytes. */
static void cut(void)
{
    unsigned char bytes[200];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 37 + 1);
    for (const struct etw_layout *l = etw_layouts; l->name; l++)
        for (unsigned version = 0; version < 6; version++)
            for (size_t len = 0; len < sizeof(bytes); len += 7) {
                unsigned char *tight = malloc(len ? len : 1);
                struct etw_decoded d;
                struct buf b = { 0 };
                struct json j = json_line_into(&b);
                struct etw_record r = record(l->class & 0xff, l->opcode,
                        version, tight, len, version & 1 ? 4 : 8);

                memcpy(tight, bytes, len);
                if (l->class > 0xff) {
                    r.kind = ETW_CLASSIC;
                    r.guid = etw_class_guid((enum etw_class)l->class)->bytes;
                }
                CHECK(etw_decode(&d, &r));
                CHECK(d.taken <= len);
                json_object(&j, NULL);
                etw_decoded_json(&j, &d);
                json_end(&j);
                buf_release(&b);
                free(tight);
            }
}

int main(void)
{
    faults();
    files();
    network();
    cut();
    return test_result();
}
