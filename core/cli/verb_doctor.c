/* verb_doctor.c - gbrun doctor: what makes measurements on this machine noisy. */
#include "core/cli/verbs.h"
#include "core/run/machine.h"

#include <stdio.h>

static const struct verb_option doctor_options[] = {CONFIG_OPTIONS};

/* Returns how many of them are noisy. */
static size_t print_findings(const struct finding *findings, size_t n)
{
    size_t n_noisy = 0;
    for (size_t i = 0; i < n; i++) {
        n_noisy += findings[i].is_noisy;
        printf("%-5s  %-28s  %s\n", findings[i].is_noisy ? "noisy" : "ok", findings[i].subject,
               findings[i].state);
        if (*findings[i].why)
            printf("       %-28s  %s\n", "", findings[i].why);
        if (*findings[i].fix)
            printf("       %-28s  $ %s\n", "", findings[i].fix);
    }
    return n_noisy;
}

static void print_examination(const struct examination *examination, size_t *n, size_t *n_noisy)
{
    for (size_t i = 0; i < examination->n; i++) {
        const struct examined_device *device = &examination->devices[i];
        printf("\n%s\n", device->name);
        *n_noisy += print_findings(device->findings, device->n);
        *n += device->n;
    }
    fflush(stdout);
    for (size_t i = 0; i < examination->n_unexamined; i++)
        say("%s: %s: %s", examination->unexamined[i].settings->name,
            examination->unexamined[i].is_absent ? "absent" : "cannot be examined",
            examination->unexamined[i].reason);
}

static int run_doctor(const struct arguments *arguments)
{
    const char *const *operands;
    if (argument_operands(arguments, &operands) > 0)
        return fail_usage("'%s': doctor takes no operand", operands[0]);
    CLEANUP(configuration_free) struct configuration configuration;
    const struct plugin_settings *settings = NULL;
    struct examination examination = {0};
    struct finding *findings = NULL;
    struct gb_error error;
    size_t n, n_noisy = 0, n_settings, n_auto;
    int code = device_settings_read(arguments, &configuration, &settings, &n_settings, &n_auto);
    if (code == EXIT_FINE) {
        machine_examine(&configuration.arena, &findings, &n);
        n_noisy = print_findings(findings, n);
        fflush(stdout);
        if (devices_examine(settings, n_settings, &configuration.arena, &examination, &error) !=
            GB_OK)
            code = fail_with(&error, EXIT_INTERNAL);
        print_examination(&examination, &n, &n_noisy);
        printf("\n%zu of %zu look noisy; nothing was changed\n", n_noisy, n);
    }
    return code;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Report what makes measurements on this machine noisy",
    .help = "Changes nothing: prints the command that would fix what it finds, and runs none. The "
            "devices are those of the configuration, or of all device plugins with their default "
            "settings.",
    VERB_OPTIONS(doctor_options),
    .run = run_doctor,
};
