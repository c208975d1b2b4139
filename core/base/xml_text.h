/*
 * xml_text.h - words as text of XML and HTML.
 */
#pragma once

#include "core/base/text.h"

/* With its line breaks; for attributes in quotes as well. What is not plain becomes U+FFFD. */
void xml_add_text(struct text *out, const char *words);
/* Markup with such text for each %s, which is all that the format may have. */
void xml_print(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* On one line, at most so many columns. */
void xml_add_words(struct text *out, const char *words, size_t most);
/* ` name="value"`, on one line. */
void xml_add_attribute(struct text *out, const char *name, const char *value);
