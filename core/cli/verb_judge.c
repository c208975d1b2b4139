/* verb_judge.c - gbrun judge: a submission beside its reference, or one after the other as requests
 * come. */
#include "core/base/json_reader.h"
#include "core/cli/ab.h"
#include "core/cli/judge_request.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ---- */

#define JUDGE_BUDGET "2 s"

static const struct verb_option options[] = {
    CONFIG_OPTIONS,
    {"reference", 'r', "FILE", "what SUBMISSION.py is compared with, in Python"},
    {"sizes", 0, "FILE",
     "the shapes: one per line, such as m=64 n=128, or GPU MODE's task.yml; by default the "
     "task.yml next to the reference, if any"},
    {"against", 0, "WHAT",
     "what the submission is compared with: the reference as it is (reference, the default), or "
     "compiled by torch.compile (compiled)"},
    {"device", 'd', "DEVICE", "the device, such as cuda:1"},
    {"budget", 0, "TIME",
     "time for each shape: after the fourth round, another is started only if it fits; "
     "default " JUDGE_BUDGET ", or none with --max-rounds"},
    {"serve", 0, NULL,
     "read requests from standard input, one JSON object per line, and answer each in the same "
     "form"},
    RULE_OPTIONS(JUDGE_VISIT, "table, md, csv, json, junit or github"),
};

static bool is_python(const char *file)
{
    const char *colon = strrchr(file, ':'), *slash = strrchr(file, '/');
    const size_t n = colon && (!slash || slash < colon) ? (size_t)(colon - file) : strlen(file);
    return n > 3 && memcmp(file + n - 3, ".py", 3) == 0;
}

static int refuse_useless(const struct arguments *arguments)
{
    const struct words files = arguments->operands;
    const bool is_serving = argument(arguments, "serve") != NULL;
    const char *about_files = ARGUMENT_AMONG(arguments, "reference", "sizes");
    if (files.n > 1)
        return fail_usage("'%s': expected one SUBMISSION.py", files.items[1]);
    if ((files.n == 1 || is_serving) && argument(arguments, "config"))
        return fail_usage("--config %s: expected either it, or a submission",
                          argument(arguments, "config"));
    if (files.n == 1 && is_serving)
        return fail_usage("'%s': with --serve requests name the submissions", files.items[0]);
    if (files.n == 1 && !is_python(files.items[0]))
        return fail_usage("'%s': expected a SUBMISSION.py; functions of libraries and kernels are "
                          "judged by a configuration: gbrun judge -c FILE.ini, see docs/judge.md",
                          files.items[0]);
    if (files.n == 1 && !argument(arguments, "reference"))
        return fail_usage("'%s': nothing to compare it with: expected --reference REFERENCE.py",
                          files.items[0]);
    if (files.n == 0 && !is_serving && about_files)
        return fail_usage("--%s: expected a SUBMISSION.py, too", about_files);
    return EXIT_FINE;
}

/* Of --sizes, or of the task.yml beside the reference. */
static int32_t find_sizes(const char *given, struct arena *arena, struct judge_request *request,
                          struct gb_error *error)
{
    const char *path =
        given ? given : arena_printf(arena, "%s/task.yml", folder_of(request->reference, arena));
    if (!given && access(path, F_OK) != 0)
        return GB_OK;
    return judge_sizes_read(path, arena, &request->sizes, error);
}

