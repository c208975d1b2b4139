/* claims.c - see claims.h. */
#include "core/run/claims.h"

#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_TEXT = 1024,
    KEY_TEXT = 64,
    CONTENT_TEXT = 256,
    HOST_TEXT = 65,
    BEATS_A_LIMIT = 12,
    UNITS_A_ROOT = 16
};

/* Another task, by its file; or an entry whose writer did not get to say who it is. */
struct watched {
    char key[KEY_TEXT], content[CONTENT_TEXT];
    double read_ns, since_ns; /* of awake_clock_ns: looked at last; without a change */
};

struct claims {
    char folder[PATH_TEXT]; /* FOLDER/claims */
    char id[UUID_TEXT], task[UUID_TEXT];
    double limit_ns, beat_ns;
    uint64_t n_beats;
    uint64_t n_places, unit_places, n_units, n_done, next;
    bool *is_done; /* by unit */
    struct watched *watched;
    size_t n_watched;
    struct claim_batch batch;
    struct taken {
        uint64_t unit;
        uint32_t attempt;
    } taken[CLAIM_BATCH_MAX]; /* the batch's units */
    size_t n_taken;
};

/* The latest entry of a unit. */
struct entry {
    uint32_t number, n; /* n: entries there are */
    char content[CONTENT_TEXT];
};

/* ---- files ---- */

static int32_t failure(const char *path, const char *what, struct gb_error *error)
{
    return error_set(error, GB_IO, "--claim: %s: %s: %s", path, what, reason_of(errno));
}

/* GB_NOT_FOUND: it is not there; sets no error then. */
static int32_t read_file(const char *folder, const char *key, char ret[CONTENT_TEXT],
                         struct gb_error *error)
{
    char path[PATH_TEXT + KEY_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, key);
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno == ENOENT ? GB_NOT_FOUND : failure(path, "cannot be read", error);
    if (fstat(file, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        close(file);
        return error_set(error, GB_INVALID, "--claim: %s: \1expected a regular file", path);
    }
    const ssize_t n = read(file, ret, CONTENT_TEXT - 1);
    const int32_t status = n < 0 ? failure(path, "cannot be read", error) : GB_OK;
    close(file);
    ret[n < 0 ? 0 : n] = 0;
    return status;
}

/* An error of writing may come with close() only. */
static int32_t write_file(const char *folder, const char *key, int flags, const char *content,
                          struct gb_error *error)
{
    enum { MODE = 0666 };
    char path[PATH_TEXT + KEY_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, key);
    const int file = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, MODE);
    if (file < 0)
        return errno == EEXIST ? GB_INVALID : failure(path, "cannot be written", error);
    const size_t n = strlen(content);
    const bool is_written = write(file, content, n) == (ssize_t)n;
    return close(file) == 0 && is_written ? GB_OK : failure(path, "cannot be written", error);
}

/* ---- entries ---- */

static void entry_key(uint64_t unit, uint32_t number, char ret[KEY_TEXT])
{
    snprintf(ret, KEY_TEXT, "%llu.%u", (unsigned long long)unit, number);
}

static int32_t read_entry(const struct claims *claims, uint64_t unit, struct entry *ret,
                          struct gb_error *error)
{
    char key[KEY_TEXT], content[CONTENT_TEXT];
    int32_t status;
    *ret = (struct entry){0};
    for (;; ret->n++) {
        entry_key(unit, ret->n, key);
        status = read_file(claims->folder, key, content, error);
        if (status != GB_OK)
            break;
        ret->number = ret->n;
        snprintf(ret->content, sizeof ret->content, "%s", content);
    }
    return status == GB_NOT_FOUND ? GB_OK : status;
}

/* Did this task make the entry? Also where a file server says that it is there because it made it
 * when it was asked first, and the answer was lost. */
static int32_t make_entry(const struct claims *claims, uint64_t unit, uint32_t number,
                          const char *word, bool *ret_is_made, struct gb_error *error)
{
    char key[KEY_TEXT], content[CONTENT_TEXT], found[CONTENT_TEXT];
    entry_key(unit, number, key);
    snprintf(content, sizeof content, "%s %s\n", word, claims->task);
    int32_t status = write_file(claims->folder, key, O_EXCL, content, error);
    *ret_is_made = status == GB_OK;
    if (status != GB_INVALID)
        return status;
    status = read_file(claims->folder, key, found, error);
    *ret_is_made = status == GB_OK && text_equal(found, content);
    return status == GB_NOT_FOUND ? GB_OK : status;
}

static bool entry_is(const struct entry *entry, const char *word)
{
    return text_starts_with(entry->content, word);
}

/* ---- other tasks ---- */

static struct watched *find_watched(struct claims *claims, const char *key)
{
    for (size_t i = 0; i < claims->n_watched; i++)
        if (text_equal(claims->watched[i].key, key))
            return &claims->watched[i];
    struct watched *watched = MEMORY_ADD(claims->watched, claims->n_watched);
    *watched = (struct watched){.read_ns = -INFINITY, .since_ns = awake_clock_ns()};
    snprintf(watched->key, sizeof watched->key, "%s", key);
    return watched;
}

