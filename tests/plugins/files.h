/* files.h - files of tests, in the folder of the test. */
#pragma once

#include "tests/check_main.h"

#include <dirent.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

/* A path in the folder of this test, or one that is whole. */
static inline const char *in_folder(const char *name)
{
    static char paths[64][PATH_BYTES];
    static size_t next;
    char *path = paths[next++ % 64];
    const char *folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    snprintf(path, PATH_BYTES, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
    return path;
}

/* With the folders above it. */
static inline void write_bytes(const char *name, const void *data, size_t bytes)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", in_folder(name));
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
        *at = '\0';
        mkdir(path, 0777);
    }
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static char last_file[PATH_BYTES]; /* that files_in has seen */

static inline size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        if (file->d_name[0] == '.')
            continue;
        snprintf(last_file, sizeof last_file, "%.2000s/%.255s", folder, file->d_name);
        n++;
    }
    if (files != NULL)
        closedir(files);
    return n;
}

/* A folder that is not there yet, nor is the one above it. */
static inline const char *fresh_folder(const char *name)
{
    static int n;
    char path[64];
    snprintf(path, sizeof path, "fresh-%d-%d/%s", (int)getpid(), n++, name);
    return in_folder(path);
}

/* The one file of a folder, until the next call of either. */
static inline const char *only_file(const char *folder)
{
    ck_assert_uint_eq(files_in(folder), 1);
    return last_file;
}
