/* call_world.c - see call_world.h. Plugin side. */
#include "call_world.h"

#include "call_foreign.h"

#include <gbrun/judging.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gb_host *host_of(const struct world *world)
{
    return world->plan->host;
}

struct made *world_made(const struct world *world, const struct entry *entry)
{
    return &world->made[entry - world->plan->entries];
}

int32_t world_new(const struct plan *plan, struct world *ret)
{
    const struct gb_host *host = plan->host;
    ret->plan = plan;
    ret->closures = NULL;
    ret->made = host->allocate(host,
                               (plan->n_entries + plan->n_ref_entries + 1) * sizeof *ret->made);
    if (ret->variables == NULL) {
        ret->variables = host->allocate(host, VARIABLES_MAX * sizeof *ret->variables);
        ret->is_set = host->allocate(host, VARIABLES_MAX * sizeof *ret->is_set);
    }
    return ret->made != NULL && ret->variables != NULL && ret->is_set != NULL ? GB_OK
                                                                              : GB_NO_MEMORY;
}

void world_free(struct world *world)
{
    const struct plan *plan = world->plan;
    for (size_t i = 0; world->made != NULL && i < plan->n_entries + plan->n_ref_entries; i++) {
        free(world->made[i].contents);
        world->made[i].contents = NULL;
    }
    closure_free(world->closures);
    world->closures = NULL;
}

/* ---- contents of buffers ---- */

/* n numbers as elements of a type, one behind the other. What number_store cannot round is filled
 * in: the formats of gb_fill round as the hardware does. */
static int32_t numbers_store(const struct gb_host *host, const struct number *numbers, size_t n,
                             enum type_id type, void *to)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        unsigned char *place = (unsigned char *)to + i * type_info(type)->bytes;
        const struct gb_fill fill = {.size = sizeof fill,
                                     .format = type_info(type)->format,
                                     .low = numbers[i].value,
                                     .high = numbers[i].value};
        if (!number_store(&numbers[i], type, place))
            status = host->fill(host, place, 1, &fill);
    }
    return status;
}

static void fill_count(const struct buffer *buffer, unsigned char *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    for (uint64_t i = 0; i < buffer->n; i++) {
        const struct number number = {.is_integer = true, .magnitude = i, .value = (double)i};
        number_store(&number, buffer->element, to + i * bytes);
    }
}

/* Fisher and Yates: every order of the elements is equally likely. */
static void shuffle(const struct gb_host *host, const struct buffer *buffer, uint64_t stream,
                    unsigned char *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    for (uint64_t left = buffer->n; left > 1; left--) {
        unsigned char kept[8];
        unsigned char *const last = to + (left - 1) * bytes;
        unsigned char *const other = to + host->random(host, stream, left) % left * bytes;
        memcpy(kept, last, bytes);
        memmove(last, other, bytes);
        memcpy(other, kept, bytes);
    }
}

/* gb_fill knows no integers of 16 bits: those of 32 bits are made shorter. */
static int32_t fill_short(const struct gb_host *host, const struct gb_fill *fill, uint64_t n,
                          unsigned char *to)
{
    int32_t *wide = malloc(n * sizeof *wide);
    if (wide == NULL)
        return GB_NO_MEMORY;
    const int32_t status = host->fill(host, wide, n, fill);
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        const uint16_t narrow = (uint16_t)wide[i];
        memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
    }
    free(wide);
    return status;
}

static struct gb_fill uniform_of(const struct buffer *buffer, uint64_t stream)
{
    const struct type_info *info = type_info(buffer->element);
    return (struct gb_fill){.size = sizeof(struct gb_fill),
                            .format = info->format != 0 ? info->format : (uint32_t)GB_I32,
                            .stream = stream,
                            .low = buffer->low.value,
                            .high = buffer->high.value,
                            .integral = buffer->is_integral};
}

static int32_t fill_uniform(const struct gb_host *host, const struct buffer *buffer,
                            uint64_t stream, unsigned char *to)
{
    const struct gb_fill fill = uniform_of(buffer, stream);
    return type_info(buffer->element)->format != 0 ? host->fill(host, to, buffer->n, &fill)
                                                   : fill_short(host, &fill, buffer->n, to);
}