/* Has the file not changed for as long as the limit? One that is not there counts as empty. */
static int32_t is_gone(struct claims *claims, const char *key, bool *ret, struct gb_error *error)
{
    struct watched *watched = find_watched(claims, key);
    char content[CONTENT_TEXT] = "";
    const double now = awake_clock_ns();
    *ret = false;
    if (now < watched->read_ns + claims->limit_ns / BEATS_A_LIMIT)
        return GB_OK;
    const int32_t status = read_file(claims->folder, key, content, error);
    if (status != GB_OK && status != GB_NOT_FOUND)
        return status;
    if (!text_equal(content, watched->content))
        watched->since_ns = now;
    snprintf(watched->content, sizeof watched->content, "%s", content);
    *ret = now - watched->since_ns > claims->limit_ns;
    watched->read_ns = *ret ? -INFINITY : now; /* looked at again before each case that is taken */
    return GB_OK;
}

int32_t claims_beat(struct claims *claims, struct gb_error *error)
{
    char key[KEY_TEXT], content[CONTENT_TEXT], host[HOST_TEXT];
    const double now = host_clock_ns();
    if (now < claims->beat_ns + claims->limit_ns / BEATS_A_LIMIT)
        return GB_OK;
    claims->beat_ns = now;
    if (gethostname(host, sizeof host) != 0)
        *host = 0;
    host[sizeof host - 1] = 0;
    snprintf(key, sizeof key, "task-%s", claims->task);
    snprintf(content, sizeof content, "%020llu %s process %ld\n",
             (unsigned long long)++claims->n_beats, host, (long)getpid());
    return write_file(claims->folder, key, 0, content, error);
}

/* ---- taking ---- */

/* May the unit be taken, now that its latest entry is this one? */
static int32_t is_takeable(struct claims *claims, uint64_t unit, const struct entry *entry,
                           bool *ret, struct gb_error *error)
{
    char key[KEY_TEXT];
    *ret = entry->n == 0 || entry_is(entry, "free ");
    if (*ret)
        return GB_OK;
    if (entry_is(entry, "held "))
        snprintf(key, sizeof key, "task-%.*s", UUID_TEXT - 1, entry->content + strlen("held "));
    else
        entry_key(unit, entry->number, key);
    return is_gone(claims, key, ret, error);
}

static void add_to_batch(struct claims *claims, uint64_t unit, uint32_t attempt)
{
    struct claim_batch *batch = &claims->batch;
    const uint64_t first = unit * claims->unit_places;
    claims->taken[claims->n_taken++] = (struct taken){unit, attempt};
    for (uint64_t i = 0; i < claims->unit_places && first + i < claims->n_places; i++) {
        batch->places[batch->n] = first + i;
        batch->attempts[batch->n++] = attempt;
    }
}

static void note_done(struct claims *claims, uint64_t unit)
{
    claims->n_done += !claims->is_done[unit];
    claims->is_done[unit] = true;
}

static int32_t try_unit(struct claims *claims, uint64_t unit, struct gb_error *error)
{
    struct entry entry;
    bool is_taken = false;
    int32_t status = read_entry(claims, unit, &entry, error);
    if (status == GB_OK && entry_is(&entry, "done ")) {
        note_done(claims, unit);
        return GB_OK;
    }
    if (status == GB_OK && entry_is(&entry, "held ") &&
        text_starts_with(entry.content + strlen("held "), claims->task)) {
        /* of a run that is resumed */
        add_to_batch(claims, unit, entry.number);
        return GB_OK;
    }
    if (status == GB_OK)
        status = is_takeable(claims, unit, &entry, &is_taken, error);
    if (status == GB_OK && is_taken)
        status = make_entry(claims, unit, entry.n, "held", &is_taken, error);
    if (status == GB_OK && is_taken)
        add_to_batch(claims, unit, entry.n);
    return status;
}

int32_t claims_take(struct claims *claims, size_t n_most, bool *ret_is_over, struct gb_error *error)
{
    const size_t room = CLAIM_BATCH_MAX + 1 - (size_t)claims->unit_places;
    const size_t n = n_most < room ? n_most : room;
    int32_t status = claims_beat(claims, error);
    for (uint64_t i = 0; status == GB_OK && i < claims->n_units && claims->batch.n < n; i++) {
        const uint64_t unit = claims->next;
        claims->next = (claims->next + 1) % claims->n_units;
        if (!claims->is_done[unit])
            status = try_unit(claims, unit, error);
        if (status == GB_OK)
            status = claims_beat(claims, error);
    }
    *ret_is_over = claims->n_done == claims->n_units;
    return status;
}

