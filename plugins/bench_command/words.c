/* words.c - see words.h. Plugin side. */
#include "words.h"

#include "plugins/common/bench_memory.h"

#include <stdbool.h>
#include <string.h>

static const char blanks[] = " \t\n\r";
static const char of_shells[] = "|&;<>()$`*?[~#";

struct splitter {
    const char *text;
    size_t at;
    char *to; /* where the next letter goes */
    struct words_problem *problem;
};

__attribute__((format(printf, 3, 4))) static bool refuse(struct splitter *splitter, size_t at,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    splitter->problem->at = at;
    vsnprintf(splitter->problem->text, sizeof splitter->problem->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool take_quoted(struct splitter *splitter)
{
    const size_t start = splitter->at;
    const char quote = splitter->text[splitter->at++];
    for (; splitter->text[splitter->at] != quote; splitter->at++) {
        const bool escapes = quote == '"' && splitter->text[splitter->at] == '\\' &&
                             splitter->text[splitter->at + 1] != '\0' &&
                             strchr("\"\\$`", splitter->text[splitter->at + 1]) != NULL;
        splitter->at += escapes;
        if (splitter->text[splitter->at] == '\0')
            return refuse(splitter, start, "an unterminated text: expected another %c", quote);
        if (quote == '"' && !escapes && strchr("$`", splitter->text[splitter->at]) != NULL)
            return refuse(splitter, splitter->at,
                          "'%c' has a meaning for a shell only, and none is used: expected single "
                          "quotes around it, or sh -c '...'",
                          splitter->text[splitter->at]);
        *splitter->to++ = splitter->text[splitter->at];
    }
    splitter->at++;
    return true;
}

static bool take_plain(struct splitter *splitter, bool is_first)
{
    const char c = splitter->text[splitter->at];
    const bool is_escaped = c == '\\' && splitter->text[splitter->at + 1] != '\0';
    const bool is_special = strchr(of_shells, c) != NULL && (is_first || (c != '~' && c != '#'));
    if (is_special)
        return refuse(splitter, splitter->at,
                      "'%c' has a meaning for a shell only, and none is used: expected a program "
                      "and its arguments, '%c' in quotes, or sh -c '...'",
                      c, c);
    splitter->at += is_escaped;
    *splitter->to++ = splitter->text[splitter->at++];
    return true;
}

/* A word ends at a blank. */
static bool take_word(struct splitter *splitter)
{
    bool is_first = true;
    while (splitter->text[splitter->at] != '\0' &&
           strchr(blanks, splitter->text[splitter->at]) == NULL) {
        const char c = splitter->text[splitter->at];
        if (!(c == '\'' || c == '"' ? take_quoted(splitter) : take_plain(splitter, is_first)))
            return false;
        is_first = false;
    }
    *splitter->to++ = '\0';
    return true;
}

int32_t words_split(const struct gb_host *host, const char *text, char ***ret,
                    struct words_problem *problem)
{
    const size_t bytes = strlen(text);
    int32_t status = GB_OK;
    char **words = host_memory(host, (bytes / 2 + 2) * sizeof *words, &status);
    char *letters = host_memory(host, bytes + 1, &status);
    struct splitter splitter = {text, 0, letters, problem};
    size_t n = 0;
    if (status != GB_OK)
        return status;
    for (splitter.at = strspn(text, blanks); text[splitter.at] != '\0';
         splitter.at += strspn(text + splitter.at, blanks)) {
        words[n++] = splitter.to;
        if (!take_word(&splitter))
            return GB_INVALID;
    }
    if (n == 0 || *words[0] == '\0') {
        refuse(&splitter, 0, "it is empty: expected a program and its arguments");
        return GB_INVALID;
    }
    *ret = words;
    return GB_OK;
}
