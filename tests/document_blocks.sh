#!/usr/bin/env bash
# document_blocks.sh - the blocks of a document that a comment says something about, as files FOLDER/NUMBER.KIND,
# with what stands after the kind in NUMBER.name. The kinds are `file` (named: to be written), `check` (named: a
# configuration), `run` (commands), `nvcc` (commands that need the CUDA Toolkit) and `message` (lines that gbrun
# prints). Prints a line for each comment without a block. usage: document_blocks.sh DOCUMENT FOLDER
set -euo pipefail
mkdir -p "$2"
awk -v folder="$2" '
    /^<!-- (file|check): .* -->$/ { kind = $2; sub(":", "", kind); name = $3; next }
    /^<!-- (run|nvcc|message) -->$/ { kind = $2; name = ""; next }
    /^```/ && kind != "" && !inside {
        inside = 1
        file = sprintf("%s/%03d", folder, ++n)
        print name >(file ".name")
        next
    }
    /^```$/ && inside { inside = 0; close(file "." kind); kind = ""; next }
    inside { print >(file "." kind) }
    !inside && kind != "" && NF { print "no block after the comment above line " NR; kind = "" }
' "$1"
