/*
 * guest.h - a device in the process of another program, which has something of its own current on
 * it: a context. Extension of a device's descriptor, for libgbrun.
 */
#ifndef GBRUN_GUEST_H
#define GBRUN_GUEST_H

#include <gbrun/device.h>

#define GB_GUEST "gbrun.guest/1"

/* What the calling thread has current. */
struct gb_guest_state {
    uint32_t size;
    int32_t index; /* of the device that it belongs to; -1: nothing is current */
    uint64_t key;  /* another one for another context of the program's, which needs a device opened
                      anew; 0: what is current is not the program's alone, or nothing is */
    void *current; /* the plugin's */
};

/* What extension(GB_GUEST) of a device's descriptor gives. Its `open` uses what is current then, if
 * that belongs to the device that is opened. */
struct gb_guest {
    uint32_t size;
    uint32_t reserved;

    /* Before a call of anything of a device: what is current, which such calls may change. state
     * has its size set and the rest zeroed. */
    void (*enter)(struct gb_guest_state *state);

    /* After the last of them, also after errors: makes that current again. */
    void (*leave)(const struct gb_guest_state *state);
};

#endif
