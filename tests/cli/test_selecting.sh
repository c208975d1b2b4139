#!/usr/bin/env bash
# Which cases are run: names, patterns, --where, --sample; options that set something in every benchmark; several
# configurations. What the language makes of them is in tests/config/test_selection.c.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
{
    few_samples 3 'warmup = 0' '[bench copy]' 'sweep.bytes = 1k, 2k, 4k, 8k'
    section bench nop_a nop
    section bench nop_b nop
} >m.ini

# cases ARGUMENT...: what `list cases` prints, lines joined with ; and its errors.
cases()
{
    "$GBRUN" list cases "$@" 2>&1 | sed '/^[0-9]* cases\{0,1\}$/d' | paste -sd ';'
}

equals "a pattern of benchmarks" "nop_a;nop_b" "$(cases -c m.ini 'nop*')"
equals "names, and a configuration as an operand" "copy bytes=1000;copy bytes=2000;copy bytes=4000;copy bytes=8000;nop_b" \
    "$(cases m.ini nop_b copy)"
equals "a name that is none" "gbrun: error: there is no [bench nop_c]; did you mean 'nop_a'?" "$(cases -c m.ini nop_c)"
equals "cases by an expression" "copy bytes=4000;copy bytes=8000" "$(cases -c m.ini --where 'bytes > 2000')"
equals "an expression with an unknown name" "--where: error: unknown name 'byts'; did you mean 'bytes'?" \
    "$(cases -c m.ini -w 'byts > 2000')"
equals "the last of two configurations counts" "nop_b;more" \
    "$(printf '[bench more]\nplugin = nop\n[bench copy]\nonly = 0\n[bench nop_a]\nexclude = 1\n' >n.ini
    cases -c m.ini -c n.ini)"
equals "a second one that is not there" "none.ini: error: cannot be opened: No such file or directory" \
    "$(cases -c m.ini -c none.ini)"

# settings ARGUMENT...: lines of the settings that are not defaults.
settings()
{
    "$GBRUN" check --print m.ini "$@" 2>&1 | grep -E '; .*-|error'
}

equals "options set the same in every benchmark" "      3 device = cpu:0  ; --device
      3 max_time = 0.3 s  ; --max-time
      3 policy = steady  ; --policy
      3 rounds = 2  ; --rounds" \
    "$(settings --max-time '0.3 s' --policy steady --rounds 2 --device cpu:0 | sort | uniq -c)"
equals "precision is that of the policies" "precision = 3%  ; --precision" \
    "$(settings nop_b --policy steady --precision 3% | grep precision)"
equals "workers" "jobs = 2  ; --jobs" "$(settings --jobs 2)"
equals "a policy without precision" \
    "--precision: error: 'policy *.precision=3%' has no effect: unknown key 'precision' in [policy few]: see 'gbrun help fixed' for its options" \
    "$(settings --precision 3%)"
equals "a device that a benchmark does not run on" "--device: error: unknown device 'cpuu'; did you mean 'cpu'?" \
    "$(settings --device cpuu)"
equals "gbrun list devices has no device to set" "cpu:0" \
    "$("$GBRUN" list devices -c m.ini --format csv | tail -n 1 | cut -d, -f1)"

succeeds "gbrun FILE.ini NAME measures" "$GBRUN" m.ini nop_a -q -o one.gbr
equals "what was chosen, and nothing else" "nop_a" "$(column bench one.gbr)"
succeeds "gbrun run FILE.ini measures as well" "$GBRUN" run m.ini -q -o two.gbr --where 'bytes < 3000' --rounds 2
equals "in so many rounds" "4" "$(rows two.gbr | wc -l)"
succeeds "a run of chosen cases is resumed" "$GBRUN" run --resume two.gbr -q
equals "with the same cases" "4" "$(rows two.gbr | wc -l)"

# ---- how long it will take ----
equals "a dry run says what is measured, in order, and why it will take how long" "1,nop_a,few,cpu:0,3,at most: max_time
2,nop_b,few,cpu:0,3,at most: max_time
files: 0" "$("$GBRUN" run m.ini 'nop*' --rounds 3 --dry-run -o new.gbr -f csv 2>summary | tail -n +2 | cut -d, -f 1-5,7
    echo "files: $(find . -name 'new.gbr*' | wc -l)")"
equals "and what it is together" "nothing is measured: 2 cases, 6 visits: in this order once, then again for each further round; at most 90.0 s by max_time, which limits sampling only" \
    "$(cat summary)"
"$GBRUN" run m.ini copy --dry-run --estimate two.gbr -f csv 2>/dev/null | cut -d, -f 2,7 >plan
equals "what the file has, and the mean of what it has of the plugin" \
    "copy bytes=1000,as in two.gbr;copy bytes=4000,mean of copy in two.gbr" "$(grep -E '=[14]000' plan | paste -sd ';')"
equals "list cases opens no device for it" "auto,as in two.gbr" \
    "$("$GBRUN" list cases m.ini --where 'bytes = 2000' --estimate two.gbr -f csv 2>/dev/null | tail -n 1 | cut -d, -f 4,7)"
equals "what took longer than it may now takes that" "max_time, below that of two.gbr" \
    "$("$GBRUN" run m.ini copy --where 'bytes = 2000' --max-time 1us --dry-run --estimate two.gbr -f md 2>/dev/null |
        tail -n 1 | cut -d '|' -f 8 | xargs)"
equals "a file that is not there" "gbrun: error: none.gbr: there is no such results file" \
    "$("$GBRUN" run m.ini --dry-run --estimate none.gbr 2>&1)"
equals "what cannot be run is skipped" "skipped: device cpu:77" \
    "$("$GBRUN" run m.ini nop_a --device cpu:77 --dry-run -f csv 2>/dev/null | grep -o 'skipped: device cpu:77')"

try_each "$GBRUN" run --resume two.gbr <<'TABLE'
not with --where|2|~continues with the cases and settings of the run|--where 1
not with --max-time|2|~continues with the cases and settings of the run|--max-time 1s
not with a name|2|~continues with the cases and settings of the run|nop_a
not with a configuration|2|~continues with the cases and settings of the run|m.ini
TABLE
# ---- cases of a results file ----
"$GBRUN" -q -c m.ini >table.txt 2>text.txt
for format in csv jsonl md t4; do
    "$GBRUN" export --format "$format" --where "bytes = 1" >out.txt 2>err.txt
    equals "an export of nothing says so: $format" "gbrun: no case matches --where bytes = 1" "$(cat err.txt)"
done
"$GBRUN" export --where "bytes = 1000" >out.txt 2>err.txt
equals "and one of something does not" "2 0" "$(grep -c . out.txt) $(grep -c . err.txt)"
finish
