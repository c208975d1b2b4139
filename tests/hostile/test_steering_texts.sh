#!/usr/bin/env bash
# Texts that steer terminals: from plugins and from a results file, through every verb and format. No byte below 0x20
# but line breaks and tabs, no 0x7F, no C1 control, no reordering and no invalid UTF-8 reaches any output.
# shellcheck disable=SC2059 # the bytes are given as escapes of printf
. "$top_srcdir/tests/tap.sh"
modules=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1
mkdir plugins
cp "$modules/attack.so" plugins/steering.so
cp "$modules/steering_id.so" plugins/
export GBRUN_PLUGIN_PATH=$PWD/plugins

# Beside C0 and DEL: C1, line separators, what reorders; as UTF-8. And what a line may hold, byte by byte.
controls=$'\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
two='\xc2[\xa0-\xbf]|[\xc3-\xdf][\x80-\xbf]'
three='\xe0[\xa0-\xbf][\x80-\xbf]|\xe2(?:\x80[\x80-\xa7\xaf-\xbf]|\x81[\x80-\xa5\xaa-\xbf]|[\x82-\xbf][\x80-\xbf])'
three+='|\xed[\x80-\x9f][\x80-\xbf]|[\xe1\xe3-\xec\xee\xef][\x80-\xbf]{2}'
four='\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}'
plain="(?:[\\t -~]|$two|$three|$four)*+"

# steered FILE...: their lines that break the rule. RFC 4180 ends lines of CSV by CR LF.
steered()
{
    local file end=''
    [[ $1 != *csv* ]] || end='\r?'
    LC_ALL=C grep -aqvxP "$plain$end" "$@" 2>/dev/null
    [ $? != 1 ] || return
    for file; do
        case $file in
        *csv*) sed 's/\r$//' "$file" ;;
        *) cat "$file" ;;
        esac >looked_at
        iconv -f UTF-8 -t UTF-8 looked_at 2>&1 >/dev/null | sed 's/^/not UTF-8: /'
        LC_ALL=C tr -d '\n\040-\176\200-\377' <looked_at | tr -d '\t' | od -An -c | head -3
        LC_ALL=C grep -anE "$controls" looked_at | cat -v | cut -c1-200 | head -3
    done
}

# clean NAME CODE COMMAND...: ends with the code (a pattern), and all it writes keeps to the rule. What it printed
# stays in out and err.
clean()
{
    local name=$1 codes=$2 code found=''
    shift 2
    "$@" >out 2>err </dev/null
    code=$?
    # shellcheck disable=SC2053 # a pattern
    [[ $code = $codes ]] || found="exit code $code, not $codes; $(tail -3 err)"
    if [[ $name = *csv* ]]; then
        mv out out.csv
        found+=$(steered out.csv; steered err)
    else
        found+=$(steered out err)
    fi
    equals "$name" "" "$found"
}

# ---- plugins ----
clean "list plugins" 0 "$GBRUN" list plugins
succeeds "a plugin is listed" grep -q '^benchmark *steering ' out
has "its texts are there, without what steers" out '1.0?]0;title??[2J'
has "the other module is refused" err "steering_id.so: cannot be used: plugin 0: id '?]0;title???'"
for words in 'list plugins -f csv' 'list plugins -f md' 'help steering' 'list devices' 'list counters' 'list keywords'
do
    # shellcheck disable=SC2086 # words
    clean "$words" 0 "$GBRUN" $words
    [ "$words" != 'list counters' ] || succeeds "a device's counter is there" grep -q '^counter?' out
done
clean "doctor" "[013]" "$GBRUN" doctor
succeeds "a finding is there" grep -q 'noisy *subject?' out

{
    printf '[policy steering]\n[device steering]\n[defaults]\npolicy = steering\n'
    section device failing steering how=fail
    section device absent steering how=skip
    section bench steering steering device=steering counters=yes breakdown=yes warmup=0 \
        'sweep.how=ok, fail, skip, wrong, crash'
    section bench unopened steering device=failing
    section bench nowhere steering device=absent
} >steering.ini
clean "check" 0 "$GBRUN" check -c steering.ini
STEERING_PROBLEM=1 clean "check finds a problem" 2 "$GBRUN" check -c steering.ini
succeeds "the problem is there" grep -q 'problem?' err
clean "doctor of a configuration" "[013]" "$GBRUN" doctor -c steering.ini
clean "run" 1 "$GBRUN" -c steering.ini -v
succeeds "what it printed is there" grep -q 'stderr?' err
for text in 'log?' 'fail?' 'skip?' 'reason?' 'check?' 'throttled?'; do
    succeeds "$text is there" grep -qF "$text" out err
done
for format in csv json jsonl md; do
    clean "run, $format" 1 "$GBRUN" -c steering.ini -o "$format.gbr" -f "$format"
done

# ---- a results file ----
command -v sqlite3 >/dev/null || skip_rest "a results file" "no sqlite3"
sqlite3 results.gbr .dump >dump.sql
equals "nothing of it is stored" "" "$(steered dump.sql)"

