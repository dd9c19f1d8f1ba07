"""The JSON Schema of a rubric's document, made of the class of a rubric and its parts.

`DJANGO_SETTINGS_MODULE=tests.settings python -m tests.documents.rubric_schema` writes it anew.
A test holds the file to what is made.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from rubrics.documents.nodes import LARGEST, LONGEST, SLUG
from rubrics.judging.schema import Rubric

FILE = Path(__file__).resolve().parents[2] / "docs" / "rubric-schema.json"


def parts(kind: type = Rubric) -> dict[str, type]:
    """Every class of a document by its name, from the whole to its parts."""
    found = {kind.__name__: kind}
    for hint in get_type_hints(kind).values():
        inner = next((each for each in (hint, *get_args(hint)) if is_dataclass(each)), None)
        if inner:
            assert isinstance(inner, type)
            found = parts(inner) | found | {inner.__name__: inner}
    return found


def required(kind: Any) -> list[str]:
    return [
        spec.name
        for spec in fields(kind)
        if spec.init and spec.default is MISSING and spec.default_factory is MISSING
    ]


def of_type(hint: Any) -> dict[str, Any]:
    """The schema of an entry, by the type of its field."""
    if hasattr(hint, "__metadata__"):
        (kind,) = hint.__metadata__
        blank = {} if kind in ("note", "verbatim") else {"minLength": 1}
        longest = {"maxLength": LONGEST[kind]} if kind in LONGEST else {}
        pattern = {"pattern": f"^{SLUG.pattern}$"} if kind == "code" else {}
        return {"type": "string", **blank, **longest, **pattern}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": of_type(get_args(hint)[0])}
    if get_args(hint):
        return of_type(get_args(hint)[0])
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if issubclass(hint, StrEnum):
        return {"enum": [str(each) for each in hint]}
    plain: dict[type, dict[str, Any]] = {
        bool: {"type": "boolean"},
        int: {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
        str: {"type": "string", "minLength": 1},
    }
    return plain[hint]


def of_part(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {
        "type": "object",
        "description": (kind.__doc__ or "").splitlines()[0],
        "properties": {spec.name: of_type(hints[spec.name]) for spec in fields(kind) if spec.init},
        "required": required(kind),
        "additionalProperties": False,
    }


def schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rubric of Evenhand",
        "$ref": "#/$defs/Rubric",
        "$defs": {name: of_part(kind) for name, kind in sorted(parts().items())},
    }


def written() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
