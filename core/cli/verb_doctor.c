/* verb_doctor.c - gbrun doctor: what makes measurements on this machine noisy. */
#include "core/base/colour.h"
#include "core/base/json_writer.h"
#include "core/cli/verbs.h"
#include "core/run/machine.h"

#include <stdio.h>

static const struct verb_option doctor_options[] = {
    CONFIG_OPTIONS,
    {"format", 'f', "FORMAT", "table or json; with json exit code 3 if something looks noisy"},
    {"strict", 0, NULL, "exit code 3 if something looks noisy"},
    COLOR_OPTION,
};

/* What was found on the machine and on its devices. */
struct findings {
    struct finding *of_machine;
    size_t n_of_machine;
    struct examination devices;
    size_t n, n_noisy, n_unknown; /* all */
};

static bool is_unknown(const struct finding *finding)
{
    return text_equal(finding->state, FINDING_UNSEEN);
}

static void count_findings(const struct finding *items, size_t n, struct findings *ret)
{
    ret->n += n;
    for (size_t i = 0; i < n; i++) {
        ret->n_noisy += items[i].is_noisy;
        ret->n_unknown += is_unknown(&items[i]);
    }
}

/* ---- for people ---- */

static void print_findings(const struct finding *findings, size_t n, bool has_colours)
{
    enum { WORD = 7 };
    static const struct {
        const char *text;
        int colour;
    } words[] = {{"ok", COLOUR_GOOD}, {"unknown", COLOUR_FAINT}, {"noisy", COLOUR_DOUBT}};
    for (size_t i = 0; i < n; i++) {
        CLEANUP(text_free) struct text word = {0};
        const int state = findings[i].is_noisy ? 2 : is_unknown(&findings[i]);
        colour_add(&word, has_colours ? words[state].colour : COLOUR_NONE, words[state].text);
        for (size_t columns = text_columns(words[state].text); columns < WORD; columns++)
            text_add(&word, " ");
        printf("%s  %-28s  %s\n", text_get(&word), findings[i].subject, findings[i].state);
        if (*findings[i].why)
            printf("%*s  %-28s  %s\n", WORD, "", "", findings[i].why);
        if (*findings[i].fix)
            printf("%*s  %-28s  $ %s\n", WORD, "", "", findings[i].fix);
    }
}

/* The noisy finding number i of a list that there is a command for; NULL: it has fewer. */
static const struct finding *nth_to_do(const struct finding *findings, size_t n, size_t i)
{
    for (size_t at = 0; at < n; at++)
        if (findings[at].is_noisy && *findings[at].fix && i-- == 0)
            return &findings[at];
    return NULL;
}

/* The machine and the devices take turns: each of them has what matters most first. */
static void print_to_do(const struct findings *found)
{
    enum { TO_DO = 5 };
    size_t n_done = 0, n_more = 0, n_of_turn = 1;
    for (size_t turn = 0; n_of_turn > 0; turn++) {
        n_of_turn = 0;
        for (size_t list = 0; list <= found->devices.n; list++) {
            const struct examined_device *device = list ? &found->devices.devices[list - 1] : NULL;
            const struct finding *next = device ? nth_to_do(device->findings, device->n, turn)
                                                : nth_to_do(found->of_machine, found->n_of_machine,
                                                            turn);
            n_of_turn += next != NULL;
            n_more += next && n_done == TO_DO;
            if (next && n_done < TO_DO)
                printf("%s%zu. %s%s%s: %s\n",
                       n_done ? "" : "\nrecommended, most effective first:\n", n_done + 1,
                       device ? device->name : "", device ? ": " : "", next->subject, next->fix);
            n_done += next && n_done < TO_DO;
        }
    }
    if (n_more)
        printf("and %zu more, above\n", n_more);
}

static void print_table(const struct findings *found, bool has_colours)
{
    print_findings(found->of_machine, found->n_of_machine, has_colours);
    for (size_t i = 0; i < found->devices.n; i++) {
        const struct examined_device *device = &found->devices.devices[i];
        printf("\n%s\n", device->name);
        print_findings(device->findings, device->n, has_colours);
    }
    fflush(stdout);
    for (size_t i = 0; i < found->devices.n_unexamined; i++) {
        const struct unexamined *device = &found->devices.unexamined[i];
        say("%s: %s: %s", device->settings->name,
            device->is_absent ? "absent" : "cannot be examined", device->reason);
    }
    printf("\n%zu of %zu look noisy, %zu unknown; nothing was changed\n", found->n_noisy, found->n,
           found->n_unknown);
    print_to_do(found);
}

