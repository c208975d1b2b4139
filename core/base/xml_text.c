/* xml_text.c - see xml_text.h. */
#include "core/base/xml_text.h"

#include "core/base/memory.h"

#include <string.h>

static void add_escaped(struct text *out, const char *words)
{
    static const char special[] = "&<>\"'";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*words) {
        size_t n = strcspn(words, special);
        text_add_n(out, words, n);
        words += n;
        if (*words)
            text_add(out, escapes[strchr(special, *words++) - special]);
    }
}

void xml_add_text(struct text *out, const char *words)
{
    CLEANUP(text_free) struct text plain = {0};
    text_add_valid(&plain, words, 0, NULL);
    add_escaped(out, text_get(&plain));
}

void xml_print(struct text *out, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    for (const char *at; (at = strstr(format, "%s")); format = at + strlen("%s")) {
        text_add_n(out, format, (size_t)(at - format));
        xml_add_text(out, va_arg(words, const char *));
    }
    va_end(words);
    text_add(out, format);
}

void xml_add_words(struct text *out, const char *words, size_t most)
{
    CLEANUP(text_free) struct text plain = {0}, shortened = {0};
    text_add_line(&plain, words);
    text_add_shortened(&shortened, text_get(&plain), most);
    add_escaped(out, text_get(&shortened));
}

void xml_add_attribute(struct text *out, const char *name, const char *value)
{
    CLEANUP(text_free) struct text plain = {0};
    text_add_line(&plain, value);
    text_printf(out, " %s=\"", name);
    add_escaped(out, text_get(&plain));
    text_add(out, "\"");
}
