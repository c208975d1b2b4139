/* cache.c - see cache.h. Plugin side. */
#define _GNU_SOURCE
#include "cache.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[16] = "gbrun kernel 3\n";

struct head {
    char magic[16];
    uint64_t key_bytes, value_bytes;
    struct cache_digest check;
};

static struct cache_digest digest_of(const char *first, size_t first_bytes, const char *second,
                                     size_t second_bytes)
{
    struct sha256 hash;
    struct cache_digest ret;
    sha256_begin(&hash);
    sha256_add(&hash, first, first_bytes);
    sha256_add(&hash, second, second_bytes);
    sha256_end(&hash, ret.bytes);
    return ret;
}

struct cache_digest cache_digest(const char *data, size_t bytes)
{
    return digest_of(data, bytes, "", 0);
}

static struct head head_of(const char *key, size_t key_bytes, const char *value, size_t bytes)
{
    struct head head = {.key_bytes = key_bytes,
                        .value_bytes = bytes,
                        .check = digest_of(key, key_bytes, value, bytes)};
    memcpy(head.magic, magic, sizeof magic);
    return head;
}

char *cache_folder(const char *asked, const char *configuration_folder)
{
    const char *home = getenv("XDG_CACHE_HOME");
    char *folder = NULL;
    if (strcmp(asked, "none") == 0)
        return NULL;
    if (*asked != '\0')
        return path_in(configuration_folder, asked);
    if (home != NULL && *home == '/')
        return path_in(home, "gbrun/kernels");
    home = getenv("HOME");
    if (home != NULL && *home == '/')
        folder = path_in(home, ".cache/gbrun/kernels");
    return folder;
}

/* --- whose it is --- */

/* Why what is in a folder or a file may be another user's; NULL: it is this user's, or root's. */
static const char *distrusted(const struct stat *facts)
{
    if (facts->st_uid != geteuid() && facts->st_uid != 0)
        return "it belongs to another user, whose kernels are not run";
    if ((facts->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "other users may write to it, and their kernels are not run: chmod go-w";
    return NULL;
}

/* Each folder on the way, as mkdir -p makes them, for this user alone. */
static bool make_folders(char *path)
{
    for (char *end = path; *end != '\0';) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        const char kept = *end;
        *end = '\0';
        const bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EROFS;
        *end = kept;
        if (!is_there)
            return false;
    }
    return true;
}

/* The folder itself, not what a link leads to; all that is done in it goes through the descriptor,
 * so that what was looked at is what is used. -1: it is not there, or not trusted, and the reason
 * says why. */
static int open_folder(const char *folder, bool is_to_be_made, char reason[CACHE_REASON_BYTES])
{
    struct stat facts;
    const char *why = NULL;
    char *path = strdup(folder);
    int descriptor = -1;
    for (size_t n = strlen(folder); path != NULL && n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0'; /* behind which a link would be followed */
    if (path != NULL && (!is_to_be_made || make_folders(path)))
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &facts) == 0)
        why = distrusted(&facts);
    if (descriptor < 0 || why != NULL)
        snprintf(reason, CACHE_REASON_BYTES, "%.380s: %s", folder,
                 why != NULL ? why : strerror(errno));
    free(path);
    if (why == NULL)
        return descriptor;
    close(descriptor);
    return -1;
}

/* --- entries --- */

enum { DIGITS = 64, NAME_BYTES = DIGITS + 16, LETTERS = 6 };

static void entry_name(const char *key, size_t key_bytes, const char *suffix, char name[NAME_BYTES])
{
    const struct cache_digest digest = cache_digest(key, key_bytes);
    for (int i = 0; i < DIGITS / 2; i++)
        snprintf(name + 2 * i, 3, "%02x", digest.bytes[i]);
    snprintf(name + DIGITS, NAME_BYTES - DIGITS, "%s", suffix);
}

/* The whole file, if it is one of this user's own. */
static char *read_entry(int folder, const char *name, size_t *ret_bytes)
{
    struct stat facts;
    const int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &facts) != 0 || distrusted(&facts) != NULL) {
        close(descriptor);
        return NULL;
    }
    futimens(descriptor,
             NULL); /* which cache_trim sees; where it is not permitted nothing is lost */
    return file_read_open(descriptor, ret_bytes);
}

char *cache_read(const char *folder, const char *key, size_t key_bytes, size_t *ret_bytes)
{
    char name[NAME_BYTES], reason[CACHE_REASON_BYTES];
    struct head head;
    size_t bytes = 0;
    const int descriptor = open_folder(folder, false, reason);
    entry_name(key, key_bytes, ".kernel", name);
    char *file = descriptor >= 0 ? read_entry(descriptor, name, &bytes) : NULL;
    if (descriptor >= 0)
        close(descriptor);
    if (file == NULL || bytes < sizeof head + key_bytes) {
        free(file);
        return NULL;
    }
    const char *value = file + sizeof head + key_bytes;
    const size_t value_bytes = bytes - sizeof head - key_bytes;
    head = head_of(key, key_bytes, value, value_bytes);
    const bool is_sound = memcmp(file, &head, sizeof head) == 0 &&
                          memcmp(file + sizeof head, key, key_bytes) == 0;
    if (is_sound) {
        memmove(file, value, value_bytes);
        *ret_bytes = value_bytes;
        return file;
    }
    free(file);
    return NULL;
}

