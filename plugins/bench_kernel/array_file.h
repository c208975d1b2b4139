/* array_file.h - numbers of an array in a file: NumPy's .npy, or nothing but the elements. Plugin
 * side. */
#pragma once

#include "files.h"
#include "plugins/common/call/call_types.h"

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
