#!/usr/bin/env bash
# gbrun judge: what is refused; verdicts, exit codes and JSON, of a configuration and of requests; task.yml is found.
. "$top_srcdir/tests/tap.sh"
with_modules

submissions=$top_srcdir/tests/judge/submissions.c
$CC -std=gnu17 -O1 -fPIC -shared -pthread -o submissions.so "$submissions" -lm
$CC -std=gnu17 -O1 -fPIC -shared -pthread -DREFERENCE_ONLY -o reference.so "$submissions" -lm
few_samples 2 'device = cpu' 'max_time = 1 h' 'time_limit = 24 h' 'iterations = 16' >common.ini
cat >>common.ini <<'EOF'
[bench task]
plugin = call
library = ./submissions.so
reference_library = ./reference.so
signature = void(pointer, pointer, pointer, int)
arg.1 = buffer(float[512], out)
arg.2 = buffer(float[512], uniform=-1:1)
arg.3 = buffer(float[512], fill=0.5)
arg.4 = 512
reference = reference
EOF

# judged FUNCTION... [-- OPTION...]: as ran. Times are real: how fast it is is not looked at.
judged()
{
    { cat common.ini; echo "sweep.function = $1"; } >bench.ini
    ran "$GBRUN" judge -q -c bench.ini --max-rounds 4 --visit 1ms -o judged.gbr "${@:2}"
}

# heads FILE: of each object in it, but the word about times: right or not, and the code of the reason.
heads()
{
    sed 's/.*"verdict":"\([a-z]*\)","right":\([a-z]*\),"reason":\({"code":"\([a-z_]*\)"\|null\).*/\1 \2 \4/
        s/^\(faster\|same\|slower\|unclear\) //' "$1" | sed 's/ $//'
}

judged plain --format json
equals "what is right" "0 true" "$code $(sed 's/,"cases".*//' out.txt | heads -)"
has "JSON has each shape" out.txt '"cases":[{"case":"task function=plain","shape":{"function":"plain"},' '"base":{"ns":' \
    '"rounds":' '"speedup":{"value":' '"outputs_compared":' '"limits":["own process"' '"seconds":'
judged nothing --format json
equals "what is wrong" '3 wrong false wrong_result' "$code $(sed 's/,"cases".*//' out.txt | heads -)"
judged exits --format json
equals "what does not run" '1 failed false failed' "$code $(sed 's/,"cases".*//' out.txt | heads -)"
has "with the reason" out.txt 'the judged process ended with exit code'
judged 'plain, nothing'
equals "of several the worst counts" 3 "$code"
has "a table has what is wrong, what was tried, and the verdict" out.txt 'wrong: task function=nothing: judged: arg.1: ' \
    'limits: own process' 'verdict: wrong'
judged nothing --format csv
has "other formats are those of compare" out.txt 'side,case,bench,uid,base,new,unit,ratio'
judged plain --against native
equals "another kind of reference" 2 "$code"
has "what there is, is said" err.txt '--against native: expected reference or compiled'
judged plain --format xml
equals "an unknown format" 2 "$code"

# What is made of a submission.
echo 'def fast(m): return lambda: None' >sub.py
cp sub.py ref.py
try_each "$GBRUN" judge <<'EOF'
without anything|2|~no configuration|
without a reference|2|~expected --reference|sub.py
a library|2|~gbrun judge -c FILE.ini|sub.so --reference ref.py
two of them|2|~expected one SUBMISSION.py|sub.py ref.py --reference ref.py
both kinds|2|~either it, or a submission|sub.py --reference ref.py -c bench.ini
a reference alone|2|~--reference: expected a SUBMISSION.py|--reference ref.py -c bench.ini
a server with a submission|2|~requests name the submissions|--serve sub.py
a file of sizes that is not there|2|~none cannot be read|sub.py --reference ref.py --sizes none
EOF
printf 'benchmarks:\n  - {"m": }\n' >task.yml
exits "task.yml beside the reference is read" 2 "$GBRUN" judge sub.py --reference ref.py
has "its mistakes have a place" err.txt "task.yml:2: 'm' has no value"
rm task.yml

# Requests: each has an answer, whatever it is.
cat >requests <<'EOF'

