"""The parts of a document: what a form changes in one, and the fields that it shows."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeVar, assert_never

from ..documents.draft_parts import DraftCheck, DraftDimension, DraftRule, plain_values
from ..documents.yaml_lines import DocumentError, in_yaml, refuse_beyond
from ..judging.kinds import Effect
from ..judging.plain import Entries, Plain
from .checks import check_rows, save_checks
from .conditions import facts_to_choose
from .edit import Edit
from .elements import slug_of
from .examples import example_rows, save_examples
from .fields import AboutFields, CheckRows, ExampleRows, PartFields, RuleRows, ScaleFields
from .more import more_text
from .rules import rule_rows, save_rules
from .scale import save_scale, scale_fields

RowT = TypeVar("RowT", DraftCheck, DraftRule, DraftDimension)
MOST_CHOICES = 15_000  # facts to choose from in the rows of a part: 2 s to draw


def save_part(edit: Edit, part: str, fields: PartFields, pressed: str = "") -> None:
    """Change a part to what was sent, and do what the button says that was pressed."""
    act, _, number = pressed.partition(".")
    if act == "remove":  # a row that is not sent goes
        fields = _without_row(fields, number)
    _save_fields(edit, part, fields)
    if isinstance(fields, ScaleFields):
        # The button of a dimension moves or removes it as a whole.
        position = edit.dimensions.index(edit.dimension(part))
        number = str(position)
        if act == "remove":
            edit.remove_dimension(position)
    if act not in ("up", "down") or not re.fullmatch(r"\d{1,4}", number):
        return
    step = -1 if act == "up" else 1
    match fields:
        case RuleRows():
            _move_rule(edit.dimension(part).rules, int(number), step)
        case CheckRows():
            checks = edit.content.checks if part == "checks" else edit.dimension(part).checks
            _move(checks, int(number), step)
        case ScaleFields():
            _move(edit.dimensions, int(number), step)


def _without_row(fields: PartFields, number: str) -> PartFields:
    if not isinstance(fields, CheckRows | RuleRows | ExampleRows):
        return fields
    remaining: Any = tuple(row for row in fields.rows if str(row.number) != number)
    return replace(fields, rows=remaining)


def _save_fields(edit: Edit, part: str, fields: PartFields) -> None:
    match fields:
        case AboutFields():
            _save_about(edit, fields)
        case CheckRows() if part == "checks":
            edit.content.checks = save_checks(edit, edit.content.checks, fields.rows, None)
        case CheckRows():
            dimension = edit.dimension(part)
            dimension.checks = save_checks(edit, dimension.checks, fields.rows, dimension)
        case RuleRows():
            save_rules(edit, edit.dimension(part), fields.rows)
        case ExampleRows():
            save_examples(edit, edit.dimension(part), fields.rows)
        case ScaleFields():
            save_scale(edit, edit.dimension(part), fields)
        case _:
            assert_never(fields)


def _save_about(edit: Edit, about_fields: AboutFields) -> None:
    before = edit.content
    slug = about_fields.slug
    if edit.follows_title and slug in ("", before.slug) and about_fields.title != before.title:
        slug = about_fields.title
    edit.content = replace(
        before,
        slug=slug_of(slug) or before.slug,
        title=about_fields.title,
        summary=about_fields.summary,
        language=about_fields.language,
    )
    edit.content.rest = edit.more(about_fields.more, before, edit.content)


def _move_rule(rules: list[DraftRule], number: int, step: int) -> None:
    """Exchange a rule with its neighbour. Automatic scores then decide in their new order."""
    if not _move(rules, number, step):
        return
    forces = [rule for rule in rules if rule.effect == Effect.FORCE]
    for precedence, rule in enumerate(reversed(forces), start=1):
        rule.rest["precedence"] = precedence


def _move(ordered_rows: list[RowT], number: int, step: int) -> bool:
    """Exchange a row with the one before or after it, a rule with one of the same effect.

    Return True if there is such a row.
    """
    if number >= len(ordered_rows):
        return False
    effect = _effect_of(ordered_rows[number])
    peers = [peer for peer, row in enumerate(ordered_rows) if _effect_of(row) == effect]
    target = peers.index(number) + step
    if not 0 <= target < len(peers):
        return False
    other = peers[target]
    ordered_rows[number], ordered_rows[other] = ordered_rows[other], ordered_rows[number]
    return True


def _effect_of(draft_part: DraftCheck | DraftRule | DraftDimension) -> str:
    return draft_part.effect if isinstance(draft_part, DraftRule) else ""


def empty_fields(part: str) -> PartFields:
    """Return the fields of the form of a part, without what stands in them."""
    if part == "about":
        return AboutFields()
    if part == "checks":
        return CheckRows()
    match part.partition(".")[2]:
        case "checks":
            return CheckRows()
        case "rules":
            return RuleRows()
        case "examples":
            return ExampleRows()
    return ScaleFields()


def form_fields(edit: Edit, part: str) -> PartFields:
    """Return the fields of the form of a part that is there."""
    section = part.partition(".")[2]
    if part == "about":
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
    if part == "checks":
        return CheckRows(check_rows(edit, edit.content.checks))
    dimension = edit.dimension(part)
    if section == "checks":
        return CheckRows(check_rows(edit, dimension.checks))
    if section == "rules":
        return RuleRows(rule_rows(edit, dimension.rules))
    if section == "examples":
        return ExampleRows(example_rows(edit, dimension))
    return scale_fields(edit, dimension)


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


def part_content(edit: Edit, part: str) -> Plain:
    """Return what the document says in a part. Raises LookupError if there is no such part."""
    section = part.partition(".")[2]
    if part == "about":
        about = plain_values(edit.content)
        for name in ("slug", "dimensions", "checks"):
            about.pop(name, None)
        return about
    if part == "checks":
        return [plain_values(check) for check in edit.content.checks]
    dimension = edit.dimension(part)
    match section:
        case "checks" | "rules" | "examples":
            return [plain_values(row) for row in getattr(dimension, section)]
        case "":
            levels = [replace(level, examples=[]) for level in dimension.levels]
            scale = plain_values(replace(dimension, levels=levels))
            for name in ("checks", "rules"):
                scale.pop(name, None)
            return scale
    raise LookupError(part)


def text_of_part(edit: Edit, part: str) -> str:
    """Return the same as a YAML text, with entries in the database's order: short names first."""
    text = json.dumps(part_content(edit, part))
    return in_yaml(json.loads(text, object_pairs_hook=_in_stored_order))


def _in_stored_order(name_value_pairs: list[tuple[str, Plain]]) -> Entries:
    return dict(sorted(name_value_pairs, key=lambda entry: (len(entry[0]), entry[0])))


def digest(edit: Edit, part: str) -> str:
    """Return a name for what a part says. Raises LookupError if there is no such part."""
    return sha256(json.dumps(part_content(edit, part), sort_keys=True).encode()).hexdigest()[:16]
