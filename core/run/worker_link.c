/* worker_link.c - see worker_link.h. */
#include "core/run/worker_link.h"

#include "core/run/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXIT_LINK_LOST = 4, EXIT_NOT_WORKER = 5 };

const char *phase_words(uint32_t phase)
{
    static const char *const words[] = {
#define PHASE_WORDS(name, words) words,
        PHASE_MAP(PHASE_WORDS)
#undef PHASE_WORDS
    };
    return phase < PHASES ? words[phase] : "";
}

/* With the lock, as the next one. */
static void send_frames(struct worker_link *link, const struct wire_writer *frames)
{
    struct gb_error error;
    if (wire_send(link->socket, frames, &error) == GB_OK)
        return;
    link->page->is_cut = 1;
    _exit(EXIT_LINK_LOST);
}

static void let_go(struct worker_link *link)
{
    link->is_held = false;
    if (link->held.bytes.length > 0)
        send_frames(link, &link->held);
    text_clear(&link->held.bytes);
}

void link_hold(struct worker_link *link)
{
    pthread_mutex_lock(&link->lock);
    link->is_held = !link->receiver;
    pthread_mutex_unlock(&link->lock);
}

static void end_hold(struct worker_link *link)
{
    if (!link->is_held)
        return;
    pthread_mutex_lock(&link->lock);
    let_go(link);
    pthread_mutex_unlock(&link->lock);
}

static void send_said(void *context, uint32_t type, const void *record)
{
    struct worker_link *link = context;
    const struct message_record *message = type == WIRE_LOG ? record : NULL;
    put_record(link_begin(link, type), type, record);
    let_go(link);
    if (message && message->severity >= GB_LOG_WARNING && link->page->phase == PHASE_OPEN &&
        link->n_warnings < OPENING_WARNINGS_MAX)
        link->warnings[link->n_warnings++] = (struct message_record){
            message->severity, arena_text(&link->arena, message->text)};
    link_send(link);
}

void link_open(struct worker_link *link, int socket, int page_descriptor)
{
    *link = (struct worker_link){.socket = socket, .process = getpid(), .sink = {link, send_said}};
    pthread_mutex_init(&link->lock, NULL);
    void *page = mmap(NULL, sizeof *link->page, PROT_READ | PROT_WRITE, MAP_SHARED, page_descriptor,
                      0);
    if (page == MAP_FAILED)
        _exit(EXIT_LINK_LOST);
    link->page = page;
    close(page_descriptor);
}

void link_open_within(struct worker_link *link, link_receiver_fn *receiver)
{
    *link = (struct worker_link){.socket = -1, .receiver = receiver, .sink = {link, send_said}};
    pthread_mutex_init(&link->lock, NULL);
    link->page = &link->own_page;
}

void link_free(struct worker_link *link)
{
    pthread_mutex_destroy(&link->lock);
    arena_free(&link->arena);
    wire_input_free(&link->input);
    text_free(&link->writer.bytes);
    text_free(&link->held.bytes);
}

/* A child that a plugin forked and that came back from the plugin's function must not speak for the
 * worker, nor take its messages. */
static void end_unless_worker(const struct worker_link *link)
{
    if (!link->receiver && getpid() != link->process)
        _exit(EXIT_NOT_WORKER);
}

struct wire_writer *link_begin(struct worker_link *link, uint32_t type)
{
    end_unless_worker(link);
    pthread_mutex_lock(&link->lock);
    wire_begin(&link->writer, type);
    return &link->writer;
}

void link_send(struct worker_link *link)
{
    const struct text *frame = &link->writer.bytes;
    struct wire_reader payload;
    wire_end(&link->writer);
    if (link->receiver)
        link->receiver(link->receiver_context, wire_written(&link->writer, &payload), &payload);
    else if (link->is_held)
        text_add_n(&link->held.bytes, frame->data, frame->length);
    else
        send_frames(link, &link->writer);
    pthread_mutex_unlock(&link->lock);
}

void link_send_fields(struct worker_link *link, uint32_t type, const struct wire_field *fields,
                      const void *object)
{
    wire_put_fields(link_begin(link, type), fields, object);
    link_send(link);
}

void link_send_record(struct worker_link *link, uint32_t type, const void *record)
{
    put_record(link_begin(link, type), type, record);
    link_send(link);
}

void link_say(struct worker_link *link, int32_t severity, const char *format, ...)
{
    char text[2 * HOST_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    send_said(link, WIRE_LOG, &(struct message_record){severity, text});
}

void link_metric(struct worker_link *link, const char *name, double value, const char *unit)
{
    link_send_record(link, WIRE_METRIC, &(struct metric_record){name, value, unit});
}

void link_repeat_warnings(struct worker_link *link)
{
    for (size_t i = 0; i < link->n_warnings; i++)
        link_send_record(link, WIRE_LOG, &link->warnings[i]);
}

bool link_receive(struct worker_link *link, uint32_t *ret_type, struct wire_reader *ret_payload)
{
    struct gb_error error;
    end_unless_worker(link);
    end_hold(link);
    return wire_receive(link->socket, &link->input, ret_type, ret_payload, &error) == GB_OK;
}

void link_wait_alone(struct worker_link *link)
{
    uint32_t type;
    struct wire_reader message;
    if (link->receiver)
        return;
    link_begin(link, WIRE_EXCLUSIVE);
    link_send(link);
    if (link_receive(link, &type, &message) && type == WIRE_GRANTED)
        return;
    link->page->is_cut = 1;
    _exit(EXIT_LINK_LOST);
}

void link_phase(struct worker_link *link, uint32_t phase)
{
    end_hold(link);
    link->page->phase = phase;
}