/* As the buffer is filled: an output with what could be a result, as a function that writes nothing
 * must not see that it has to. */
static struct buffer filled_as(const struct buffer *buffer)
{
    struct buffer like = *buffer;
    if (buffer->fill != FILL_NONE || !buffer->is_out)
        return like;
    like.fill = FILL_UNIFORM;
    like.low.value = type_info(buffer->element)->kind == KIND_FLOAT ? -1 : 0;
    like.high.value = type_info(buffer->element)->kind == KIND_FLOAT ? 1 : 100;
    return like;
}

/* Writes all of a buffer's elements to host memory. stream: of random numbers, one for each buffer.
 */
static int32_t buffer_fill(const struct gb_host *host, const struct buffer *buffer, uint64_t stream,
                           void *to)
{
    const size_t bytes = type_info(buffer->element)->bytes;
    unsigned char *memory = to;
    int32_t status = GB_OK;
    memset(memory, 0, buffer->n * bytes);
    switch (buffer->fill) {
    case FILL_NUMBER:
        status = numbers_store(host, &buffer->low, 1, buffer->element, memory);
        for (uint64_t i = 1; i < buffer->n; i++)
            memcpy(memory + i * bytes, memory, bytes);
        break;
    case FILL_TEXT:
        unquote(buffer->text, (char *)memory);
        break;
    case FILL_COUNT:
        fill_count(buffer, memory);
        break;
    case FILL_SHUFFLE:
        fill_count(buffer, memory);
        shuffle(host, buffer, stream, memory);
        break;
    case FILL_UNIFORM:
        status = fill_uniform(host, buffer, stream, memory);
        break;
    case FILL_NONE:
        break;
    }
    if (buffer->has_zero_end)
        memset(memory + (buffer->n - 1) * bytes, 0, bytes);
    return status;
}

/* ---- buffers ---- */

uint64_t buffer_bytes(const struct buffer *buffer)
{
    return buffer->n * type_info(buffer->element)->bytes;
}

static bool is_host_memory(const struct world *world, const struct buffer *buffer)
{
    return world->is_on_host || buffer->memory == MEMORY_HOST;
}

/* Of the host, beside a device with queues. */
static int32_t take_shared(const struct gb_host *host, const struct buffer *buffer, void **ret)
{
    const struct gb_judging *judging = host->extension(host, GB_JUDGING);
    if (buffer->memory == MEMORY_PINNED)
        return host->fail(host, "verify = judge: pinned memory cannot be shared with the judge: "
                                "expected buffers of the device or the host");
    *ret = judging->share(host, buffer_bytes(buffer));
    return *ret != NULL ? GB_OK : host->fail(host, "out of memory for the buffers");
}

static int32_t take_memory(const struct world *world, const struct buffer *buffer, void **ret)
{
    const struct gb_host *host = host_of(world);
    const uint64_t bytes = buffer_bytes(buffer);
    const bool has_queue = world->is_shared && world->queue != NULL;
    if (has_queue && buffer->memory != MEMORY_DEVICE)
        return take_shared(host, buffer, ret);
    if (world->is_shared || !is_host_memory(world, buffer))
        return host->device_allocate(
            host, bytes, buffer->memory == MEMORY_PINNED ? GB_MEMORY_PINNED : GB_MEMORY_DEVICE,
            ret);
    *ret = host->allocate(host, bytes);
    if (*ret != NULL)
        return GB_OK;
    host->fail(host, "out of memory for the buffers");
    return GB_NO_MEMORY;
}

/* What the buffer is filled with, if that is kept. */
static const void *known_contents(const struct world *world, const struct made *made)
{
    const struct world *like = world->like;
    return like != NULL && made != NULL && like->set == world->set
               ? like->made[made - world->made].contents
               : NULL;
}

/* Larger ones would take too much memory while the benchmark is measured, as would many. */
static bool is_kept(const struct world *world, const struct made *made, uint64_t bytes)
{
    const uint64_t most = (uint64_t)64 << 20;
    return world->plan->has_reference && world->like == NULL && made != NULL && bytes <= most &&
           world->queue == NULL;
}

