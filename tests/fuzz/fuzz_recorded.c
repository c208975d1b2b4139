/*
 * fuzz_recorded.c - any bytes as a recorded space, T4 or a cache of Kernel Tuner. What is read has
 * a case of the space for each of the file, with its runs; what is not is an error with words.
 */
#include "core/search/recorded.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

static void check(const struct recording *recording)
{
    REQUIRE(recording->n_cases > 0 && recording->n_cases == space_size(recording->space));
    for (uint64_t i = 0; i < recording->n_cases; i++) {
        const struct recorded_case *c = &recording->cases[i];
        REQUIRE(c->first + c->n_runs <= recording->n_runs && c->prepare_ns >= 0);
        REQUIRE(c->status == GB_OBSERVED_OK ? recorded_median(recording, i) > 0
                                            : isnan(recorded_median(recording, i)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording recording = {0};
    struct gb_error error = {0};
    char *json = malloc(size + 1);
    REQUIRE(json);
    memcpy(json, data, size);
    json[size] = 0;
    if (recorded_read("recorded", json, size, &recording, &error) == GB_OK)
        check(&recording);
    else
        REQUIRE(error.status != GB_OK && error.text[0]);
    recorded_free(&recording);
    free(json);
    return 0;
}