static int judge_once(const struct arguments *arguments, const struct judge_manner *manner)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct judge_request request = {.reference = argument(arguments, "reference")};
    struct gb_error error;
    bool is_cancelled = false;
    if (arguments->operands.n > 0)
        request.submission = arguments->operands.items[0];
    if (request.submission &&
        find_sizes(argument(arguments, "sizes"), &arena, &request, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    const int code = judge_request_run(arguments, &request, manner, &text, &is_cancelled);
    fputs(text_get(&text), stdout);
    if (is_cancelled)
        say("gbrun: stopped before all cases were judged");
    return code;
}

/* ---- requests ---- */

/* From `begin` up to where the reader is. */
static const char *slice(const struct json_reader *reader, const char *begin, struct arena *arena)
{
    while (*begin == ' ' || *begin == '\t')
        begin++;
    return arena_text_n(arena, begin, (size_t)(reader->at - begin));
}

/* An object, whose beginning was read. */
static int32_t read_size(struct json_reader *reader, struct arena *arena,
                         struct judge_size_list *list)
{
    struct judge_size size = {0};
    enum json_token token;
    while ((token = json_read(reader)) == JSON_KEY) {
        const char *name = arena_text(arena, text_get(&reader->text)), *begin = reader->at;
        token = json_read(reader);
        if (!json_skip(reader, token))
            break;
        const char *value = token == JSON_STRING ? text_get(&reader->text)
                                                 : slice(reader, begin, arena);
        if (judge_size_add(&size, name, strlen(name), value, strlen(value), arena,
                           &reader->error) != GB_OK)
            return GB_INVALID;
    }
    if (token == JSON_OBJECT_END)
        ARENA_APPEND(arena, list->items, list->n, size);
    return token == JSON_OBJECT_END ? GB_OK : GB_INVALID;
}

/* A file, a shape, or an array of shapes. */
static int32_t read_sizes(struct json_reader *reader, struct arena *arena, const char **ret_file,
                          struct judge_size_list *ret)
{
    enum json_token token = json_read(reader);
    if (token == JSON_STRING)
        *ret_file = arena_text(arena, text_get(&reader->text));
    if (token == JSON_STRING || token == JSON_NULL)
        return GB_OK;
    if (token == JSON_OBJECT_BEGIN)
        return read_size(reader, arena, ret);
    if (token != JSON_ARRAY_BEGIN)
        return json_refuse(reader, "sizes: \1expected a file, an object, or an array of objects");
    while ((token = json_read(reader)) == JSON_OBJECT_BEGIN)
        if (read_size(reader, arena, ret) != GB_OK)
            return GB_INVALID;
    return token == JSON_ARRAY_END ? GB_OK
                                   : json_refuse(reader, "sizes: \1expected an array of objects");
}

static int32_t read_member(struct json_reader *reader, struct arena *arena,
                           struct judge_request *ret, const char **ret_sizes)
{
    const struct {
        const char *name, **file;
    } files[] = {{"submission", &ret->submission}, {"reference", &ret->reference}};
    const char *begin = reader->at;
    if (text_equal(text_get(&reader->text), "sizes"))
        return read_sizes(reader, arena, ret_sizes, &ret->sizes.measured);
    if (text_equal(text_get(&reader->text), "id")) {
        if (json_skip(reader, json_read(reader)))
            ret->id = slice(reader, begin, arena);
        return reader->error.status;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!text_equal(text_get(&reader->text), files[i].name))
            continue;
        if (json_read(reader) != JSON_STRING)
            return json_refuse(reader, "%s: \1expected the name of a file", files[i].name);
        *files[i].file = arena_text(arena, text_get(&reader->text));
        return GB_OK;
    }
    return json_refuse(reader, "unknown member '%s': \1expected submission, reference, sizes or id",
                       text_get(&reader->text));
}

static int32_t read_request(const char *line, const struct arguments *arguments,
                            struct arena *arena, struct judge_request *ret, struct gb_error *error)
{
    struct json_reader reader;
    const char *sizes = NULL;
    enum json_token token;
    json_read_begin(&reader, "request", line, strlen(line));
    token = json_read(&reader);
    if (token != JSON_OBJECT_BEGIN && token != JSON_BROKEN)
        json_refuse(&reader, "expected an object");
    while ((token = json_read(&reader)) == JSON_KEY)
        if (read_member(&reader, arena, ret, &sizes) != GB_OK)
            break;
    if (token == JSON_OBJECT_END)
        json_read(&reader); /* the end */
    *error = reader.error;
    json_read_end(&reader);
    if (error->status != GB_OK)
        return error->status;
    if (!ret->reference)
        ret->reference = argument(arguments, "reference");
    if (!ret->submission || !ret->reference || !is_python(ret->submission))
        return error_set(error, GB_INVALID, "\1expected a submission in Python and a reference");
    if (ret->sizes.measured.n > 0)
        return GB_OK;
    return find_sizes(sizes ? sizes : argument(arguments, "sizes"), arena, ret, error);
}

/* SIGTERM ends it at once where it waits for a request; elsewhere the run does, and then this. */
static volatile sig_atomic_t is_waiting, is_ending;

static void on_end(int signal)
{
    (void)signal;
    is_ending = 1;
    if (is_waiting)
        _exit(EXIT_FINE);
}

