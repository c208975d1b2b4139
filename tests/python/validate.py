"""usage: validate.py [--changed] SCHEMA FILE: is the file what the schema says? --changed: is each change of it refused?"""
import copy
import json
import sys

import jsonschema


def no(key):
    return lambda found: found.pop(key)


def put(key, value):
    return lambda found: found.__setitem__(key, value)


# Of what is found in the document by its path: the change.
CHANGES = [
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
]

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
    for place, change in CHANGES:
        document = copy.deepcopy(lines[0])
        found = document
        for step in place:
            found = found[step]
        change(found)
        if validator.is_valid(document):
            sys.exit(f"{path}: the schema accepts change {CHANGES.index((place, change))}, in {place}")
else:
    for document in lines:
        for error in validator.iter_errors(document):
            sys.exit(f"{path}: {list(error.path)}: {error.message[:500]}")
