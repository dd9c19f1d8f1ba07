"""The form of a scale: the texts of a dimension, its scale and its levels, as the page shows them.

`scale_saving` puts what the form sent into the document.
"""

from collections.abc import Iterable, Sequence

from ..documents.draft_parts import DraftDimension, DraftLevel, Score
from ..judging.kinds import Better
from ..judging.scales import MOST_BUTTONS, shade_of
from .edit import Edit
from .elements import scale_ends, scores_of
from .fields import LevelLine, ScaleFields
from .more import more_by_part, more_text

PRESETS = {"1–5": (1, 5), "0–4": (0, 4), "1–7": (1, 7), "1–10": (1, 10), "yes/no": (0, 1)}
CLASSES = "classes"
OWN = "own"
MOST_SHOWN = 1_000  # scores


def scale_fields(edit: Edit, dimension: DraftDimension) -> ScaleFields:
    """Return the fields of the form of a scale."""
    code = dimension.code
    scores = scores_of(dimension)
    same = edit.memory.same
    described = {level.score for level in dimension.levels}
    has_ends = edit.memory.ends.get(code, described == {*scale_ends(dimension)})
    is_long = len(scores) > MOST_BUTTONS
    listed: Sequence[Score | None] = scores[::-1]
    if is_long:
        listed = _long_scale(edit, described)
    low, high = map(_text_of, scale_ends(dimension))
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


def _preset(edit: Edit, dimension: DraftDimension) -> str:
    """Return the name of a scale that one can choose."""
    if dimension.better == Better.NONE:
        return CLASSES
    if edit.memory.own.get(dimension.code):
        return OWN
    for name, ends in PRESETS.items():
        if ends == scale_ends(dimension):
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
            score in scale_ends(dimension),
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
