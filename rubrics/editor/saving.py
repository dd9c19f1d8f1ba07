"""Save what the form of a part sent: its fields, and the button that was pressed.

The page of a draft calls `save_part`. It changes the document of an `Edit`, which the page stores.
"""

import re
from dataclasses import replace
from typing import Any, TypeVar, assert_never

from ..documents.draft_parts import DraftRule
from ..judging.kinds import Effect
from .checks import save_checks
from .edit import Edit
from .elements import slug_of
from .examples import save_examples
from .fields import AboutFields, CheckRows, ExampleRows, PartFields, RuleRows, ScaleFields
from .rules import save_rules
from .scale_saving import save_scale

RowT = TypeVar("RowT")
STEPS = {"up": -1, "down": 1}


def save_part(edit: Edit, part: str, fields: PartFields, pressed: str = "") -> None:
    """Change a part to what was sent, and do what the button says: `remove.2`, `up.0`, `add`."""
    act, _, number = pressed.partition(".")
    if act == "remove" and not isinstance(fields, AboutFields | ScaleFields):
        remaining: Any = tuple(row for row in fields.rows if str(row.number) != number)
        fields = replace(fields, rows=remaining)  # a row that is not sent goes
    _save_fields(edit, part, fields)
    if isinstance(fields, ScaleFields):
        _move_or_remove_dimension(edit, part, act)
    elif act in STEPS and re.fullmatch(r"\d{1,4}", number):
        _move_row(edit, part, fields, int(number), STEPS[act])


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


def _move_or_remove_dimension(edit: Edit, part: str, act: str) -> None:
    position = edit.dimensions.index(edit.dimension(part))
    if act == "remove":
        edit.remove_dimension(position)
    elif act in STEPS:
        _exchange(edit.dimensions, position, position + STEPS[act])


def _move_row(edit: Edit, part: str, fields: PartFields, number: int, step: int) -> None:
    """Exchange a row with its neighbour."""
    match fields:
        case RuleRows():
            _move_rule(edit.dimension(part).rules, number, step)
        case CheckRows():
            checks = edit.content.checks if part == "checks" else edit.dimension(part).checks
            _exchange(checks, number, number + step)


def _move_rule(rules: list[DraftRule], number: int, step: int) -> None:
    """Exchange a rule with its neighbour of the same effect.

    Automatic scores then decide in their new order.
    """
    if number >= len(rules):
        return
    peers = [peer for peer, rule in enumerate(rules) if rule.effect == rules[number].effect]
    target = peers.index(number) + step
    if not 0 <= target < len(peers):
        return
    _exchange(rules, number, peers[target])
    forces = [rule for rule in rules if rule.effect == Effect.FORCE]
    for precedence, rule in enumerate(reversed(forces), start=1):
        rule.rest["precedence"] = precedence


def _exchange(ordered_rows: list[RowT], one: int, other: int) -> None:
    """Exchange two rows, if both places have one."""
    places = range(len(ordered_rows))
    if one in places and other in places:
        ordered_rows[one], ordered_rows[other] = ordered_rows[other], ordered_rows[one]
