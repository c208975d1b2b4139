/* files.c - see files.h. Plugin side. */
#define _GNU_SOURCE
#include "files.h"

#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger than any source, binary or table of expected numbers that makes sense here. */
static const off_t largest_file = (off_t)1 << 34;

char *path_in(const char *folder, const char *path)
{
    char *joined = NULL;
    if (path[0] == '/' || folder == NULL || *folder == '\0')
        return strdup(path);
    return asprintf(&joined, "%s/%s", folder, path) < 0 ? NULL : joined;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static char *read_open(FILE *file, size_t *ret_bytes)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0)
        return NULL;
    if (!S_ISREG(facts.st_mode) || facts.st_size > largest_file) {
        errno = S_ISDIR(facts.st_mode) ? EISDIR : S_ISREG(facts.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    const size_t bytes = (size_t)facts.st_size;
    char *text = malloc(bytes + 1);
    if (text == NULL)
        return NULL;
    *ret_bytes = fread(text, 1, bytes, file);
    text[*ret_bytes] = '\0';
    if (*ret_bytes == bytes)
        return text;
    errno = EIO;
    free(text);
    return NULL;
}

char *file_read_open(int descriptor, size_t *ret_bytes)
{
    FILE *file = fdopen(descriptor, "rb");
    char *text = file != NULL ? read_open(file, ret_bytes) : NULL;
    const int why = errno;
    if (file != NULL)
        fclose(file);
    else
        close(descriptor);
    errno = why;
    return text;
}

char *file_read(const char *path, size_t *ret_bytes, char reason[FILE_REASON_BYTES])
{
    /* A pipe is refused, not waited for. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = descriptor >= 0 ? file_read_open(descriptor, ret_bytes) : NULL;
    if (text == NULL)
        snprintf(reason, FILE_REASON_BYTES, "%.380s: %s", path, strerror(errno));
    return text;
}

/* --- a source and what it includes --- */

static bool has_file(const struct source_set *set, const char *path)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->files[i].path, path) == 0)
            return true;
    return false;
}

/* Takes the path and the text. */
static void keep(struct source_set *set, char *path, char *text, size_t bytes)
{
    struct source_file *files = realloc(set->files, (set->n + 1) * sizeof *files);
    if (files == NULL || set->n == SOURCES_MAX) {
        set->files = files != NULL ? files : set->files;
        set->is_incomplete = true;
        free(path);
        free(text);
        return;
    }
    files[set->n++] = (struct source_file){path, text, bytes};
    set->files = files;
}

/* The first that is there counts, as for the compiler. */
static void add_from(struct source_set *set, const char *beside, const char *const *folders,
                     size_t n_folders, const char *name)
{
    char reason[FILE_REASON_BYTES];
    for (size_t i = beside != NULL ? 0 : 1; i < n_folders + 1; i++) {
        size_t bytes = 0;
        char *path = path_in(i == 0 ? beside : folders[i - 1], name);
        if (path != NULL && has_file(set, path)) {
            free(path);
            return;
        }
        char *text = path != NULL ? file_read(path, &bytes, reason) : NULL;
        if (text != NULL) {
            keep(set, path, text, bytes);
            return;
        }
        free(path);
    }
    set->has_others = true;
}

static void add_includes(struct source_set *set, size_t of, const char *const *folders,
                         size_t n_folders)
{
    struct scan_include include;
    char *beside = path_folder(set->files[of].path);
    const char *at = set->files[of].text;
    while (beside != NULL && scan_next_include(&at, &include)) {
        char *name = strndup(include.name, include.n);
        set->is_incomplete = set->is_incomplete || include.is_computed || name == NULL;
        if (name != NULL && !include.is_computed)
            add_from(set, include.is_quoted ? beside : NULL, folders, n_folders, name);
        free(name);
    }
    set->is_incomplete = set->is_incomplete || beside == NULL;
    free(beside);
}

bool source_set_read(const char *path, const char *const *folders, size_t n_folders,
                     struct source_set *ret, char reason[FILE_REASON_BYTES])
{
    size_t bytes = 0;
    *ret = (struct source_set){0};
    char *text = file_read(path, &bytes, reason);
    char *copy = text != NULL ? strdup(path) : NULL;
    if (copy == NULL) {
        free(text);
        return false;
    }
    keep(ret, copy, text, bytes);
    if (ret->n == 0) {
        snprintf(reason, FILE_REASON_BYTES, "there is no memory for the source");
        return false;
    }
    for (size_t i = 0; i < ret->n; i++)
        add_includes(ret, i, folders, n_folders);
    return true;
}

void source_set_add(struct source_set *set, const char *name, const char *const *folders,
                    size_t n_folders)
{
    const size_t n_before = set->n;
    add_from(set, ".", folders, n_folders, name);
    for (size_t i = n_before; i < set->n; i++)
        add_includes(set, i, folders, n_folders);
}

void source_set_free(struct source_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->files[i].path);
        free(set->files[i].text);
    }
    free(set->files);
    *set = (struct source_set){0};
}
