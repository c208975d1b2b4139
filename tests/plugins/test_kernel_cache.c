/* test_kernel_cache.c - compiled kernels kept in a folder. */
#include "plugins/bench_kernel/cache.h"
#include "plugins/bench_kernel/files.h"
#include "tests/plugins/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static char reason[2048];
static const char *folder; /* of this test */

static void use_fresh_folder(void)
{
    folder = fresh_folder("kernels");
}

static bool keeps(const char *key, const char *value)
{
    return cache_write(folder, key, strlen(key), value, strlen(value), reason);
}

/* The text that is kept, or NULL; until the next call. */
static const char *kept(const char *key)
{
    static char text[64];
    size_t bytes = 0;
    char *value = cache_read(folder, key, strlen(key), &bytes);
    if (value == NULL)
        return NULL;
    ck_assert_uint_lt(bytes, sizeof text);
    memcpy(text, value, bytes);
    text[bytes] = '\0';
    free(value);
    return text;
}

TEST_FIXTURE(use_fresh_folder, NULL)

TEST(keeps_what_was_written)
{
    size_t bytes = 0;
    ck_assert_ptr_null(kept("key"));
    ck_assert_msg(cache_write(folder, "key", 3, "va\0ue", 5, reason), "%s", reason);
    ck_assert_msg(keeps("other", ""), "%s", reason);
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_uint_eq(bytes, 5);
    ck_assert_mem_eq(value, "va\0ue", 5);
    free(value);
    ck_assert_str_eq(kept("other"), "");
    ck_assert_ptr_null(kept("key2"));
    ck_assert_uint_eq(files_in(folder), 2);
}

/* Each byte damaged, and each length cut off: never a wrong value. */
TEST(notices_damage)
{
    size_t n = 0;
    ck_assert(keeps("key", "value"));
    const char *path = only_file(folder);
    char *file = file_read(path, &n, reason);
    for (size_t i = 0; i < 2 * n; i++) {
        FILE *damaged = fopen(path, "wb");
        ck_assert_ptr_nonnull(damaged);
        if (i < n)
            file[i] ^= 4;
        fwrite(file, 1, i < n ? n : i - n, damaged);
        fclose(damaged);
        ck_assert_ptr_null(kept("key"));
        if (i < n)
            file[i] ^= 4;
    }
    free(file);
    ck_assert(keeps("key", "value"));
    ck_assert_str_eq(kept("key"), "value");
}

TEST(says_why_it_cannot_write)
{
    write_text("a_file", "x");
    folder = in_folder("a_file/kernels");
    ck_assert(!keeps("key", "value"));
    ck_assert_ptr_nonnull(strstr(reason, "a_file/kernels: Not a directory"));
}

