"""The scales of the ratings in a file, and whose names are one person's. Knows no Django."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .profile import Profile
from .rating_names import is_preference
from .rating_reader import RatingReader
from .score_cells import Score, orders_of, read_score, scale_of
from .score_columns import ScoreColumn, common_scale
from .scoring import RatingKeys, Scoring
from .uses import Use


def proposed_scoring(
    profile: Profile, uses: Mapping[str, Use], rating_keys: RatingKeys, rater: str
) -> Scoring:
    """Return how the ratings of a file are written, as far as its profile says it."""
    values = {use: [*_values(profile, uses, use)] for use in (Use.DIMENSION, Use.TARGET, Use.RATER)}
    usual = Scoring().code
    codes = {
        name: "" if is_preference(name) else usual(name) for name in sorted(values[Use.DIMENSION])
    }
    scoring = Scoring(
        dimensions={name: code for name, code in codes.items() if name != code},
        first=0 if "0" in values[Use.TARGET] else 1,
        rater=rater,
        merged=common_spellings(values[Use.RATER]),
    )
    if values[Use.DIMENSION]:
        return _with_scales_of_rows(profile, uses, rating_keys, scoring)
    return _with_scales_of_columns(profile, uses, rating_keys, scoring)


def common_spellings(names: Iterable[str]) -> dict[str, str]:
    """Return the common spelling of each name that differs from it in capitals and blanks."""
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        spelling = " ".join(name.split())
        if spelling not in spellings[spelling.casefold()]:
            spellings[spelling.casefold()].append(spelling)
    common: dict[str, str] = {}
    for several in spellings.values():
        common |= dict.fromkeys(several[1:], several[0])
    return common


def _values(profile: Profile, uses: Mapping[str, Use], use: Use) -> Iterable[str]:
    for path, column in profile.columns.items():
        if uses.get(path) is use:
            yield from (column.entries or column).counts


def _with_scales_of_columns(
    profile: Profile, uses: Mapping[str, Use], rating_keys: RatingKeys, scoring: Scoring
) -> Scoring:
    """Return the scoring with a scale, or words in order, for each dimension."""
    reader = RatingReader(uses, profile.packed, rating_keys, scoring)
    columns: defaultdict[str, list[ScoreColumn]] = defaultdict(list)
    for path in reader.paths[Use.SCORE]:
        code = reader.rating_keys[path].dimension
        columns[code].append(ScoreColumn(profile.columns[path], profile.rows))
    orders = orders_of({code: _texts(several) for code, several in columns.items()})
    words, scales = {}, {}
    for code, several in columns.items():
        if order := orders[code]:
            words[code] = tuple(order)
        elif scale := common_scale(several):
            scales[code] = scale
    every = [column for several in columns.values() for column in several]
    for code in scales:
        if _is_constant(columns[code]):  # the others show what it may be
            scales[code] = common_scale(every) or scales[code]
    return scoring.with_scales(scales, words)


def _is_constant(columns: Sequence[ScoreColumn]) -> bool:
    scores = {score for column in columns for score in column.scores if score is not None}
    return len(scores) == 1


def _texts(columns: Sequence[ScoreColumn]) -> list[str]:
    return [*dict.fromkeys(text for column in columns for text in column.texts)]


def _with_scales_of_rows(
    profile: Profile, uses: Mapping[str, Use], rating_keys: RatingKeys, scoring: Scoring
) -> Scoring:
    """Return the scoring with a scale for each dimension that rows name."""
    reader = RatingReader(uses, profile.packed, rating_keys, scoring)
    scores: defaultdict[str, Counter[Score]] = defaultdict(Counter)
    for (name, path), counts in profile.scores.items():
        if uses.get(path) is Use.SCORE:
            for text, number in counts.items():
                scores[scoring.code(name)][read_score(text, reader.no_answer)] += number
    if not scores and len(profile.sample.rows) == profile.rows:  # in lists
        scores.update(reader.scales(profile.sample.rows))
    scales = {}
    for code, counts_of_scores in scores.items():
        scale = scale_of(counts_of_scores)
        if scale and scoring.dimensions.get(code, code):
            scales[code] = scale
    scales.pop("", None)
    return scoring.with_scales(scales, {})
