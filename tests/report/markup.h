/*
 * markup.h - is a text well-formed XML, or HTML of the kind that closes its elements?
 */
#pragma once

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MARKUP_DEPTH = 64, MARKUP_NAME = 24 };

/* The end of a tag, beyond its attributes, whose values stand in double quotes; NULL: torn. */
static const char *markup_tag_end(const char *at)
{
    while (*at && *at != '>') {
        if (*at == '<')
            return NULL;
        if (*at == '"')
            at = strchr(at + 1, '"');
        if (!at)
            return NULL;
        at++;
    }
    return *at ? at : NULL;
}

static int markup_begins(const char *at, const char *const *known)
{
    while (*known && strncmp(at, *known, strlen(*known)) != 0)
        known++;
    return *known != NULL;
}

static const char *markup_problem(const char *at)
{
    static char problem[80];
    snprintf(problem, sizeof problem, "at %.60s", at);
    return problem;
}

/* "": it is; else what is wrong, with what follows. Styles and scripts are passed over. */
static const char *markup_error(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", NULL};
    static const char *const never_closed[] = {"meta", "br", "input", "!DOCTYPE", NULL};
    static char open[MARKUP_DEPTH][MARKUP_NAME], name[MARKUP_NAME];
    size_t depth = 0;
    for (at += strcspn(at, "<&"); *at; at += strcspn(at, "<&")) {
        if (*at == '&' && !markup_begins(at, entities))
            return markup_problem(at);
        if (*at++ == '&')
            continue;
        int is_end = *at == '/', n = 0;
        const char *begin = at + is_end, *end = markup_tag_end(begin);
        while (n + 1 < MARKUP_NAME && (isalnum((unsigned char)begin[n]) || strchr("?!", begin[n])))
            n++;
        if (!end || n == 0)
            return markup_problem(begin);
        snprintf(name, sizeof name, "%.*s", n, begin);
        if (is_end && (depth == 0 || strcmp(open[--depth], name) != 0))
            return markup_problem(begin);
        if (!is_end && end[-1] != '/' && end[-1] != '?' && !markup_begins(name, never_closed)) {
            if (depth == MARKUP_DEPTH)
                return markup_problem(begin);
            strcpy(open[depth++], name);
        }
        at = end;
        if (!is_end && (strcmp(name, "style") == 0 || strcmp(name, "script") == 0) &&
            !(at = strstr(at, "</")))
            return markup_problem(end);
    }
    return depth == 0 ? "" : open[depth - 1];
}