static bool read_line(char **line, size_t *room)
{
    is_waiting = 1;
    const bool is_read = !is_ending && getline(line, room, stdin) > 0;
    is_waiting = 0;
    return is_read;
}

static bool answer(const char *line, const struct arguments *arguments,
                   const struct judge_manner *manner)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct judge_request request = {0};
    struct gb_error error;
    bool is_cancelled = false;
    if (line[strspn(line, " \t\r\n")] == 0)
        return true;
    if (read_request(line, arguments, &arena, &request, &error) == GB_OK)
        judge_request_run(arguments, &request, manner, &text, &is_cancelled);
    else
        judge_request_refuse(&request, "request", error.text, &text);
    fputs(text_get(&text), stdout);
    return fflush(stdout) == 0 && !is_cancelled;
}

static int serve(const struct arguments *arguments, const struct judge_manner *given)
{
    struct spare_worker kept = {0};
    struct judge_book book = {0};
    struct judge_manner manner = *given;
    const struct sigaction action = {.sa_handler = on_end};
    static const char *nothing[] = {""};
    struct arguments own = *arguments;
    char *line = NULL;
    size_t room = 0;
    for (size_t i = 0; i < own.verb->n_options; i++)
        if (text_equal(own.verb->options[i].name, "quiet"))
            own.given[i] = (struct words){nothing, 1};
    sigaction(SIGTERM, &action, NULL);
    manner.kept = &kept;
    manner.book = ARGUMENT_AMONG(arguments, "max-rounds", "budget") ? NULL : &book;
    while (read_line(&line, &room) && answer(line, &own, &manner))
        continue;
    spare_worker_end(&kept);
    judge_book_free(&book);
    free(line);
    return EXIT_FINE;
}

static int read_budget(const struct arguments *arguments, double *ret_ns)
{
    static const struct gb_option option = {.size = sizeof option,
                                            .type = GB_TYPE_DURATION,
                                            .name = "budget",
                                            .default_value = JUDGE_BUDGET,
                                            .range = "0:1000 h"};
    struct value value = {0};
    const int code = read_number(arguments, "budget", &option, &value);
    *ret_ns = argument(arguments, "max-rounds") && !argument(arguments, "budget") ? 0
                                                                                  : value.number;
    return code;
}

static int run(const struct arguments *arguments)
{
    const bool is_serving = argument(arguments, "serve") != NULL;
    const char *format = argument(arguments, "format"), *against = argument(arguments, "against");
    struct judge_manner manner = {.format = format ? compare_format_named(format) : COMPARE_TABLE,
                                  .is_answer = is_serving,
                                  .is_compiled = against && text_equal(against, "compiled")};
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    if (manner.format < 0)
        return fail_usage("--format %s: expected table, md, csv, json, junit or github", format);
    if (against && !manner.is_compiled && !text_equal(against, "reference"))
        return fail_usage("--against %s: expected reference or compiled", against);
    int code = refuse_useless(arguments);
    if (code == EXIT_FINE)
        code = read_budget(arguments, &manner.budget_ns);
    if (code == EXIT_FINE)
        code = read_color(arguments, &manner.has_colours);
    if (code != EXIT_FINE)
        return code;
    manner.format = is_serving ? COMPARE_JSON : manner.format;
    return is_serving ? serve(arguments, &manner) : judge_once(arguments, &manner);
}

const struct verb verb_judge = {
    .name = "judge",
    .operands = "[SUBMISSION.py]",
    .summary = "Judge untrusted code against its reference",
    .help =
        "gbrun judge SUBMISSION.py --reference REFERENCE.py says whether a submission is right, "
        "and how fast. Both are files in Python: functions, or in the layouts of KernelBench and "
        "GPU MODE. Anything but Python is judged by a configuration: gbrun judge -c FILE.ini. The "
        "code of each runs in a process that cannot access gbrun, with new inputs and poisoned "
        "outputs for each call; times are taken, and outputs compared, in another process (verify "
        "= judge). Both are measured in turn, round by round as in gbrun ab. docs/judge.md says "
        "what this protects against and what not, and lists the members of the JSON.\n\nThe last "
        "line has the verdict: faster, same, slower or unclear, with exit code 0; wrong or "
        "contradicted (its time cannot be true), with 3; failed (it, or the reference, did not "
        "run), with 1. For SUBMISSION.py, results are kept only with --output.",
    VERB_OPTIONS(options),
    .run = run,
};
