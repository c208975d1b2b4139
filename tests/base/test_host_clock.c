/* test_host_clock.c - core/base/host_clock.c: shapes of its texts, and that time goes on. */
#include "core/base/host_clock.h"
#include "tests/check_main.h"

#include <time.h>

TEST(clock_never_goes_back)
{
    double before = host_clock_ns();
    for (int i = 0; i < 1000; i++) {
        double now = host_clock_ns();
        ck_assert_double_ge(now, before);
        before = now;
    }
    ck_assert_double_gt(before, 0);
}

TEST(utc_text_is_now)
{
    char text[UTC_TEXT];
    struct timespec before, after; /* not time(NULL), which may lag by a tick */
    clock_gettime(CLOCK_REALTIME, &before);
    utc_text(text);
    clock_gettime(CLOCK_REALTIME, &after);
    struct tm parts = {0};
    int milliseconds = -1;
    char end = 0, extra = 0;
    int n = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d%c%c", &parts.tm_year, &parts.tm_mon,
                   &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &milliseconds,
                   &end, &extra);
    ck_assert_int_eq(n, 8);
    ck_assert_int_eq(end, 'Z');
    ck_assert_uint_eq(strlen(text), 24);
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    ck_assert_int_ge(timegm(&parts), before.tv_sec);
    ck_assert_int_le(timegm(&parts), after.tv_sec);
    ck_assert_int_ge(milliseconds, 0);
    ck_assert_double_eq_tol(utc_ns(text), 1e9 * (double)timegm(&parts) + 1e6 * milliseconds, 1e3);
    ck_assert(isnan(utc_ns("soon")) && isnan(utc_ns(NULL)));
}

TEST(uuid_has_the_shape_of_version_4)
{
    char seen_variants[5] = "", before[UUID_TEXT] = "";
    for (int i = 0; i < 200; i++) {
        char uuid[UUID_TEXT];
        uuid_new(uuid);
        ck_assert_str_ne(uuid, before);
        strcpy(before, uuid);
        ck_assert_uint_eq(strlen(uuid), 36);
        ck_assert_uint_eq(strspn(uuid, "0123456789abcdef-"), 36);
        ck_assert(uuid[8] == '-' && uuid[13] == '-' && uuid[18] == '-' && uuid[23] == '-');
        ck_assert_int_eq(uuid[14], '4');
        ck_assert_ptr_nonnull(strchr("89ab", uuid[19]));
        if (!strchr(seen_variants, uuid[19]))
            seen_variants[strlen(seen_variants)] = uuid[19];
    }
    ck_assert_uint_eq(strlen(seen_variants), 4);
}
