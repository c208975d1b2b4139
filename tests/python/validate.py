"""usage: validate.py [--changed] SCHEMA FILE: is the file what the schema says? --changed: is each change of it refused?"""
import copy
import json
import sys

import jsonschema


GONE = object()

# Of documents by their format: of what is found by its path, changes, each of a member alone.
CHANGES = {
    "gbrun results 1": {
        (): {"cases": GONE, "format": "gbrun results 2", "further": 1},
        ("runs", 0): {"uuid": GONE},
        ("runs", 0, "facts"): {"host": 7},
        ("devices", 0, "clocks", 0): {"tick_ns": "1"},
        ("cases", 0): {"uid": GONE, "status": "fine", "median_ns": "1 ns", "further": {}},
        ("cases", 0, "parameters"): {"bytes": [1]},
        ("cases", 0, "checks", 0): {"passed": 1},
        ("cases", 0, "samples"): {"wall_ns": 1},
    },
    "gbrun check 1": {
        (): {"n_errors": GONE, "format": "gbrun check 2", "further": 1, "n_cases": -1, "benchmarks": [{"name": "copy"}]},
        ("errors", 0): {"hint": GONE, "line": 0, "message": None, "further": 1},
    },
    # A plugin, of which the first entry is an option; then a verb.
    "gbrun help 1": {
        (): {"topics": GONE, "further": 1},
        ("topics", 0): {"entries": GONE, "module": GONE, "kind": "plugin", "further": 1},
        ("topics", 0, "entries", 0): {"default": GONE, "type": "integer", "letter": "f"},
        ("topics", 1): {"summary": GONE, "operands": GONE, "id": "check"},
        ("topics", 1, "entries", 0): {"letter": "--", "unit": None},
    },
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
    for place, members in CHANGES[lines[0]["format"]].items():
        for key, value in members.items():
            document = copy.deepcopy(lines[0])
            found = document
            for step in place:
                found = found[step]
            found[key] = value
            if value is GONE:
                del found[key]
            if validator.is_valid(document):
                sys.exit(f"{path}: the schema accepts another {key} in {place}")
else:
    for document in lines:
        for error in validator.iter_errors(document):
            sys.exit(f"{path}: {list(error.path)}: {error.message[:500]}")
