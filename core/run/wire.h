/*
 * wire.h - how supervisor and worker talk: frames over a stream socket, and what is in them.
 *
 * A frame is a header of four uint32 (magic, type, length of the payload, CRC-32 of type and
 * payload) and the payload, fields one after the other: numbers of fixed width, texts and arrays
 * with their length before them. Both ends are the same program on the same machine, so there is
 * neither versioning nor byte order; what a dying or hostile worker sends is still never trusted:
 * the reader checks every length, and a frame whose checksum is wrong ends the worker.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/members.h"
#include "core/base/memory.h"
#include "core/base/text.h"

enum {
    WIRE_MAGIC = 0x31574247, /* "GBW1" */
    WIRE_HEADER_BYTES = 16,
    WIRE_PAYLOAD_MAX = 64 << 20
};

/* X(name, direction and payload) */
#define WIRE_MAP(X)                                                                                \
    X(PROBE)        /* to worker: n, paths of modules to describe */                               \
    X(MODULE_BEGIN) /* index: about to load it */                                                  \
    X(PLUGIN)       /* one description */                                                          \
    X(MODULE_END)   /* index, status, why it cannot be used */                                     \
    X(DEVICES)      /* to worker: device plugin and settings: which devices are there? */          \
    X(DEVICE)       /* one device: its gb_device_info, its facts */                                \
    X(DEVICES_END)  /* status, why there is none */                                                \
    X(EXAMINE)      /* to worker: device plugin and settings: what is noisy about its devices? */  \
    X(FINDING)      /* name of the device, one finding */                                          \
    X(EXAMINE_END)  /* status, words */                                                            \
    X(COUNTERS) /* to worker: device plugin and settings, index, model, whole: which there are */  \
    X(COUNTER)  /* name, unit, help */                                                             \
    X(COUNTERS_END) /* status, why there are none */                                               \
    X(VALIDATE) /* to worker: a benchmark plugin, folder, settings: what is wrong with them? */    \
    X(PROBLEM)  /* option, byte of its value, text */                                              \
    X(VALIDATE_END)    /* status, words */                                                         \
    X(CASE)            /* to worker: a case to measure, the UUID of its record */                  \
    X(RENEW)           /* to worker: the next case is for a process that has had none */           \
    X(FORKED)          /* the case's process, what loading for it and others took */               \
    X(BUILD_AHEAD)     /* to worker: a device's info and facts, a case to be built for it */       \
    X(BUILT)           /* it is there */                                                           \
    X(REPLAY)          /* to worker: a policy to be given recorded samples */                      \
    X(TRACE_WANTED)    /* it has not had enough */                                                 \
    X(TRACE)           /* to worker: columns of recorded samples; none: there are no more */       \
    X(REPLAYED)        /* status, text, how far it went */                                         \
    X(SEARCH)          /* to worker: a search plugin, its limits, the axes of its space */         \
    X(SEARCH_CASES)    /* to worker: some of the cases of the space: their values */               \
    X(SEARCH_STEP)     /* the visit that is wanted next */                                         \
    X(SEARCH_OBSERVED) /* to worker: what came of it */                                            \
    X(SEARCHED)        /* status, text, how it ended, the claim */                                 \
    X(EXCLUSIVE)       /* the case asks to be alone; the worker waits for GRANTED */               \
    X(GRANTED)         /* to worker: it is, and nothing else is begun until its end */             \
    X(BUILD)           /* kind, SHA-256: of a module that runs in the case */                      \
    X(OPENED)          /* the device was opened: clocks */                                         \
    X(LOG)             /* severity, text */                                                        \
    X(METRIC)          /* name, value, unit */                                                     \
    X(CHECK)           /* one metric of one comparison */                                          \
    X(SUMMARY)         /* the counts and the histogram of one comparison */                        \
    X(WORST)           /* an element that is most off */                                           \
    X(SERIES)       /* samples that the benchmark reports itself: one series, its distribution */  \
    X(WORK)         /* what an iteration does */                                                   \
    X(ACTIVITIES)   /* how many kernels a sample has; what it puts on the device, in order */      \
    X(TELEMETRY)    /* the device before the case, before the first sample, or after the last */   \
    X(SENTINEL)     /* the device's reference work before the first sample, or after the last */   \
    X(TIMING)       /* clock, iterations, tick, overhead: comes before the first samples */        \
    X(AGAIN)        /* the case is measured anew: what was sent of it so far does not count */     \
    X(SAMPLES)      /* columns of samples, in order */                                             \
    X(PACE)         /* how the pace was reached, the clock over the samples */                     \
    X(INTERFERENCE) /* what the rest of the machine did during the samples */                      \
    X(PHASES)       /* how long each took */                                                       \
    X(ESTIMATE)     /* the policy's report and the stop reason */                                  \
    X(CASE_END)     /* UUID of the record, status, text, whether the worker can continue */

