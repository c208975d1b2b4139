/* help_texts.c - words that are no options of a table: keys, values, marks, verdicts, statuses. */
#include "core/cli/help.h"

#include "core/store/record.h"
#include "core/verify/verify.h"

#include <gbrun/policy.h>

static const struct help_entry sections[] = {
    {"[gbrun]", NULL,
     "The run as a whole: results file, order, seed, devices. `gbrun help gbrun` lists its keys"},
    {"[defaults]", NULL,
     "Keys for every benchmark that does not set them itself: `device`, `policy`, `check.METRIC`, "
     "`env.NAME` and those of `gbrun help bench`"},
    {"[policy NAME]", NULL,
     "A stopping policy: `plugin` names its plugin, the other keys are that plugin's options. "
     "Without `plugin` the section's name is the plugin's id. A policy whose options all have "
     "defaults needs no section: `policy = fixed`"},
    {"[device NAME]", NULL, "A device: `plugin` and that plugin's options, as of [policy NAME]"},
    {"[search NAME]", NULL,
     "A search: `plugin`, that plugin's options and `goal`, `where`, `tolerance`, `confidence`, "
     "`budget`, `cases`, `patience`. It decides which cases of the benchmarks that name it are "
     "measured, and what may be claimed of the best"},
    {"[bench NAME]", NULL,
     "A benchmark and its sweep; at least one is needed. NAME appears in tables and in labels of "
     "cases, without an @ and what follows it"},
    {"[ab NAME]", NULL,
     "Two sides for `gbrun ab NAME`: what each changes, margin, limits. `gbrun help sides` lists "
     "its keys; other verbs only check them"},
};

static const struct help_entry keys[] = {
    {"plugin", NULL,
     "The id of a plugin; the section's name if not given. A path with a slash is that file, from "
     "the folder of the configuration; `PATH:ID` names one of several plugins in it"},
    {"like", NULL,
     "`like = NAME` starts from all keys of [bench NAME]; this section's own keys replace those "
     "about the same option"},
    {"device", NULL,
     "A [device NAME] section or the id of a device plugin, and which of its devices: `NAME` is "
     "the first, `NAME:1` the second, `NAME:UUID` the one with that UUID, of which four characters "
     "or more after the dash are enough if no other begins so, `NAME:all` all of them. `auto`, the "
     "default, is the first that the benchmark runs on, of `devices` in [gbrun] or else of all "
     "there are, the CPU last"},
    {"search", NULL,
     "A [search NAME] section or the id of a search plugin: which cases are measured, and when "
     "that ends; all benchmarks that name the same are one space. Without it all cases are "
     "measured; an empty one takes back that of [defaults]"},
    {"policy", NULL,
     "A [policy NAME] section or the id of a policy plugin: when to stop sampling; `steady` if not "
     "given"},
    {"OPTION", NULL, "An option of the benchmark's plugin: see `gbrun help ID`"},
    {"OPTION.KEY", NULL,
     "One entry of an option that is a set of keys, such as `arg.NAME` of `call`"},
    {"sweep.KEY", NULL,
     "An axis of the sweep: `sweep.streams = 1:16` measures a case for each value of the list. KEY "
     "is any option, `check.METRIC`, `env.NAME`, or any key but plugin, like, only and exclude; a "
     "name that is none of these makes a variable for expressions. Axes multiply in the order of "
     "the file; the last one moves fastest"},
    {"zip.WORD", NULL,
     "An axis along which several options move together: `zip.shape = m, n: 960, 2304 | 4096, "
     "4096`; WORD is free"},
    {"let.NAME", NULL,
     "An option or a variable computed from others by an SQL expression: `let.grid = (m + 15) / "
     "16`"},
    {"only", NULL,
     "Keeps the cases for which the SQL expression is true: `only = streams <= problems`"},
    {"exclude", NULL, "Leaves out the cases for which the SQL expression is true"},
    {"env.NAME", NULL,
     "A variable in the environment of the worker process; cases that differ in it get different "
     "processes"},
    {"paper.COLUMN", NULL,
     "A published figure for a numeric column of the results or for metric.NAME: `paper.median_ns "
     "= 5 us`, in a zip with the option that it belongs to, or computed by `let.paper.COLUMN`; "
     "`none` where there is none. Tables and bars show it with the ratio of the measured value to "
     "it, the column ratio.COLUMN. It is not part of the case's identity"},
    {"check.METRIC", NULL,
     "Tolerance of the comparison with the reference: METRIC is abs, rel, ulp, rms, bound ..., "
     "see `gbrun help checks`; all that are given must hold"},
};