# In every column that holds a text, but for those that select what a row is and without which it would not be shown.
cp results.gbr hostile.gbr
attack="x'1b5d303b78071b5b324a9b33316dc29b33316dc285ffe280aee280a80d7f0a6e6577206c696e6520'"
sqlite3 hostile.gbr "SELECT 'UPDATE OR IGNORE ' || m.name || ' SET ' || c.name || ' = CAST(ATTACK || ' || c.name ||
    ' AS TEXT) WHERE ' || c.name || ' IS NOT NULL;' FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name || '.' || c.name NOT IN ('bench_case.status',
    'bench_case.started', 'bench_case.clock', 'bench_case.verdict', 'run.started', 'run.config', 'telemetry.moment',
    'parameter.type', 'samples.name')" |
    sed "s/ATTACK/$attack/" >attack.sql
succeeds "columns to attack" test "$(wc -l <attack.sql)" -gt 40
sqlite3 hostile.gbr <attack.sql || fail "the attack"
file=hostile.gbr
for verbosity in "" --verbose; do
    for format in table csv json jsonl md; do
        clean "show $verbosity $format" "[0234]" "$GBRUN" show $verbosity -f "$format" $file
    done
done
succeeds "there is something in it" grep -q '\[2J' out
for rows in case sample combined; do
    for format in table csv json jsonl md; do
        clean "export --rows $rows $format" "[0234]" "$GBRUN" export --rows "$rows" -f "$format" $file
        "$GBRUN" export --rows "$rows" -f "$format" -o "written.$format" $file 2>err
        equals "export --rows $rows -o written.$format" "" "$(steered "written.$format")"
        rm -f "written.$format"
    done
done
clean "export --where" "[0234]" "$GBRUN" export --where "device_model LIKE '%model%'" $file
clean "export --where of a steering text" "[0234]" "$GBRUN" export --where "char(27) || char(155)" $file
for words in 'export --pivot how -f csv' 'export --group-by bench -f csv' report 'report --pivot how' \
    'replay -P steering -f json' 'replay -P steering -f csv'; do
    # shellcheck disable=SC2086 # words
    clean "$words" "[01234]" "$GBRUN" $words $file
done
clean "report -o .svg" "[01234]" "$GBRUN" report --pivot how -o picture.svg $file
[ ! -f picture.svg ] || equals "the picture" "" "$(steered picture.svg)"
clean "replay" "[01234]" "$GBRUN" replay -P steering -P fixed $file
succeeds "the policy's words are there" grep -q 'reason?' out
clean "replay --plot" "[01234]" "$GBRUN" replay -P steering --plot trace.svg $file
for picture in trace*.svg; do
    equals "the picture $picture" "" "$(steered "$picture")"
done
cp $file merged.gbr
clean "merge" "[0234]" "$GBRUN" merge -o all.gbr merged.gbr results.gbr
clean "show what was merged" "[0234]" "$GBRUN" show all.gbr
clean "resume" "[01234]" "$GBRUN" run --resume $file --accept-changes
sql $file "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = sql || char(27) || char(155) || '(' WHERE
    name = 'message'" 2>/dev/null
clean "show a schema that cannot be read" "[234]" "$GBRUN" show $file

# ---- other files, and names ----
printf 'a\033]0;x\a\233,b\302\2330\n1,x\0332J\n' >trace.csv
clean "replay of a file" "[0234]" "$GBRUN" replay -P fixed trace.csv
for bytes in '\033[2J' '\302\233' '\342\200\256' '\377' '\177'; do
    printf "[bench a]\nplugin = nop\nsweep.x$bytes = 1\n" >bad.ini
    clean "check of a configuration with $bytes" 2 "$GBRUN" check -c bad.ini
    clean "check of a setting with $bytes" 2 "$GBRUN" check -c steering.ini -s "bench steering.how=$(printf "$bytes")"
    clean "check of an expression with $bytes" 2 "$GBRUN" check -c steering.ini -s "bench steering.let.a=char(27)" \
        -s 'bench steering.how=${a}'
    name=$(printf "x$bytes.gbr")
    cp results.gbr "$name"
    cp steering.ini "$name.ini"
    for verb in show export report replay; do
        clean "$verb of a file named with $bytes" "[01234]" "$GBRUN" $verb "$name"
    done
    clean "check of a file named with $bytes" 0 "$GBRUN" check -c "$name.ini"
    clean "run into a file named with $bytes" 1 "$GBRUN" -c "$name.ini" -o "$name"
    clean "resume a file named with $bytes" "[01]" "$GBRUN" run --resume "$name"
    clean "show a file that is not there, named with $bytes" "[234]" "$GBRUN" show "none$name"
    clean "an unknown verb $bytes" 2 "$GBRUN" "$(printf "x$bytes")"
    clean "an unknown option $bytes" 2 "$GBRUN" show "$(printf -- "--x$bytes")"
    clean "an operand too many $bytes" 2 "$GBRUN" run "$(printf "x$bytes")"
    mkdir -p "$(printf "folder$bytes")"
    cp plugins/steering.so "$(printf "folder$bytes/y$bytes.so")"
    clean "plugins from a folder named with $bytes" 0 "$GBRUN" list plugins -p "$(printf "folder$bytes")"
    clean "a run of one" 1 "$GBRUN" -c steering.ini -p "$(printf "folder$bytes")" -o folder.gbr
done
finish
