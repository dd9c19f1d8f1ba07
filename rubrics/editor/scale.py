"""The scale of a dimension with its levels."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from ..documents.document import yes_no_in
from ..documents.draft_parts import DraftDimension, DraftLevel, Score
from ..judging.kinds import Better
from ..judging.plain import Entries
from ..judging.scales import MOST_BUTTONS, shade_of
from .edit import Edit
from .elements import by_code, mappings_in, scores_of, whole_number, without_fields
from .fields import LevelLine, ScaleFields
from .more import more_by_part, more_text

PRESETS = {"1–5": (1, 5), "0–4": (0, 4), "1–7": (1, 7), "1–10": (1, 10), "yes/no": (0, 1)}
CLASSES = "classes"
OWN = "own"
MOST_SHOWN = 1_000  # scores


def save_scale(edit: Edit, dimension: DraftDimension, scale_fields: ScaleFields) -> None:
    """Put what a form sent into a dimension, without its checks and rules."""
    code = dimension.code
    low, high = _posted_ends(dimension, scale_fields)
    changed = DraftDimension(
        code=code,
        title=scale_fields.title,
        question=scale_fields.question,
        lowest=low,
        highest=high,
        better=_posted_better(scale_fields),
        blank=scale_fields.blank if scale_fields.may_not_apply else None,
        checks=dimension.checks,
        rules=dimension.rules,
    )
    changed.rest = edit.more(scale_fields.more, dimension, changed)
    further = _further_levels(mappings_in(changed.rest.pop("levels", None)))
    pool = _posted_levels(edit, dimension, scale_fields, further)
    if scale_fields.preset == "yes/no" and not (pool.get("1") or pool.get("0")):
        yes, no = yes_no_in(edit.content.language) or ("yes", "no")
        pool["1"] = DraftLevel(score=1, label=yes)
        pool["0"] = DraftLevel(score=0, label=no)
    edit.memory.own[code] = scale_fields.preset == OWN
    changed.levels = _levels_to_show(edit, dimension, changed, pool, wants_ends=scale_fields.ends)
    _share_levels(edit, dimension, changed, scale_fields.same)


def _further_levels(level_entries: Iterable[Entries]) -> Mapping[str, Entries]:
    """Return what stands under "More" of the levels, by their scores."""
    return {str(entry.get("score")): without_fields(DraftLevel, entry) for entry in level_entries}


def _posted_ends(
    former_dimension: DraftDimension, scale_fields: ScaleFields
) -> tuple[Score | None, Score | None]:
    """Return the ends of the scale."""
    low: Score | None = whole_number(scale_fields.lowest)
    high = whole_number(scale_fields.highest)
    if scale_fields.preset in PRESETS:
        low, high = PRESETS[scale_fields.preset]
    if scale_fields.preset == CLASSES:
        low = 1
        if former_dimension.better == Better.NONE:
            low = former_dimension.lowest
    return low, high


def _posted_better(scale_fields: ScaleFields) -> str | None:
    better = scale_fields.better
    if scale_fields.preset == CLASSES:
        better = str(Better.NONE)
    if better in ("", Better.HIGH):
        return None
    return better


def _posted_levels(
    edit: Edit, dimension: DraftDimension, scale_fields: ScaleFields, further: Mapping[str, Entries]
) -> dict[str, DraftLevel]:
    """Return all levels that there are texts of, by their score: kept, stored and sent."""
    levels = edit.memory.levels.pop(dimension.code, {})
    levels |= {str(level.score): level for level in dimension.levels}
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
            rest={**further.get(score, {})},
        )
    return levels


def _levels_to_show(
    edit: Edit,
    former_dimension: DraftDimension,
    changed: DraftDimension,
    pool: Mapping[str, DraftLevel],
    *,
    wants_ends: bool,
) -> list[DraftLevel]:
    """Return the levels of the document, and remember the others with their texts."""
    all_scores = scores_of(changed)
    # A new scale keeps the texts of its scores, wherever they stand.
    ends = [*all_scores[:1], *all_scores[-1:]]
    has_ends = wants_ends and {*ends} == {*_ends_of(former_dimension)}
    edit.memory.ends[changed.code] = has_ends
    scores_on_scale: Sequence[Score | None] = all_scores
    if has_ends:
        scores_on_scale = ends
    levels: list[DraftLevel] = []
    hidden: dict[str, DraftLevel] = {}
    for level in pool.values():
        if not (level.is_described or level.examples):
            continue  # it says nothing
        # An example whose score is off the scale has no other place.
        is_off = level.score not in all_scores and not level.is_described
        if level.score in scores_on_scale or is_off:
            levels.append(level)
        else:
            hidden[str(level.score)] = level
    edit.memory.levels[changed.code] = hidden
    former = [level.score for level in former_dimension.levels]
    if {level.score for level in levels} == {*former}:
        levels.sort(key=lambda level: former.index(level.score))
    else:
        levels.sort(key=lambda level: _from_the_highest(level.score, scores_on_scale))
    return levels


def _from_the_highest(score: Score | None, scores_on_scale: Sequence[Score | None]) -> int:
    """Return a number by which levels are sorted; those that are not on the scale come last."""
    if isinstance(score, int) and score in scores_on_scale:
        return -score
    return 1


def _share_levels(
    edit: Edit, dimension: DraftDimension, changed: DraftDimension, source: str
) -> None:
    """Replace a dimension by what it is now; give it and others the levels that they share."""
    code = dimension.code
    same = edit.memory.same
    before_same = edit.memory.before_same
    if same.pop(code, None):
        former = before_same.pop(code, changed.levels)
        changed.levels = _with_examples(former, changed.levels)
    position = edit.dimensions.index(dimension)
    edit.dimensions[position] = changed
    if source != code and by_code(edit.dimensions, source):
        same[code] = source
        before_same[code] = changed.levels
    for follower, leader in same.items():
        target = by_code(edit.dimensions, follower)
        dimension_to_follow = by_code(edit.dimensions, leader)
        if target and dimension_to_follow:
            _copy_levels(dimension_to_follow, target)


def _copy_levels(source: DraftDimension, target_dimension: DraftDimension) -> None:
    """Give a dimension the scale and the levels of another; its examples are its own."""
    target_dimension.lowest = source.lowest
    target_dimension.highest = source.highest
    target_dimension.better = source.better
    target_dimension.levels = _with_examples(source.levels, target_dimension.levels)


def _with_examples(
    draft_levels: Iterable[DraftLevel], others: Iterable[DraftLevel]
) -> list[DraftLevel]:
    """Return levels with the examples of others, also of those that are not among them."""
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


def scale_fields(edit: Edit, dimension: DraftDimension) -> ScaleFields:
    """Return the fields of the form of a scale."""
    code = dimension.code
    scores = scores_of(dimension)
    same = edit.memory.same
    described = {level.score for level in dimension.levels}
    has_ends = edit.memory.ends.get(code, described == {*_ends_of(dimension)})
    is_long = len(scores) > MOST_BUTTONS
    listed: Sequence[Score | None] = scores[::-1]
    if is_long:
        listed = _long_scale(edit, described)
    low, high = map(_text_of, _ends_of(dimension))
    text = more_text(dimension, levels=more_by_part(dimension.levels))
    more, slips = edit.more_or_slip(dimension, text)
    return ScaleFields(
        title=dimension.title,
        question=dimension.question,
        preset=_preset(edit, dimension),
        lowest=low,
        highest=high,
        same=same.get(code, ""),
        ends=len(scores) > 2 and has_ends,
        better=dimension.better or "high",
        may_not_apply=bool(dimension.blank),
        blank=dimension.blank or "",
        levels=_level_lines(edit, dimension, listed),
        more=more,
        slips=slips,
        code=code,
        is_long=is_long,
        others=_levels_to_share(edit, dimension),
        sharing=tuple(other.title for other in edit.dimensions if same.get(other.code) == code),
    )


def _text_of(score: Score | None) -> str:
    return "" if score is None else str(score)


def _ends_of(dimension: DraftDimension) -> tuple[Score | None, Score | None]:
    return dimension.lowest, dimension.highest


def _preset(edit: Edit, dimension: DraftDimension) -> str:
    """Return the name of a scale that one can choose."""
    if dimension.better == Better.NONE:
        return CLASSES
    if edit.memory.own.get(dimension.code):
        return OWN
    for name, ends in PRESETS.items():
        if ends == _ends_of(dimension):
            return name
    return OWN


def _levels_to_share(edit: Edit, dimension: DraftDimension) -> tuple[tuple[str, str], ...]:
    """Return the dimensions whose levels this one may have: those with the same scores."""
    same = edit.memory.same
    others = []
    for other in edit.dimensions:
        if other is dimension or other.code in same:
            continue
        is_chosen = other.code == same.get(dimension.code)
        if is_chosen or scores_of(other) == scores_of(dimension):
            others.append((other.code, other.title))
    return tuple(others)


def _level_lines(
    edit: Edit, dimension: DraftDimension, scores_on_scale: Iterable[Score | None]
) -> tuple[LevelLine, ...]:
    hidden = edit.memory.levels.get(dimension.code, {}).values()
    levels = {level.score: level for level in (*hidden, *dimension.levels)}
    lines = []
    for score in scores_on_scale:
        level = levels.get(score, DraftLevel())
        line = LevelLine(
            _text_of(score),
            level.label or "",
            level.definition or "",
            score in _ends_of(dimension),
            _shade(dimension, score),
        )
        lines.append(line)
    return tuple(lines)


def _long_scale(edit: Edit, described: Iterable[Score | None]) -> list[Score | None]:
    """Return the scores that a long scale shows."""
    falling = sorted(described, key=str, reverse=True)
    return sorted(falling, key=lambda score: edit.row_order(str(score)))


def _shade(dimension: DraftDimension, score: Score | None) -> str:
    """Return the colour of a score, if the scale has ends that make one."""
    scores = scores_of(dimension)
    better = dimension.better or "high"
    has_shades = 1 < len(scores) <= MOST_SHOWN and better in [*Better]
    if not has_shades or not isinstance(score, int) or score not in scores:
        return ""
    return shade_of(scores, Better(better), score)