static const struct help_entry checks[] = {
#define CHECK_ABS "Largest absolute difference"
#define CHECK_REL "Largest difference relative to the reference, where that is not 0"
#define CHECK_REL_FLOOR "The same where the reference is above `check.floor`"
#define CHECK_ULP "Largest difference in units in the last place (ULP) of the output's format"
#define CHECK_RMS "Root mean square of the differences over the largest magnitude"
#define CHECK_BOUND                                                                                \
    "Largest error as a share of what rounding alone can explain, for benchmarks that give the "   \
    "magnitudes of their sums. `check.safety` multiplies the tolerance that it implies; "          \
    "`check.bound_kind` decides whether rounding errors are the worst there can be "               \
    "(deterministic) or random (probabilistic, for products of both signs whose sums are rounded " \
    "to nearest only); auto: probabilistic where that holds, otherwise deterministic"
#define CHECK_NOISE                                                                                \
    "Root mean square of the errors over the standard deviation that rounding explains, for "      \
    "benchmarks that give the squares of their partial sums: about 0.6 for correct results; "      \
    "judged in addition to the benchmark's own metric where no tolerance is set"
#define CHECK_ALLCLOSE                                                                             \
    "Largest difference over `check.atol` + `check.rtol` times the reference; 1 as the tolerance"
#define CHECK_NORM "Euclidean norm of the differences over that of the references"
#define CHECK_MEAN_ABS "Mean absolute difference"
#define CHECK_MEAN_REL "Mean difference relative to the reference, where that is not 0"
#define CHECK_BEYOND_1ULP "Share of the values that are off by more than 1 unit in the last place"
#define CHECK_BEYOND_2ULP "The same for 2 units"
#define CHECK_BEYOND_4ULP "The same for 4 units"
#define CHECK_ENTRY(name, word, unit, help) {"check." word, NULL, CHECK_##name},
    VERIFY_METRIC_MAP(CHECK_ENTRY)
#undef CHECK_ENTRY
};

static const struct help_entry paces[] = {
    {"free", NULL,
     "Nothing is done: samples follow each other, and are affected by power and heat"},
    {"burst", NULL,
     "The device idles after each sample, for the shortest of 2, 4, 8, 16 and 32 lengths of a "
     "sample with which it is not throttled and has its highest clock; `gap_ns` is how long"},
    {"sustained", NULL,
     "The device is loaded until clock, power and times have settled, then the first sample is "
     "taken; `load_ns` is how long that took"},
};

static const struct help_entry values[] = {
    {"integer", NULL,
     "`32`, `2^20`, `1e6`, `64Ki`. The suffixes k M G are powers of 1000, Ki Mi Gi powers of 1024"},
    {"number", NULL, "As an integer, or `0.5`, `1e-3`, `5%` (0.05), `inf`"},
    {"size", NULL,
     "Bytes: `4096`, `64 KiB`, `1.5 GB`. Units are B kB MB GB TB KiB MiB GiB TiB and the suffixes "
     "of integers"},
    {"duration", NULL, "A number with one of the units ns us ms s min h; 0 and `inf` need none"},
    {"boolean", NULL, "yes or no, true or false, on or off, 1 or 0"},
    {"choice", NULL, "One of the words that the option takes"},
    {"string", NULL,
     "The text as it stands, or in double quotes, within which \\\" is a quote and \\\\ a "
     "backslash"},
    {"list", NULL,
     "Values separated by commas. Items that contain commas or begin or end with blanks need "
     "double quotes"},
    {"a:b", NULL,
     "In a list, a range of integers, numbers or sizes, both ends included, in steps of 1. A range "
     "that does not meet b exactly ends before it"},
    {"a:b:s", NULL, "A range in steps of s, which is negative if b is below a; for durations, too"},
    {"a:b:xf", NULL,
     "A geometric range: each value is f times the one before. Integers and sizes are rounded, "
     "each value appears once"},
};

static const struct help_entry marks[] = {
    {"*", NULL, "After a time: the distribution has several modes, which the notes list"},
    {"?", NULL,
     "After a time: a limit came before the policy could certify it (verdict unconverged); the "
     "notes say why"},
    {"~", NULL, "After a time: the precision is limited by the timer resolution"},
    {"!", NULL, "After a time: the policy gave up, as it cannot interpret the samples"},
    {"-", NULL, "No finite number is available"},
    {"none", NULL, "As an interval: the policy claims none"},
};

