/* replay.c - see replay.h: policies by their texts, and one on one trace, in a worker. */
#include "core/replay/replay.h"

#include "core/base/host_clock.h"
#include "core/base/members.h"
#include "core/run/messages.h"
#include "core/run/probe.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- policies by their texts ---- */

static const char OPTION_NAME[] = "--policy";

/* The sections to read: those of a configuration, then one for each text. */
struct sections {
    struct arena *arena;
    struct ini ini;
    const struct ini *given; /* or NULL */
    const char **names;      /* by text: of its section */
    struct error_list *errors;
};

/* The end of a word: a blank outside double quotes. NULL: a quote is not closed. */
static const char *word_end(const char *word)
{
    bool is_quoted = false;
    for (; *word && (is_quoted || *word != ' '); word++) {
        if (*word == '\\' && is_quoted && word[1])
            word++;
        else if (*word == '"')
            is_quoted = !is_quoted;
    }
    return is_quoted ? NULL : word;
}

/* Sets key to value; a key that the text has given before is an error, one of the configuration's
 * section is replaced. */
static void set_entry(struct sections *sections, struct ini_section *section, size_t n_given,
                      const struct ini_entry *entry)
{
    for (size_t i = 0; i < section->n; i++) {
        if (!text_equal(section->entries[i].key, entry->key))
            continue;
        if (i >= n_given || section->entries[i].is_override)
            error_list_add(sections->errors, entry->origin, "'%s' is given twice", entry->key);
        section->entries[i] = *entry;
        return;
    }
    section->entries[section->n++] = *entry;
}

/* The options that follow the name in a text. */
static void read_options(struct sections *sections, struct ini_section *section, const char *text,
                         const char *at, struct origin origin)
{
    size_t n_given = section->n;
    struct ini_entry entry = {.is_override = true};
    for (const char *end; *(at += strspn(at, " ")); at = end) {
        struct origin here = origin;
        here.column = (uint32_t)(at - text) + 1;
        end = word_end(at);
        const char *equals = strchr(at, '=');
        if (!end) {
            error_list_add(sections->errors, here, "a quote is not closed");
            return;
        }
        if (equals && equals < end) {
            if (entry.key)
                set_entry(sections, section, n_given, &entry);
            entry.key = arena_text_n(sections->arena, at, (size_t)(equals - at));
            entry.value = arena_text_n(sections->arena, equals + 1, (size_t)(end - equals) - 1);
            entry.origin = entry.value_origin = here;
            entry.value_origin.column += (uint32_t)(equals - at) + 1;
        } else if (entry.key) { /* time=500 ms */
            entry.value = arena_printf(sections->arena, "%s %.*s", entry.value, (int)(end - at),
                                       at);
        } else {
            error_list_add(sections->errors, here, "'%.*s' is not an option: expected key=value",
                           (int)(end - at), at);
            return;
        }
    }
    if (entry.key)
        set_entry(sections, section, n_given, &entry);
}

/* A name for the section of a text: as it was written where that is possible, and unique. */
static const char *section_name(const struct sections *sections, const char *name)
{
    char *plain = arena_text(sections->arena, name);
    for (char *at = plain; *at; at++)
        if ((unsigned char)*at <= ' ' || strchr(",:=\"'", *at))
            *at = '_';
    const char *unique = plain;
    for (size_t count = 2, i = 0; i < sections->ini.n; i++)
        if (text_equal(sections->ini.sections[i].name, unique)) {
            unique = arena_printf(sections->arena, "%s#%zu", plain, count++);
            i = (size_t)-1;
        }
    return unique;
}

/* One text: as a section of its own, or the configuration's where no option follows. */
static void add_text(struct sections *sections, size_t number, const char *text)
{
    struct origin origin = {OPTION_NAME, (uint32_t)number + 1, 1};
    const char *begin = text + strspn(text, " ");
    const char *end = word_end(begin);
    if (!end) {
        error_list_add(sections->errors, origin, "a quote is not closed");
        return;
    }
    size_t quotes = *begin == '"' && end[-1] == '"'; /* of a path with blanks */
    const char *name = arena_text_n(sections->arena, begin + quotes,
                                    (size_t)(end - begin) - 2 * quotes);
    const struct ini_section *given = sections->given
                                          ? ini_section_of(sections->given, "policy", name)
                                          : NULL;
    if (!*name || (strchr(name, '=') && !quotes)) {
        error_list_add(sections->errors, origin,
                       "'%s' names no policy: expected its name, then key=value for its options",
                       text);
        return;
    }
    if (given && !end[strspn(end, " ")]) {
        sections->names[number] = name;
        return;
    }
    size_t n_given = given ? given->n : 1, n_words = 0;
    for (const char *at = text; (at = strchr(at, '=')) != NULL; at++)
        n_words++;
    struct ini_section section = {
        .kind = "policy",
        .name = section_name(sections, name),
        .origin = origin,
        .n = n_given,
        .entries = ARENA_ARRAY(sections->arena, struct ini_entry, n_given + n_words)};
    const char *plugin = strchr(name, '/') ? path_from(".", name, sections->arena) : name;
    if (given)
        memcpy(section.entries, given->entries, given->n * sizeof *section.entries);
    else
        section.entries[0] = (struct ini_entry){
            .key = "plugin", .value = plugin, .origin = origin, .value_origin = origin};
    read_options(sections, &section, text, end, origin);
    sections->names[number] = section.name;
    sections->ini.sections[sections->ini.n++] = section;
}

