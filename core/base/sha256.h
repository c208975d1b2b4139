/* sha256.h - the hash SHA-256 (FIPS 180-4), for identities and for the record of files. */
#pragma once

#include "core/base/error.h"

struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

enum { SHA256_BYTES = 32, SHA256_TEXT = 65 };

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t n);
/* Adds the text and its end, so that "ab","c" and "a","bc" differ. */
void sha256_add_text(struct sha256 *hash, const char *text);
void sha256_end(struct sha256 *hash, uint8_t ret_digest[SHA256_BYTES]);
void sha256_text(const uint8_t digest[SHA256_BYTES], char ret_text[SHA256_TEXT]);
int32_t sha256_file(const char *path, char ret_text[SHA256_TEXT], struct gb_error *error);
