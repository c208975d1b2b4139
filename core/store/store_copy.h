/*
 * store_copy.h - reading a results file where nothing may be written beside it.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

/* Is there a journal or log with something in it that belongs to the file? */
bool store_has_journal(const char *path);

/* "file:PATH?immutable=1", with what URIs do not allow escaped. */
void store_immutable_uri(const char *path, struct text *out);

/* Copies the file with its journals to a new folder in $TMPDIR or /tmp; the copy's path is added
 * to ret_path. */
int32_t store_copy_make(const char *path, struct text *ret_path, struct gb_error *error);
/* Removes what store_copy_make has made. */
void store_copy_remove(const char *copy_path);
