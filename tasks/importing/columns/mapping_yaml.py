"""A mapping of columns, read from YAML. No Django but its translations."""

from typing import Any

from django.utils.translation import gettext as _

from rubrics.yaml_lines import DocumentError, values

from ..files.rows import FileRefused, filled
from .layouts import BY_HAND, LAYOUTS
from .mapping import Mapping
from .scoring import KINDS, Said, Scoring
from .uses import Use

MOST_BYTES = 2_000_000  # of a mapping: a thousand columns of long names
SAID = ("rater", "dimension", "check", "response")
SCORING = (
    *("no_answer: [NA]", "scales: {quality: [1, 5]}", "words: {quality: [bad, good]}"),
    *("dimensions: {Q: quality}", "doubled: true", "first: 0", "rater: Anna"),
    "merged: {anna: Anna}",
)
RETIRED = (
    "arena",
    "chat",
    "pairs",
    "per-model",
    "plain",
    "preference",
    "response-list",
    "sharegpt",
)
KEYS = ["use", "model", *SAID]


class MappingRefused(FileRefused):
    """A mapping cannot be read, or does not fit its file. The message is whole sentences."""


def read_mapping(text: str) -> Mapping:
    """Parse a mapping from YAML. Raises MappingRefused."""
    try:
        content = values(text, MOST_BYTES)
    except DocumentError as error:
        raise MappingRefused(
            _("The mapping is %(fault)s."), fault=f"not readable as YAML: {error}"
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("columns"), dict):
        raise MappingRefused(_('The mapping has no "columns"; write what each column is below it.'))
    entries = {
        str(path): said if isinstance(said, dict) else {"use": said}
        for path, said in content["columns"].items()
    }
    # Mappings that are stored name shapes that are columns of any kind now.
    if content.get("shape") in RETIRED:
        content["shape"] = BY_HAND
    head = {"shape": "columns", "root": "", "json": [], "ratings": {}} | content
    kinds = {"shape": str, "root": str, "json": list, "ratings": dict}
    unknown = [
        *(
            (_("a key"), key, [*kinds, "columns"])
            for key in content
            if key not in (*kinds, "columns")
        ),
        *(
            (_("a value"), key, [kind.__name__])
            for key, kind in kinds.items()
            if not isinstance(head[key], kind)
        ),
        *((_("a shape"), name, LAYOUTS) for name in [head["shape"]] if name not in [*LAYOUTS]),
        *(
            (_("a use of %(column)s") % {"column": path}, said.get("use"), [*Use])
            for path, said in entries.items()
            if said.get("use") not in [*Use]
        ),
        *((_("a key"), key, KEYS) for said in entries.values() for key in said if key not in KEYS),
    ]
    scoring = Scoring()
    try:
        given: dict[str, Any] = head["ratings"]  # type: ignore[assignment]
        scoring = Scoring(**{key: KINDS[key](said) for key, said in given.items()})
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        unknown.append((_("a part of ratings that can be read"), error, SCORING))
    if unknown:
        raise MappingRefused(
            " ".join(
                filled(
                    _("“%(given)s” is not %(what)s in a mapping; there are %(allowed)s."),
                    given=given,
                    what=what,
                    allowed=", ".join(allowed),
                )
                for what, given, allowed in unknown
            ).replace("%", "%%")
        )
    return Mapping(
        str(head["shape"]),
        {path: Use(said["use"]) for path, said in entries.items()},
        {path: str(said["model"]) for path, said in entries.items() if "model" in said},
        str(head["root"]),
        frozenset(map(str, head["json"])),
        said={
            path: Said(*(str(said.get(key, "")) for key in SAID))
            for path, said in entries.items()
            if any(key in said for key in SAID)
        },
        scoring=scoring,
    )