static const struct plugin_settings *settings_named(const struct settings *settings,
                                                    const char *name)
{
    const struct plugin_settings *items;
    size_t n = settings_policies(settings, &items);
    return ITEM_NAMED(items, n, name, name);
}

static void add_policy(struct replay_policies *policies, struct arena *arena, const char *label,
                       const struct plugin_settings *settings)
{
    ARENA_APPEND(arena, policies->items, policies->n,
                 (struct replay_policy){.label = label, .settings = settings});
}

/* Policies by their sections. */
static int32_t resolve(struct sections *sections, const struct replay_request *request,
                       const struct words *folders, struct settings *settings,
                       struct replay_policies *ret)
{
    struct arena *arena = sections->arena;
    struct gb_error error;
    const struct plugin_request *requests;
    size_t n = settings_requests(settings, &requests);
    if (catalogue_load(folders, requests, n, arena, &ret->catalogue, &error) != GB_OK) {
        error_list_take(sections->errors, &error);
        return error.status;
    }
    settings_resolve(settings, &ret->catalogue, sections->errors);
    if (!error_list_empty(sections->errors))
        return GB_INVALID;
    for (size_t i = 0; i < request->n_texts; i++)
        add_policy(ret, arena, request->texts[i], settings_named(settings, sections->names[i]));
    for (size_t i = 0; request->n_texts == 0 && i < sections->ini.n; i++)
        if (text_equal(sections->ini.sections[i].kind, "policy"))
            add_policy(ret, arena, sections->ini.sections[i].name,
                       settings_named(settings, sections->ini.sections[i].name));
    return GB_OK;
}

ORDER_BY_TEXT(compare_ids, struct replay_policy, label)

/* Every policy there is, with its defaults. */
static int32_t take_all(const struct words *folders, struct arena *arena,
                        struct replay_policies *ret, struct error_list *errors)
{
    struct gb_error error;
    if (catalogue_load_all(folders, arena, &ret->catalogue, &error) != GB_OK) {
        error_list_take(errors, &error);
        return error.status;
    }
    for (size_t i = 0; i < ret->catalogue.n_plugins; i++) {
        const struct plugin_info *info = &ret->catalogue.plugins[i];
        const char *id = info->plugin.id;
        if (info->plugin.kind != GB_PLUGIN_POLICY ||
            option_required(option_table_of(&info->plugin)) ||
            catalogue_find(&ret->catalogue, GB_PLUGIN_POLICY, id) != info)
            continue;
        struct plugin_settings *settings = ARENA_NEW(arena, struct plugin_settings);
        *settings = (struct plugin_settings){.name = id, .info = info};
        add_policy(ret, arena, id, settings);
    }
    if (ret->n > 1)
        qsort(ret->items, ret->n, sizeof *ret->items, compare_ids);
    if (ret->n == 0)
        error_list_add(errors, (struct origin){0},
                       "there is no policy: no policy plugin was found; see `gbrun list plugins`");
    return ret->n ? GB_OK : GB_NOT_FOUND;
}

int32_t replay_policies_read(const struct replay_request *request, struct arena *arena,
                             struct replay_policies *ret, struct error_list *errors)
{
    *ret = (struct replay_policies){0};
    size_t n_texts = request->n_texts, n_given = request->ini ? request->ini->n : 0;
    struct settings *settings;
    struct words folders;
    struct sections sections = {
        .arena = arena,
        .given = request->ini,
        .errors = errors,
        .ini = {.path = request->ini ? request->ini->path : OPTION_NAME,
                .n = n_given,
                .sections = ARENA_ARRAY(arena, struct ini_section, n_given + n_texts + 1)},
        .names = ARENA_ARRAY(arena, const char *, n_texts + 1)};
    if (n_given)
        memcpy(sections.ini.sections, request->ini->sections,
               n_given * sizeof *sections.ini.sections);
    for (size_t i = 0; i < n_texts; i++)
        add_text(&sections, i, request->texts[i]);
    settings_parse_policies(&sections.ini, request->ini_folder, arena, &settings, errors);
    module_folders(request->plugin_path, request->n_plugin_path,
                   &settings_run(settings)->plugin_path, request->ini_folder, arena, &folders);
    const struct plugin_request *requests;
    if (n_texts == 0 && settings_requests(settings, &requests) == 0 && error_list_empty(errors))
        return take_all(&folders, arena, ret, errors);
    return resolve(&sections, request, &folders, settings, ret);
}

