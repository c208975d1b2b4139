/* test_kernel_cache.c - compiled kernels kept in a folder. */
#include "plugins/bench_kernel/cache.h"
#include "plugins/bench_kernel/files.h"
#include "tests/check_main.h"
#include "tests/plugins/kernel_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static char reason[2048];

TEST(keeps_what_was_written)
{
    const char *folder = fresh_cache();
    size_t bytes = 0;
    ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
    ck_assert_msg(cache_write(folder, "key", 3, "va\0ue", 5, reason), "%s", reason);
    ck_assert_msg(cache_write(folder, "other", 5, "", 0, reason), "%s", reason);
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_uint_eq(bytes, 5);
    ck_assert_mem_eq(value, "va\0ue", 5);
    free(value);
    value = cache_read(folder, "other", 5, &bytes);
    ck_assert_ptr_nonnull(value);
    ck_assert_uint_eq(bytes, 0);
    free(value);
    ck_assert_ptr_null(cache_read(folder, "key2", 4, &bytes));
    ck_assert_uint_eq(files_in(folder), 2);
}

/* Each byte damaged, and each length cut off: never a wrong value. */
TEST(notices_damage)
{
    const char *folder = fresh_cache();
    size_t bytes = 0, n = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    const char *path = only_file(folder);
    char *file = file_read(path, &n, reason);
    for (size_t i = 0; i < 2 * n; i++) {
        FILE *damaged = fopen(path, "wb");
        ck_assert_ptr_nonnull(damaged);
        if (i < n)
            file[i] ^= 4;
        fwrite(file, 1, i < n ? n : i - n, damaged);
        fclose(damaged);
        ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
        if (i < n)
            file[i] ^= 4;
    }
    free(file);
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_ptr_nonnull(value);
    free(value);
}

TEST(says_why_it_cannot_write)
{
    write_text("a_file", "x");
    ck_assert(!cache_write(in_folder("a_file/kernels"), "key", 3, "value", 5, reason));
    ck_assert_ptr_nonnull(strstr(reason, "a_file/kernels: Not a directory"));
}

/* As on a full disk. */
TEST(leaves_nothing_where_there_is_no_room)
{
    const char *folder = fresh_cache();
    const struct rlimit small = {20, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const bool is_written = cache_write(folder, "key", 3, "value", 5, reason);
    setrlimit(RLIMIT_FSIZE, &all);
    ck_assert(!is_written);
    ck_assert_ptr_nonnull(strstr(reason, "File too large"));
    ck_assert_uint_eq(files_in(folder), 0);
}

/* Processes that write and read the same entry all the while see all of a value or nothing. */
TEST(serves_many_at_once)
{
    enum { PROCESSES = 4, TIMES = 100, BYTES = 20000 };
    const char *folder = fresh_cache();
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
    const char *folder = fresh_cache();
    struct stat facts;
    size_t bytes = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    ck_assert_int_eq(stat(folder, &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0700);
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 07777, 0600);
    for (mode_t mode = 0700; mode <= 0777; mode++) {
        ck_assert_int_eq(chmod(folder, mode), 0);
        char *value = cache_read(folder, "key", 3, &bytes);
        ck_assert_int_eq(value != NULL, (mode & 022) == 0);
        free(value);
        if (mode & 022) {
            ck_assert(!cache_write(folder, "other", 5, "", 0, reason));
            ck_assert_ptr_nonnull(strstr(reason, "/kernels: other users may write to it"));
            cache_trim(folder, 0);
        }
        ck_assert_uint_eq(files_in(folder), 1);
    }
}

TEST(reads_no_file_that_others_write_to)
{
    const char *folder = fresh_cache();
    size_t bytes = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    const char *path = only_file(folder);
    for (mode_t mode = 0600; mode <= 0677; mode++) {
        ck_assert_int_eq(chmod(path, mode), 0);
        char *value = cache_read(folder, "key", 3, &bytes);
        ck_assert_int_eq(value != NULL, (mode & 022) == 0);
        free(value);
    }
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason)); /* takes its place */
    free(cache_read(folder, "key", 3, &bytes));
    ck_assert_uint_eq(files_in(folder), 1);
}

/* A link to an entry or to a folder, however sound and whosever, is not followed. */
TEST(follows_no_links)
{
    const char *folder = fresh_cache(), *elsewhere = fresh_cache();
    size_t bytes = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    ck_assert(cache_write(elsewhere, "key", 3, "value", 5, reason));
    char kept[PATH_BYTES], path[PATH_BYTES], link[PATH_BYTES];
    snprintf(path, sizeof path, "%s", only_file(folder));
    snprintf(kept, sizeof kept, "%s", only_file(elsewhere));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink(kept, path), 0);
    ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
    ck_assert(cache_write(folder, "key", 3, "own", 3, reason)); /* beside the link, then over it */
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_uint_eq(bytes, 3);
    free(value);
    value = cache_read(elsewhere, "key", 3, &bytes);
    ck_assert_uint_eq(bytes, 5);
    free(value);
    for (int n_slashes = 0; n_slashes < 3; n_slashes++) {
        snprintf(link, sizeof link, "%s", in_folder("link"));
        unlink(link);
        ck_assert_int_eq(symlink(elsewhere, link), 0);
        strcat(link, &"//"[2 - n_slashes]);
        ck_assert_ptr_null(cache_read(link, "key", 3, &bytes));
        ck_assert(!cache_write(link, "key", 3, "value", 5, reason));
        cache_trim(link, 0);
        ck_assert_uint_eq(files_in(elsewhere), 1);
    }
}