{"submission": "sub.py", "reference": "ref.py", "sizes": "none", "id": [1, "a"]}
nonsense
{"id": "x", "other": 1}
{"submission": "sub.py", "id": null}
{"submission": "missing.py", "reference": "ref.py", "sizes": [{"m": 1}, {"m": [2, 3]}], "id": 5}
{"submission": "sub.so", "reference": "ref.py", "sizes": {"m": "x"}}
["array"]
EOF
"$GBRUN" judge --serve <requests >answers 2>err.txt
equals "the end of requests ends it, and each line has an answer" "0 7" "$? $(wc -l <answers)"
equals "answers say why" "$(printf 'failed false %s\n' request request request request configuration request request)" \
    "$(heads answers)"
equals "answers have the ids of requests" '[1, "a"] "x" null 5' \
    "$(sed -n 's/^{"id":\(.*\),"verdict".*/\1/p' answers | paste -sd ' ')"
has "with the words of each mistake" answers 'none cannot be read' 'invalid JSON' "unknown member 'other'" \
    'expected a submission in Python and a reference' 'missing.py' 'expected an object'
equals "nothing is left on standard error" "" "$(<err.txt)"

# A submission in Python, with the task beside it: sums in half precision are honest, and leaving some out is not.
. "$top_srcdir/tests/python/python.sh"
find_python numpy
mkdir half
export PYTHONDONTWRITEBYTECODE=1
cat >half/reference.py <<'PY'
import numpy as np


def generate_input(n, seed):
    random = np.random.default_rng(seed)
    return [random.standard_normal(shape).astype("float16") for shape in ((8, n), (n, 8))]


def ref_kernel(data):
    return (data[0].astype("float32") @ data[1].astype("float32")).astype("float16")
PY
cat >half/honest.py <<'PY'
import numpy as np


def custom_kernel(data):
    total = np.zeros((8, 8), "float16")
    for k in range(data[0].shape[1]):
        total += data[0][:, k : k + 1] * data[1][k : k + 1, :]
    return total
PY
sed 's/shape\[1\])/shape[1] - 4)/' half/honest.py >half/lazy.py
printf 'tests:\n  - {"n": 5, "seed": 3}\nbenchmarks:\n  - {"n": 96, "seed": 4}\n' >half/task.yml
if python_has numpy; then
    half=("$GBRUN" judge -d cpu -q --max-rounds 4 --visit 1ms -s "*.python=$python" -s '*.iterations=2' --format json)
    ran "${half[@]}" half/lazy.py --reference half/reference.py
    equals "those that leave some out are wrong" "3 wrong false wrong_result" "$code $(sed 's/,"cases".*//' out.txt | heads -)"
    has "it is said where the tolerance comes from" out.txt 'output (tolerance: 16 roundings of float16): rms '
    printf '{"submission": "half/%s.py", "reference": "half/reference.py", "sizes": %s, "id": "%s"}\n' \
        missing '{"n": 9}' missing honest '"half/task.yml"' honest honest '{"n": "x"}' reference >requests
    "$GBRUN" judge --serve -d cpu --max-rounds 4 --visit 1ms -s "*.python=$python" -s '*.iterations=2' <requests >answers 2>err.txt
    equals "a server answers one after the other" "missing false honest true reference false" \
        "$(sed 's/{"id":"\([a-z]*\)","verdict":"[a-z]*","right":\([a-z]*\),.*/\1 \2/' answers | paste -sd ' ')"
    has "sums in half precision are right, and tests are only to be so" answers '"shape":{"seed":"4","n":"96"}' \
        '"shape":{"seed":"3","n":"5"},"verdict":"right","right":true,"reason":null,"base":{"ns":null'
    has "it says where the reference fails" answers '"reason":{"code":"failed","side":"base","case":"honest n=x"'
else
    skip "a submission in Python" "there is no python3 with a shared library and NumPy"
fi

# SIGTERM ends it while it waits.
mkfifo requests.pipe answers.pipe
"$GBRUN" judge --serve <requests.pipe >answers.pipe 2>err.txt &
server=$!
exec 7>requests.pipe 8<answers.pipe
echo nonsense >&7
read -r line <&8
kill "$server"
wait "$server"
equals "SIGTERM ends it clean, without a further answer" "0 failed false request " \
    "$? $(heads - <<<"$line") $(cat <&8)"
exec 7>&- 8<&-
finish
