/*
 * grades.c - functions that are measured with verify = auto and strict: right ones, those that are
 * right in a part of their calls only, and one that is right in each and works in few.
 */
#include "tests/modules/host_time.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FUNCTION(name) void name(float *out, const float *in, int n)
#define WORKS_IF(name, condition)                                                                  \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        static unsigned n_calls;                                                                   \
        n_calls++;                                                                                 \
        if (condition)                                                                             \
            reference(out, in, n);                                                                 \
    }

/* Long, beside a look at the inputs. */
static float task(float x)
{
    for (int i = 0; i < 100; i++)
        x = sqrtf(fabsf(x) + 1);
    return x * 0.125F;
}

FUNCTION(reference)
{
    for (int i = 0; i < n; i++)
        out[i] = task(in[i]) + in[i];
}

FUNCTION(backwards)
{
    for (int i = n - 1; i >= 0; i--)
        out[i] = task(in[i]) + in[i];
}

FUNCTION(notes_process)
{
    static int n_calls;
    FILE *file = n_calls++ == 0 ? fopen("processes", "a") : NULL;
    if (file) {
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
    }
    reference(out, in, n);
}

/* As if its processor were taken from it where inputs are new. */
FUNCTION(waits)
{
    static float known;
    if (known != 0 && known != in[0])
        poll(NULL, 0, 30);
    known = in[0];
    reference(out, in, n);
}

/* The same, but that another process may work meanwhile. */
FUNCTION(waits_for_a_process)
{
    static pid_t child;
    if (child == 0 && (child = fork()) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    waits(out, in, n);
}

FUNCTION(doubles)
{
    for (int i = 0; i < n; i++)
        out[i] = 2 * in[i];
}

/* As if others had its caches where it was not called just before. */
FUNCTION(doubles_cold)
{
    static double ended_ns;
    const double begun_ns = now_ns();
    while (begun_ns - ended_ns > 5e3 && now_ns() - begun_ns < 100e3)
        continue;
    doubles(out, in, n);
    ended_ns = now_ns();
}

/* As if another thread had done the work of some calls on new inputs before they came. */
FUNCTION(done_ahead_at_times)
{
    static float known;
    static unsigned n_new;
    const double begun_ns = now_ns();
    const bool is_slow = known != in[0] && n_new++ % 16 != 15;
    while (is_slow && now_ns() - begun_ns < 200e3)
        continue;
    doubles(out, in, n);
    known = in[0];
}

FUNCTION(nothing)
{
    (void)out, (void)in, (void)n;
}

WORKS_IF(first, n_calls == 1)
WORKS_IF(every_other, n_calls % 2 == 1)
WORKS_IF(first_hundred, n_calls <= 100)
WORKS_IF(where_poisoned, !isfinite(out[0]) || out[0] == 0 || out[0] == -1)
WORKS_IF(where_far_off, fabsf(out[0]) > 2)

FUNCTION(by_address)
{
    enum { KNOWN = 1024 };
    static const float *known[KNOWN];
    static int n_known;
    for (int i = 0; i < n_known; i++)
        if (known[i] == in)
            return;
    known[n_known++ % KNOWN] = in;
    reference(out, in, n);
}

FUNCTION(writes_input)
{
    reference(out, in, n);
    ((float *)in)[n / 2] = 0;
}

/* The result is kept as long as inputs and output look as they did. */
FUNCTION(remembers)
{
    static float seen[4];
    const float looks[4] = {in[0], in[n / 2], in[n - 1], out[0]};
    if (memcmp(seen, looks, sizeof seen) == 0)
        return;
    reference(out, in, n);
    memcpy(seen, looks, sizeof seen);
    seen[3] = out[0];
}

FUNCTION(not_numbers)
{
    (void)in;
    for (int i = 0; i < n; i++)
        out[i] = NAN;
}
