/*
 * fuzz_trace.c - any bytes as a file of samples for replay. The first byte says in which format,
 * and whether a column is asked for and a unit. What is read are times; what is not is an error
 * with words.
 */
#include "core/replay/replay.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

static void check(int32_t status, const struct trace_file *trace, const struct gb_error *error)
{
    if (status != GB_OK)
        REQUIRE(error->status == status && error->text[0]);
    for (uint64_t i = 0; status == GB_OK && i < trace->n; i++)
        REQUIRE(isfinite(trace->time_ns[i]) && trace->time_ns[i] >= 0);
    REQUIRE(status != GB_OK || trace->n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, "2", "time_ns", "x"};
    const uint8_t choice = size > 0 ? data[0] : 0;
    const struct trace_file_options options = {.format = choice % TRACE_FORMATS,
                                               .column = columns[choice >> 2 & 3],
                                               .unit_ns = choice & 16 ? 1e3 : 0};
    struct arena arena = {0};
    struct trace_file trace = {0};
    struct gb_error error = {0};
    char path[40];
    const int file = memfd_create("trace", 0);
    if (size == 0 || file < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    REQUIRE(write(file, data + 1, size - 1) == (ssize_t)(size - 1));
    int32_t status = trace_file_read(path, &options, &arena, &trace, &error);
    check(status, &trace, &error);
    if (status == GB_OK)
        free(trace.time_ns);
    arena_free(&arena);
    close(file);
    return 0;
}
