"""Save the form of a scale: its texts, its ends, and its levels.

The document has the levels of the scores on the scale. Those of other scores wait in `edit.memory`
with their texts, and come back when the scale has their score again. A dimension may have the same
levels as another one: then it follows each change of that one.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from ..documents.draft_parts import DraftDimension, DraftLevel, Score
from ..judging.kinds import Better
from ..judging.plain import Plain
from ..judging.schema import yes_no_words
from .edit import Edit
from .elements import by_code, mappings_in, scale_ends, scores_of, whole_number, without_fields
from .fields import ScaleFields
from .scale import CLASSES, OWN, PRESETS


def save_scale(edit: Edit, dimension: DraftDimension, scale_fields: ScaleFields) -> None:
    """Replace a dimension by what the form sent, with its checks and rules as they are."""
    changed = _posted_dimension(edit, dimension, scale_fields)
    more_of_levels = changed.rest.pop("levels", None)
    levels = _all_levels(edit, dimension, scale_fields, more_of_levels)
    if scale_fields.preset == "yes/no" and not (levels.get("1") or levels.get("0")):
        yes, no = yes_no_words(edit.content.language) or ("yes", "no")
        levels["1"] = DraftLevel(score=1, label=yes)
        levels["0"] = DraftLevel(score=0, label=no)
    edit.memory.own[dimension.code] = scale_fields.preset == OWN
    _put_levels(edit, dimension, changed, levels, wants_ends_only=scale_fields.ends)
    _follow_levels(edit, changed, scale_fields.same)
    edit.dimensions[edit.dimensions.index(dimension)] = changed
    _share_levels(edit)


def _posted_dimension(
    edit: Edit, former: DraftDimension, scale_fields: ScaleFields
) -> DraftDimension:
    """Return the dimension with the texts and the scale that were sent, and no levels."""
    low, high = _posted_ends(former, scale_fields)
    changed = DraftDimension(
        code=former.code,
        title=scale_fields.title,
        question=scale_fields.question,
        lowest=low,
        highest=high,
        better=_posted_better(scale_fields),
        blank=scale_fields.blank if scale_fields.may_not_apply else None,
        checks=former.checks,
        rules=former.rules,
    )
    changed.rest = edit.more(scale_fields.more, former, changed)
    return changed


def _posted_ends(
    former: DraftDimension, scale_fields: ScaleFields
) -> tuple[Score | None, Score | None]:
    """Return the ends of the scale."""
    if scale_fields.preset in PRESETS:
        return PRESETS[scale_fields.preset]
    low: Score | None = whole_number(scale_fields.lowest)
    if scale_fields.preset == CLASSES:
        low = former.lowest if former.better == Better.NONE else 1
    return low, whole_number(scale_fields.highest)


def _posted_better(scale_fields: ScaleFields) -> str | None:
    if scale_fields.preset == CLASSES:
        return str(Better.NONE)
    if scale_fields.better in ("", Better.HIGH):
        return None
    return scale_fields.better


def _all_levels(
    edit: Edit, dimension: DraftDimension, scale_fields: ScaleFields, more_of_levels: Plain
) -> dict[str, DraftLevel]:
    """Return all levels that there are, by their score: remembered, stored and sent ones."""
    more_by_score = {}
    for entries in mappings_in(more_of_levels):
        more_by_score[str(entries.get("score"))] = without_fields(DraftLevel, entries)
    levels = edit.memory.levels.pop(dimension.code, {})
    for level in dimension.levels:
        levels[str(level.score)] = level
    for line in scale_fields.levels:
        score = line.score.strip()
        if not score:
            continue
        edit.order.append(score)
        former = levels.get(score, DraftLevel())
        levels[score] = DraftLevel(
            score=whole_number(score),
            label=line.label or None,
            definition=line.definition or None,
            examples=former.examples,
            rest={**more_by_score.get(score, {})},
        )
    return levels


def _put_levels(
    edit: Edit,
    former: DraftDimension,
    changed: DraftDimension,
    levels_by_score: Mapping[str, DraftLevel],
    *,
    wants_ends_only: bool,
) -> None:
    """Put the levels that a form shows into a dimension, and remember the others."""
    all_scores: Sequence[Score | None] = scores_of(changed)
    ends = [*all_scores[:1], *all_scores[-1:]]
    # A new scale keeps the texts of its scores, wherever they stand.
    has_ends_only = wants_ends_only and {*ends} == {*scale_ends(former)}
    visible_scores = ends if has_ends_only else all_scores
    hidden: dict[str, DraftLevel] = {}
    for level in levels_by_score.values():
        if not (level.is_described or level.examples):
            continue  # it says nothing
        # An example whose score is off the scale has no other place.
        has_examples_only = level.score not in all_scores and not level.is_described
        if level.score in visible_scores or has_examples_only:
            changed.levels.append(level)
        else:
            hidden[str(level.score)] = level
    _sort_levels(changed.levels, former, visible_scores)
    edit.memory.levels[changed.code] = hidden
    edit.memory.ends[changed.code] = has_ends_only


def _sort_levels(
    levels: list[DraftLevel], former: DraftDimension, visible_scores: Sequence[Score | None]
) -> None:
    """Put levels in their former order, new ones from the highest score, others last."""
    former_scores = [level.score for level in former.levels]

    def place(level: DraftLevel) -> int:
        if isinstance(level.score, int) and level.score in visible_scores:
            return -level.score
        return 1

    if {level.score for level in levels} == {*former_scores}:
        levels.sort(key=lambda level: former_scores.index(level.score))
    else:
        levels.sort(key=place)


def _follow_levels(edit: Edit, dimension: DraftDimension, leader_code: str) -> None:
    """Let a dimension have the levels of another one; "": its own, as they were before it had."""
    code = dimension.code
    same = edit.memory.same
    if same.pop(code, None):
        former_levels = edit.memory.before_same.pop(code, dimension.levels)
        dimension.levels = _with_examples(former_levels, dimension.levels)
    if leader_code != code and by_code(edit.dimensions, leader_code):
        same[code] = leader_code
        edit.memory.before_same[code] = dimension.levels


def _share_levels(edit: Edit) -> None:
    """Give each dimension that follows another the scale and the levels of that one."""
    for code, leader_code in edit.memory.same.items():
        follower = by_code(edit.dimensions, code)
        leader = by_code(edit.dimensions, leader_code)
        if follower and leader:
            follower.lowest = leader.lowest
            follower.highest = leader.highest
            follower.better = leader.better
            follower.levels = _with_examples(leader.levels, follower.levels)


def _with_examples(
    draft_levels: Iterable[DraftLevel], others: Iterable[DraftLevel]
) -> list[DraftLevel]:
    """Return copies of levels with the examples of others, also at scores of these alone."""
    examples = {level.score: level.examples for level in others if level.examples}
    copies = []
    for level in draft_levels:
        rest = deepcopy(level.rest)
        copies.append(replace(level, rest=rest, examples=examples.get(level.score, [])))
    scores = [level.score for level in copies]
    for score in examples:
        if score not in scores:
            copies.append(DraftLevel(score=score, examples=examples[score]))
    return copies