/* ---- a policy on a trace ---- */

enum { MESSAGES_MAX = 20, LINE_SHOWN = 200 };

/* One replay in progress. */
struct conversation {
    struct replay_policy *policy;
    struct trace *trace;
    struct arena *arena;
    struct replay_result *result;
    struct text messages;
    size_t n_messages;
    uint64_t n_sent;
    double deadline_ns;
    bool is_over;   /* REPLAYED has come */
    bool is_wanted; /* TRACE_WANTED has come */
};

static void note(struct conversation *conversation, const char *words)
{
    if (conversation->n_messages++ >= MESSAGES_MAX)
        return;
    text_add(&conversation->messages, conversation->messages.length ? "\n" : "");
    text_add_n(&conversation->messages, words, strnlen(words, LINE_SHOWN));
}

static void note_line(void *context, const char *line)
{
    note(context, line);
}

static void take_log(struct conversation *conversation, struct wire_reader *message)
{
    struct message_record log;
    get_record(message, conversation->arena, WIRE_LOG, &log);
    if (wire_complete(message) && log.severity >= GB_LOG_WARNING)
        note(conversation, log.text);
}

static void take_estimate(struct conversation *conversation, struct wire_reader *message)
{
    struct replay_result *result = conversation->result;
    uint64_t n_lost;
    get_estimate(message, conversation->arena, &result->estimate, &result->reason, &n_lost);
    result->has_estimate = wire_complete(message);
}

static void take_end(struct conversation *conversation, struct wire_reader *message)
{
    struct replay_result *result = conversation->result;
    struct replay_end end;
    wire_get_fields(message, conversation->arena, replay_end_fields, &end);
    result->has_ended = end.has_ended;
    result->n = end.n;
    result->elapsed_ns = end.elapsed_ns;
    conversation->is_over = true;
    if (end.outcome.status != GB_OK || !wire_complete(message) ||
        result->n > conversation->n_sent) {
        result->has_failed = true;
        result->text = end.outcome.status != GB_OK ? end.outcome.words : "its answer is invalid";
    }
}

static void answer(struct conversation *conversation, uint32_t type, struct wire_reader *message)
{
    if (type == WIRE_LOG)
        take_log(conversation, message);
    else if (type == WIRE_ESTIMATE)
        take_estimate(conversation, message);
    else if (type == WIRE_TRACE_WANTED)
        conversation->is_wanted = true;
    else if (type == WIRE_REPLAYED)
        take_end(conversation, message);
}

/* Until samples are wanted or it is over. False: the worker is gone, or time is up. */
static bool listen(struct conversation *conversation)
{
    struct worker_process *worker = &conversation->policy->worker;
    bool is_open = true;
    conversation->is_wanted = false;
    while (is_open && awake_clock_ns() < conversation->deadline_ns) {
        is_open = worker_listen(worker, note_line, conversation);
        struct wire_reader message;
        struct gb_error error;
        uint32_t type;
        int32_t status;
        while ((status = wire_input_next(&worker->input, &type, &message, &error)) > 0) {
            answer(conversation, type, &message);
            if (conversation->is_over || conversation->is_wanted)
                return true;
        }
        if (status < 0)
            return false;
    }
    return false;
}

static void put_column(struct wire_writer *writer, const double *column, uint64_t n, double missing)
{
    wire_put_f64s(writer, column ? column : &missing, column ? n : 1);
}

static int32_t send_samples(struct conversation *conversation, struct gb_error *error)
{
    struct trace *trace = conversation->trace;
    uint64_t left = trace->n - conversation->n_sent;
    uint64_t n = left < TRACE_CHUNK ? left : TRACE_CHUNK;
    struct trace_columns columns = {0};
    if (n > 0 && trace_read(trace, conversation->n_sent, n, &columns, error) != GB_OK)
        return error->status;
    struct wire_writer *writer = worker_begin(&conversation->policy->worker, WIRE_TRACE);
    wire_put_u32(writer, (uint32_t)n);
    if (n > 0) {
        put_column(writer, columns.time_ns, n, 0);
        put_column(writer, columns.elapsed_ns, n, 0);
        put_column(writer, columns.iterations, n, 1);
        put_column(writer, columns.clock_hz, n, 0);
        put_column(writer, columns.throttle, n, 0);
        put_column(writer, columns.flags, n, 0);
    }
    struct gb_error gone; /* listen will find out why */
    worker_send(&conversation->policy->worker, &gone);
    conversation->n_sent += n;
    return GB_OK;
}

