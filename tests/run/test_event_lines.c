/* test_event_lines.c - lines for a program that drives a run, whatever it does with them. */
#include "core/run/events.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "tests/check_main.h"

/* Reads what is there now: whole lines, which it counts. */
static uint64_t drain(int fd, struct text *all)
{
    char part[4096];
    uint64_t n_lines = 0;
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0) {
        text_add_n(all, part, (size_t)n);
        for (ssize_t i = 0; i < n; i++)
            n_lines += part[i] == '\n';
    }
    ck_assert(all->length == 0 || all->data[all->length - 1] == '\n');
    return n_lines;
}

static struct events events;
static const char *reason;
static int ends[2];

static void begin(void)
{
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    events = (struct events){0};
    line_output_open(&events.output, ends[1]);
}

TEST_FIXTURE(begin, NULL)

TEST(a_reader_that_comes_back)
{
    enum { SENT = 30000, MORE = 3 };
    struct text all = {0};
    char expected[64];
    for (int i = 0; i < SENT; i++)
        events_round_end(&events, (uint32_t)i, 0, 1);
    const uint64_t n_lost = events.n_lost;
    ck_assert_uint_gt(n_lost, 0);
    ck_assert_uint_le(events.output.pending.length, EVENTS_BYTES_MAX);
    /* What each read takes is room for a flush, until all that waited is written. */
    uint64_t n = 0, n_new;
    while ((n_new = drain(ends[0], &all)) > 0) {
        n += n_new;
        line_output_flush(&events.output);
    }
    ck_assert_uint_eq(n + n_lost, SENT);
    for (int i = 0; i < MORE; i++)
        events_round_end(&events, (uint32_t)i, 1, 1);
    text_clear(&all);
    ck_assert_uint_eq(drain(ends[0], &all), 1 + MORE);
    snprintf(expected, sizeof expected, "\"n_lines\":%llu}\n", (unsigned long long)n_lost);
    ck_assert_ptr_nonnull(strstr(text_get(&all), expected));
    ck_assert_int_eq(strncmp(text_get(&all), "{\"event\":\"lost\",", 16), 0);
    ck_assert_uint_eq(events_close(&events, &reason), n_lost);
    text_free(&all);
}

TEST(a_reader_that_is_gone)
{
    events_run_end(&events, 0, 0, 0);
    close(ends[0]);
    for (int i = 0; i < 5; i++)
        events_run_end(&events, 0, 0, 0);
    ck_assert_int_eq(events.output.problem, EPIPE);
    ck_assert_uint_eq(events_close(&events, &reason), 5);
    ck_assert_str_eq(reason, "the reader is gone");
}

/* What others have open stays as it is. */
TEST(the_descriptor_itself_may_wait)
{
    ck_assert(events.output.never_waits);
    ck_assert(!(fcntl(ends[1], F_GETFL) & O_NONBLOCK));
    ck_assert_uint_eq(events_close(&events, &reason), 0);
    ck_assert_int_ge(fcntl(ends[1], F_GETFL), 0);
}
