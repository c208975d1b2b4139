#!/bin/sh
# expand.sh - fills in a manual page: a line `@OPTIONS name@` becomes what `gbrun help --roff name`
# prints, `@PLUGIN kind id@` a heading and the options of a plugin, @VERSION@ the version. usage: expand.sh GBRUN VERSION PAGE; GBRUN '': it cannot be run here.
set -eu
program=$1 version=$2 page=$3
sed "s/@VERSION@/$version/g; s/^@PLUGIN \([a-z]*\) \(.*\)@$/.SS \"\1 \2\"\n@OPTIONS plugin \2@/" "$page" | while IFS= read -r line; do
    case $line in
    '@OPTIONS '*@)
        name=${line#@OPTIONS }
        name=${name%@}
        if [ -z "$program" ]; then
            printf 'Printed by\n.BR "gbrun help %s" .\n' "$name"
            continue
        fi
        # The plugins that depend on what the build finds.
        needs_cuda=
        case ${name#plugin } in
        cuda | kernel | nccl) needs_cuda=1 ;;
        esac
        # shellcheck disable=SC2086 # a name may be several words
        if [ -n "$needs_cuda" ] && ! "$program" help --roff $name </dev/null >/dev/null 2>&1; then
            echo 'Not part of this build: the headers of CUDA were not found.'
            continue
        fi
        # shellcheck disable=SC2086 # a name may be several words
        "$program" help --roff $name </dev/null || {
            echo "expand.sh: $page: 'gbrun help --roff $name' failed" >&2
            exit 1
        }
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done