enum {
    WIRE_NONE = 0,
#define WIRE_CONSTANT(name) WIRE_##name,
    WIRE_MAP(WIRE_CONSTANT)
#undef WIRE_CONSTANT
        WIRE_TYPES
};

struct wire_reader;

/* Builds one frame. Zero-initialize (or reuse after wire_begin); its bytes are freed with
 * text_free. */
struct wire_writer {
    struct text bytes;
};

void wire_begin(struct wire_writer *writer, uint32_t type);
void wire_put_u32(struct wire_writer *writer, uint32_t value);
void wire_put_u64(struct wire_writer *writer, uint64_t value);
void wire_put_text(struct wire_writer *writer, const char *text); /* NULL is kept apart from "" */
void wire_put_f64s(struct wire_writer *writer, const double *values, uint64_t n);
/* Completes the header; the frame is bytes.data, bytes.length long. */
void wire_end(struct wire_writer *writer);
/* What was written, after wire_end, to be read in the same process: its type, and the payload,
 * valid until the writer is used again. */
uint32_t wire_written(const struct wire_writer *writer, struct wire_reader *ret_payload);

/* Reads one payload. After a field that is not there `failed` is set and every further read gives 0
 * or NULL. */
struct wire_reader {
    const unsigned char *data;
    size_t length;
    size_t position;
    bool failed;
};

uint32_t wire_get_u32(struct wire_reader *reader);
uint64_t wire_get_u64(struct wire_reader *reader);
/* Plain text, in the arena; NULL only if NULL was written, or failed. */
const char *wire_get_text(struct wire_reader *reader, struct arena *arena);
/* As above, but never NULL, and on one line. */
const char *wire_get_line(struct wire_reader *reader, struct arena *arena);
/* A count of things of at least `bytes_each` bytes that must still fit into the payload. */
uint32_t wire_get_count(struct wire_reader *reader, size_t bytes_each);
/* n doubles in the arena; *ret_n is what was announced. */
const double *wire_get_f64s(struct wire_reader *reader, struct arena *arena, uint64_t *ret_n);
/* True if all was there and nothing is left over. */
bool wire_complete(const struct wire_reader *reader);

/* ---- structs as fields: one list of members serves the side that writes and the side that reads
 */

enum {
    FIELD_END,
    FIELD_NUMBER, /* or an array of them */
    FIELD_BOOL,
    FIELD_CHARS,     /* an array of char, cut at its end */
    FIELD_WORD,      /* a text that is never NULL when it was read */
    FIELD_TEXT,      /* a text or NULL */
    FIELD_PATH,      /* a word that is read as its bytes are */
    FIELD_LINE,      /* a word that is read on one line */
    FIELD_PRINTABLE, /* a plugin's text: cut, NULL is "", read on one line */
    FIELD_SIZE,      /* not written; when it was read, the size of the struct */
    FIELD_STRUCT,    /* a struct inside the struct */
    FIELD_POINTER,   /* a pointer to one */
    FIELD_LIST       /* a pointer to an array of them, whose length another member has */
};
enum { PRINTABLE_MAX = 400 }; /* a longer one fails the reader */

