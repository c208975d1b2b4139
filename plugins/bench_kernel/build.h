/*
 * build.h - a kernel's source made into an image for a device: compiled, or taken from the cache.
 * Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { ENTRIES_MAX = 2, BUILD_REASON_BYTES = 1024, BUILD_NOTE_BYTES = 600 };

struct build_request {
    const char *path;           /* of the source, as it is to stand in messages */
    int architecture;           /* of the device, major * 10 + minor */
    const char *const *entries; /* C++ expressions; up to ENTRIES_MAX */
    size_t n_entries;
    const char *const
        *options; /* for NVRTC, each in one word, beyond those that follow from the rest */
    size_t n_options;
    const char *const *folders; /* where headers are looked for, after that of the source */
    size_t n_folders;
    const char *cache; /* its folder; NULL: none */
    bool is_trial;     /* whether it compiles at all: the image is PTX */
    bool is_ahead; /* for the cache: what cannot be kept is not compiled, and no image is made */
};

/* Zero-initialize; free with build_free. */
struct build {
    char *image; /* a cubin, or PTX with NUL at its end */
    size_t image_bytes;
    char *names[ENTRIES_MAX]; /* of the entries in the image */
    char *log;                /* of the compiler, also where it failed */
    double compile_ms;        /* that it took, now or when it was put into the cache */
    bool is_cached;
    bool is_entry_wrong; /* it failed as `wrong_entry`, a number, names no kernel */
    size_t wrong_entry;
    char note[BUILD_NOTE_BYTES];   /* why it is not kept; "": it is, or there is no cache */
    char unused[BUILD_NOTE_BYTES]; /* which macro is not in the source; "": none is seen */
};

/* False: reason has the first error as the compiler says it, "file.cu(3): error: ...". */
bool build_make(const struct build_request *request, struct build *ret,
                char reason[BUILD_REASON_BYTES]);
void build_free(struct build *build);

/* What ptxas said in a log about a kernel: bytes of registers that it spilled and reads back.
 * False: it said nothing. */
bool build_spills(const char *log, const char *name, double *ret_stores, double *ret_loads);
/* Takes the lines of ptxas about resources out of a log. */
void build_trim_log(char *log);