/* Each unit that is still this task's gets the word. */
static int32_t end_batch(struct claims *claims, const char *word, struct gb_error *error)
{
    int32_t status = GB_OK;
    bool is_made;
    for (size_t i = 0; status == GB_OK && i < claims->n_taken; i++) {
        const struct taken *taken = &claims->taken[i];
        status = make_entry(claims, taken->unit, taken->attempt + 1, word, &is_made, error);
        if (status == GB_OK && is_made && text_equal(word, "done"))
            note_done(claims, taken->unit);
    }
    claims->n_taken = claims->batch.n = 0;
    return status;
}

int32_t claims_finish(struct claims *claims, struct gb_error *error)
{
    return end_batch(claims, "done", error);
}

const struct claim_batch *claims_batch(const struct claims *claims)
{
    return &claims->batch;
}

void claims_uuid(const struct claims *claims, uint64_t place, uint32_t round, size_t device,
                 char ret_uuid[UUID_TEXT])
{
    char text[CONTENT_TEXT];
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    snprintf(text, sizeof text, "%s %llu %u %zu", claims->id, (unsigned long long)place, round,
             device);
    sha256_begin(&hash);
    sha256_add_text(&hash, text);
    sha256_end(&hash, digest);
    uuid_of_bytes(digest, ret_uuid);
}

/* ---- the folder ---- */

/* FOLDER/claims with its plan, under a name that is unique until it is complete. A folder
 * that has files is not replaced by a rename. */
static int32_t make_folder(const char *folder, const char *plan, const char *into,
                           struct gb_error *error)
{
    enum { MODE = 0777 };
    char uuid[UUID_TEXT], made[PATH_TEXT], file[PATH_TEXT + KEY_TEXT], content[CONTENT_TEXT];
    uuid_new(uuid);
    snprintf(made, sizeof made, "%s/new-%s", folder, uuid);
    snprintf(file, sizeof file, "%s/plan", made);
    snprintf(content, sizeof content, "%s\n%s\n", plan, uuid);
    if ((mkdir(folder, MODE) != 0 && errno != EEXIST) || mkdir(made, MODE) != 0)
        return failure(folder, "cannot be made", error);
    int32_t status = write_file(made, "plan", O_EXCL, content, error);
    if (status == GB_OK && rename(made, into) == 0)
        return GB_OK;
    if (status == GB_OK && errno != EEXIST && errno != ENOTEMPTY)
        status = failure(into, "cannot be made", error);
    unlink(file);
    rmdir(made);
    return status;
}

static int32_t read_plan(struct claims *claims, const char *plan, struct gb_error *error)
{
    char content[CONTENT_TEXT];
    const int32_t status = read_file(claims->folder, "plan", content, error);
    if (status != GB_OK)
        return status == GB_NOT_FOUND ? failure(claims->folder, "its plan cannot be read", error)
                                      : status;
    const size_t n = strlen(plan);
    if (!text_starts_with(content, plan) || strlen(content) != n + UUID_TEXT + 1)
        return error_set(error, GB_INVALID,
                         "--claim: %s/plan: belongs to another plan, %.12s, this one is %.12s: the "
                         "configuration, the choice of cases or the seed differ: expected a folder "
                         "for this plan alone",
                         claims->folder, content, plan);
    snprintf(claims->id, sizeof claims->id, "%.*s", UUID_TEXT - 1, content + n + 1);
    return GB_OK;
}

int32_t claims_open(const char *folder, const char *plan, uint64_t n_places, const char *task,
                    double limit_ns, struct claims **ret, struct gb_error *error)
{
    if (strlen(folder) > PATH_TEXT - 2 * KEY_TEXT || strlen(plan) > CONTENT_TEXT - KEY_TEXT)
        return error_set(error, GB_INVALID, "--claim: %s: too long a path: expected %d characters",
                         folder, PATH_TEXT - 2 * KEY_TEXT);
    struct claims *claims = memory_allocate(sizeof *claims);
    claims->limit_ns = limit_ns;
    claims->beat_ns = -INFINITY;
    claims->n_places = n_places;
    claims->unit_places = 1 + (uint64_t)(sqrt((double)n_places) / UNITS_A_ROOT);
    claims->n_units = (n_places + claims->unit_places - 1) / claims->unit_places;
    claims->is_done = memory_allocate((size_t)claims->n_units + 1);
    snprintf(claims->task, sizeof claims->task, "%s", task);
    snprintf(claims->folder, sizeof claims->folder, "%s/claims", folder);
    struct stat facts;
    int32_t status = stat(claims->folder, &facts) == 0
                         ? GB_OK
                         : make_folder(folder, plan, claims->folder, error);
    if (status == GB_OK)
        status = read_plan(claims, plan, error);
    if (status == GB_OK)
        status = claims_beat(claims, error);
    if (status == GB_OK)
        *ret = claims;
    else
        claims_close(claims);
    return status;
}

void claims_close(struct claims *claims)
{
    struct gb_error ignored; /* they are free after the limit */
    if (!claims)
        return;
    end_batch(claims, "free", &ignored);
    free(claims->watched);
    free(claims->is_done);
    free(claims);
}
