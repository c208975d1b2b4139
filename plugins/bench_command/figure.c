/* figure.c - see figure.h. */
#include "figure.h"

#include "plugins/common/bench_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Behind a string that begins here. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        at += *at == '\\' && at[1] != '\0';
    return at + (*at == '"');
}

static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (*at != '\0' && (depth > 0 || strchr(",]}", *at) == NULL));
    return at;
}

/* The value of a member, or of element `index` if key is NULL; at: where the object or array
 * begins. NULL: there is none. */
static const char *find_value(const char *at, const char *key, size_t n, unsigned long index)
{
    const char open = key != NULL ? '{' : '[';
    if (*at != open)
        return NULL;
    for (unsigned long i = 0; *at == open || *at == ','; i++) {
        at += 1 + strspn(at + 1, blanks);
        bool is_wanted = key == NULL && i == index;
        if (key != NULL && *at == '"') {
            const char *name = at + 1;
            at = skip_string(at);
            is_wanted = (size_t)(at - name) == n + 1 && memcmp(name, key, n) == 0;
            at += strspn(at, blanks);
            at += *at == ':';
            at += strspn(at, blanks);
        }
        if (*at == '\0' || *at == ']' || *at == '}')
            return NULL;
        if (is_wanted)
            return at;
        at = skip_value(at);
    }
    return NULL;
}

/* The rest of a path: ".NAME" and "[INDEX]". */
static const char *follow(const char *path, const char *at)
{
    while (at != NULL && *path != '\0') {
        const bool is_index = *path == '[';
        const char *step = path + 1;
        const size_t n = strcspn(step, is_index ? "]" : ".[");
        at = find_value(at, is_index ? NULL : step, n, strtoul(step, NULL, 10));
        path = step + n + is_index;
    }
    return at;
}

int32_t figure_init(const struct gb_host *host, const char *where, struct figure *ret)
{
    char words[200];
    *ret = (struct figure){.where = where, .is_path = *where == '$'};
    if (ret->is_path)
        return strspn(where + 1, ".[") > 0 ? GB_OK
                                           : host_fail(host,
                                                       "figure = %s: expected a path such as "
                                                       "$.times[0].mean",
                                                       where);
    const int code = regcomp(&ret->expression, where, REG_EXTENDED | REG_NEWLINE);
    if (code == 0 && ret->expression.re_nsub == 1)
        return GB_OK;
    regerror(code, &ret->expression, words, sizeof words);
    if (code == 0)
        regfree(&ret->expression);
    ret->where = NULL; /* nothing to release */
    return host_fail(host,
                     "figure = %s: %s: expected a regular expression with one group, such as "
                     "took ([0-9.]+) ms",
                     where, code == 0 ? "more groups, or none" : words);
}

void figure_release(struct figure *figure)
{
    if (figure->where != NULL && !figure->is_path)
        regfree(&figure->expression);
}

bool figure_find(const struct figure *figure, const char *text, double *ret)
{
    regmatch_t found[2];
    char *end;
    const char *at = text + strspn(text, blanks);
    if (figure->is_path)
        at = follow(figure->where + 1, at);
    else if (regexec(&figure->expression, text, 2, found, 0) == 0 && found[1].rm_so >= 0)
        at = text + found[1].rm_so;
    else
        at = NULL;
    if (at == NULL)
        return false;
    *ret = strtod(at, &end);
    return end > at && isfinite(*ret) &&
           (figure->is_path ? *end == '\0' || strchr(",]} \t\r\n", *end) != NULL
                            : end == text + found[1].rm_eo);
}
