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

static int markup_is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "br") == 0 || strcmp(name, "!DOCTYPE") == 0;
}

static int markup_is_entity(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(at, known[i], strlen(known[i])) == 0)
            return 1;
    return 0;
}

/* "": it is; else what is wrong, with what follows. Styles and scripts are passed over. */
static const char *markup_error(const char *at)
{
    static char problem[200], open[MARKUP_DEPTH][MARKUP_NAME], name[MARKUP_NAME];
    size_t depth = 0;
    for (; *at; at++) {
        snprintf(problem, sizeof problem, "at %.60s", at);
        if (*at == '&' && !markup_is_entity(at))
            return problem;
        if (*at != '<')
            continue;
        int is_end = at[1] == '/', n = 0;
        const char *begin = at + 1 + is_end, *end = markup_tag_end(begin);
        sscanf(begin, "%23[A-Za-z0-9?!]%n", name, &n);
        if (!end || n == 0)
            return problem;
        if (is_end && (depth == 0 || strcmp(open[--depth], name) != 0))
            return problem;
        if (!is_end && end[-1] != '/' && end[-1] != '?' && !markup_is_void(name)) {
            if (depth == MARKUP_DEPTH)
                return problem;
            strcpy(open[depth++], name);
        }
        at = end;
        if (!is_end && (strcmp(name, "style") == 0 || strcmp(name, "script") == 0)) {
            at = strstr(at, "</");
            if (!at)
                return problem;
            at--;
        }
    }
    return depth == 0 ? "" : open[depth - 1];
}
