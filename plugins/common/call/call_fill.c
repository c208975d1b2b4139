/* call_fill.c - what buffers hold at first; see call_world.h. Plugin side. */
#include "call_world.h"

#include <stdlib.h>
#include <string.h>

/* The formats of gb_fill round as the hardware does: so one number can be stored by it, too. */
static int32_t store_rounded(const struct gb_host *host, double value, enum type_id type, void *to)
{
    const struct gb_fill fill = {
        .size = sizeof fill, .format = type_info(type)->format, .low = value, .high = value};
    return host->fill(host, to, 1, &fill);
}

int32_t numbers_store(const struct gb_host *host, const struct number *numbers, size_t n,
                      enum type_id type, void *to)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        unsigned char *place = (unsigned char *)to + i * type_info(type)->bytes;
        if (!number_store(&numbers[i], type, place))
            status = store_rounded(host, numbers[i].value, type, place);
    }
    return status;
}

/* Copies the first element over all others. */
static void repeat(unsigned char *to, uint64_t n, size_t bytes)
{
    for (uint64_t i = 1; i < n; i++)
        memcpy(to + i * bytes, to, bytes);
}

static void fill_count(const struct buffer *buffer, unsigned char *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    for (uint64_t i = 0; i < buffer->n; i++) {
        const struct number number = {.is_integer = true, .magnitude = i, .value = (double)i};
        number_store(&number, buffer->element, to + i * bytes);
    }
}

/* Fisher and Yates: every order of the elements is equally likely. */
static void shuffle(const struct gb_host *host, const struct buffer *buffer, uint64_t stream,
                    unsigned char *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    for (uint64_t left = buffer->n; left > 1; left--) {
        unsigned char kept[8];
        unsigned char *const last = to + (left - 1) * bytes;
        unsigned char *const other = to + host->random(host, stream, left) % left * bytes;
        memcpy(kept, last, bytes);
        memmove(last, other, bytes);
        memcpy(other, kept, bytes);
    }
}

/* gb_fill knows no integers of 16 bits: those of 32 bits are made shorter. */
static int32_t fill_short(const struct gb_host *host, const struct gb_fill *fill, uint64_t n,
                          unsigned char *to)
{
    int32_t *wide = malloc(n * sizeof *wide);
    if (wide == NULL)
        return GB_NO_MEMORY;
    const int32_t status = host->fill(host, wide, n, fill);
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        const uint16_t narrow = (uint16_t)wide[i];
        memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
    }
    free(wide);
    return status;
}

static int32_t fill_uniform(const struct gb_host *host, const struct buffer *buffer,
                            uint64_t stream, unsigned char *to)
{
    const struct type_info *info = type_info(buffer->element);
    const struct gb_fill fill = {.size = sizeof fill,
                                 .format = info->format != 0 ? info->format : (uint32_t)GB_I32,
                                 .stream = stream,
                                 .low = buffer->low.value,
                                 .high = buffer->high.value,
                                 .integral = buffer->is_integral};
    return info->format != 0 ? host->fill(host, to, buffer->n, &fill)
                             : fill_short(host, &fill, buffer->n, to);
}

uint8_t buffer_first_byte(const struct buffer *buffer)
{
    return buffer->fill == FILL_NONE && buffer->is_out ? 0xFF : 0;
}

int32_t buffer_fill(const struct gb_host *host, const struct buffer *buffer, uint64_t stream,
                    void *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    unsigned char *memory = to;
    int32_t status = GB_OK;
    memset(memory, buffer_first_byte(buffer), buffer->n * bytes);
    switch (buffer->fill) {
    case FILL_NUMBER:
        status = numbers_store(host, &buffer->low, 1, buffer->element, memory);
        repeat(memory, buffer->n, bytes);
        break;
    case FILL_TEXT:
        unquote(buffer->text, (char *)memory);
        break;
    case FILL_COUNT:
        fill_count(buffer, memory);
        break;
    case FILL_SHUFFLE:
        fill_count(buffer, memory);
        shuffle(host, buffer, stream, memory);
        break;
    case FILL_UNIFORM:
        status = fill_uniform(host, buffer, stream, memory);
        break;
    case FILL_NONE:
        break;
    }
    if (buffer->has_zero_end)
        memset(memory + (buffer->n - 1) * bytes, 0, bytes);
    return status;
}