/* By the device itself, if it can: so much has to be filled so often. GB_UNSUPPORTED: by the host.
 */
static int32_t fill_on_device(const struct world *world, const struct buffer *buffer,
                              uint64_t stream, void *to)
{
    const struct gb_host *host = host_of(world);
    const struct gb_judging *judging = host->extension(host, GB_JUDGING);
    struct gb_fill fill = uniform_of(buffer, stream);
    if (buffer->fill == FILL_NUMBER)
        fill.high = fill.low;
    return (world->queue == NULL && world->filling == NULL) || is_host_memory(world, buffer) ||
                   buffer->has_zero_end ||
                   (buffer->fill != FILL_UNIFORM && buffer->fill != FILL_NUMBER) ||
                   type_info(buffer->element)->format == 0
               ? GB_UNSUPPORTED
           : world->queue != NULL ? judging->fill(host, world->queue, to, buffer->n, &fill)
                                  : host->device_draw(host, world->filling, to, buffer->n, &fill);
}

/* stream: of random numbers; 0 is that of the buffers of calls, which have no `made`. */
static int32_t fill_memory(const struct world *world, const struct buffer *given, uint64_t stream,
                           struct made *made, void *to)
{
    const struct gb_host *host = host_of(world);
    const uint64_t bytes = buffer_bytes(given);
    const struct buffer like = filled_as(given), *buffer = &like;
    const void *known = known_contents(world, made);
    int32_t status = fill_on_device(world, buffer, stream, to);
    if (status != GB_UNSUPPORTED)
        return status;
    if (world->is_shared && world->queue == NULL && buffer->fill == FILL_UNIFORM)
        return fill_uniform(host, buffer, stream, to);
    if (is_host_memory(world, buffer) && known == NULL)
        return buffer_fill(host, buffer, stream, to);
    if (is_host_memory(world, buffer)) {
        memcpy(to, known, bytes);
        return GB_OK;
    }
    if (buffer->fill == FILL_NONE && !buffer->has_zero_end)
        return host->device_fill(host, to, 0, bytes);
    if (known != NULL)
        return host->device_copy(host, to, known, bytes);
    void *contents = malloc(bytes);
    if (contents == NULL)
        return GB_NO_MEMORY;
    status = buffer_fill(host, buffer, stream, contents);
    if (status == GB_OK)
        status = host->device_copy(host, to, contents, bytes);
    if (is_kept(world, made, bytes)) {
        free(made->contents);
        made->contents = contents;
    } else {
        free(contents);
    }
    return status;
}

static int32_t copy_memory(const struct world *world, const struct buffer *buffer, void *to,
                           const void *from)
{
    const struct gb_host *host = host_of(world);
    if (!is_host_memory(world, buffer))
        return host->device_copy(host, to, from, buffer_bytes(buffer));
    memcpy(to, from, buffer_bytes(buffer));
    return GB_OK;
}

static int32_t no_room(const struct world *world, const struct entry *entry)
{
    char words[PROBLEM_BYTES];
    snprintf(words, sizeof words, "%s.%.48s: out of memory for a buffer of %.4g GiB", entry->map,
             entry->key, (double)buffer_bytes(&entry->value.buffer) / 0x1p30);
    host_of(world)->fail(host_of(world), words);
    return GB_NO_MEMORY;
}

/* Each entry has a stream of random numbers in each set; those of ref the same as those of arg. */
static uint64_t stream_of(const struct world *world, const struct entry *entry)
{
    const struct plan *plan = world->plan;
    const struct entry *first = entry < plan->ref_entries ? plan->entries : plan->ref_entries;
    return world->set * (plan->n_entries + plan->n_ref_entries + 1) + (uint64_t)(entry - first) + 1;
}

