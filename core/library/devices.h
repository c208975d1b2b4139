/*
 * devices.h - what libgbrun keeps between calls: the plugins it has found, and the devices it has
 * opened. For one thread at a time.
 */
#pragma once

#include "core/run/session.h"
#include "core/run/visit.h"
#include "core/run/worker_link.h"

#include <gbrun/guest.h>

/* An open device, or one that a case is about to open. */
struct open_session {
    struct worker_link link; /* its receiver_context is the call's */
    struct session *session;
    char *key;                    /* what it is the session of */
    const struct gb_guest *guest; /* NULL: its plugin has nothing current */
};

/* What a device plugin has for guests; NULL: nothing. */
const struct gb_guest *guest_of(const struct plugin_info *info);
/* As the guest has it; without one index -1. */
struct gb_guest_state guest_enter(const struct gb_guest *guest);
void guest_leave(const struct gb_guest *guest, const struct gb_guest_state *state);

/* Devices and policies found beside the library, and the callback's description; found at the first
 * call. Lives as long as the process: what was loaded is never unloaded. */
int32_t library_catalogue(const struct catalogue **ret, struct gb_error *error);

/* The devices that a case may use, all of its one plugin; in the arena. What is known of a plugin's
 * devices is kept until devices_release. */
int32_t devices_known(const struct plugin_settings *settings, size_t n, size_t n_auto,
                      const struct bench_case *bench_case, struct arena *arena,
                      struct device_list *ret, struct gb_error *error);

/* The session for a device with these settings, and with what the program has current on it (the
 * key of a guest's state); made if there is none. */
struct open_session *device_session(const struct known_device *device, uint64_t guest_key,
                                    link_receiver_fn *receiver);
/* Closes it: what it has open cannot be used any more. */
void device_close(struct open_session *session);

/* Closes all, and forgets what is known. */
void devices_release(void);
