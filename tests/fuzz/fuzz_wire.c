/* fuzz_wire.c - what a dying or hostile worker may send: frames, and every message in them. */
#include "core/run/collector.h"
#include "core/run/messages.h"
#include "tests/fuzz/fuzz.h"

/* Without the checksum nothing but noise would ever be looked at: the payload goes straight to the
 * readers. */
static void read_payload(uint32_t type, const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct wire_reader message = {.data = data, .length = size};
    static const struct wire_field *const lists[] = {
        description_fields, case_order_fields,   device_fields,     lane_order_fields,
        question_fields,    search_order_fields, search_end_fields, counter_fields};
    enum { LISTS = sizeof lists / sizeof *lists };
    union {
        struct plugin_info info;
        struct case_order order;
        struct question question;
        struct search_order search;
        struct search_end end;
    } read;
    struct gb_estimate estimate;
    const char *reason;
    uint64_t n_lost;
    if (type % (LISTS + 1) < LISTS)
        wire_get_fields(&message, &arena, lists[type % (LISTS + 1)], &read);
    else
        get_estimate(&message, &arena, &estimate, &reason, &n_lost);
    arena_free(&arena);
}

/* A case's messages one after the other: a byte of type, a byte of length, so many bytes of
 * payload. */
static void collect(const uint8_t *data, size_t size)
{
    static const struct plugin_info info = {.path = "fuzz.so", .sha256 = "12"};
    static const struct plugin_settings settings = {.name = "fuzz", .info = &info};
    static const struct bench_case bench_case = {
        .bench = "fuzz", .info = &info, .policy = &settings, .device = {.settings = &settings}};
    struct collector collector;
    collector_begin(&collector, &bench_case, "", 0);
    while (size >= 2) {
        uint32_t type = data[0] % WIRE_TYPES;
        size_t length = data[1] < size - 2 ? data[1] : size - 2;
        struct wire_reader message = {.data = data + 2, .length = length};
        if (collector_take(&collector, type, &message) != GB_OK || collector.is_complete)
            break;
        data += 2 + length;
        size -= 2 + length;
    }
    collector_finish(&collector, CASE_CRASHED, "SIGSEGV");
    collector_free(&collector);
}

static void read_frames(const uint8_t *data, size_t size)
{
    struct wire_input input = {0};
    struct wire_reader message;
    struct gb_error error;
    uint32_t type;
    size_t at = 0;
    while (at < size) {
        size_t n = size - at < 7 ? size - at : 7; /* frames arrive in pieces */
        memcpy(wire_input_space(&input, n), data + at, n);
        input.end += n;
        at += n;
        while (wire_input_next(&input, &type, &message, &error) > 0)
            read_payload(type, message.data, message.length);
    }
    wire_input_free(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 0x80)
        collect(data + 1, size - 1);
    else if (data[0] & 0x40)
        read_frames(data + 1, size - 1);
    else
        read_payload(data[0], data + 1, size - 1);
    return 0;
}