static const struct help_entry verdicts[] = {
#define VERDICT_NONE "The policy makes no claim, like `fixed` and `budget`"
#define VERDICT_CERTIFIED                                                                          \
    "The confidence interval over eight visits or more, a second apart and in three processes or " \
    "more, is as narrow as requested, and so is the expected difference of the next visit"
#define VERDICT_CERTIFIED_IN_VISIT                                                                 \
    "The confidence interval is as narrow as requested in the visit that was measured, or in "     \
    "several within a second or in one process, which says nothing about others; the notes count " \
    "these"
#define VERDICT_MULTIMODAL                                                                         \
    "The distribution has several modes, each known as precisely as requested; mark `*`"
#define VERDICT_RESOLUTION_LIMITED                                                                 \
    "The timer resolution is too coarse for the requested precision; mark `~`"
#define VERDICT_UNCONVERGED "Samples or time ran out before the precision was reached; mark `?`"
#define VERDICT_GAVE_UP "The policy cannot interpret the samples, such as negative times; mark `!`"
#define VERDICT_EXACT "All instruction counts agree to the last digit"
#define VERDICT_ENTRY(name, value, words) {words, NULL, VERDICT_##name},
    GB_VERDICT_MAP(VERDICT_ENTRY)
#undef VERDICT_ENTRY
};

static const struct help_entry statuses[] = {
#define STATUS_OK "The case was measured, and its result is right or unchecked"
#define STATUS_SKIPPED "The benchmark cannot measure this case, for the reason given"
#define STATUS_FAILED "The benchmark, its policy or its device reported a failure"
#define STATUS_WRONG_RESULT "The output differs from its reference by more than the tolerance"
#define STATUS_CONTRADICTED                                                                        \
    "Calls on renewed inputs take several times as long as the samples say; the time shown is "    \
    "theirs"
#define STATUS_CRASHED "The worker process died, with the signal or exit code"
#define STATUS_TIMED_OUT "The case took longer than `time_limit` and was killed"
#define STATUS_DEVICE_ERROR                                                                        \
    "The device failed, for example by an illegal address; the case's process is replaced"
#define STATUS_CANCELLED "The run was stopped; `gbrun run --resume FILE` measures the case"
#define STATUS_RUNNING "The run was killed while the case was measured; --resume measures it again"
#define STATUS_ENTRY(name, word, done, bad) {word, NULL, STATUS_##name},
    CASE_STATUS_MAP(STATUS_ENTRY)
#undef STATUS_ENTRY
};

static const struct help_entry exit_codes[] = {
    {"0", NULL, "Success"},
    {"1", NULL,
     "A case failed (crashed, timed out, wrong result, contradicted, device error, failed), or the "
     "run was stopped; a policy failed in a replay"},
    {"2", NULL,
     "The command line or the configuration is wrong. All errors are reported at once with file, "
     "line and column; nothing is run"},
    {"3", NULL,
     "gbrun compare or gbrun ab found a case that is slower, broken or missing, or a node that "
     "differs from the others; with --strict gbrun run and show have cases that were skipped or "
     "are not certified; gbrun doctor found something noisy, with --format json or --strict; gbrun "
     "merge --keep-going left files out, or --plan has shards that are missing or have not ended"},
    {"4", NULL, "gbrun itself could not continue; the message says why"},
};

