/* view_roofs.c - the roofs that rows are compared with: where they are looked for, and how they are
 * shown. */
#include "core/view/view_writers.h"

#include "core/config/ini.h"
#include "core/config/value.h"
#include "core/run/module.h"

#include <math.h>
#include <string.h>

/* What [gbrun] of the newest of the runs says, as a path; NULL: nothing. */
static const char *configured_file(const struct view *view, struct arena *arena)
{
    const struct run_record *run = &view->runs[view->n_runs - 1].record;
    struct error_list errors = {0};
    struct ini ini = {0};
    struct value value = {.text = ""};
    struct gb_error error;
    ini_read_text("", run->config, strlen(run->config), arena, &ini, &errors);
    for (size_t i = 0; i < ini.n; i++)
        for (size_t j = 0; text_equal(ini.sections[i].kind, "gbrun") && j < ini.sections[i].n; j++)
            if (text_equal(ini.sections[i].entries[j].key, "roofs"))
                value_read_type(GB_TYPE_STRING, ini.sections[i].entries[j].value,
                                (struct origin){0}, arena, &value, &error);
    error_list_free(&errors);
    return *value.text ? path_from(run->config_folder, value.text, arena) : NULL;
}

/* A file that was not named for this view is no reason to show nothing. */
static void add_if_readable(struct view *view, const char *path)
{
    struct gb_error error;
    if (roof_library_add_file(&view->roofs, path, false, &error) != GB_OK)
        view->roofs_problem = arena_text(&view->arena, error.text);
}

static int32_t fill_library(struct view *view, struct gb_error *error)
{
    CLEANUP(text_free) struct text user = {0};
    int32_t status = GB_OK;
    view->has_roofs = true;
    if (view->options->roofs)
        status = roof_library_add_file(&view->roofs, view->options->roofs, true, error);
    if (status == GB_OK)
        status = roof_library_add(&view->roofs, view->store,
                                  view->options->path ? view->options->path : "this file", false,
                                  error);
    if (status != GB_OK)
        return status;
    const char *configured = configured_file(view, &view->arena);
    if (configured)
        add_if_readable(view, configured);
    if (roof_library_user_file(&user))
        add_if_readable(view, text_get(&user));
    return GB_OK;
}

int32_t view_find_roofs(struct view *view, struct view_row *row, struct gb_error *error)
{
    const struct gb_work *work = &row->c.record.work;
    const struct device_record *device = row->device ? &row->device->record : NULL;
    bool is_declared = work->flops > 0 || work->bytes_read + work->bytes_written > 0;
    int32_t status = device && is_declared && !view->has_roofs ? fill_library(view, error) : GB_OK;
    if (status != GB_OK)
        return status;
    struct roof_set *set = device && is_declared ? roof_library_find(&view->roofs, device->model,
                                                                     row->run->record.uuid)
                                                 : NULL;
    roofline_of_case(set, &row->c, device, &row->roofline);
    row->roofs = set;
    if (set && row->roofline.roof)
        set->is_used = true;
    return GB_OK;
}
