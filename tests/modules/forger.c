/*
 * forger.c - speaks for its worker: writes frames of its own to the supervisor, in `create`, or
 * while it is loaded where the environment has FORGE_AT_LOAD. What makes no sense must end the
 * worker with a reason, what floods must end it too, and nobody may wait for ever or lose another
 * case.
 */
#include "core/run/wire.h"
#include "tests/modules/hurry.h"

#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOCKET = 3, PAYLOAD_MAX = 1 << 16 };

static const char *const kinds[] = {"garbage", "checksum",  "huge",   "out_of_place", "short",
                                    "early",   "no_clocks", "clocks", "foreign",      "estimates"};
enum {
    GARBAGE,
    CHECKSUM,
    HUGE_LENGTH,
    OUT_OF_PLACE,
    SHORT,
    EARLY,
    NO_CLOCKS,
    CLOCKS,
    FOREIGN,
    ESTIMATES
};

struct params {
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, what, "garbage", kinds, "what it writes"),
};

static uint32_t crc32(uint32_t crc, const unsigned char *data, size_t n)
{
    for (crc = ~crc; n-- > 0; data++) {
        crc ^= *data;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* A frame: the host is little-endian, as the wire is. */
static void forge(uint32_t type, const void *payload, uint32_t n, uint32_t crc_error)
{
    unsigned char frame[WIRE_HEADER_BYTES + PAYLOAD_MAX];
    const uint32_t magic = WIRE_MAGIC;
    memcpy(frame, &magic, 4);
    memcpy(frame + 4, &type, 4);
    memcpy(frame + 8, &n, 4);
    memcpy(frame + WIRE_HEADER_BYTES, payload, n);
    const uint32_t crc = crc32(crc32(0, frame + 4, 4), payload, n) ^ crc_error;
    memcpy(frame + 12, &crc, 4);
    if (write(SOCKET, frame, WIRE_HEADER_BYTES + n) < 0)
        abort();
}

static void forge_frame(int32_t what)
{
    static const uint32_t end[5] = {0};              /* of no record: ok, "", not spent, "" */
    static const uint32_t foreign[5] = {0, 1, 0, 0}; /* the same, skipped */
    static unsigned char zeros[PAYLOAD_MAX];
    static const uint32_t huge[4] = {WIRE_MAGIC, WIRE_LOG, 0xFFFFFFFFu, 0};
    switch (what) {
    case GARBAGE:
        memset(zeros, 'x', 4096);
        if (write(SOCKET, zeros, 4096) < 0)
            abort();
        break;
    case CHECKSUM:
        forge(WIRE_LOG, zeros, 8, 1);
        break;
    case HUGE_LENGTH:
        if (write(SOCKET, huge, sizeof huge) < 0)
            abort();
        break;
    case OUT_OF_PLACE:
        forge(WIRE_REPLAYED, zeros, 8, 0);
        break;
    case SHORT:
        forge(WIRE_METRIC, zeros, 3, 0);
        break;
    case EARLY:
        forge(WIRE_CASE_END, end, sizeof end, 0);
        break;
    case FOREIGN: /* the worker goes on, and would give the next case its results */
        forge(WIRE_CASE_END, foreign, sizeof foreign, 0);
        break;
    case NO_CLOCKS:
        forge(WIRE_OPENED, zeros, 4, 0);
        break;
    case CLOCKS: /* 2730 clocks without a name, again and again */
        for (const uint32_t n = 2730; memcpy(zeros, &n, 4);)
            forge(WIRE_OPENED, zeros, 4 + 20 * n, 0);
        break;
    default:
        for (;;)
            forge(WIRE_ESTIMATE, zeros, 8, 0);
    }
}

/* backwards: the module before this one begins again. endless: plugins without end. exit: it is
 * gone. */
__attribute__((constructor)) static void on_load(void)
{
    const char *what = getenv("FORGE_AT_LOAD");
    static const unsigned char zeros[64];
    if (what && (strcmp(what, "messages") == 0 || strcmp(what, "prints") == 0))
        hurry_hang(0);
    if (what && strcmp(what, "backwards") == 0)
        forge(WIRE_MODULE_BEGIN, zeros, 4, 0);
    if (what && strcmp(what, "short") == 0)
        forge(WIRE_PLUGIN, zeros, 7, 0);
    while (what && strcmp(what, "endless") == 0)
        forge(WIRE_PLUGIN, zeros, 56, 0);
    while (what && strcmp(what, "messages") == 0)
        forge(WIRE_LOG, zeros, 8, 0);
    while (what && strcmp(what, "prints") == 0)
        puts("a line");
    if (what && strcmp(what, "exit") == 0)
        _exit(3);
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    *ret_bench = (void *)(uintptr_t)host;
    forge_frame(((const struct params *)params)->what);
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .flags = GB_BENCH_SINGLE, .create = create, .run = run};
static const struct gb_plugin plugin = {.size = sizeof plugin,
                                        .kind = GB_PLUGIN_BENCH,
                                        .id = "forger",
                                        .version = "1.0",
                                        .summary = "speaks for its worker",
                                        GB_OPTIONS(options, struct params),
                                        .ops = &ops};

GB_MODULE(&plugin)
