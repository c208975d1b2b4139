#!/usr/bin/env bash
# What docs/results.md says of the results file is what it is: all tables, all columns, the version. Files, folders
# and targets of make that HACKING.md and ARCHITECTURE.md name are there.
. "$top_srcdir/tests/tap.sh"
results=$top_srcdir/docs/results.md

# Tables and columns of the document: TABLE.COLUMN, a line each.
documented()
{
    awk '/^##/ { table = ""; columns = 0 }
         /^### Table `/ { split($0, part, "`"); table = part[2] }
         /^### Samples$/ { table = "samples" }
         /^\| column \| unit \| meaning \|$/ { columns = 1; next }
         !/^\|/ { columns = 0 }
         columns && table != "" {
             split($0, cell, "|")
             n = split(cell[2], part, "`")
             for (i = 2; i <= n; i += 2)
                 print table "." part[i]
         }' "$results" | sort
}

if command -v sqlite3 >/dev/null; then
    printf '[bench nop]\nmax_samples = 10\n' >"$TMPDIR/nop.ini"
    succeeds "a results file is made" "$GBRUN" -q -c "$TMPDIR/nop.ini" -o "$TMPDIR/nop.gbr"
    equals "docs/results.md has all columns of all tables, and no others" "$(sqlite3 "$TMPDIR/nop.gbr" \
        "select m.name || '.' || c.name from sqlite_master as m, pragma_table_info(m.name) as c
         where m.type = 'table' and m.name not like 'sqlite_%'" | sort)" "$(documented)"
else
    skip "docs/results.md has all columns of all tables, and no others" "there is no sqlite3"
fi

# NAME, KIND and FOLDER in capitals stand for others; so does what has a star.
for document in HACKING.md ARCHITECTURE.md; do
    missing=$(grep -oE '\b(conf|core|docs|include|packaging|plugins|tests)/[A-Za-z0-9_./*-]+' "$top_srcdir/$document" |
        grep -vE '[A-Z]{2}|\*|build-sanitize|\.(log|fuzzer)$' | sed 's/[.,]*$//' | sort -u | while IFS= read -r path; do
        [ -e "$top_srcdir/$path" ] || [ -e "$top_builddir/$path" ] ||
            compgen -G "$top_srcdir/$path.*" >/dev/null || echo "$path"
    done)
    equals "$document names files and folders that are there" "" "$missing"
    missing=$(grep -oE '(^|`|&& )make [a-z-]+([^a-z/-]|$)' "$top_srcdir/$document" |
        sed 's/.*make //; s/[^a-z-]$//' | sort -u | while IFS= read -r target; do
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" "$top_builddir/Makefile" || echo "$target"
    done)
    equals "$document names targets of make that are there" "" "$missing"
done
finish
