/*
 * fuzz_foreign.c - any bytes as the results of another tool. What is read has an identity;
 * what is not is an error with words.
 */
#include "core/store/foreign.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static void check(const struct outcome *outcomes, size_t n, const char *tool)
{
    REQUIRE(n > 0 && tool && *tool);
    for (size_t i = 0; i < n; i++)
        REQUIRE(*outcomes[i].uid && *outcomes[i].bench);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct gb_error error = {0};
    struct outcome *outcomes = NULL;
    const char *tool = NULL;
    size_t n = 0;
    char path[40];
    const int file = memfd_create("foreign", 0);
    REQUIRE(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int32_t status = foreign_outcomes(path, &arena, &outcomes, &n, &tool, &error);
    if (status == GB_OK)
        check(outcomes, n, tool);
    else
        REQUIRE(error.status == status && error.text[0]);
    arena_free(&arena);
    close(file);
    return 0;
}
