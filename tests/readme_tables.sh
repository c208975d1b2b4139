#!/usr/bin/env bash
# readme_tables.sh - the tables of options in README.md, as the program prints them: between a line
# `<!-- options: NAME -->` and the next `<!-- end -->` stands what `gbrun help --markdown NAME` says.
# Where what needs the headers of CUDA was not built its table stays as it is.
# usage: readme_tables.sh [--write]
#   without it, prints README.md with fresh tables; with it, puts them into README.md.
# The program is $GBRUN, or ./gbrun.
set -euo pipefail
gbrun=${GBRUN:-./gbrun}
readme=$(dirname "$0")/../README.md

print_readme()
{
    local line name=
    while IFS= read -r line; do
        case $line in
        '<!-- options: '*' -->')
            printf '%s\n' "$line"
            name=${line#'<!-- options: '}
            name=${name%' -->'}
            if [[ $name = cuda || $name = kernel ]] &&
                ! "$gbrun" help --markdown "$name" </dev/null >/dev/null 2>&1; then
                name=
            else
                "$gbrun" help --markdown "$name" </dev/null
            fi
            ;;
        '<!-- end -->')
            name=
            printf '%s\n' "$line"
            ;;
        *) [ -n "$name" ] || printf '%s\n' "$line" ;;
        esac
    done <"$readme"
    if [ -n "$name" ]; then
        echo "readme_tables.sh: $readme: no <!-- end --> after <!-- options: $name -->" >&2
        return 1
    fi
}

case ${1-} in
'') print_readme ;;
--write)
    fresh=$(print_readme)
    printf '%s\n' "$fresh" >"$readme"
    ;;
*)
    echo "usage: readme_tables.sh [--write]" >&2
    exit 2
    ;;
esac