static int32_t make_buffer(const struct world *world, const struct entry *entry, struct made *made)
{
    const struct buffer *buffer = &entry->value.buffer;
    int32_t status = take_memory(world, buffer, &made->memory);
    if (status == GB_NO_MEMORY)
        return no_room(world, entry);
    if (status == GB_OK)
        status = fill_memory(world, buffer, stream_of(world, entry), made, made->memory);
    if (status != GB_OK || !buffer->is_restored)
        return status;
    status = take_memory(world, buffer, &made->pristine);
    return status == GB_OK ? copy_memory(world, buffer, made->pristine, made->memory) : status;
}

static int32_t make_nameless(const struct world *world, const struct buffer *buffer, void **ret)
{
    const int32_t status = take_memory(world, buffer, ret);
    return status == GB_OK ? fill_memory(world, buffer, 0, NULL, *ret) : status;
}

bool world_restores(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_entries; i++)
        if (plan->entries[i].value.kind == VALUE_BUFFER &&
            plan->entries[i].value.buffer.is_restored)
            return true;
    return false;
}

int32_t world_restore(struct world *world)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < world->plan->n_entries && status == GB_OK; i++)
        if (world->made[i].pristine != NULL)
            status = copy_memory(world, &world->plan->entries[i].value.buffer,
                                 world->made[i].memory, world->made[i].pristine);
    return status;
}

/* Also by way of a struct, whose members may be addresses. */
static bool is_given_before(const struct plan *plan, const struct entry *entry)
{
    for (size_t i = 0; i < plan->n_before; i++) {
        for (size_t j = 0; j < plan->before[i].n; j++) {
            const struct value *value = &plan->before[i].arguments[j].value;
            const struct entry *named = value->kind == VALUE_NAME ? plan_entry(plan, value->text)
                                                                  : NULL;
            const struct entry *last = named != NULL ? plan_resolve(plan, named) : NULL;
            if (last != NULL && (last == entry || last->value.kind == VALUE_STRUCT))
                return true;
        }
    }
    return false;
}

static int32_t refill(struct world *world, const struct entry *entry)
{
    const struct buffer *buffer = &entry->value.buffer;
    struct made *made = world_made(world, entry);
    const int32_t status = fill_memory(world, buffer, stream_of(world, entry), made, made->memory);
    return status == GB_OK && made->pristine != NULL
               ? copy_memory(world, buffer, made->pristine, made->memory)
               : status;
}

int32_t world_refresh(struct world *world, uint64_t set)
{
    const struct plan *plan = world->plan;
    int32_t status = GB_OK;
    world->set = plan_expects(plan) ? 0 : set;
    for (size_t i = 0; i < plan->n_entries + plan->n_ref_entries && status == GB_OK; i++) {
        const struct entry *entry = &plan->entries[i];
        if (entry->value.kind == VALUE_BUFFER && world->made[i].is_made &&
            !is_given_before(plan, entry))
            status = refill(world, entry);
    }
    return status;
}

static int32_t copy_contents(const struct world *world, const struct entry *entry)
{
    const struct gb_host *host = host_of(world);
    const struct buffer *buffer = &entry->value.buffer;
    struct made *made = world_made(world, entry);
    if (made->copy == NULL)
        made->copy = host->allocate(host, buffer_bytes(buffer));
    return made->copy != NULL ? copy_memory(world, buffer, made->copy, made->memory) : GB_NO_MEMORY;
}

int32_t world_read(const struct world *world, const struct entry *entry, const void **ret)
{
    struct made *made = world_made(world, entry);
    const bool is_read_in_place = is_host_memory(world, &entry->value.buffer) && !made->is_kept;
    const int32_t status = is_read_in_place || made->is_kept ? GB_OK : copy_contents(world, entry);
    *ret = is_read_in_place ? made->memory : made->copy;
    return status;
}

int32_t world_keep(struct world *world, bool is_kept)
{
    const struct plan *plan = world->plan;
    int32_t status = GB_OK;
    for (size_t i = 0; i < plan->n_entries && status == GB_OK; i++) {
        const struct value *value = &plan->entries[i].value;
        const bool is_result = value->kind == VALUE_BUFFER &&
                               (value->buffer.is_out || value->buffer.expect.kind != EXPECT_NONE);
        if (is_result && is_kept)
            status = copy_contents(world, &plan->entries[i]);
        world->made[i].is_kept = is_result && is_kept;
    }
    return status;
}

