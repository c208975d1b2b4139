/*
 * forger.c - speaks for its worker: writes frames of its own to the supervisor, in `prepare`, or
 * while it is loaded where the environment has FORGE_AT_LOAD. What makes no sense must end the
 * worker with a reason, what floods must end it too, and nobody may wait for ever or lose another
 * case.
 */
#include "core/run/wire.h"
#include "tests/modules/hurry.h"
#include "tests/modules/words.h"

#include <gbrun/simple.h>

enum { SOCKET = 3, PAYLOAD_MAX = 1 << 16 };

struct bench {
    int32_t what;
    const struct gb_host *host;
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

static void send_all(const void *bytes, size_t n)
{
    if (write(SOCKET, bytes, n) < 0)
        abort();
}

/* A frame, its numbers as this machine has them. */
static void forge(uint32_t type, const void *payload, uint32_t n, uint32_t crc_error)
{
    unsigned char frame[WIRE_HEADER_BYTES + PAYLOAD_MAX];
    const uint32_t crc = crc32(crc32(0, (const unsigned char *)&type, 4), payload, n) ^ crc_error;
    memcpy(frame, (const uint32_t[]){WIRE_MAGIC, type, n, crc}, WIRE_HEADER_BYTES);
    memcpy(frame + WIRE_HEADER_BYTES, payload, n);
    send_all(frame, WIRE_HEADER_BYTES + n);
}

/* Clocks without a name, again and again. */
static void forge_clocks(uint32_t n)
{
    static unsigned char clocks[PAYLOAD_MAX];
    memcpy(clocks, &n, 4);
    for (;;)
        forge(WIRE_OPENED, clocks, 4 + 20 * n, 0);
}

static void forge_estimates(const void *zeros)
{
    for (;;)
        forge(WIRE_ESTIMATE, zeros, 8, 0);
}

/* Foreign: the worker continues, and would give the next case its results. */
#define KINDS(X)                                                                                   \
    X(garbage, send_all(xs, sizeof xs))                                                            \
    X(checksum, forge(WIRE_LOG, zeros, 8, 1))                                                      \
    X(huge, send_all(huge, sizeof huge))                                                           \
    X(out_of_place, forge(WIRE_REPLAYED, zeros, 8, 0))                                             \
    X(short, forge(WIRE_METRIC, zeros, 3, 0))                                                      \
    X(early, forge(WIRE_CASE_END, end, sizeof end, 0))                                             \
    X(clocks, forge_clocks(2730))                                                                  \
    X(foreign, forge(WIRE_CASE_END, foreign, sizeof foreign, 0))                                   \
    X(estimates, forge_estimates(zeros))
static const char *const kinds[] = {KINDS(WORD)};
enum { KINDS(WORD_NUMBER) };

static const struct gb_option options[] = {
    GB_CHOICE(struct bench, what, "garbage", kinds, "what it writes"),
};

static void forge_frame(int32_t what)
{
    static const uint32_t end[5] = {0};              /* of no record: ok, "", not spent, "" */
    static const uint32_t foreign[5] = {0, 1, 0, 0}; /* the same, skipped */
    static const uint32_t huge[4] = {WIRE_MAGIC, WIRE_LOG, 0xFFFFFFFFu, 0};
    static const unsigned char zeros[8];
    char xs[4096];
    memset(xs, 'x', sizeof xs);
    switch (what) {
        KINDS(WORD_CASE)
    default:
        break;
    }
}

/* backwards: the module before this one begins again. endless: plugins without end. exit: it is
 * gone. */
__attribute__((constructor)) static void on_load(void)
{
    static const unsigned char zeros[64];
    const char *what = getenv("FORGE_AT_LOAD") ? getenv("FORGE_AT_LOAD") : "";
    if (strcmp(what, "messages") == 0 || strcmp(what, "prints") == 0)
        hurry_hang(0);
    if (strcmp(what, "backwards") == 0)
        forge(WIRE_MODULE_BEGIN, zeros, 4, 0);
    if (strcmp(what, "short") == 0)
        forge(WIRE_PLUGIN, zeros, 7, 0);
    while (strcmp(what, "endless") == 0)
        forge(WIRE_PLUGIN, zeros, 56, 0);
    while (strcmp(what, "messages") == 0)
        forge(WIRE_LOG, zeros, 8, 0);
    while (strcmp(what, "prints") == 0)
        puts("a line");
    if (strcmp(what, "exit") == 0)
        _exit(3);
}

GB_UNTIMED(prepare, const struct bench, bench)
{
    forge_frame(bench->what);
    return GB_OK;
}

GB_TIMED(run, struct bench, bench)
{
    (void)bench;
}

GB_BENCH_ON(NULL, forger, struct bench, options, "speaks for its worker", .flags = GB_BENCH_SINGLE,
            .prepare = prepare, .run = run)
GB_MODULE(&forger)
