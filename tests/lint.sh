#!/usr/bin/env bash
# lint.sh - the rules of the house, each a search whose finds are mistakes; then the tools that are
# installed. usage: lint.sh TOP [FILE-IN-THE-RELEASE]...     (make lint)
set -u
export LC_ALL=C
top=$1
shift
# As paths from the top, whether they were found in the build folder or in TOP.
distributed=$(printf '%s\n' "$@" | sed "s|^$top/||; s|^\./||")
cd "$top" || exit 2

n_rules=0 n_broken=0 left_out=

# rule NAME WHAT-TO-DO: stdin holds the finds, one a line; none is as it should be.
rule()
{
    local finds
    finds=$(cat)
    n_rules=$((n_rules + 1))
    [ -n "$finds" ] || return 0
    n_broken=$((n_broken + 1))
    printf 'lint: %s: %s\n' "$1" "$2"
    printf '%s\n' "$finds" | sed 's/^/    /'
}

leave_out()
{
    left_out="$left_out $1"
}

sources()
{
    find "$@" \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cu*' -o -name '*.hpp' \) ! -path '*/build*' 2>/dev/null |
        sort
}
c_files=$(sources core include plugins tests)
core_files=$(sources core)
plugin_files=$(sources plugins)
shell_files=$(find bootstrap .ci/run docs packaging tests -type f \
    \( -name '*.sh' -o -name '*.bash' -o -name bootstrap -o -name run \) 2>/dev/null | sort)

# in_files PATTERN FILE-LIST: lines that match an extended expression.
in_files()
{
    [ -z "$2" ] || printf '%s\n' "$2" | xargs grep -nHE -e "$1"
}

# --- Wings --------------------------------------------------------------------------------------

# A file of core/WING/ includes headers of its own wing and of those that stand behind it here.
wings='base
verify base
config base verify
store base verify config
compare base config store
search base
run base verify config store search
view base verify config store compare run
report base verify config store compare view
replay base config store search run view report
cli base verify config store compare search run view report replay
library base verify config store compare search run'

# Is (WING, WING) in may?
may_awk='
    BEGIN {
        n = split(wings, line, "\n")
        for (i = 1; i <= n; i++) {
            m = split(line[i], word, " ")
            for (j = 1; j <= m; j++)
                may[word[1], word[j]] = 1
        }
    }'

rule includes-go-down 'core/WING/ includes <gbrun/...>, its own wing and those below it (wings in lint.sh)' < <(
    printf '%s\n' "$core_files" | xargs awk -v wings="$wings" "$may_awk"'
        FNR == 1 { split(FILENAME, here, "/") }
        FNR == 1 && !((here[2], here[2]) in may) { print FILENAME ": core/" here[2] "/ is not a wing" }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, part, "\"")
            split(part[2], there, "/")
            if ((here[2] == "base" || here[2] == "run") && part[2] ~ /^plugins\/common\/(system\/[a-z0-9_]+|policy\/effective_size)\.h$/)
                next
            if (there[1] != "core" || there[4] != "" || there[3] !~ /^[a-z0-9_]+\.h$/)
                print FILENAME ":" FNR ": " part[2] " is not a header of core/WING/"
            else if (!((here[2], there[2]) in may))
                print FILENAME ":" FNR ": " here[2] " includes " part[2]
        }')

