"""Which columns of a file may be ratings. No Django but its translations."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from .columns import FileColumn, Sample
from .rating_reader import RatingReader, read_number, scale_of
from .ratings import NO_ANSWER, QUALITY, Said, Scoring, code_of
from .rows import filled
from .shape import FileShape
from .uses import PROMPTS, RATING, Use

ROLES = "(annotator|rater|worker|judge|evaluator|reviewer|labell?er|coder|assessor|grader)"
QUALITIES = "(.*[ _-])?(quality|.*(ness|[^c]ity|ence|ance|cy|tion))"
# Last names of columns of a row or an entry for each rater. The first that fits decides.
NAMES = {
    f"{ROLES}s?([ _-]?(id|name|email))?|(completed|rated)_by|user_id": Use.RATER,
    f"(.*[ _-])?(score|rating|grade|star)s?|{QUALITIES}": Use.SCORE,
    "dimension|criterion|aspect|metric|trait": Use.DIMENSION,
    "(response|candidate|output|answer)([ _-]?(index|idx|number|no))?|target": Use.TARGET,
    "(.*[ _-])?(comment|remark|note|explanation|rationale|justification|feedback)s?": Use.COMMENT,
    "time|timestamp|date|(created|submitted|rated|updated)_at": Use.TIME,
}
ITEMS = "item|(.*[ _-])?id|doc|key|row|nr|no|number|#"
A_RATER = f"{ROLES}[ _-]?[a-z0-9]+"
A_NAME = r"[^\W\d_]+([ _-][^\W\d_]+)?\d?"
NO_NAME = (
    rf"{QUALITIES}|{ITEMS}|.*(count|length|tokens?|turns?|year|age|index|seed|step|rank|label|level)"
    r"|(epoch|round|size|total|sum|mean|average|median|min|max|time|seconds|latency|cost|split|fold)"
    r"|(group|order|position|version|depth|votes|likes|wins?|winner|tie|has_.*|is_.*|num_.*|n_.*)"
    r"|.*(scor|rating|correct|help|harm|safe|toxic|fluen|relevan|good|bad|gpt|llama|claude|stral).*"
    r"|(gemini|gemma|qwen|deepseek|falcon|vicuna|alpaca|tulu|koala|phi)\W?.*"
)
PAIRS = re.compile("preferences?|preferred|ranking|rank|pairwise|winner|better", re.IGNORECASE)


@dataclass(frozen=True)
class RatingGuess:
    """What of a file is ratings, and what is to be said about it."""

    uses: Mapping[str, Use]
    said: Mapping[str, Said]
    scoring: Scoring
    asked: Mapping[str, str]
    told: Sequence[str]


def guessed_ratings(
    sample: Sample, uses: Mapping[str, Use], shape: FileShape
) -> RatingGuess | None:
    """Return what of the columns is ratings beside what they are else, or None if nothing is."""
    there = {column.path: column for column in sample.columns}
    free = [there[path] for path, use in uses.items() if use is Use.METADATA]
    known = {path: use for path, use in uses.items() if use in RATING}
    people = {} if known else _people(free)
    known = known or dict.fromkeys(people, Use.SCORE) or _by_rows(free)
    # Answers to other questions, which are no scores.
    lost = [path for path, use in known.items() if use is Use.SCORE and not _scores(there[path])]
    known |= dict.fromkeys(lost, Use.UNUSED)
    if Use.SCORE not in known.values():
        return None
    said = {**{path: Said(name, QUALITY) for path, name in people.items()}, **shape.said(sample)}
    asked: dict[str, str] = {}
    for column in free if people else ():
        if column.path not in known and _use(column) is Use.COMMENT:
            asked[column.path] = _("whose comment?")
            for person in people.values():
                if person.lower() in column.path.lower():
                    known[column.path], said[column.path] = Use.COMMENT, Said(person)
                    asked = {path: asked[path] for path in asked if path != column.path}
    known |= _item(sample, uses, known, by_rows=not people)
    rest = [column.path for column in free if column.path not in {*known, *asked}]
    lists = {path.partition("[")[0] for path in known if "[" in path}
    differing = [] if people or lists else _differing(sample, known, rest)
    beside = [path for path in rest if path.partition("[")[0] in lists]
    known |= dict.fromkeys([*beside, *differing], Use.UNUSED)
    told = [
        (_("There is no place for %(columns)s yet (%(number)s values in the first rows)."), lost),
        (_("Left out, as each rating may have another: %(columns)s."), differing),
    ]
    scoring = _scoring(sample, known, said, shape.rater)
    pairs = [name for name, code in scoring.dimensions.items() if not code]
    told.append((_("Left out, as it compares responses: %(columns)s."), pairs))
    return RatingGuess(
        known,
        said,
        scoring,
        asked,
        [
            filled(
                text,
                columns=", ".join(paths),
                number=sum(len(there[path].filled) for path in paths if path in there),
            )
            for text, paths in told
            if paths
        ],
    )


def _scores(column: FileColumn) -> bool:
    """Tell whether most of what a column holds is small whole numbers."""
    found = [
        read_number(str(each), frozenset(map(str.casefold, NO_ANSWER)))
        for value in column.filled
        for each in (value if isinstance(value, list) else [value])
    ]
    answers = [each for each in found if each is not None]
    whole = [each for each in answers if isinstance(each, int) and -10 <= each <= 100]
    return len(whole) * 2 >= len(answers)


def _use(column: FileColumn) -> Use | None:
    """Return what a column's name says of ratings, if its values can be that."""
    last = re.split(r"\.|\[\*\]\.?", (column.name or column.path).removesuffix("[*]"))[-1]
    use = next((use for name, use in NAMES.items() if re.fullmatch(f"(?i:{name})", last)), None)
    first = next(iter(column.filled), "")
    if use is Use.TIME:
        try:
            datetime.fromisoformat(str(first))
        except ValueError:
            return None
    fit = column.holds_words if use in (Use.DIMENSION, Use.COMMENT) else True
    return use if fit and (use not in (Use.SCORE, Use.TARGET) or _scores(column)) else None


