/* main.c - the program: finds the verb and calls it. */
#include "core/base/output_file.h"
#include "core/cli/verbs.h"
#include "core/config/option_table.h"
#include "core/run/judged.h"
#include "core/run/worker.h"
#include "core/run/zygote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct verb *const verbs[] = {&verb_run,    &verb_list,   &verb_check,  &verb_help_on,
                                           &verb_show,   &verb_export, &verb_merge,  &verb_compare,
                                           &verb_ab,     &verb_judge,  &verb_call,   &verb_command,
                                           &verb_log,    &verb_bisect, &verb_report, &verb_replay,
                                           &verb_search, &verb_new,    &verb_doctor};

static const struct verb_table all_verbs = {verbs, sizeof verbs / sizeof *verbs};

static const struct verb *verb_named(const char *name)
{
    for (size_t i = 0; i < all_verbs.n; i++)
        if (text_equal(verbs[i]->name, name))
            return verbs[i];
    return NULL;
}

static int unknown_verb(const char *name)
{
    const char *names[sizeof verbs / sizeof *verbs];
    for (size_t i = 0; i < all_verbs.n; i++)
        names[i] = verbs[i]->name;
    const char *nearest = text_nearest(WORDS_OF(names, all_verbs.n), name);
    if (text_ends_with(name, ".gbr"))
        return fail_usage("unknown verb '%s': `gbrun show %s` shows a results file", name, name);
    if (text_ends_with(name, ".so"))
        return fail_usage(
            "unknown verb '%s': a plugin is named in a configuration, by plugin = ./%s", name,
            name);
    return nearest ? fail_usage("unknown verb '%s'; did you mean '%s'?", name, nearest)
                   : fail_usage("unknown verb '%s': see `gbrun help`", name);
}

/* A full disk or a closed pipe behind standard output must not look like success. */
static int check_output(int code)
{
    if (!stream_flush(stdout) && errno != EPIPE) {
        say("gbrun: error: standard output cannot be written: %s", reason_of(errno));
        return code == EXIT_FINE ? EXIT_INTERNAL : code;
    }
    return code;
}

static int call(const struct verb *verb, int argc, char **argv)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct arguments arguments;
    struct gb_error error;
    if (arguments_parse(all_verbs, verb, argc, argv, &arena, &arguments, &error) != GB_OK)
        return check_output(fail_with(&error, EXIT_USAGE));
    return check_output(verb->run(&arguments));
}

int main(int argc, char **argv)
{
    if (argc == 2 && text_equal(argv[1], WORKER_ARGUMENT))
        return worker_main();
    if (argc > 1 && text_equal(argv[1], JUDGED_ARGUMENT))
        return judged_main(argc, argv);
    if (argc == 2 && text_equal(argv[1], ZYGOTE_ARGUMENT))
        return zygote_main();
    signal(SIGXFSZ, SIG_IGN); /* writing to a file that may not grow is an error, not the end */
    if (argc < 2) {
        say("gbrun measures how long code takes, on CPUs and GPUs. To begin:\n"
            "  gbrun call libm.so.6 'double cbrt(double)' 2  a function of a library\n"
            "  gbrun command 'sleep 0.01'                    a program\n"
            "  gbrun new --ini, then gbrun bench.ini         a sweep, from a configuration\n"
            "  gbrun help                                    all verbs; gbrun doctor: is it "
            "quiet?");
        return EXIT_USAGE;
    }
    if (text_equal(argv[1], "--version") || text_equal(argv[1], "-V")) {
        printf("gbrun %s (plugin ABI %u.%u)\n", GBRUN_VERSION, GB_ABI_MAJOR, GB_ABI_MINOR);
        return check_output(EXIT_FINE);
    }
    if (text_equal(argv[1], "--help") || text_equal(argv[1], "-h"))
        return call(&verb_help_on, 1, argv);
    if (argv[1][0] == '-' || is_configuration(argv[1]))
        return call(&verb_run, argc, argv); /* `gbrun -c FILE`: argv[0] stands for the verb */
    const struct verb *verb = verb_named(argv[1]);
    if (!verb)
        return unknown_verb(argv[1]);
    if (argc == 3 && (text_equal(argv[2], "--help") || text_equal(argv[2], "-h")))
        return call(&verb_help_on, 2, (char *[]){argv[0], argv[1], NULL});
    return call(verb, argc - 1, argv + 1);
}
