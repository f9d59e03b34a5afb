"""Hostile notes in the description of a saved model."""

import json
import tempfile
from pathlib import Path

import pulasso
from support.fuzz.files import stored_models
from support.fuzz.odd import pick
from support.saved import damaged, put


def notes(rng):
    """Write notes of any kind and depth into a model's description; loading ends well, and what is read is plain."""

    def call():
        description, arrays = pick(rng, stored_models())
        text, mark = json.dumps(json.loads(description) | {"notes": "<here>"}), json.dumps("<here>")
        hostile = text.replace(mark, _odd_json(rng, int(rng.integers(0, 5))))
        if rng.random() < 0.1:
            hostile = damaged(rng, hostile.encode()).decode("utf-8", "surrogateescape")
        with tempfile.TemporaryDirectory() as folder:
            put(Path(folder), json.loads(description), arrays)
            (Path(folder) / "model.json").write_bytes(hostile.encode("utf-8", "surrogateescape"))
            found = pulasso.load_notes(folder)
            pulasso.load(folder)
            again = Path(folder) / "again"
            pulasso.load(folder).save(again, notes=found)
            assert pulasso.load_notes(again) == found and repr(found), "other notes than were written"

    return call


def _odd_json(rng, depth):
    """Return JSON, or almost: huge and odd numbers, half characters, deep nesting, names twice."""
    deep = int(rng.integers(1, 5000))
    leaves = [
        *(
            "null",
            "true",
            "0",
            "-0.0",
            "1e400",
            "-1e400",
            "NaN",
            "Infinity",
            "1" * 400,
            "1" * 5000,
            "0." + "1" * 999,
        ),
        *(
            '""',
            '"\\ud800"',
            '"\\u0000"',
            '"\u202e"',
            '"' + "a" * 70_000 + '"',
            "[]",
            "{}",
            "",
            "01",
            "'a'",
            "1e",
        ),
        "[" * deep + "]" * deep,
        '{"a":' * deep + "1" + "}" * deep,
        '{"a": 1, "a": {"b": 2}}',
        "{" + ",".join(f'"{i}": {i}' for i in range(2000)) + "}",
        '{"__proto__": 1, "array": "array_0", "object": ["Blocks", {}]}',
    ]
    if depth == 0:
        return pick(rng, leaves)
    inner = [_odd_json(rng, depth - 1) for _ in range(int(rng.integers(0, 3)))]
    if rng.random() < 0.6 or depth > 3:
        return "{" + ",".join(f'"{i}": {each}' for i, each in enumerate(inner)) + "}"
    return "[" + ",".join(inner) + "]"