/* ---- other addresses ---- */

static int32_t make_text(const struct world *world, struct span text, void **ret)
{
    const struct gb_host *host = host_of(world);
    char *copy = host->allocate(host, text.n + 1);
    if (copy == NULL)
        return GB_NO_MEMORY;
    unquote(text, copy);
    *ret = copy;
    return GB_OK;
}

static int32_t make_constant(const struct world *world, const struct value *value, void **ret)
{
    const struct gb_host *host = host_of(world);
    *ret = host->allocate(host, value->n * type_info(value->type)->bytes);
    return *ret != NULL ? numbers_store(host, value->numbers, value->n, value->type, *ret)
                        : GB_NO_MEMORY;
}

static int32_t make_callback(struct world *world, const struct value *value, void **ret)
{
    const struct gb_host *host = host_of(world);
    struct signature signature;
    struct problem problem;
    char *text = host->allocate(host, value->signature.n + 1);
    if (text == NULL)
        return GB_NO_MEMORY;
    memcpy(text, value->signature.text, value->signature.n);
    if (!parse_signature(text, &signature, &problem))
        return host->fail(host, problem.text);
    *ret = closure_new(&signature, value->n > 0 ? &value->numbers[0] : NULL, &world->closures);
    return *ret != NULL ? GB_OK
                        : host->fail(host, "libffi cannot create a function for a callback");
}

static int32_t make_symbol(const struct world *world, const struct value *value, void **ret)
{
    char reason[LIBRARY_REASON_BYTES];
    *ret = library_symbol(world->library, value->text, reason);
    return *ret != NULL ? GB_OK : host_of(world)->fail(host_of(world), reason);
}

/* An address that neither is a buffer nor a name. */
static int32_t make_address(struct world *world, const struct value *value, void **ret)
{
    *ret = NULL;
    switch (value->kind) {
    case VALUE_TEXT:
        return make_text(world, value->text, ret);
    case VALUE_CONSTANT:
        return make_constant(world, value, ret);
    case VALUE_CALLBACK:
        return make_callback(world, value, ret);
    case VALUE_SYMBOL:
        return make_symbol(world, value, ret);
    case VALUE_COMPARE:
        *ret = compare_function(value->type);
        return GB_OK;
    case VALUE_STREAM:
        *ret = world->stream;
        return GB_OK;
    default:
        return GB_OK;
    }
}

static int32_t make_entry(struct world *world, const struct entry *entry)
{
    struct made *made = world_made(world, entry);
    if (made->is_made)
        return GB_OK;
    const int32_t status = entry->value.kind == VALUE_BUFFER
                               ? make_buffer(world, entry, made)
                               : make_address(world, &entry->value, &made->memory);
    made->is_made = status == GB_OK;
    return status;
}

int32_t world_complete(struct world *world)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < world->plan->n_entries && status == GB_OK; i++)
        if (world->plan->entries[i].value.kind != VALUE_NAME)
            status = make_entry(world, &world->plan->entries[i]);
    return status;
}

/* ---- values as they are passed ---- */

static int32_t store_name(struct world *world, const struct value *value, const struct type *type,
                          struct raw *ret);

/* A name that stands in a struct; null is what *to has already. */
static int32_t store_part(struct world *world, struct span name, enum type_id id, void *to)
{
    const struct value value = {.kind = VALUE_NAME, .text = name};
    const struct type type = {.id = id};
    struct raw part = {{0}};
    const int32_t status = span_is(name, "null") ? GB_OK : store_name(world, &value, &type, &part);
    if (status == GB_OK)
        memcpy(to, part.bytes, type_info(id)->bytes);
    return status;
}

static int32_t store_struct(struct world *world, const struct value *value, const struct type *type,
                            struct raw *ret)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < type->n_members && status == GB_OK; i++) {
        unsigned char *to = ret->bytes + type->offsets[i];
        status = value->names[i].n > 0
                     ? store_part(world, value->names[i], type->members[i], to)
                     : numbers_store(host_of(world), &value->numbers[i], 1, type->members[i], to);
    }
    return status;
}

