#!/usr/bin/env bash
# document_blocks.sh - the blocks of a document that a comment says something about, as files FOLDER/NUMBER.KIND,
# with what stands after the kind in NUMBER.name. The kinds are `file` (named: to be written), `check` (named: a
# configuration), `keys: KEYS` (part of one: those before it, with ; between), `run` (commands), `output` (what the last command of the block before prints), `nvcc` (commands that
# need the CUDA Toolkit), `message` (lines that gbrun prints) and `not run: WHY`. Prints a line for each comment without
# a block, and for each block of code without a comment. usage: document_blocks.sh DOCUMENT FOLDER
set -euo pipefail
mkdir -p "$2"
awk -v folder="$2" '
    /^<!-- (file|check): .* -->$/ { kind = $2; sub(":", "", kind); name = $3; next }
    /^<!-- keys: .* -->$/ {
        kind = "check"
        name = "keys" NR ".ini"
        keys = substr($0, 12, length($0) - 15)
        gsub(/; /, "\n", keys)
        next
    }
    /^<!-- not run: .* -->$/ { kind = "no"; next }
    /^<!-- (run|nvcc|message|output) -->$/ { kind = $2; name = ""; next }
    /^```/ && !inside {
        inside = 1
        if (kind == "" && /```(ini|sh|c|c\+\+|cuda|python|make|cmake|json)$/)
            print "no comment before the block at line " NR
        if (kind == "" || kind == "no")
            next
        file = sprintf("%s/%03d", folder, ++n)
        print name >(file ".name")
        if (keys != "")
            print keys >(file "." kind)
        next
    }
    /^```$/ && inside { inside = 0; close(file "." kind); kind = keys = ""; next }
    inside && kind != "" && kind != "no" { print >(file "." kind) }
    !inside && kind != "" && NF { print "no block after the comment above line " NR; kind = keys = "" }
' "$1"