/* ---- for programs ---- */

static void add_findings(struct json_writer *json, const char *name, const struct finding *findings,
                         size_t n)
{
    json_open(json, name, JSON_ARRAY);
    for (const struct finding *at = findings; at < findings + n; at++)
        json_object(json, NULL,
                    VALUES(TEXT("subject", at->subject), TEXT("state", at->state),
                           BOOL("is_noisy", at->is_noisy), TEXT("why", at->why),
                           TEXT("fix", at->fix)));
    json_close(json, JSON_ARRAY);
}

static void print_json(const struct findings *found)
{
    CLEANUP(text_free) struct text text = {0};
    struct json_writer json = {.out = &text};
    json_open(&json, NULL, JSON_OBJECT);
    json_values(&json,
                VALUES(TEXT("format", "gbrun doctor 1"), INTEGER("n_findings", found->n),
                       INTEGER("n_noisy", found->n_noisy), INTEGER("n_unknown", found->n_unknown)));
    add_findings(&json, "machine", found->of_machine, found->n_of_machine);
    json_open(&json, "devices", JSON_ARRAY);
    for (size_t i = 0; i < found->devices.n; i++) {
        const struct examined_device *device = &found->devices.devices[i];
        json_open(&json, NULL, JSON_OBJECT);
        json_text(&json, "name", device->name);
        add_findings(&json, "findings", device->findings, device->n);
        json_close(&json, JSON_OBJECT);
    }
    json_close(&json, JSON_ARRAY);
    json_open(&json, "unexamined", JSON_ARRAY);
    for (size_t i = 0; i < found->devices.n_unexamined; i++) {
        const struct unexamined *device = &found->devices.unexamined[i];
        json_object(&json, NULL,
                    VALUES(TEXT("name", device->settings->name),
                           BOOL("is_absent", device->is_absent), TEXT("reason", device->reason)));
    }
    json_close(&json, JSON_ARRAY);
    json_close(&json, JSON_OBJECT);
    text_add(&text, "\n");
    fputs(text_get(&text), stdout);
}

/* What is found on devices before a plugin fails is printed as well. */
static int examine(const struct plugin_settings *settings, size_t n_settings, struct arena *arena,
                   struct findings *found)
{
    struct gb_error error;
    machine_examine(arena, &found->of_machine, &found->n_of_machine);
    int code = devices_examine(settings, n_settings, arena, &found->devices, &error) == GB_OK
                   ? EXIT_FINE
                   : fail_with(&error, EXIT_INTERNAL);
    count_findings(found->of_machine, found->n_of_machine, found);
    for (size_t i = 0; i < found->devices.n; i++)
        count_findings(found->devices.devices[i].findings, found->devices.devices[i].n, found);
    return code;
}

static int run_doctor(const struct arguments *arguments)
{
    const char *format = argument(arguments, "format");
    bool is_json = format && text_equal(format, "json");
    if (arguments->operands.n > 0)
        return fail_usage("'%s': doctor takes no operand", arguments->operands.items[0]);
    if (format && !is_json && !text_equal(format, "table"))
        return fail_usage("--format %s: expected table or json", format);
    bool has_colours = false;
    if (read_color(arguments, &has_colours) != EXIT_FINE)
        return EXIT_USAGE;
    CLEANUP(configuration_free) struct configuration configuration;
    const struct plugin_settings *settings = NULL;
    struct findings found = {0};
    size_t n_settings, n_auto;
    int code = device_settings_read(arguments, &configuration, &settings, &n_settings, &n_auto);
    if (code == EXIT_FINE) {
        code = examine(settings, n_settings, &configuration.arena, &found);
        if (is_json)
            print_json(&found);
        else
            print_table(&found, has_colours);
    }
    bool is_judged = is_json || argument(arguments, "strict");
    return code == EXIT_FINE && is_judged && found.n_noisy ? EXIT_NOT_AS_WANTED : code;
}

const struct verb verb_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Report what makes measurements on this machine noisy",
    .help = "Changes nothing: prints the command that would fix each finding, but runs none; ends "
            "with the five that help most. The devices are those of the configuration, or of all "
            "device plugins with their default settings.\n\nExit code 0 even if something looks "
            "noisy; with --format json or --strict that is 3.",
    VERB_OPTIONS(doctor_options),
    .run = run_doctor,
};