static const struct help_entry environment[] = {
    {"CLICOLOR", NULL,
     "0: no colours, unless --color or CLICOLOR_FORCE ask for them. Otherwise what goes to a "
     "terminal has them, unless TERM is dumb"},
    {"CLICOLOR_FORCE", NULL,
     "If it is neither empty nor 0, there are colours also where the output is not a terminal"},
    {"COLUMNS", NULL,
     "The width of tables and help, also where the output is not a terminal. If it is not set that "
     "is the terminal's width, or 120 for tables and 100 for help. Columns for which there is no "
     "room are left out and named below the table"},
    {"GBRUN_IGNORE_LOAD", NULL,
     "If it is set, a run says neither at its start that the machine is busy, nor of cases that "
     "they were disturbed; what other processes did is stored nevertheless"},
    {"GBRUN_LOCK_FOLDER", NULL,
     "The folder of the lock files that keep gbrun processes of a machine from measuring at the "
     "same time; /dev/shm if it is not set. Containers that share a device need one in common"},
    {"GBRUN_PLUGIN_PATH", NULL,
     "Folders that are searched for plugins, separated by colons. The order of search is: folders "
     "of `--plugin-path`, `plugin_path` in [gbrun], this variable, the build tree if the program "
     "is run from it, the folder lib/gbrun beside the folder of the program, the folder that "
     "plugins are installed to"},
    {"GBRUN_RUN", NULL,
     "Set for a program that the benchmark command runs, and for its prepare and conclude: the "
     "number of the run in the case, from 1, a warm-up among them"},
    {"NO_COLOR", NULL, "If it is not empty, there are no colours unless --color asks for them"},
    {"XDG_DATA_HOME", NULL,
     "gbrun/roofs.gbr in this folder (~/.local/share if it is not set) holds the user's roofs"},
};

static const struct help_entry json_members[] = {
    {"parameters", "", "The value of each option of the case"},
    {"axes", "", "Names of the parameters that are swept"},
    {"metrics", "", "What plugins reported: name, value, unit"},
    {"series", "",
     "Samples that the benchmark reports itself, of a single round: name, unit, n, n_refused, min, "
     "max, mean, stdev, error_ratio of the percentiles, and p50, p90, p99, p999, each value, low, "
     "high"},
    {"checks", "",
     "Comparisons with references by each metric: name of the output, metric, value, tolerance, "
     "passed, index, reference and output there, text"},
    {"comparisons", "",
     "Counts of values of each compared output, and the histogram of relative differences"},
    {"worst", "",
     "Elements with the largest errors, as many as check.worst asks for: name of the output, "
     "index, "
     "reference, output, ulps"},
    {"modes", "", "Modes of the distribution of the times: median_ns, low_ns, high_ns, weight"},
    {"messages", "",
     "Messages of plugins and of gbrun: severity (0: debug ... 5: gbrun bug), text"},
    {"phases", "", "How long the case opened, prepared, warmed up, measured, counted and verified"},
    {"telemetry", "",
     "What the device reported of itself before the case (before), before the first sample (begin) "
     "and after the last (end)"},
    {"sentinel", "",
     "Time of the device's reference work before the first sample and after the last: begin, end, "
     "each at, version and time_ns"},
    {"samples", "", "With --rows sample: an array for each column of samples"},
};

#define TOPIC(name, title, words, entries)                                                         \
    {                                                                                              \
        name, title, words, entries, sizeof entries / sizeof *entries, NULL, {NULL, 0}, NULL       \
    }
const struct help_topic help_texts[] = {
    TOPIC("sections", "sections of a configuration", "", sections),
    TOPIC("keys", "keys of [bench NAME]",
          "Beside these a benchmark has the options of its plugin and the keys of `gbrun help "
          "bench`.",
          keys),
    TOPIC("values", "values in a configuration", "Numbers are read the same whatever the locale.",
          values),
    TOPIC(
        "pace", "power and heat: pace = WORD",
        "A device under lasting load is slower than one that runs short bursts. `pace_limit` ends "
        "the search for a gap and the load; a case whose pace was not reached is measured all the "
        "same, with a note and `pace_missed`. `cool_below` and `clock_at_least` wait before a "
        "case.",
        paces),
    TOPIC("checks", "comparisons of outputs: check.METRIC = TOLERANCE",
          "Without any, the comparison is the one that the benchmark has chosen; all that are "
          "given must hold. Whatever the tolerances, a NaN that the reference does not have fails, "
          "and so does a comparison in which more than 1 % of the values overflowed, or should be "
          "NaN, unless "
          "`check.allow_overflow` is yes.",
          checks),
    TOPIC("marks", "marks in tables", "", marks),
    TOPIC("verdicts", "verdicts of policies", "What a policy guarantees when it stops.", verdicts),
    TOPIC("statuses", "statuses of cases", "", statuses),
    TOPIC("exit-codes", "exit codes of gbrun", "", exit_codes),
    TOPIC("environment", "environment variables", "", environment),
    TOPIC(
        "columns", "further members of cases in JSON",
        "Beside the columns of cases; the whole is an object with format, runs, devices and cases.",
        json_members),
};
const size_t n_help_texts = sizeof help_texts / sizeof *help_texts;