static void send_request(struct conversation *conversation, const struct guards *guards)
{
    const struct trace *trace = conversation->trace;
    const struct replay_order order = {.policy = *conversation->policy->settings,
                                       .guards = *guards,
                                       .tick_ns = trace->tick_ns,
                                       .error_ns = trace->error_ns,
                                       .load_ns = trace->load_ns,
                                       .is_dithered = trace->is_dithered,
                                       .is_part = trace->is_part,
                                       .seed = trace->seed};
    struct gb_error gone;
    worker_send_fields(&conversation->policy->worker, WIRE_REPLAY, replay_order_fields, &order,
                       &gone);
}

/* Why the worker did not answer. It is ended. */
static void take_death(struct conversation *conversation, double time_limit_ns)
{
    struct worker_process *worker = &conversation->policy->worker;
    char how[64];
    bool too_slow = awake_clock_ns() >= conversation->deadline_ns;
    const char *words = phase_words(worker->page->phase);
    for (int i = 0; !too_slow && i < 100 && !worker_reap(worker); i++)
        poll(NULL, 0, 1);
    worker_read_output(worker, note_line, conversation);
    worker_flush_output(worker, note_line, conversation);
    worker_death(worker, how, sizeof how);
    struct replay_result *result = conversation->result;
    result->has_failed = true;
    if (too_slow)
        result->text = arena_printf(conversation->arena, "timed out after %s",
                                    TIME_TEXT(time_limit_ns, 3));
    else
        result->text = arena_printf(conversation->arena, "crashed (%s) %s",
                                    worker->has_exited ? how : "closed its connection", words);
    worker_end(worker, false);
    conversation->policy->is_running = false;
}

/* A report about samples that were not there, or about times that are none, does not count. */
static void make_sound(struct replay_result *result)
{
    struct gb_estimate *estimate = &result->estimate;
    if (result->has_failed || result->n == 0)
        result->has_estimate = false;
    if (!result->has_estimate)
        return;
    if (!isfinite(estimate->value_ns))
        estimate->value_ns = NAN;
    if (isnan(estimate->low_ns) || isnan(estimate->high_ns))
        estimate->low_ns = estimate->high_ns = NAN;
}

int32_t replay_run(struct replay_policy *policy, struct trace *trace,
                   const struct replay_limits *limits, struct arena *arena,
                   struct replay_result *ret, struct gb_error *error)
{
    struct conversation conversation = {
        .policy = policy, .trace = trace, .arena = arena, .result = ret};
    int32_t status = GB_OK;
    *ret = (struct replay_result){.text = "", .reason = "", .messages = ""};
    if (!policy->is_running) {
        status = worker_start(&policy->worker, NULL, 0, error);
        if (status != GB_OK)
            return status;
        policy->is_running = true;
    }
    conversation.deadline_ns = awake_clock_ns() + limits->time_limit_ns;
    send_request(&conversation, &limits->guards);
    bool is_alive = true;
    while (status == GB_OK && is_alive && !conversation.is_over) {
        is_alive = listen(&conversation);
        if (is_alive && conversation.is_wanted && !conversation.is_over)
            status = send_samples(&conversation, error);
    }
    if (status == GB_OK && !conversation.is_over)
        take_death(&conversation, limits->time_limit_ns);
    else
        worker_read_output(&policy->worker, note_line, &conversation);
    make_sound(ret);
    if (conversation.n_messages > MESSAGES_MAX)
        text_printf(&conversation.messages, "\nand %zu more messages and lines that it printed",
                    conversation.n_messages - MESSAGES_MAX);
    if (conversation.messages.length)
        ret->messages = arena_text(arena, text_get(&conversation.messages));
    text_free(&conversation.messages);
    return status;
}

void replay_policies_free(struct replay_policies *policies)
{
    for (size_t i = 0; i < policies->n; i++)
        if (policies->items[i].is_running)
            worker_end(&policies->items[i].worker, false);
    policies->n = 0;
}

double replay_error_ratio(const struct trace *trace, const struct replay_result *result)
{
    if (!result->has_estimate || !(trace->centre_ns > 0))
        return NAN;
    return result->estimate.value_ns / trace->centre_ns - 1;
}

int replay_holds(const struct trace *trace, const struct replay_result *result)
{
    const struct gb_estimate *estimate = &result->estimate;
    if (!result->has_estimate || isnan(estimate->low_ns) || isnan(trace->centre_ns))
        return REPLAY_NO_INTERVAL;
    return trace->centre_ns >= estimate->low_ns && trace->centre_ns <= estimate->high_ns
               ? REPLAY_HELD
               : REPLAY_MISSED;
}
