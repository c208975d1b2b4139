/* sha256_digest.h - the hash SHA-256 (FIPS 180-4), for plugins and for core/base/sha256.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

enum { SHA256_BYTES = 32 };

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t n);
void sha256_end(struct sha256 *hash, uint8_t ret_digest[SHA256_BYTES]);