def _by_rows(free: Iterable[FileColumn]) -> dict[str, Use]:
    """Return the ratings of a file with a row, or an entry of a list, for each rater."""
    named = {column.path: use for column in free if column.filled and (use := _use(column))}
    raters = {path.rpartition("[*]")[0] for path, use in named.items() if use is Use.RATER}
    numbers = [
        each.path
        for each in free
        if each.filled and isinstance(each.filled[0], list) and _scores(each)
    ]
    if Use.SCORE not in named.values() and "" in raters:
        # Q1, Q2, Q3: the longest series.
        series = [
            each.path for each in free if each.filled and each.path not in named and _scores(each)
        ]
        stems = Counter(re.sub(r"\d+$", "", path) for path in series if path[-1:].isdigit())
        for stem, _number in stems.most_common(1):
            named |= {
                path: Use.SCORE for path in series if re.fullmatch(rf"{re.escape(stem)}\d+", path)
            }
    return (
        {
            path: use
            for path, use in named.items()
            if path in numbers or path.rpartition("[*]")[0] in raters
        }
        if raters or numbers
        else {}
    )


def _people(free: Iterable[FileColumn]) -> dict[str, str]:
    """Return the columns that have the name of who rated, with the names."""
    found = {}
    for column in free:
        path = column.path
        name = re.sub(r"(?i)^(score|rating)s?[ _-]+(of |by )?|[ _-]+(score|rating)s?$", "", path)
        is_role = re.fullmatch(f"(?i:{A_RATER})", name)
        is_name = re.fullmatch(A_NAME, name) and not re.fullmatch(f"(?i:{NO_NAME})", name)
        if "[" not in path and column.filled and (is_role or is_name) and _scores(column):
            found[path] = name
    roles = [name for name in found.values() if re.fullmatch(f"(?i:{A_RATER})", name)]
    return found if len(found) > 2 or len(roles) > 1 else {}


def _item(
    sample: Sample, uses: Mapping[str, Use], known: Mapping[str, Use], *, by_rows: bool
) -> dict[str, Use]:
    """Return which column says of which item a rating is."""
    lists = any("[" in path for path, use in known.items() if use is Use.SCORE)
    if Use.GROUP in uses.values() or ((lists or not by_rows) and Use.ID in uses.values()):
        return {}
    named = [
        column
        for column in sample.columns
        if uses[column.path] in (Use.METADATA, Use.ID) and column.path not in known
        if re.fullmatch(f"(?i:{ITEMS})", column.name or column.path)
    ]
    several = {
        column.path for column in named if len({*map(str, column.values)}) < len(column.values)
    }
    if not by_rows or lists:
        return {column.path: Use.ID for column in named if column.path not in several}
    ids = sorted((column.path for column in named), key=lambda path: path not in several)
    if not ids:
        return {path: Use.SHARED for path, use in uses.items() if use in PROMPTS}
    return {path: Use.UNUSED for path in ids if uses[path] is Use.ID} | {ids[0]: Use.GROUP}


def _differing(sample: Sample, known: Mapping[str, Use], rest: Sequence[str]) -> list[str]:
    """Return the columns that may differ within an item."""
    items = [path for path, use in known.items() if use in (Use.GROUP, Use.SHARED)]
    seen: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in sample.rows:
        if isinstance(row.content, Mapping):
            seen[str([row.content.get(path) for path in items])].append(row.content)
    same = [rows for rows in seen.values() if len(rows) > 1]
    return [
        path
        for path in rest
        if not same or any(row.get(path) != rows[0].get(path) for rows in same for row in rows)
    ]


def _scoring(
    sample: Sample, known: Mapping[str, Use], said: Mapping[str, Said], rater: str
) -> Scoring:
    """Return how the ratings are written, as far as the sample says it."""
    there = {
        use: {str(each) for c in sample.columns if known.get(c.path) is use for each in c.filled}
        for use in (Use.DIMENSION, Use.TARGET)
    }
    named = {name: "" if PAIRS.fullmatch(name) else code_of(name) for name in there[Use.DIMENSION]}
    scoring = Scoring(
        dimensions={name: code for name, code in sorted(named.items()) if name != code},
        first=0 if "0" in there[Use.TARGET] else 1,
        rater=rater,
    )
    reader = RatingReader(known, sample.packed, said, scoring)
    scales = {
        code: scale
        for code, found in reader.scales(sample.rows).items()
        if scoring.dimensions.get(code) != "" and (scale := scale_of(found))
    }
    return replace(scoring, scales=scales)