/* A new file for this user alone; its name begins with that of an entry and ends in letters. */
static int open_temporary(int folder, char name[NAME_BYTES])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    int descriptor = -1;
    for (int i = 0; i < 100 && descriptor < 0; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t number = ((uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 30) * 0x9E3779B97F4A7C15u;
        for (int j = 0; j < LETTERS; j++, number /= 26)
            name[DIGITS + 1 + j] = letters[number % 26];
        descriptor = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            0600);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

static bool write_entry(int folder, const char *key, size_t key_bytes, const char *value,
                        size_t bytes)
{
    char name[NAME_BYTES], temporary[NAME_BYTES];
    const struct head head = head_of(key, key_bytes, value, bytes);
    entry_name(key, key_bytes, ".kernel", name);
    entry_name(key, key_bytes, ".XXXXXX", temporary);
    const int descriptor = open_temporary(folder, temporary);
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool is_written = to != NULL && fwrite(&head, sizeof head, 1, to) == 1 &&
                      fwrite(key, 1, key_bytes, to) == key_bytes &&
                      fwrite(value, 1, bytes, to) == bytes;
    if (to != NULL)
        is_written = fclose(to) == 0 && is_written &&
                     renameat(folder, temporary, folder, name) == 0;
    const int why = errno;
    if (!is_written && descriptor >= 0)
        unlinkat(folder, temporary, 0);
    if (to == NULL && descriptor >= 0)
        close(descriptor);
    errno = why;
    return is_written;
}

static void trim(int folder, uint64_t most);

bool cache_write(const char *folder, const char *key, size_t key_bytes, const char *value,
                 size_t bytes, char reason[CACHE_REASON_BYTES])
{
    const int descriptor = open_folder(folder, true, reason);
    if (descriptor < 0)
        return false;
    const bool is_kept = write_entry(descriptor, key, key_bytes, value, bytes);
    if (is_kept)
        trim(descriptor, CACHE_BYTES_MAX);
    else
        snprintf(reason, CACHE_REASON_BYTES, "%.380s: %s", folder, strerror(errno));
    close(descriptor);
    return is_kept;
}

/* --- how much is kept --- */

struct kept {
    char name[NAME_BYTES]; /* as entry_name makes them */
    uint64_t bytes;
    struct timespec used;
};

struct kept_list {
    struct kept *items;
    size_t n;
    uint64_t bytes;
};

/* The names that entry_name makes, or half as many digits, as earlier versions did: with ".kernel"
 * or a dot and six letters behind them. */
static bool is_own_name(const char *name, bool *ret_is_entry)
{
    const size_t n = strspn(name, "0123456789abcdef");
    *ret_is_entry = false;
    if ((n != DIGITS && n != DIGITS / 2) || name[n] != '.')
        return false;
    *ret_is_entry = strcmp(name + n, ".kernel") == 0;
    return *ret_is_entry || strlen(name + n + 1) == LETTERS;
}

static void add_kept(struct kept_list *list, const char *name, const struct stat *facts)
{
    struct kept *items = realloc(list->items, (list->n + 1) * sizeof *items);
    if (items == NULL)
        return;
    list->items = items;
    struct kept *kept = &items[list->n++];
    *kept = (struct kept){.bytes = (uint64_t)facts->st_size, .used = facts->st_mtim};
    snprintf(kept->name, sizeof kept->name, "%.*s", NAME_BYTES - 1, name);
    list->bytes += kept->bytes;
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used,
                          *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static void trim(int folder, uint64_t most)
{
    enum { ABANDONED_S = 3600 }; /* no writer takes so long */
    struct kept_list list = {0};
    const int here = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = here >= 0 ? fdopendir(here) : NULL;
    for (struct dirent *file = files != NULL ? readdir(files) : NULL; file != NULL;
         file = readdir(files)) {
        bool is_entry = false;
        struct stat facts;
        if (!is_own_name(file->d_name, &is_entry) ||
            fstatat(here, file->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (is_entry)
            add_kept(&list, file->d_name, &facts);
        else if (facts.st_mtim.tv_sec + ABANDONED_S < time(NULL))
            unlinkat(here, file->d_name, 0);
    }
    if (list.bytes > most) {
        qsort(list.items, list.n, sizeof *list.items, by_use);
        for (size_t i = 0; i < list.n && list.bytes > most - most / 4; i++)
            if (unlinkat(here, list.items[i].name, 0) == 0)
                list.bytes -= list.items[i].bytes;
    }
    if (files != NULL)
        closedir(files);
    else if (here >= 0)
        close(here);
    free(list.items);
}

void cache_trim(const char *folder, uint64_t most)
{
    char reason[CACHE_REASON_BYTES];
    const int descriptor = open_folder(folder, false, reason);
    if (descriptor < 0)
        return;
    trim(descriptor, most);
    close(descriptor);
}
