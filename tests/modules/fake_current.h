/* fake_current.h - what is current of the device `fake` in a process: for tests of guests. */
#pragma once

#include <stdint.h>

/* extension(FAKE_CURRENT) gives a struct fake_current, which a test may write to. */
#define FAKE_CURRENT "test.current/1"

struct fake_current {
    int32_t index; /* of the device that it belongs to; -1: nothing is current */
    uint64_t key;
    double stretch; /* set by run: its samples take so many times as long; 0: as usual */
};
