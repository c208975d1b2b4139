"""usage: validate.py [--changed] SCHEMA FILE...: are the files what the schema says? --changed: is each change refused?"""
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

arguments = sys.argv[1:]
is_changed = arguments[0] == "--changed"
schema_path, *paths = arguments[is_changed:]
with open(schema_path) as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
for path in paths:
    with open(path) as file:
        lines = [json.loads(line) for line in file] if path.endswith(".jsonl") else [json.load(file)]
    of_lines = {"$ref": "#/definitions/case"} if "case" in schema["definitions"] and path.endswith(".jsonl") else {}
    validator = jsonschema.Draft7Validator({**schema, **of_lines})
    for document in lines if not is_changed else []:
        for error in validator.iter_errors(document):
            sys.exit(f"{path}: {list(error.path)}: {error.message[:500]}")
    for place, members in CHANGES[lines[0]["format"]].items() if is_changed else []:
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