# Uses do as includes do, and none leads back to its file: by the symbols of the objects.
rule uses-go-down 'move what both need down, pass a value, or make one file of what is one object' < <(
    printf '%s\n' "$core_files" | sed -n '/main\.c$/d; s|\(.*\)/\(.*\)\.c$|\1/.libs/\2.o|p' |
        (cd "$BUILD" && xargs nm -A -P) | awk -v wings="$wings" "$may_awk"'
        function wing_of(file,    part) { split(file, part, "/"); return part[2] }
        function leads(from, to,    n, file, i) {
            n = split(used_by[from], file, " ")
            for (i = 1; i <= n; i++)
                if (file[i] == to || !visited[file[i]]++ && leads(file[i], to))
                    return 1
            return 0
        }
        { sub(/\.libs\//, "", $1); sub(/o:$/, "c", $1) }
        $3 == "U" { users[$2] = users[$2] " " $1 }
        $3 ~ /^[BCDRTVW]$/ { home[$2] = $1 }
        END {
            for (name in home) {
                n = split(users[name], user, " ")
                for (i = 1; i <= n; i++) {
                    if (!((wing_of(user[i]), wing_of(home[name])) in may))
                        print user[i] ": uses " name " of " home[name]
                    if (!((user[i], home[name]) in use))
                        used_by[user[i]] = used_by[user[i]] " " home[name]
                    use[user[i], home[name]] = name
                }
            }
            for (edge in use) {
                split(edge, end, SUBSEP)
                split("", visited)
                if (leads(end[2], end[1]))
                    print end[1] ": uses " use[edge] " of " end[2] ", which leads back to it"
            }
        }' | sort)

# home HEADER FILE-PATTERN: a library is known to these files of core/ only.
home()
{
    in_files "#[[:space:]]*include[[:space:]]*<$1>" "$core_files" | grep -vE "^core/($2):"
}
rule home-of-inih 'use core/config/ini.h; only ini.c includes <ini.h>' < <(home 'ini\.h' 'config/ini\.c')
rule home-of-sqlite 'use core/store/store.h or core/config/expression.h; only they include <sqlite3.h>' < <(
    home 'sqlite3\.h' '(config/expression_engine\.h|store/.*)')
rule home-of-libffi 'calls through libffi belong to a plugin' < <(home 'ffi\.h' 'none')
rule no-cuda-in-core 'CUDA belongs to plugins: no header and no library of it in core/' < <(
    in_files '#[[:space:]]*include[[:space:]]*[<"](cu[a-z_]*|nvml|nvrtc|cupti[a-z_]*)\.h' "$core_files")
rule plugins-see-include-only \
    'a plugin includes <gbrun/...>, system headers, its own folder, plugins/common and kernels of conf' < <(
    for file in $plugin_files; do
        folder=${file#plugins/}
        folder=${folder%%/*}
        grep -nHE '^[[:space:]]*#[[:space:]]*include' "$file" |
            grep -vE "<[a-zA-Z0-9_/]+(\.hpp|\.h)?>|\"[a-z0-9_]+\.(h|cuh)\"|\"(\.\./|plugins/)?(common|$folder)/([a-z]+/)?[a-z0-9_]+\.h\"|\"\.\./\.\./conf/[a-z]+\.cu\""
        grep -nHE '#[[:space:]]*include[[:space:]]*[<"](core/|sqlite3|ini\.h|check\.h)' "$file"
    done)
rule public-headers-are-alone 'public headers include <gbrun/...> and three headers of libc; those of C++, of its library' < <(
    in_files '#[[:space:]]*include' "$(sources include)" |
        grep -vE '<(gbrun/[a-z]+|stddef|stdint|stdbool)\.h>|\.hpp:[0-9]+:#include <[a-z_]+>|gbrun/google/.*#include <')

# --- Everything is listed -----------------------------------------------------------------------

# listed WHERE FILE...: prints the files whose names do not stand there as words.
listed()
{
    local where=$1 file
    shift
    for file; do
        grep -qE "(^|[[:space:]])${file//./\\.}([[:space:]]|$)" "$where" 2>/dev/null || echo "$file"
    done
}
# shellcheck disable=SC2086 # lists of names
{
    rule plugins-are-listed 'add "include $(top_srcdir)/plugins/NAME/local.mk" to plugins/local.mk' < <(
        for folder in plugins/*/; do
            [[ $folder != plugins/common/ ]] || continue
            compgen -G "$folder*.c" >/dev/null || continue # left by an older build
            grep -qE "^include .*/${folder}local\.mk$" plugins/local.mk || echo "$folder"
        done)
    rule sources-are-listed 'add the file to the local.mk of its folder, or of plugins' < <(
        for file in $core_files $plugin_files; do
            case $file in
            core/cli/main.c) ;;
            plugins/common/*) listed plugins/local.mk "$file" ;;
            *) listed "${file%/*}/local.mk" "$file" ;;
            esac
        done)
    rule tests-are-listed 'add the file to the local.mk of its folder' < <(
        for file in tests/*/*.c tests/*/*.cc tests/*/*.sh; do
            case $file in
            tests/fake_cuda/* | tests/fuzz/replay.c | tests/outside/*) continue ;;
            esac
            listed "${file%/*}/local.mk" "$file" "${file%.*}" "${file%.*}.la" |
                awk -v n=2 -v file="$file" 'END { if (NR > n) print file }'
        done)
    rule test-names-differ 'two tests of one name: rename one' < <(
        find tests -name 'test_*.[cs]*' | sed 's|.*/||; s/\.[a-z]*$//' | sort | uniq -d)
}
if [ -n "$distributed" ] && git rev-parse --git-dir >/dev/null 2>&1; then
    rule files-are-released 'add the file to EXTRA_DIST or TEST_FILES' < <(
        git ls-files | grep -vE '^(\.ci/|\.gitignore|\.gitattributes)' |
            xargs -d '\n' ls -d 2>/dev/null | awk -v distributed="$distributed" '
                BEGIN { n = split(distributed, path, "\n"); for (i = 1; i <= n; i++) is_there[path[i]] }
                { file = $0; while (!($0 in is_there) && sub("/[^/]*$", "")); }
                !($0 in is_there) { print file }')
fi

# --- What the code does not do --------------------------------------------------------------------

code_files=$(printf '%s\n%s\n' "$core_files" "$plugin_files" | sed '/^$/d')
banned='gets|sprintf|vsprintf|strcat|strncat|strtok|atoi|atol|atoll|atof|system|popen|alloca|tmpnam|mktemp|tempnam|rand|srand|gmtime|localtime|ctime|asctime'
rule banned-functions \
    'use snprintf, struct text, strtod and friends, posix_spawn, random.h, the _r variants' < <(
    in_files "(^|[^_[:alnum:].>])($banned)[[:space:]]*\(" "$code_files" | grep -vE ':[[:space:]]*(/?\*|//)')
rule strcpy-of-literals-only 'copy text of unknown length with snprintf, memcpy or text_add' < <(
    in_files '(^|[^_[:alnum:]])strcpy[[:space:]]*\(' "$code_files" |
        grep -vE 'strcpy[[:space:]]*\([^,]*,[^"]*"')
rule inner-wings-do-not-print 'return an error or fill a struct text: what prints is run, view, report, replay and cli' < <(
    in_files '(^|[^_[:alnum:]])((printf|puts|putchar|perror)[[:space:]]*\(|stdout|stderr)' \
        "$(printf '%s\n' "$core_files" |
            grep -E '^core/((base|verify|config|store)/|run/(module|host|policy_run|process_state)\.)')" |
        grep -vE '^core/base/memory\.c:|:[[:space:]]*(/?\*|//)|__attribute__')
rule texts-of-results-files-are-plain 'read them by row_text: a results file may hold anything' < <(
    in_files 'sqlite3_column_text[[:space:]]*\(' "$core_files" |
        grep -vE '^core/(store/(store_rows|store)|config/expression)\.c:')
rule one-opener-of-outputs 'open what is written by output_begin, which spares results' < <(
    in_files 'O_CREAT|fopen[[:space:]]*\([^)]*"[wa]' "$core_files" |
        grep -vE '^core/(base/output_file|store/store(_copy)?|run/(run_locks|claims|sandbox))\.c:')
rule reasons-are-whole 'use reason_of(errno), which names the limit and never says "Success"' < <(
    in_files '(^|[^_[:alnum:]])strerror(_r)?[[:space:]]*\(' "$core_files" | grep -v '^core/base/reason\.c:')
rule no-typedef-of-structs 'write struct NAME' < <(
    in_files '^[[:space:]]*typedef[[:space:]]+(struct|union|enum)' "$c_files")
rule no-loose-ends 'finish it, or write an issue' < <(
    in_files '(^|[^[:alnum:]])(TODO|FIXME|XXX)([^[:alnum:]]|$)' "$c_files")

# --- What tests do not do -------------------------------------------------------------------------

# Of these real time is the subject, or they are what drives it; HACKING.md names them, too. Modules that take time do
# so for tests that do not look how long.
real_time="tests/base/test_host_clock.c tests/hurry.c tests/library/test_measure.c tests/plugins/test_device_cpu.c \
tests/python/test_plugin.sh tests/hostile/test_stuck_process.sh tests/hostile/test_two_runs.sh"
test_files=$(find tests \( -name '*.sh' -o -name '*.[ch]' -o -name '*.cc' -o -name '*.py' \) |
    grep -vE '^tests/(bench|gpu|modules|scale|slurm|stopping)/|^tests/judge/submissions|^tests/[a-z]+\.sh$' | sort)
clock_calls='(^|[^_[:alnum:].>$-])((u|nano|clock_nano)?sleep|time|clock_gettime|gettimeofday)[[:space:]]?\('
clock_calls+='|time\.(sleep|time|monotonic|perf_counter)\('
clock_calls+='|(^|[^_[:alnum:].$/-])(u?sleep|timeout( -k [0-9]+)?|read -t)[[:space:]]+["$]*[0-9.{$]'
clock_calls+='|date [^|;]*\+%s|(^|[^_[:alnum:]])(SECONDS|EPOCH(REALTIME|SECONDS))([^_[:alnum:]]|$)'
clock_calls+='|SRANDOM|[-=]"?\$RANDOM|/dev/u?random'
rule no-clock-in-tests \
    'wait for an event, hang by pause() or "sleep infinity", count by a fake clock, seed what is random' < <(
    in_files "$clock_calls" "$(grep -vxF "${real_time// /$'\n'}" <<<"$test_files")" |
        grep -vE ':[0-9]+:[[:space:]]*(#|\*|//|/\*)|CLOCK_PROCESS_CPUTIME_ID'
    printf '%s\n' "$test_files" | xargs grep -lE '\$\(\(.*RANDOM' | xargs -r grep -L '^RANDOM=')
rule real-time-is-named 'name it in HACKING.md with its reason' < <(
    for file in $real_time; do
        grep -qF "$file" HACKING.md || echo "$file"
    done)
rule tools-are-asked-for 'skip the test where the tool is missing: command -v TOOL' < <(
    for tool in cmake python3 rsvg-convert sqlite3 valgrind; do
        printf '%s\n' "$test_files" | grep '\.sh$' |
            xargs grep -lE "(^|[|;&(!]|if)[[:space:]]*$tool([[:space:]]|$)" |
            xargs -r grep -LE "command -v $tool|$tool -c ['\"]import" | sed "s/$/: $tool/"
    done)

# --- Text -----------------------------------------------------------------------------------------

rule no-trailing-blanks 'delete the blanks at the end of the line' < <(
    in_files '[[:blank:]]$' "$(printf '%s\n%s\n' "$c_files" "$shell_files")")
rule no-tabs 'indent with four spaces' < <(in_files $'\t' "$c_files")
rule no-home-paths 'a path of one machine has no place here' < <(
    grep -rnIE '(^|[^[:alnum:]_.$}])/(home|root|Users)/[[:alnum:]]+' \
        core include plugins tests conf docs packaging .ci ./*.* bootstrap 2>/dev/null |
        grep -vE '^(\./)?(configure|config\.(log|status)|aclocal\.m4|Makefile(\.in)?|libtool|gbrun\.pc):|\.(log|trs|la|gbr):|/\.libs/|/\.deps/|/home/user')
# Not: rows of the tables that the program writes.
rule short-lines-in-documents 'wrap it: no line of a document has over 120 characters' < <(
    find . -name '*.md' ! -path './build*' ! -path './gbrun-*' ! -path './tests/golden/*' \
        -print0 | sort -z |
        LC_ALL=C.UTF-8 xargs -0 grep -nHE '.{121}' | cut -c1-100)

# Terms of the field stand where these words did; they puzzle who reads them first.
rule plain-words 'use the term of the field: see the words in HACKING.md' < <(
    git ls-files 2>/dev/null | grep -vE '^(HACKING\.md|tests/(lint\.sh|words\.txt))$' | xargs -d '\n' grep -nIiE \
        '(^|[^[:alnum:]_])(can not|vouch(es|ed)?( for)?|reads? around nothing|held down|held against the roofs?|is told|are told|to mend|mended|the cure|is no verb|is called so)([^[:alnum:]_]|$)')

rule native-english 'say it as a native engineer would: must, continues, the caller, distinguished' < <(
    printf '%s\n' "$core_files" "$plugin_files" "$(sources include)" | xargs grep -nHiE "stands? in the way|\
(^|[^[:alpha:]])(held against|worth|told|(is|are) to be|in vain|lets? go|goes? on|went on|as far as|whoever|nobody|is said|\
at hand|for good|counts for|may come to|is called for|of no work|makes? no sense|costs its|afresh|so many of the|stopped because|\
at most so long|is decided which|to be trusted|bring (it|them) back|chosen by chance|what helps most|no sign of life)([^[:alpha:]]|$)")

rule executable-scripts 'chmod +x' < <(
    for file in bootstrap .ci/run tests/*/test_*.sh tests/gpu/run.sh; do
        [[ ! -f $file || -x $file ]] || echo "$file"
    done)

# --- Tools ----------------------------------------------------------------------------------------

# installed NAME PROGRAM: where there is none it is left out.
installed()
{
    [ -n "$2" ] || ! leave_out "$1"
}
clang_format=${CLANG_FORMAT:-$(command -v clang-format-14 || command -v clang-format)}
clang_tidy=${CLANG_TIDY:-$(command -v clang-tidy)}
cppcheck=${CPPCHECK:-$(command -v cppcheck)}
shellcheck=${SHELLCHECK:-$(command -v shellcheck)}
flags=(-I. -Iinclude -D_GNU_SOURCE= '-DGBRUN_VERSION="0"' '-DGBRUN_PLUGIN_DIR="/usr/lib/gbrun"')
compiled=$(printf '%s\n' "$code_files" | grep '\.c$')

# Where the headers of CUDA are not, what includes them cannot be looked at.
lacks_cuda_header()
{
    "${CC:-cc}" -E "${flags[@]}" "$1" 2>&1 >/dev/null | grep -qE '(cuda|cupti)[a-z_]*\.h: No such file'
}
cuda=${CUDA_DIR:-/usr/local/cuda}
if [ -f "$cuda/include/cuda.h" ]; then
    flags+=(-isystem plugins/device_cuda/without_cxx)
    flags+=(-isystem "$cuda/include" -isystem "$cuda/extras/CUPTI/include" -DPLUGIN_WITH_CUDA
        '-DCUDA_IMAGE_SOURCES=""')
else
    compiled=$(for file in $compiled; do
        lacks_cuda_header "$file" || echo "$file"
    done)
    leave_out 'sources for CUDA(no cuda.h)'
fi

# Versions of clang-format differ in what they find well formatted; this one counts.
if [ -z "$clang_format" ]; then
    leave_out clang-format
elif ! "$clang_format" --version | grep -q 'version 14\.'; then
    leave_out 'clang-format(not version 14)'
else
    rule clang-format 'run make format' < <(
        printf '%s\n' "$c_files" | xargs "$clang_format" --dry-run -Werror 2>&1 |
            grep 'error:' | cut -d: -f1 | uniq -c)
fi

# Not: shifts of negative numbers, which GNU C defines; variables that another file's function sets.
! installed cppcheck "$cppcheck" ||
    rule cppcheck 'mend it; where cppcheck is wrong, say why beside a cppcheck-suppress' < <(
        printf '%s\n' "$compiled" | "$cppcheck" --file-list=- -q -j"$(nproc)" \
            --inline-suppr --std=c11 --enable=warning,performance,portability \
            --template='{file}:{line}: {id}: {message}' --suppress=missingIncludeSystem \
            --suppress=shiftTooManyBitsSigned --suppress=uninitvar \
            "${flags[@]}" 2>&1)

# The analyzer gives up on a function after a fifteenth of its usual steps, where most of its time went; make check-long
# lets it take a third.
! installed clang-tidy "$clang_tidy" ||
    rule clang-tidy 'mend it; where clang-tidy is wrong, say why beside a NOLINT' < <(
        failed=
        output=$(printf '%s\n' "$compiled" | xargs -P "$(nproc)" -I FILE \
            "$clang_tidy" --quiet FILE -- -std=gnu17 "${flags[@]}" \
            -Xclang -analyzer-config -Xclang max-nodes=75000 2>/dev/null) ||
            failed="$clang_tidy itself failed"
        printf '%s\n' "$output" | grep -E '(warning|error):' | sed "s|^$PWD/||" | sort -u |
            grep . || printf '%s' "$failed")

# tests/words.txt: what looks like a mistake and is none.
! installed codespell "$(command -v codespell)" ||
    rule codespell 'correct the spelling, or add the word to tests/words.txt' < <(
        git ls-files 2>/dev/null | grep -vE '^tests/(fuzz/corpus/|words\.txt)' |
            xargs -d '\n' codespell --quiet-level 3 --ignore-words tests/words.txt)

# gbrun.py, and a program that calls it.
! installed mypy "$(command -v mypy)" ||
    rule mypy 'give it the types that the program expects' < <(
        MYPYPATH=python mypy --strict --cache-dir=/dev/null --no-error-summary python/*.py tests/python/typed.py 2>&1)

# Not: sourced files and variables that make check sets (1091, 2154), functions called by name
# (2317), patterns of make and grep in single quotes (2016).
! installed shellcheck "$shellcheck" ||
    rule shellcheck 'mend it, or disable the rule with a reason' < <(
        printf '%s\n' "$shell_files" | xargs "$shellcheck" -f gcc -e SC1091,SC2016,SC2154,SC2317)

printf 'lint: %d rules, %d broken%s\n' "$n_rules" "$n_broken" \
    "${left_out:+; left out, as what it needs is not installed:$left_out}"
[ "$n_broken" = 0 ]
