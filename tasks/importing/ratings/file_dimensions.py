"""The dimensions of a file's ratings: their scales, and their codes in the project's rubric.

A file may name a dimension by the rubric's code, title or short title, in any letters, or by a path
that ends in the code. Django is not needed here.
"""

from collections import Counter
from collections.abc import Mapping as AnyMapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache

from rubrics.judging.schema import Rubric as Schema

from ..columns.mapping import Mapping
from ..columns.score_cells import Score, scale_of
from ..columns.scoring import QUALITY, RatingRow, ScoreCell
from ..columns.table_cells import file_rows
from ..files.rows import Source

NO_CHECKS: dict[str, dict[str, str]] = {}  # one for all ratings without, to save memory


def with_all_scales(
    mapping: Mapping, source_file: AbstractContextManager[Source]
) -> tuple[Mapping, AnyMapping[str, Counter[Score]]]:
    """Return a mapping with a scale for each dimension of its file, and what the file writes."""
    with source_file as source:
        values = mapping.reader.scales(file_rows(source))
    scoring = mapping.scoring
    scales = {}
    for name, counts in values.items():
        scale = scale_of(counts)
        is_left_out = scoring.dimensions.get(name) == ""
        if scale and not is_left_out:
            scales[name] = scoring.scales.get(name) or scale
    return _with_scales(mapping, scales), values


def with_scales_of_rubric(mapping: Mapping, rubric_schema: Schema) -> Mapping:
    """Return a mapping with the rubric's scale for each dimension that the rubric has.

    The scales of a mapping are those of the file: where its scores are doubled, half of the
    rubric's.
    """
    factor = 1 + mapping.scoring.doubled
    dimensions = {dimension.code: dimension for dimension in rubric_schema.dimensions}
    scales = dict(mapping.scoring.scales)
    for name in {**scales, **dimensions}:
        dimension = dimensions.get(code_in_rubric(rubric_schema, name))
        if dimension:
            lowest = -(-dimension.lowest // factor)  # rounded up
            scales[name] = (lowest, dimension.highest // factor)
    return _with_scales(mapping, scales)


def _with_scales(mapping: Mapping, scales: dict[str, tuple[int, int]]) -> Mapping:
    return replace(mapping, scoring=replace(mapping.scoring, scales=scales))


def code_in_rubric(rubric_schema: Schema, name: str) -> str:
    """Return the code of the dimension that a file means, or the name if it means none."""
    codes = [dimension.code for dimension in rubric_schema.dimensions]
    code_by_name = {}
    for dimension in reversed(rubric_schema.dimensions):  # the first one of a title wins
        code_by_name[dimension.short.casefold()] = dimension.code
        code_by_name[dimension.title.casefold()] = dimension.code
    for code in codes:
        code_by_name[code] = code
    folded = name.casefold()
    last_part = folded.rpartition(".")[2]
    if folded in code_by_name:
        return code_by_name[folded]
    if last_part in codes:
        return last_part
    if folded in ("", QUALITY) and len(codes) == 1:
        return codes[0]
    return name


class RubricCodes:
    """Puts the codes of a rubric into ratings, in place of the names in their file.

    All ratings of a file are in memory at once, so what is equal in them is stored once.
    """

    def __init__(self, rubric_schema: Schema) -> None:
        self._code = cache(lambda name: code_in_rubric(rubric_schema, name))
        self._cells: dict[ScoreCell, ScoreCell] = {}
        self._last: RatingRow | None = None

    def coded(self, rating: RatingRow) -> RatingRow:
        """Return a rating with the codes of the rubric."""
        target = rating.target
        if self._last and self._last.target == target:
            target = self._last.target
        scores = {}
        for name, cell in rating.score_cells.items():
            scores[self._code(name)] = self._cells.setdefault(cell, cell)
        checks = {}
        for name, cells in rating.check_cells.items():
            checks[name and self._code(name)] = cells  # "": nothing says which dimension
        self._last = replace(
            rating, target=target, score_cells=scores, check_cells=checks or NO_CHECKS
        )
        return self._last
