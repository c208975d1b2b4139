#!/usr/bin/env bash
# What docs/results.md says of the results file is what it is: all tables. Files, folders and targets of make that
# HACKING.md and ARCHITECTURE.md name are there.
. "$top_srcdir/tests/tap.sh"
results=$top_srcdir/docs/results.md

if command -v sqlite3 >/dev/null; then
    printf '[bench nop]\nmax_samples = 10\n' >"$TMPDIR/nop.ini"
    succeeds "a results file is made" "$GBRUN" -q -c "$TMPDIR/nop.ini" -o "$TMPDIR/nop.gbr"
    equals "docs/results.md has all tables, and no others" "$(sqlite3 "$TMPDIR/nop.gbr" \
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'" | sort)" \
        "$(sed -n '/^run ─/,/^```/p' "$results" | grep -oE '[a-z_]+' | sort)"
else
    skip "docs/results.md has all tables, and no others" "there is no sqlite3"
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
