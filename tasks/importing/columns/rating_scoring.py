"""The scales of the ratings in a file, and whose names are one person's. Knows no Django."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from .profile import Profile
from .rated_columns import RatedColumns
from .rating_names import is_preference
from .rating_reader import RatingReader
from .score_cells import Scale, Score, orders_of, read_score, scale_of
from .score_columns import ScoreColumn, common_scale
from .scoring import RatingKeys, Scoring
from .uses import Use


def proposed_scoring(
    profile: Profile, uses: Mapping[str, Use], rating_keys: RatingKeys, rater: str
) -> Scoring:
    """Return how the ratings of a file are written, as far as its profile says it."""
    names = [*_values(profile, uses, Use.DIMENSION)]
    first = 0 if "0" in _values(profile, uses, Use.TARGET) else 1
    merged = common_spellings(_values(profile, uses, Use.RATER))
    scoring = Scoring(dimensions=_codes(names), first=first, rater=rater, merged=merged)
    columns = RatedColumns(uses, profile.packed, rating_keys, scoring)
    return _with_scales_of_rows(profile, columns) if names else _with_scales(profile, columns)


def common_spellings(names: Iterable[str]) -> dict[str, str]:
    """Return the common spelling of each name that differs from it in capitals and blanks."""
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        spelling = " ".join(name.split())
        several = spellings[spelling.casefold()]
        if spelling not in several:
            several.append(spelling)
    common: dict[str, str] = {}
    for first, *others in spellings.values():
        common |= dict.fromkeys(others, first)
    return common


def _values(profile: Profile, uses: Mapping[str, Use], use: Use) -> Iterator[str]:
    for path, column in profile.columns.items():
        if uses.get(path) is use:
            yield from (column.list_entries or column).counts


def _codes(names: Iterable[str]) -> dict[str, str]:
    """Return the codes of dimensions that differ from their names; a preference has none."""
    usual = Scoring()
    codes = {}
    for name in sorted(names):
        code = "" if is_preference(name) else usual.code(name)
        if code != name:
            codes[name] = code
    return codes


def _with_scales(profile: Profile, rated_columns: RatedColumns) -> Scoring:
    """Return the scoring with a scale, or words in order, for each dimension."""
    columns_by_dimension: defaultdict[str, list[ScoreColumn]] = defaultdict(list)
    texts_by_dimension: defaultdict[str, list[str]] = defaultdict(list)
    for path in rated_columns.paths[Use.SCORE]:
        code = rated_columns.rating_keys[path].dimension
        column = ScoreColumn(profile.columns[path], profile.rows)
        columns_by_dimension[code].append(column)
        texts_by_dimension[code] += column.levels
    words, scales = {}, {}
    every = [column for several in columns_by_dimension.values() for column in several]
    for code, order in orders_of(texts_by_dimension).items():
        scale = common_scale(columns_by_dimension[code])
        if order:
            words[code] = tuple(order)
        elif scale and _is_constant(columns_by_dimension[code]):  # the others show what it may be
            scales[code] = common_scale(every) or scale
        elif scale:
            scales[code] = scale
    return replace(rated_columns.scoring, scales=scales, words=words)


def _is_constant(score_columns: Sequence[ScoreColumn]) -> bool:
    distinct_scores: set[Score] = set()
    for column in score_columns:
        distinct_scores |= column.score_counts.keys()
    return len(distinct_scores - {None}) == 1


def _with_scales_of_rows(profile: Profile, rated_columns: RatedColumns) -> Scoring:
    """Return the scoring with a scale for each dimension that rows name."""
    scoring = rated_columns.scoring
    counts_by_dimension: defaultdict[str, Counter[Score]] = defaultdict(Counter)
    for (name, path), counts in profile.scores.items():
        if path not in rated_columns.paths[Use.SCORE]:
            continue
        for text, number in counts.items():
            score = read_score(text, rated_columns.no_answer)
            counts_by_dimension[scoring.code(name)][score] += number
    if not counts_by_dimension and len(profile.sample.first_rows) == profile.rows:  # in lists
        counts_by_dimension.update(RatingReader(rated_columns).scales(profile.sample.first_rows))
    scales: dict[str, Scale] = {}
    for code, counts_of_scores in counts_by_dimension.items():
        scale = scale_of(counts_of_scores)
        if code and scale and scoring.dimensions.get(code, code):
            scales[code] = scale
    return replace(scoring, scales=scales)