/* As on a full disk. */
TEST(leaves_nothing_where_there_is_no_room)
{
    const struct rlimit small = {20, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const bool is_written = keeps("key", "value");
    setrlimit(RLIMIT_FSIZE, &all);
    ck_assert(!is_written);
    ck_assert_ptr_nonnull(strstr(reason, "File too large"));
    ck_assert_uint_eq(files_in(folder), 0);
}

/* Processes that write and read the same entry all the while see all of a value or nothing. */
TEST(serves_many_at_once)
{
    enum { PROCESSES = 4, TIMES = 100, BYTES = 20000 };
    static char value[BYTES];
    memset(value, 'v', sizeof value);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        bool is_right = true;
        for (int j = 0; is_right && j < TIMES; j++) {
            size_t bytes = 0;
            is_right = cache_write(folder, "key", 3, value, sizeof value, reason);
            char *read = cache_read(folder, "key", 3, &bytes);
            is_right = is_right && read != NULL && bytes == sizeof value;
            free(read);
        }
        _exit(is_right ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_uint_eq(files_in(folder), 1);
}

/* What another user could leave: each is not read, and why nothing is kept is said. */
TEST(uses_no_folder_that_others_write_to)
{
    struct stat facts;
    ck_assert(keeps("key", "value"));
    ck_assert_int_eq(stat(folder, &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
    for (mode_t mode = 0700; mode <= 0777; mode++) {
        ck_assert_int_eq(chmod(folder, mode), 0);
        ck_assert_int_eq(kept("key") != NULL, (mode & 022) == 0);
        if (mode & 022) {
            ck_assert(!keeps("other", ""));
            ck_assert_ptr_nonnull(strstr(reason, "/kernels: other users may write to it"));
            cache_trim(folder, 0);
        }
        ck_assert_uint_eq(files_in(folder), 1);
    }
}

TEST(reads_no_file_that_others_write_to)
{
    ck_assert(keeps("key", "value"));
    for (mode_t mode = 0600; mode <= 0677; mode++) {
        ck_assert_int_eq(chmod(only_file(folder), mode), 0);
        ck_assert_int_eq(kept("key") != NULL, (mode & 022) == 0);
    }
    ck_assert(keeps("key", "value")); /* takes its place */
    ck_assert_str_eq(kept("key"), "value");
    ck_assert_uint_eq(files_in(folder), 1);
}

/* A link to an entry or to a folder, however sound and whosever, is not followed. */
TEST(follows_no_links)
{
    const char *own = folder, *elsewhere = fresh_folder("kernels");
    char file[PATH_BYTES], link[PATH_BYTES];
    ck_assert(keeps("key", "value"));
    snprintf(link, sizeof link, "%s", only_file(own));
    folder = elsewhere;
    ck_assert(keeps("key", "value"));
    snprintf(file, sizeof file, "%s", only_file(elsewhere));
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(symlink(file, link), 0);
    folder = own;
    ck_assert_ptr_null(kept("key"));
    ck_assert(keeps("key", "own")); /* beside the link, then over it */
    ck_assert_str_eq(kept("key"), "own");
    folder = elsewhere;
    ck_assert_str_eq(kept("key"), "value");
    for (int n_slashes = 0; n_slashes < 3; n_slashes++) {
        snprintf(link, sizeof link, "%s", in_folder("link"));
        unlink(link);
        ck_assert_int_eq(symlink(elsewhere, link), 0);
        folder = strcat(link, &"//"[2 - n_slashes]);
        ck_assert_ptr_null(kept("key"));
        ck_assert(!keeps("key", "value"));
        cache_trim(folder, 0);
        ck_assert_uint_eq(files_in(elsewhere), 1);
    }
}

/* Only root can make files of others. */
TEST(takes_nothing_of_other_users)
{
    enum { ANOTHER = 12345 };
    if (geteuid() != 0)
        return;
    ck_assert(keeps("key", "value"));
    ck_assert_int_eq(chown(only_file(folder), ANOTHER, ANOTHER), 0);
    ck_assert_ptr_null(kept("key"));
    ck_assert(keeps("key", "value"));
    ck_assert_str_eq(kept("key"), "value");
    ck_assert_int_eq(chown(folder, ANOTHER, ANOTHER), 0);
    ck_assert_ptr_null(kept("key"));
    ck_assert(!keeps("key", "value"));
    ck_assert_ptr_nonnull(strstr(reason, "/kernels: it belongs to another user"));
    ck_assert_int_eq(chown(folder, 0, 0), 0);
    ck_assert_int_eq(chmod(only_file(folder), 0644), 0);
    ck_assert_int_eq(chmod(folder, 0755), 0);
    if (fork() == 0) { /* root's own may be shared: it is read, and nothing is written */
        bool is_right = chdir(folder) == 0 && setuid(ANOTHER) == 0;
        folder = ".";
        const char *value = kept("key");
        is_right = is_right && value != NULL && strcmp(value, "value") == 0;
        _exit(is_right && !keeps("other", "") ? 0 : 1);
    }
    int status = 1;
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
}

static void write_entry(const char *name, size_t bytes, time_t used)
{
    static const char zeros[1000];
    char path[PATH_BYTES];
    const struct timespec times[] = {{used, 0}, {used, 0}};
    snprintf(path, sizeof path, "%.2000s/%s", folder, name);
    write_bytes(path, zeros, bytes);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Trimmed to so many bytes, the folder has so many files, and not this one any more. */
static void expect_trimmed(uint64_t bytes, size_t n, const char *gone)
{
    char path[PATH_BYTES];
    cache_trim(folder, bytes);
    ck_assert_uint_eq(files_in(folder), n);
    snprintf(path, sizeof path, "%.2000s/%s", folder, gone);
    ck_assert_int_ne(access(path, F_OK), 0);
}

#define DIGITS "0123456789abcdef0123456789abcde"

/* The oldest go until a quarter is free; of other files none. */
TEST(trims_what_it_keeps)
{
    struct stat facts;
    ck_assert(keeps("key", "value"));
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    const time_t now = facts.st_mtime;
    ck_assert_int_eq(unlink(only_file(folder)), 0);
    write_entry(DIGITS "1.kernel", 400, now - 100);
    write_entry(DIGITS "2.kernel", 400, now - 300);
    write_entry(DIGITS "3.kernel", 400, now - 200);
    write_entry(DIGITS "4.abcDEF", 400, now - 7200);
    write_entry(DIGITS "5.abcDEF", 400, now);
    write_entry(DIGITS "6.abcDEFG", 400, 1000);
    write_entry(DIGITS ".kernel", 400, 1000);
    write_entry("mine.kernel", 400, 1000);
    expect_trimmed(1200, 7, DIGITS "4.abcDEF");
    expect_trimmed(1199, 6, DIGITS "2.kernel");
    expect_trimmed(700, 5, DIGITS "3.kernel");
    cache_trim("/nowhere", 0);
}

/* What is read counts as used. */
TEST(keeps_what_is_read)
{
    const struct timespec old[] = {{1000, 0}, {1000, 0}};
    ck_assert(keeps("key", "value"));
    ck_assert_int_eq(utimensat(AT_FDCWD, only_file(folder), old, 0), 0);
    write_entry(DIGITS "1.kernel", 900, 2000);
    ck_assert_str_eq(kept("key"), "value");
    expect_trimmed(900, 1, DIGITS "1.kernel");
}

TEST(finds_its_folder)
{
    static const struct {
        const char *asked, *xdg, *home, *folder;
    } folders[] = {{"", "/xdg", "/me", "/xdg/gbrun/kernels"},
                   {"", "relative", "/me", "/me/.cache/gbrun/kernels"},
                   {"", "", "/me", "/me/.cache/gbrun/kernels"},
                   {"", "", "", NULL},
                   {"none", "/xdg", "/me", NULL},
                   {"here", "/xdg", "/me", "/config/here"},
                   {"/there", "/xdg", "/me", "/there"}};
    for (size_t i = 0; i < N_OF(folders); i++) {
        setenv("XDG_CACHE_HOME", folders[i].xdg, 1);
        setenv("HOME", folders[i].home, 1);
        char *found = cache_folder(folders[i].asked, "/config");
        if (folders[i].folder == NULL)
            ck_assert_ptr_null(found);
        else
            ck_assert_str_eq(found, folders[i].folder);
        free(found);
    }
}