/* Only root can make files of others. */
TEST(takes_nothing_of_other_users)
{
    enum { ANOTHER = 12345 };
    const char *folder = fresh_cache();
    size_t bytes = 0;
    if (geteuid() != 0)
        return;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    ck_assert_int_eq(chown(only_file(folder), ANOTHER, ANOTHER), 0);
    ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    free(cache_read(folder, "key", 3, &bytes));
    ck_assert_uint_eq(bytes, 5);
    ck_assert_int_eq(chown(folder, ANOTHER, ANOTHER), 0);
    ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
    ck_assert(!cache_write(folder, "key", 3, "value", 5, reason));
    ck_assert_ptr_nonnull(strstr(reason, "/kernels: it belongs to another user"));
    ck_assert_int_eq(chown(folder, 0, 0), 0);
    ck_assert_int_eq(chmod(only_file(folder), 0644), 0);
    ck_assert_int_eq(chmod(folder, 0755), 0);
    if (fork() == 0) { /* root's own may be shared: it is read, and nothing is written */
        chdir(folder);
        bool is_right = setuid(ANOTHER) == 0;
        char *value = cache_read(".", "key", 3, &bytes);
        is_right = is_right && value != NULL && bytes == 5;
        _exit(is_right && !cache_write(".", "other", 5, "", 0, reason) ? 0 : 1);
    }
    int status = 1;
    ck_assert_int_gt(wait(&status), 0);
    ck_assert_int_eq(status, 0);
}

static void write_entry(const char *folder, const char *name, size_t bytes, time_t used)
{
    static const char zeros[1000];
    char path[PATH_BYTES];
    const struct timespec times[] = {{used, 0}, {used, 0}};
    snprintf(path, sizeof path, "%.2000s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(zeros, 1, bytes, file);
    fclose(file);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has_file(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.2000s/%s", folder, name);
    return access(path, F_OK) == 0;
}

#define DIGITS "0123456789abcdef0123456789abcde"

/* The oldest go until a quarter is free; of other files none. */
TEST(trims_what_it_keeps)
{
    const char *folder = fresh_cache();
    struct stat facts;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    const time_t now = facts.st_mtime;
    ck_assert_int_eq(unlink(only_file(folder)), 0);
    write_entry(folder, DIGITS "1.kernel", 400, now - 100);
    write_entry(folder, DIGITS "2.kernel", 400, now - 300);
    write_entry(folder, DIGITS "3.kernel", 400, now - 200);
    write_entry(folder, DIGITS "4.abcDEF", 400, now - 7200);
    write_entry(folder, DIGITS "5.abcDEF", 400, now);
    write_entry(folder, DIGITS "6.abcDEFG", 400, 1000);
    write_entry(folder, DIGITS ".kernel", 400, 1000);
    write_entry(folder, "mine.kernel", 400, 1000);
    cache_trim(folder, 1200);
    ck_assert_uint_eq(files_in(folder), 7);
    ck_assert(!has_file(folder, DIGITS "4.abcDEF"));
    cache_trim(folder, 1199);
    ck_assert_uint_eq(files_in(folder), 6);
    ck_assert(!has_file(folder, DIGITS "2.kernel"));
    cache_trim(folder, 700);
    ck_assert_uint_eq(files_in(folder), 5);
    ck_assert(has_file(folder, DIGITS "1.kernel"));
    cache_trim("/nowhere", 0);
}

/* What is read counts as used. */
TEST(keeps_what_is_read)
{
    const char *folder = fresh_cache();
    size_t bytes = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    const struct timespec old[] = {{1000, 0}, {1000, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, only_file(folder), old, 0), 0);
    write_entry(folder, DIGITS "1.kernel", 900, 2000);
    free(cache_read(folder, "key", 3, &bytes));
    cache_trim(folder, 900);
    ck_assert(!has_file(folder, DIGITS "1.kernel"));
    ck_assert_uint_eq(files_in(folder), 1);
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
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        setenv("XDG_CACHE_HOME", folders[i].xdg, 1);
        setenv("HOME", folders[i].home, 1);
        char *folder = cache_folder(folders[i].asked, "/config");
        if (folders[i].folder == NULL)
            ck_assert_ptr_null(folder);
        else
            ck_assert_str_eq(folder, folders[i].folder);
        free(folder);
    }
}
