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

__extension__ typedef unsigned __int128 wide;

static const char magic[16] = "gbrun kernel 2\n";

struct head {
    char magic[16];
    uint64_t key_bytes, value_bytes, check_low, check_high;
};

/* FNV-1a with 128 bits (draft-eastlake-fnv, 5). */
static wide hash_add(wide hash, const char *data, size_t bytes)
{
    const wide prime = ((wide)1 << 88) + 0x13b;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)data[i]) * prime;
    return hash;
}

static wide hash_of(const char *data, size_t bytes)
{
    const wide basis = (wide)UINT64_C(0x6c62272e07bb0142) << 64 | UINT64_C(0x62b821756295c58d);
    return hash_add(basis, data, bytes);
}

struct cache_digest cache_digest(const char *data, size_t bytes)
{
    const wide hash = hash_of(data, bytes);
    return (struct cache_digest){(uint64_t)hash, (uint64_t)(hash >> 64)};
}

static struct head head_of(const char *key, size_t key_bytes, const char *value, size_t bytes)
{
    const wide check = hash_add(hash_of(key, key_bytes), value, bytes);
    struct head head = {.key_bytes = key_bytes,
                        .value_bytes = bytes,
                        .check_low = (uint64_t)check,
                        .check_high = (uint64_t)(check >> 64)};
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

static char *entry_path(const char *folder, const char *key, size_t key_bytes, const char *suffix)
{
    const wide name = hash_of(key, key_bytes);
    char *path = NULL;
    return asprintf(&path, "%s/%016llx%016llx%s", folder, (unsigned long long)(name >> 64),
                    (unsigned long long)name, suffix) < 0
               ? NULL
               : path;
}

char *cache_read(const char *folder, const char *key, size_t key_bytes, size_t *ret_bytes)
{
    char reason[FILE_REASON_BYTES];
    struct head head;
    size_t bytes = 0;
    char *path = entry_path(folder, key, key_bytes, ".kernel");
    char *file = path != NULL ? file_read(path, &bytes, reason) : NULL;
    if (file != NULL) /* which cache_trim sees; where it is not permitted nothing is lost */
        utimensat(AT_FDCWD, path, NULL, 0);
    free(path);
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

/* Each folder on the way, as mkdir -p makes them. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool is_there = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EROFS;
        *slash = '/';
        if (!is_there)
            return false;
    }
    return true;
}

/* temporary: ends in XXXXXX. */
static bool write_entry(char *temporary, const char *path, const char *key, size_t key_bytes,
                        const char *value, size_t bytes)
{
    const struct head head = head_of(key, key_bytes, value, bytes);
    const int descriptor = mkostemp(temporary, O_CLOEXEC);
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool is_written = to != NULL && fwrite(&head, sizeof head, 1, to) == 1 &&
                      fwrite(key, 1, key_bytes, to) == key_bytes &&
                      fwrite(value, 1, bytes, to) == bytes;
    if (to != NULL)
        is_written = fclose(to) == 0 && is_written && rename(temporary, path) == 0;
    const int why = errno;
    if (!is_written && descriptor >= 0)
        unlink(temporary);
    if (to == NULL && descriptor >= 0)
        close(descriptor);
    errno = why;
    return is_written;
}

bool cache_write(const char *folder, const char *key, size_t key_bytes, const char *value,
                 size_t bytes, char reason[CACHE_REASON_BYTES])
{
    char *path = entry_path(folder, key, key_bytes, ".kernel");
    char *temporary = entry_path(folder, key, key_bytes, ".XXXXXX");
    errno = ENOMEM;
    const bool is_kept = path != NULL && temporary != NULL && make_folders(path) &&
                         write_entry(temporary, path, key, key_bytes, value, bytes);
    if (is_kept)
        cache_trim(folder, CACHE_BYTES_MAX);
    else
        snprintf(reason, CACHE_REASON_BYTES, "%.380s: %s", folder, strerror(errno));
    free(path);
    free(temporary);
    return is_kept;
}

/* --- how much is kept --- */

struct kept {
    char name[48]; /* as entry_path makes them */
    uint64_t bytes;
    struct timespec used;
};

struct kept_list {
    struct kept *items;
    size_t n;
    uint64_t bytes;
};

/* The names that entry_path makes: 32 digits, and ".kernel" or a dot and six letters. */
static bool is_own_name(const char *name, bool *ret_is_entry)
{
    enum { DIGITS = 32, LETTERS = 6 };
    *ret_is_entry = false;
    if (strspn(name, "0123456789abcdef") != DIGITS || name[DIGITS] != '.')
        return false;
    *ret_is_entry = strcmp(name + DIGITS, ".kernel") == 0;
    return *ret_is_entry || strlen(name + DIGITS + 1) == LETTERS;
}

static void add_kept(struct kept_list *list, const char *name, const struct stat *facts)
{
    struct kept *items = realloc(list->items, (list->n + 1) * sizeof *items);
    if (items == NULL)
        return;
    list->items = items;
    struct kept *kept = &items[list->n++];
    *kept = (struct kept){.bytes = (uint64_t)facts->st_size, .used = facts->st_mtim};
    snprintf(kept->name, sizeof kept->name, "%.47s", name);
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

void cache_trim(const char *folder, uint64_t most)
{
    enum { ABANDONED_S = 3600 }; /* no writer takes so long */
    struct kept_list list = {0};
    DIR *files = opendir(folder);
    const int here = files != NULL ? dirfd(files) : -1;
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
    free(list.items);
}