/* A list ends with {0}. */
struct wire_field {
    int kind;
    size_t offset, bytes; /* of the member; bytes: of what it points to, of one item */
    /* of STRUCT, POINTER and LIST */
    const struct wire_field *fields;
    size_t n_offset, n_bytes; /* of the member with the length */
};

/* Up to eight members of a struct, each written as its type asks for; texts as words. */
#define FIELDS(type, ...) FOR_MEMBERS(FIELD, 0, type, __VA_ARGS__)
/* Likewise texts, as FIELD_TEXT or FIELD_PRINTABLE. */
#define FIELDS_AS(kind, type, ...) FOR_MEMBERS(FIELD_AS, kind, type, __VA_ARGS__)

#define FIELD(unused, type, member)                                                                \
    FIELD_AS(_Generic(((type *)0)->member, uint32_t                                                \
                      : FIELD_NUMBER, int32_t                                                      \
                      : FIELD_NUMBER, uint64_t                                                     \
                      : FIELD_NUMBER, int64_t                                                      \
                      : FIELD_NUMBER, double                                                       \
                      : FIELD_NUMBER, uint64_t *                                                   \
                      : FIELD_NUMBER, bool                                                         \
                      : FIELD_BOOL, char *                                                         \
                      : FIELD_CHARS, const char *                                                  \
                      : FIELD_WORD),                                                               \
             type, member)
#define FIELD_AS(as, type, member)                                                                 \
    {                                                                                              \
        .kind = as, .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)         \
    }
#define FIELD_SIZE_OF(type)                                                                        \
    {                                                                                              \
        .kind = FIELD_SIZE, .offset = offsetof(type, size), .bytes = sizeof(type)                  \
    }
/* The member is a struct of the list's fields, a pointer to one, or to n of them. */
#define FIELD_INSIDE(type, member, list)                                                           \
    {                                                                                              \
        .kind = FIELD_STRUCT, .offset = offsetof(type, member), .fields = (list)                   \
    }
#define FIELD_BEHIND(type, member, list)                                                           \
    {                                                                                              \
        .kind = FIELD_POINTER, .offset = offsetof(type, member),                                   \
        .bytes = sizeof(*((type *)0)->member), .fields = (list)                                    \
    }
#define FIELD_ITEMS(type, member, n, list)                                                         \
    {                                                                                              \
        FIELD_LIST, offsetof(type, member), sizeof(*((type *)0)->member), (list),                  \
            offsetof(type, n), sizeof(((type *)0)->n)                                              \
    }
/* Items that are values of their own. */
extern const struct wire_field wire_word[], wire_path[], wire_number[];

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields,
                     const void *object);
/* Texts, lists and what is pointed to are the arena's. */
void wire_get_fields(struct wire_reader *reader, struct arena *arena,
                     const struct wire_field *fields, void *ret);

/* ---- frames as they arrive ---- */

/* Bytes as they arrive, cut into frames. Zero-initialize; free with wire_input_free. */
struct wire_input {
    unsigned char *data;
    size_t begin, end, capacity;
};

/* Room for at least `bytes` more; write there, then add to `end`. */
unsigned char *wire_input_space(struct wire_input *input, size_t bytes);
/*
 * The next whole frame: 1 and its type and payload, valid until the next call with this input; 0 if
 * more bytes are needed; GB_CORRUPT if what came is no frame.
 */
int32_t wire_input_next(struct wire_input *input, uint32_t *ret_type,
                        struct wire_reader *ret_payload, struct gb_error *error);
void wire_input_free(struct wire_input *input);

/* Writes the frame to a socket, all of it; GB_IO if the other side is gone. Blocks. */
int32_t wire_send(int socket, const struct wire_writer *writer, struct gb_error *error);

/* Reads until a whole frame is there; blocks. GB_NOT_FOUND: the other side closed; GB_IO,
 * GB_CORRUPT. */
int32_t wire_receive(int socket, struct wire_input *input, uint32_t *ret_type,
                     struct wire_reader *ret_payload, struct gb_error *error);
