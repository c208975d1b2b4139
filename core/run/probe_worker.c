/* probe_worker.c - see probe_worker.h. */
#include "core/run/probe_worker.h"

#include "core/base/host_clock.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { PROBE_SECONDS = 10, ANSWER_BYTES_MAX = 256 << 20 };

static void note_line(void *context, const char *line)
{
    struct probe *probe = context;
    text_clear(&probe->printed);
    text_add_n(&probe->printed, line, strnlen(line, 200));
}

static void restart_clock(struct probe *probe)
{
    probe->deadline_ns = awake_clock_ns() + (double)PROBE_SECONDS * 1e9;
}

static int32_t refuse(struct probe *probe, const char *violation)
{
    snprintf(probe->violation, sizeof probe->violation, "%s", violation);
    probe->is_complete = false;
    return GB_CORRUPT;
}

static int32_t take(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    int32_t status = GB_OK;
    if (type == probe->restarts)
        restart_clock(probe);
    if (type != probe->last) {
        status = probe->take(probe, type, message);
    } else {
        wire_get_fields(message, probe->arena, outcome_fields, &probe->outcome);
        probe->is_complete = true;
    }
    if (status != GB_OK || message->failed)
        return refuse(probe, "sent a message that makes no sense");
    if (probe->arena->bytes - probe->bytes_before > ANSWER_BYTES_MAX)
        return refuse(probe, "sent descriptions of more than 256 MiB");
    return GB_OK;
}

int32_t probe_begin(struct probe *probe, uint32_t question, const struct plugin_settings *settings,
                    struct gb_error *error)
{
    if (!probe->worker.pid && worker_start(&probe->worker, NULL, 0, error) != GB_OK)
        return error->status;
    put_plugin_settings(worker_begin(&probe->worker, question), settings);
    return GB_OK;
}

/* Until the answer is complete, the worker is gone or takes too long. */
static void listen(struct probe *probe)
{
    struct worker_process *worker = &probe->worker;
    bool is_open = true;
    while (is_open && !probe->is_complete && awake_clock_ns() < probe->deadline_ns) {
        is_open = worker_listen(worker, note_line, probe);
        uint32_t type;
        struct wire_reader message;
        struct gb_error error;
        int32_t status;
        while ((status = wire_input_next(&worker->input, &type, &message, &error)) > 0)
            if (take(probe, type, &message) != GB_OK)
                return;
        if (status < 0) {
            refuse(probe, error.text);
            return;
        }
    }
}

/* Why a worker gave no complete answer: "crashed (SIGSEGV) while loading a module". */
static const char *why_incomplete(struct probe *probe)
{
    char death[32], how[sizeof probe->violation];
    uint32_t phase = probe->worker.page->phase;
    bool is_wrong = *probe->violation != 0;
    bool too_slow = !is_wrong && awake_clock_ns() >= probe->deadline_ns;
    worker_read_output(&probe->worker, note_line, probe);
    worker_flush_output(&probe->worker, note_line, probe);
    if (!is_wrong && !too_slow)
        for (int i = 0; i < 100 && !worker_reap(&probe->worker); i++)
            poll(NULL, 0, 1);
    worker_death(&probe->worker, death, sizeof death);
    if (is_wrong)
        snprintf(how, sizeof how, "%s", probe->violation);
    else if (too_slow)
        snprintf(how, sizeof how, "took more than %d s", PROBE_SECONDS);
    else if (!probe->worker.has_exited)
        snprintf(how, sizeof how, "closed its connection");
    else
        snprintf(how, sizeof how, "crashed (%s)", death);
    const char *words = phase == PHASE_IDLE ? "" : phase_words(phase);
    return arena_printf(probe->arena, "%s%s%s%s%s%s", how, *words ? " " : "", words,
                        probe->printed.length ? "; it printed '" : "", text_get(&probe->printed),
                        probe->printed.length ? "'" : "");
}

void probe_listen(struct probe *probe)
{
    struct gb_error error;
    probe->is_complete = false;
    probe->outcome = (struct outcome){.words = ""};
    probe->bytes_before = probe->arena->bytes;
    *probe->violation = 0;
    restart_clock(probe);
    if (worker_send(&probe->worker, &error) == GB_OK)
        listen(probe);
    if (!probe->is_complete)
        probe->outcome = (struct outcome){GB_FAILED, why_incomplete(probe)};
    text_clear(&probe->printed);
}

void probe_keep(struct probe *probe, struct worker_process *ret_worker)
{
    worker_read_output(&probe->worker, note_line, probe);
    worker_flush_output(&probe->worker, note_line, probe);
    *ret_worker = probe->worker;
    probe->worker = (struct worker_process){0};
}

void probe_end(struct probe *probe)
{
    if (probe->worker.pid)
        worker_end(&probe->worker, false);
    text_free(&probe->printed);
}
