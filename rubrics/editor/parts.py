"""The parts of a document that have a form each: what stands in them, and if a form can show it.

A part is named by a text, as in the address of its page:

    about, checks, quality, quality.checks, quality.rules, quality.examples

`checks` alone are those of the whole response, `quality` is the code of a dimension.
"""

import json
from dataclasses import replace
from hashlib import sha256

from ..documents.draft_parts import DraftDimension, plain_values
from ..documents.yaml_lines import DocumentError, in_yaml, refuse_beyond
from ..judging.plain import Entries, Plain
from .checks import check_rows
from .edit import Edit
from .examples import example_rows
from .facts import facts_to_choose
from .fields import AboutFields, CheckRows, ExampleRows, PartFields, RuleRows, ScaleFields
from .more import more_text
from .rules import rule_rows
from .scale import scale_fields

MOST_CHOICES = 15_000  # facts to choose from in the rows of a part: 2 s to draw


def empty_fields(part: str) -> PartFields:
    """Return the fields of the form of a part, without what stands in them."""
    match part.split("."):
        case ["about"]:
            return AboutFields()
        case ["checks"] | [_, "checks"]:
            return CheckRows()
        case [_, "rules"]:
            return RuleRows()
        case [_, "examples"]:
            return ExampleRows()
    return ScaleFields()


def form_fields(edit: Edit, part: str) -> PartFields:
    """Return the fields of the form of a part, with what stands in them."""
    match part.split("."):
        case ["about"]:
            return _about_fields(edit)
        case ["checks"]:
            return CheckRows(check_rows(edit, edit.content.checks))
        case [_, "checks"]:
            return CheckRows(check_rows(edit, edit.dimension(part).checks))
        case [_, "rules"]:
            return RuleRows(rule_rows(edit, edit.dimension(part).rules))
        case [_, "examples"]:
            return ExampleRows(example_rows(edit, edit.dimension(part)))
    return scale_fields(edit, edit.dimension(part))


def _about_fields(edit: Edit) -> AboutFields:
    content = edit.content
    more, slips = edit.more_or_slip(content, more_text(content))
    return AboutFields(
        title=content.title,
        summary=content.summary,
        language=content.language,
        slug=content.slug,
        more=more,
        slips=slips,
    )


def fits_form(edit: Edit, part: str) -> bool:
    """Return whether a form can have a part: a page draws it in time, and each score stands once.

    The forms of levels and of examples know a level by its score: of two they would lose one.
    """
    try:
        refuse_beyond(edit.document)
    except DocumentError:
        return False
    if part in ("about", "checks"):
        return True
    dimension = edit.dimension(part)
    section = part.partition(".")[2]
    if section in ("", "examples") and _repeats_score(dimension):
        return False
    if not section:
        return True
    rows = len(getattr(dimension, section))
    lists = 3 if section == "rules" else 1  # its condition, what it needs, what it excludes
    return rows * lists * len(facts_to_choose(edit, dimension)) <= MOST_CHOICES


def _repeats_score(dimension: DraftDimension) -> bool:
    scores = [str(level.score) for level in dimension.levels]
    return len({*scores}) < len(scores)


def digest(edit: Edit, part: str) -> str:
    """Return a name for what a part says. Raises LookupError if there is no such part."""
    text = json.dumps(part_content(edit, part), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def text_of_part(edit: Edit, part: str) -> str:
    """Return a part as YAML, with entries in the database's order: short names first."""
    text = json.dumps(part_content(edit, part))
    return in_yaml(json.loads(text, object_pairs_hook=_in_stored_order))


def _in_stored_order(name_value_pairs: list[tuple[str, Plain]]) -> Entries:
    return dict(sorted(name_value_pairs, key=lambda entry: (len(entry[0]), entry[0])))


def part_content(edit: Edit, part: str) -> Plain:
    """Return what the document says in a part. Raises LookupError if there is no such part."""
    match part.split("."):
        case ["about"]:
            return _entries_without(plain_values(edit.content), "slug", "dimensions", "checks")
        case ["checks"]:
            return [plain_values(check) for check in edit.content.checks]
        case [_, ("checks" | "rules" | "examples") as section]:
            rows = getattr(edit.dimension(part), section)
            return [plain_values(row) for row in rows]
        case [_] | [_, ""]:
            dimension = edit.dimension(part)
            levels = [replace(level, examples=[]) for level in dimension.levels]
            scale = plain_values(replace(dimension, levels=levels))
            return _entries_without(scale, "checks", "rules")
    raise LookupError(part)


def _entries_without(entries: Entries, *names: str) -> Entries:
    return {name: value for name, value in entries.items() if name not in names}
