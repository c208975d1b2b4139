/*
 * reference_body.h - one tile of a product, included by reference.c once for each type of number
 * and each length of vector. Plugin side.
 *
 * ELEMENT, VECTOR_BYTES, ROWS, VECTORS, TARGET and TILE (the function's name) are defined by the
 * includer. A is packed by steps of ROWS elements, B by steps of VECTORS vectors.
 */
TARGET static void TILE(const void *packed_a, const void *packed_b, uint64_t n_steps, void *ret)
{
    typedef ELEMENT vector __attribute__((vector_size(VECTOR_BYTES)));
    const ELEMENT *a = packed_a;
    const vector *b = packed_b;
    vector sum[ROWS][VECTORS] = {0};
    for (uint64_t step = 0; step < n_steps; step++) {
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
#pragma GCC unroll 4
            for (int j = 0; j < VECTORS; j++)
                sum[i][j] += a[i] * b[j];
        }
        a += ROWS;
        b += VECTORS;
    }
    memcpy(ret, sum, sizeof sum);
}
#undef ELEMENT
#undef VECTOR_BYTES
#undef ROWS
#undef VECTORS
#undef TARGET
#undef TILE
