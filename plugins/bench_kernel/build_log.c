/* build_log.c - what the compiler's log says of a kernel; see build.h. Plugin side. */
#include "build.h"

#include <stdio.h>
#include <string.h>

bool build_spills(const char *log, const char *name, double *ret_stores, double *ret_loads)
{
    static const char about[] = "Function properties for ";
    const size_t n = strlen(name);
    for (const char *at = strstr(log, about); at != NULL; at = strstr(at + 1, about)) {
        const char *word = at + sizeof about - 1;
        const char *numbers = strstr(word, "bytes stack frame,");
        if (strncmp(word, name, n) != 0 || (word[n] != '\n' && word[n] != '\r') || numbers == NULL)
            continue;
        return sscanf(numbers, "bytes stack frame, %lf bytes spill stores, %lf bytes spill loads",
                      ret_stores, ret_loads) == 2;
    }
    return false;
}

void build_trim_log(char *log)
{
    char *to = log;
    for (const char *line = log; *line != '\0';) {
        const size_t n = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
        const bool is_info = strncmp(line, "ptxas info", 10) == 0 ||
                             strncmp(line, "ptxas         .", 15) == 0;
        if (!is_info)
            memmove(to, line, n);
        to += is_info ? 0 : n;
        line += n;
    }
    *to = '\0';
}
