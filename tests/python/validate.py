"""usage: validate.py [--changed] SCHEMA FILE: is the file what the schema says? --changed: is each change of it refused?"""
import copy
import json
import sys

import jsonschema


def no(key):
    return lambda found: found.pop(key)


def put(key, value):
    return lambda found: found.__setitem__(key, value)


# Of documents by their format: of what is found by its path, the change.
CHANGES = {
    "gbrun results 1": [
        ((), no("cases")),
        ((), put("format", "gbrun results 2")),
        ((), put("further", 1)),
        (("runs", 0), no("uuid")),
        (("runs", 0, "facts"), put("host", 7)),
        (("devices", 0, "clocks", 0), put("tick_ns", "1")),
        (("cases", 0), no("uid")),
        (("cases", 0), put("status", "fine")),
        (("cases", 0), put("median_ns", "1 ns")),
        (("cases", 0), put("further", {})),
        (("cases", 0, "parameters"), put("bytes", [1])),
        (("cases", 0, "checks", 0), put("passed", 1)),
        (("cases", 0, "samples"), put("wall_ns", 1)),
    ],
    "gbrun check 1": [
        ((), no("n_errors")),
        ((), put("format", "gbrun check 2")),
        ((), put("further", 1)),
        ((), put("n_cases", -1)),
        ((), put("benchmarks", [{"name": "copy"}])),
        (("errors", 0), no("hint")),
        (("errors", 0), put("line", 0)),
        (("errors", 0), put("message", None)),
        (("errors", 0), put("further", 1)),
    ],
    # A plugin, of which the first entry is an option; then a verb.
    "gbrun help 1": [
        ((), no("topics")),
        ((), put("further", 1)),
        (("topics", 0), no("entries")),
        (("topics", 0), no("module")),
        (("topics", 0), put("kind", "plugin")),
        (("topics", 0), put("further", 1)),
        (("topics", 0, "entries", 0), no("default")),
        (("topics", 0, "entries", 0), put("type", "integer")),
        (("topics", 0, "entries", 0), put("letter", "f")),
        (("topics", 1), no("summary")),
        (("topics", 1), no("operands")),
        (("topics", 1), put("id", "check")),
        (("topics", 1, "entries", 0), put("letter", "--")),
        (("topics", 1, "entries", 0), put("unit", None)),
    ],
}

*options, schema, path = sys.argv[1:]
with open(schema) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
with open(path) as file:
    lines = [json.loads(line) for line in file] if path.endswith(".jsonl") else [json.load(file)]
if "case" in schema["definitions"] and path.endswith(".jsonl"):
    schema = {**schema, **{"$ref": "#/definitions/case"}}
validator = jsonschema.Draft7Validator(schema)
if options == ["--changed"]:
    changes = CHANGES[lines[0]["format"]]
    for place, change in changes:
        document = copy.deepcopy(lines[0])
        found = document
        for step in place:
            found = found[step]
        change(found)
        if validator.is_valid(document):
            sys.exit(f"{path}: the schema accepts change {changes.index((place, change))}, in {place}")
else:
    for document in lines:
        for error in validator.iter_errors(document):
            sys.exit(f"{path}: {list(error.path)}: {error.message[:500]}")
