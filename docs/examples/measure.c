/* measure.c - times a function of this program: cc -O2 measure.c $(pkg-config --cflags --libs
 * libgbrun)
 */
#include <gbrun/measure.h>

#include <stdio.h>
#include <string.h>

char from[1 << 16], to[1 << 16]; /* not static: others may read and write them */

static int32_t copy(void *user, void *stream, uint64_t iterations)
{
    (void)user, (void)stream;
    for (uint64_t i = 0; i < iterations; i++) {
        memcpy(to, from, sizeof to);
        __asm__ volatile("" : : : "memory"); /* each copy is done */
    }
    return GB_OK;
}

int main(int argc, char **argv)
{
    const struct gbrun_subject subject = {.size = sizeof subject, .run = copy};
    const struct gbrun_result *result = gbrun_measure(
        &subject, argc > 1 ? argv[1] : "device = cpu\nprecision = 1%\nmax_time = 5 s");
    if (result->status == GB_OK)
        printf("%.4g us, %.4g to %.4g (%s, %s)\n", result->time_ns / 1000, result->low_ns / 1000,
               result->high_ns / 1000, result->verdict_text, result->reason);
    else
        fprintf(stderr, "%s\n", result->error);
    const int exit_code = result->status != GB_OK;
    gbrun_free(result);
    gbrun_release();
    return exit_code;
}
