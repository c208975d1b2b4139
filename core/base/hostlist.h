/*
 * hostlist.h - names of hosts in short, as Slurm, pdsh and ClusterShell read them:
 * node[01-03,07],login1.
 *
 * What is compressed is the number at the end of a name; the zeros that it begins with are kept
 * (node[01-03] is not node[1-3]). Names that end otherwise, with a domain say, stand as they are.
 */
#pragma once

#include "core/base/text.h"

/* Adds the n names, in any order, each once; nothing for none. Names by their prefixes in the order
 * of bytes, numbers ascending. */
void hostlist_add(struct text *out, const char *const *names, size_t n);
