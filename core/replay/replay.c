/* replay.c - see replay.h: one policy on one trace, in a worker. */
#include "core/replay/replay.h"

#include "core/base/host_clock.h"
#include "core/run/messages.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES_MAX = 20, LINE_SHOWN = 200 };

/* One replay while it goes on. */
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
    int32_t severity = (int32_t)wire_get_u32(message);
    const char *text = wire_get_word(message, conversation->arena);
    if (wire_complete(message) && severity >= GB_LOG_WARNING)
        note(conversation, text);
}

static void take_estimate(struct conversation *conversation, struct wire_reader *message)
{
    struct replay_result *result = conversation->result;
    get_estimate(message, &result->estimate);
    result->reason = wire_get_word(message, conversation->arena);
    wire_get_u64(message);
    result->has_estimate = wire_complete(message);
}

static void take_end(struct conversation *conversation, struct wire_reader *message)
{
    struct replay_result *result = conversation->result;
    int32_t status = (int32_t)wire_get_u32(message);
    const char *text = wire_get_word(message, conversation->arena);
    result->has_ended = wire_get_u32(message) != 0;
    result->n = wire_get_u64(message);
    result->elapsed_ns = wire_get_f64(message);
    conversation->is_over = true;
    if (status != GB_OK || !wire_complete(message) || result->n > conversation->n_sent) {
        result->has_failed = true;
        result->text = status != GB_OK ? text : "its answer makes no sense";
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
    struct gb_error gone;
    struct wire_writer *writer = worker_begin(&conversation->policy->worker, WIRE_REPLAY);
    put_plugin_settings(writer, conversation->policy->settings);
    wire_put_u64(writer, guards->min_samples);
    wire_put_u64(writer, guards->max_samples);
    wire_put_f64(writer, guards->max_time_ns);
    wire_put_f64(writer, guards->max_undecided_ns);
    wire_put_f64(writer, conversation->trace->tick_ns);
    wire_put_u32(writer, conversation->trace->is_dithered);
    wire_put_f64(writer, conversation->trace->error_ns);
    wire_put_u64(writer, conversation->trace->seed);
    worker_send(&conversation->policy->worker, &gone);
}

/* Why the worker did not answer. It is ended. */
static void take_death(struct conversation *conversation, double time_limit_ns)
{
    struct worker_process *worker = &conversation->policy->worker;
    char how[64], limit[NUMBER_TEXT_MAX];
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
                                    format_time(time_limit_ns, 3, limit));
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
