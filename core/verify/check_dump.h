/*
 * check_dump.h - the two arrays of a comparison as files for NumPy (check.dump).
 */
#pragma once

#include "core/base/error.h"

#include <gbrun/host.h>

/*
 * Writes FOLDER/UID-NAME-reference.npy (float64) and FOLDER/UID-NAME-output.npy, NAME being
 * check->name with all but letters, digits, '.', '_' and '-' made '_'. The output keeps its format;
 * bf16, tf32 and fp8, which NumPy does not know, become float32, which holds them exactly. The
 * folder is made with those above it if it is missing. A file of the name is replaced at once,
 * never half.
 *
 * GB_IO with the path and the reason: then files may be missing, none is broken.
 */
int32_t check_dump(const struct gb_check *check, const char *folder, const char *uid,
                   struct gb_error *error);
