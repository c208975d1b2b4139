/* sha256.h - SHA-256 as text and of files, for identities and for the record. */
#pragma once

#include "core/base/error.h"
#include "plugins/common/system/sha256_digest.h"

enum { SHA256_TEXT = 65 };

/* Adds the text and its end, so that "ab","c" and "a","bc" differ. */
void sha256_add_text(struct sha256 *hash, const char *text);
void sha256_text(const uint8_t digest[SHA256_BYTES], char ret_text[SHA256_TEXT]);
int32_t sha256_file(const char *path, char ret_text[SHA256_TEXT], struct gb_error *error);
