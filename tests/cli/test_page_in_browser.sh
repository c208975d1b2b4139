#!/usr/bin/env bash
# test_page_in_browser.sh - a page of a results file that has markup in each column of text, in a browser: none of it is
# an element or runs, the page's own script does, and nothing is wider than the window.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    skip "the page in a browser" "chromium is not installed"
    finish
}
few_samples 6 'device = cpu' '[bench copy]' 'rounds = 2' 'sweep.bytes = 4KiB, 8KiB' 'check.worst = 2' 'env.OMP_NUM_THREADS = 1' >bench.ini
for run in 1 2; do succeeds "run $run" "$GBRUN" -q -c bench.ini -o page.gbr; done
sql() { "$top_builddir/tests/cli/sql" "$@"; }
# What no run of the CPU stores.
sql page.gbr "INSERT INTO message SELECT id, 90, 2, 'x' FROM bench_case;
    INSERT INTO metric SELECT id, 90, 'x', 1, 'x' FROM bench_case;
    UPDATE bench_case SET note = 'x', reading_note = 'x'"

# One column after another, kept if the page is as whole as before: of some, gbrun knows what the words mean.
succeeds "the page without markup" "$GBRUN" report page.gbr -o one.html
parts() { grep -oE '<(h2|canvas|details|figure)' "$1" | sort | uniq -c; }
whole=$(parts one.html)
mark='document.documentElement.setAttribute("data-owned",1)'
markup="x\"''></style></title></svg></script><script>$mark</script><img src=x onerror=$mark><base href=//x><svg onload=$mark><!-- $(printf 'x%.0s' {1..300})"
sql page.gbr "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY 1, 2" >columns.txt
n_marked=0
while IFS='|' read -r table column; do
    cp page.gbr one.gbr
    sql one.gbr "UPDATE OR IGNORE $table SET $column = '$markup' || abs(random())" 2>/dev/null || continue
    if "$GBRUN" report one.gbr -o one.html 2>/dev/null >&2 && [ "$(parts one.html)" = "$whole" ]; then
        mv one.gbr page.gbr
        n_marked=$((n_marked + 1))
    fi
done <columns.txt
succeeds "most columns have markup: $n_marked of $(wc -l <columns.txt)" test $n_marked -gt 45

# The page, and behind it a script that says what came of it, in a frame: windows have a least width. The page's policy
# lets no script run but its own; without the policy none runs either, as there is no other.
succeeds "the page" "$GBRUN" report page.gbr --baseline page.gbr -o page.html
has "it has the markup, as text" page.html '&lt;script&gt;document'
cat >probe.html <<'PROBE'
<script>
addEventListener('load', () => {
    const all = s => [...document.querySelectorAll(s)], root = document.documentElement
    const first = () => all('table.sort tr')[1].firstChild.textContent, column = all('table.sort th')[1]
    const cases = all('details[id]'), input = all('input.filter')[0], before = first()
    column.click(), column.click() // the slowest first
    const sorted = first() != before
    input.value = cases[0].firstChild.textContent.trim().slice(0, 12), input.oninput()
    const filtered = cases.filter(x => !x.hidden).length
    input.value = '', input.oninput()
    all('details').forEach(x => x.open = true)
    const comment = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT).nextNode() ? 1 : 0
    const is_drawn = c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x > 0)
    setTimeout(() => parent.postMessage(`owned=${root.dataset.owned || 0} scripts=${all('script').length}` +
        ` img=${all('img').length} base=${all('base').length} handlers=${all('[onload],[onerror]').length}` +
        ` own=${root.classList.contains('js')} comments=${comment} sorted=${sorted} shown=${filtered > 0}` +
        ` runs=${all('canvas.runs').length} blank=${all('canvas').filter(c => !is_drawn(c)).length} charts=${all('svg.plot').filter(x => x.clientWidth).length}` +
        ` width=${innerWidth} overflow=${Math.max(0, root.scrollWidth - innerWidth)}`, '*'), 500)
})
</script>
PROBE
sed "s/script-src 'sha256-[^']*'/script-src 'unsafe-inline'/" page.html | cat - probe.html >probed.html
echo "<script>$mark</script>" | cat page.html - >policed.html
browse() # PAGE WIDTH: its title or what it posts, in dom.txt
{
    cat >frame.html <<FRAME
<p id="said"></p><iframe src="$1" style="border:0;width:$2px;height:900px"></iframe>
<script>addEventListener('message', e => { document.getElementById('said').textContent = e.data })</script>
FRAME
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TMPDIR/profile" \
        --window-size=1500,1000 --hide-scrollbars --virtual-time-budget=20000 --dump-dom "file://$PWD/${3:-frame.html}" \
        >dom.txt 2>err.txt
}
for width in 360 1400; do
    browse probed.html $width
    equals "at $width px" \
        "owned=0 scripts=2 img=0 base=0 handlers=0 own=true comments=0 sorted=true shown=true runs=2 blank=0 charts=1 width=$width overflow=0" \
        "$(sed -n 's/.*<p id="said">\(.*\)<\/p>.*/\1/p' dom.txt)"
done
browse page.html 1400 policed.html
equals "under the page's policy another script does not run, and its own does" "<html lang=\"en\" class=\"js\">" \
    "$(grep -o '<html [^>]*>' dom.txt)"
finish
