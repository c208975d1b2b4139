/*
 * request.h - the settings of a call of libgbrun as a case: the lines of the caller become sections
 * of a configuration, which is read as any other is.
 */
#pragma once

#include "core/config/settings.h"
#include "core/config/sides.h"

/* What a call asks for; all of it lies in the arena that was given. */
struct request {
    struct settings *settings;
    struct bench_case bench_case;          /* its device.settings NULL: auto */
    const struct plugin_settings *devices; /* all, of which auto chooses among the first n_auto */
    size_t n_devices, n_auto;
    const char *results; /* absolute path of the results file; NULL: none */
    int side;            /* as it was asked for */
    struct ab_params ab; /* of a comparison */
};

/* A side of a comparison, SIDE_BASE or SIDE_NEW; or none. */
enum { SIDE_NONE = -1 };

/* All that is wrong is added to errors, with its line. The case of a side has the axis `side`, and
 * takes no longer than a visit. */
int32_t request_read(const char *text, int side, const struct catalogue *catalogue,
                     struct arena *arena, struct request *ret, struct error_list *errors);
