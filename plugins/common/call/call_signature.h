/* call_signature.h - types and signatures in a text that is read from a cursor; the language is
 * that of call_parse.h. Plugin side; needs no libffi. */
#ifndef GBRUN_PLUGINS_COMMON_CALL_SIGNATURE_H
#define GBRUN_PLUGINS_COMMON_CALL_SIGNATURE_H

#include "call_cursor.h"

/* The type of a number in memory. */
bool take_element_type(struct cursor *cursor, enum type_id *ret);
bool take_signature(struct cursor *cursor, struct signature *ret);

#endif
