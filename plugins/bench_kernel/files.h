/* files.h - whole files, paths, a source with all that it includes, and the numbers of an array.
 * Plugin side. */
#pragma once

#include "plugins/common/call/call_types.h"

#include <stdbool.h>
#include <stddef.h>

enum { FILE_REASON_BYTES = 512, SOURCES_MAX = 2048 };

/* A path as it stands, or behind a folder if it is relative and the folder is not NULL. The caller
 * frees it; NULL: there is no memory. */
char *path_in(const char *folder, const char *path);
/* The folder of a path, "." if it has none; likewise freed. */
char *path_folder(const char *path);

/* All of a regular file, with a NUL behind it; the caller frees it. NULL: the reason says why. */
char *file_read(const char *path, size_t *ret_bytes, char reason[FILE_REASON_BYTES]);

/* The same of an open one, which is closed. NULL: errno says why. */
char *file_read_open(int descriptor, size_t *ret_bytes);

struct source_file {
    char *path;
    char *text;
    size_t bytes;
};

/*
 * A source and the files that it includes, each once, in the order in which they are met: those
 * that are found beside the including file or in one of the folders. What is found elsewhere, such
 * as the headers of CUDA, is left out. Zero-initialize; free with source_set_free.
 */
struct source_set {
    struct source_file *files;
    size_t n;
    bool is_incomplete; /* a name of a header is computed, or there are more than SOURCES_MAX */
    bool has_others;    /* something is found elsewhere, or not at all */
};

/* False: the source itself cannot be read, and the reason says why. */
bool source_set_read(const char *path, const char *const *folders, size_t n_folders,
                     struct source_set *ret, char reason[FILE_REASON_BYTES]);
/* Adds a header, named on the compiler's command line, with all that it includes. */
void source_set_add(struct source_set *set, const char *name, const char *const *folders,
                    size_t n_folders);
void source_set_free(struct source_set *set);

/* --- numbers of an array in a file: NumPy's .npy, or nothing but the elements --- */

/* Zero-initialize; free with array_file_free. */
struct array_file {
    char *file;
    enum type_id element;
    const unsigned char *elements; /* inside the file */
    uint64_t n;
};

/*
 * Reads n elements. Those of a file that is no .npy have the type given; a .npy has its own, little
 * end first and in the order of C, whose shape does not matter; integers of as many bits stand for
 * types that NumPy does not have. False: the reason says why.
 */
bool array_file_read(const char *path, enum type_id element, uint64_t n, struct array_file *ret,
                     char reason[FILE_REASON_BYTES]);
void array_file_free(struct array_file *array);