static void store_address(void *memory, int64_t offset, struct raw *ret)
{
    const uintptr_t address = (uintptr_t)memory + (uintptr_t)offset;
    memcpy(ret->bytes, &address, sizeof address);
}

static int32_t store_variable(const struct world *world, struct span name, struct raw *ret)
{
    char text[128];
    const size_t i = plan_variable(world->plan, name);
    if (i < VARIABLES_MAX && world->is_set[i]) {
        memcpy(ret->bytes, &world->variables[i], sizeof world->variables[i]);
        return GB_OK;
    }
    snprintf(text, sizeof text, "'%.*s' has no value yet: a later call sets it",
             (int)(name.n < 64 ? name.n : 64), name.text);
    return host_of(world)->fail(host_of(world), text);
}

/* entry: one that is no name. offset: what names added on the way to it. */
static int32_t store_entry(struct world *world, const struct entry *entry, int64_t offset,
                           const struct type *type, struct raw *ret)
{
    const struct value *value = &entry->value;
    if (value->kind == VALUE_NUMBER)
        return numbers_store(host_of(world), value->numbers, 1, type->id, ret->bytes);
    if (value->kind == VALUE_STRUCT)
        return store_struct(world, value, type, ret);
    const int32_t status = make_entry(world, entry);
    if (status == GB_OK)
        store_address(world_made(world, entry)->memory, offset, ret);
    return status;
}

static int32_t store_name(struct world *world, const struct value *value, const struct type *type,
                          struct raw *ret)
{
    int64_t offset = 0;
    while (value->kind == VALUE_NAME) {
        const struct entry *entry = plan_entry(world->plan, value->text);
        if (entry == NULL)
            return store_variable(world, value->text, ret);
        offset = (int64_t)((uint64_t)offset + (uint64_t)value->offset);
        if (entry->value.kind != VALUE_NAME)
            return store_entry(world, entry, offset, type, ret);
        value = &entry->value;
    }
    return GB_OK;
}

int32_t world_argument(struct world *world, const struct entry *entry, const struct type *type,
                       struct raw *ret)
{
    *ret = (struct raw){{0}};
    return entry->value.kind == VALUE_NAME ? store_name(world, &entry->value, type, ret)
                                           : store_entry(world, entry, 0, type, ret);
}

int32_t world_arguments(struct world *world, const struct routine *routine, struct raw *ret_values)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < routine->signature.n && status == GB_OK; i++)
        status = world_argument(world, routine->arguments[i], &routine->signature.parameters[i],
                                &ret_values[i]);
    return status;
}

int32_t world_call_argument(struct world *world, const struct call_argument *argument,
                            enum type_id *ret_type, struct raw *ret)
{
    const struct value *value = &argument->value;
    const struct entry *entry = value->kind == VALUE_NAME ? plan_entry(world->plan, value->text)
                                                          : NULL;
    const struct entry *resolved = entry != NULL ? plan_resolve(world->plan, entry) : NULL;
    const struct value *last = resolved != NULL ? &resolved->value : value;
    void *memory = NULL;
    *ret = (struct raw){{0}};
    *ret_type = argument->has_type           ? argument->type
                : last->kind == VALUE_NUMBER ? number_type(&last->numbers[0])
                                             : TYPE_POINTER;
    const struct type type = {.id = *ret_type};
    if (value->kind == VALUE_NAME)
        return store_name(world, value, &type, ret);
    if (value->kind == VALUE_NUMBER)
        return numbers_store(host_of(world), value->numbers, 1, *ret_type, ret->bytes);
    if (value->kind == VALUE_OUT) {
        const size_t i = plan_variable(world->plan, value->text);
        world->is_set[i] = true;
        store_address(&world->variables[i], 0, ret);
        return GB_OK;
    }
    const int32_t status = value->kind == VALUE_BUFFER
                               ? make_nameless(world, &value->buffer, &memory)
                               : make_address(world, value, &memory);
    if (status == GB_OK)
        store_address(memory, 0, ret);
    return status;
}
