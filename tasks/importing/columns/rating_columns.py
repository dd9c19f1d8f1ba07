"""Which columns of a file may be ratings. No Django but its translations."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from django.utils.translation import gettext as _

from ..files.rows import filled
from .layout import Layout
from .rating_reader import RatingReader, read_number, scale_of
from .sample import FileColumn, Sample
from .scoring import NO_ANSWER, QUALITY, Said, Scoring, code_of
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
ITEMS = "item|(.*[ _-]|HIT|trace)?id|doc|key|row|nr|no|number|#"
A_RATER = re.compile(f"(?i:{ROLES}[ _-]?[a-z0-9]+)")
BESIDE_NAME = re.compile(r"(?i)^(score|rating)s?[ _-]+(of |by )?|[ _-]+(score|rating)s?$")
# Names of numbers that are no ratings, and of numbers that are no people.
NO_SCORE = (
    rf"{ITEMS}|.*(count|length|tokens?|turns?|year|age|index|seed|step|rank|label|level)"
    r"|(epoch|round|size|total|sum|mean|average|median|min|max|time|seconds|latency|cost|split|fold)"
    r"|(group|order|position|version|depth|votes|likes|wins?|winner|tie|final|target|chosen|rejected)"
    r"|majority|.*_version|(has|is|num|n)_.*"
)
NO_NAME = (
    rf"{NO_SCORE}|{QUALITIES}"
    r"|.*(scor|rating|correct|help|harm|safe|toxic|fluen|relevan|good|bad|gpt|llama|claude|stral).*"
    r"|(gemini|gemma|qwen|deepseek|falcon|vicuna|alpaca|tulu|koala|phi)\W?.*"
)
PERSON = re.compile(
    rf"{A_RATER.pattern}|[^@\s]+@[^@\s]+"
    rf"|(?!(?i:{NO_NAME})$)([A-Z]\w*([ _-][^\W\d_]+\.?)?|[^\W\d_]{{3,}})\d?"
)
MOST_GRADES, LONGEST_GRADE = 7, 30  # of texts that may be levels; characters of one
PLACES = (".rank", ".start", ".end")  # in an order or a text
PAIRS = re.compile("preferences?|preferred|ranking|rank|pairwise|winner|better", re.IGNORECASE)


Guess: TypeAlias = tuple[
    Mapping[str, Use], Mapping[str, Said], Scoring, Mapping[str, str], Sequence[str]
]


def guessed_ratings(sample: Sample, uses: Mapping[str, Use], shape: Layout) -> Guess:
    """Return what of the columns is ratings beside what they are else.

    These are uses, what is said of them, the scales, questions, and what the lead should know.
    """
    there = {column.path: column for column in sample.columns}
    free = [there[path] for path, use in uses.items() if use is Use.METADATA]
    known = {path: use for path, use in uses.items() if use in RATING} or _by_rows(free)
    people = {} if known else _people(free)
    known |= dict.fromkeys(people, Use.SCORE)
    # Answers to other questions, which are no scores.
    lost = [
        path
        for path, use in known.items()
        if use is Use.SCORE and (path.endswith(PLACES) or not _scores(there[path]))
    ]
    graded = [path for path in lost if "[" not in path and _is_graded(there[path])]
    lost = [path for path in lost if path not in graded]
    known |= dict.fromkeys(lost, Use.UNUSED)
    if not {Use.SCORE, Use.CHECK}.intersection(known.values()):
        return dict.fromkeys(known, Use.METADATA), {}, Scoring(), {}, []
    comments = [each.path for each in free if people and _use(each) is Use.COMMENT]
    whose = {
        path: Said(person.rater)
        for path in comments
        for person in people.values()
        if person.rater.lower() in path.lower()
    }
    known |= dict.fromkeys(whose, Use.COMMENT)
    asked = {path: _("whose comment?") for path in comments if path not in whose}
    asked |= dict.fromkeys(graded, _("is it a score? Then put its texts in order below"))
    said = {**people, **whose, **shape.said(sample)}
    by_rows = any(use is Use.RATER and "[" not in path for path, use in known.items())
    known |= _item(sample, uses, known, by_rows=by_rows)
    rest = [each.path for each in free if each.path not in {*known, *asked}]
    lists = {path.partition("[")[0] for path in known if "[" in path}
    beside = [path for path in rest if path.partition("[")[0] in lists]
    # Rows of one item must say the same of it. Of an unknown shape each column is asked about.
    others = rest if by_rows else []
    known |= dict.fromkeys([*beside, *others], Use.UNUSED)
    scoring = _scoring(sample, known, said, shape.rater)
    told = [
        (_("There is no place for %(columns)s yet (%(number)s values in the first rows)."), lost),
        (_("Left out, as each rating may have another: %(columns)s."), others),
        (
            _("Left out, as it compares responses: %(columns)s."),
            [name for name, code in scoring.dimensions.items() if not code],
        ),
    ]
    number = sum(len(there[path].filled) for path in lost)
    words = [filled(text, columns=", ".join(of), number=number) for text, of in told if of]
    return known, said, scoring, asked, words


def _is_graded(column: FileColumn) -> bool:
    """Tell whether a column has few and short texts, which may be the levels of a scale."""
    return (
        column.holds_words
        and len({*map(str, column.filled)}) <= MOST_GRADES
        and all(len(str(each)) <= LONGEST_GRADE for each in column.filled)
    )


def _scores(column: FileColumn) -> bool:
    """Tell whether most of what a column holds is small whole numbers."""
    answers = [
        read_number(str(each), frozenset(map(str.casefold, NO_ANSWER)))
        for value in column.filled
        for each in (value if isinstance(value, list) else [value])
    ]
    whole = [each for each in answers if isinstance(each, int) and -10 <= each <= 100]
    return len(whole) * 2 >= len(answers) - answers.count(None)


def _use(column: FileColumn) -> Use | None:
    """Return what a column's name says of ratings, if its values can be that."""
    last = re.split(r"\.|\[\*\]\.?", (column.name or column.path).removesuffix("[*]"))[-1]
    use = next((use for name, use in NAMES.items() if re.fullmatch(f"(?i:{name})", last)), None)
    fit = {
        Use.SCORE: _scores(column) or _is_graded(column),
        Use.TARGET: _scores(column),
        **dict.fromkeys((Use.DIMENSION, Use.COMMENT), column.holds_words),
        Use.TIME: all(re.match(r"\d{4}-\d\d-\d\d", str(each)) for each in column.filled),
    }
    return use if use and fit.get(use, True) else None


def _by_rows(free: Iterable[FileColumn]) -> dict[str, Use]:
    """Return the ratings of a file with a row, or an entry of a list, for each rater."""
    there = [each for each in free if each.filled]
    named = {each.path: use for each in there if (use := _use(each))}
    inside = tuple(path.rpartition("[*]")[0] for path in named if named[path] is Use.RATER)
    lists = [each for each in there if isinstance(each.filled[0], list) and any(each.filled[0])]
    numbers = [each.path for each in lists if _scores(each)]
    if "" in inside and Use.SCORE not in named.values():
        # Q1, Q2, Q3: the longest series.
        stems = {each.path: each.path.rstrip("0123456789") for each in there if _scores(each)}
        series = Counter(stem for path, stem in stems.items() if path != stem).most_common(1)
        named |= {path: Use.SCORE for path, stem in stems.items() if path != stem in dict(series)}
        if not series:  # of some raters each column of small numbers may be a score
            plain = [path for path in stems if not re.fullmatch(f"(?i:{NO_SCORE})", path)]
            named |= dict.fromkeys([path for path in plain if path not in named], Use.SCORE)
    return {path: use for path, use in named.items() if path in numbers or path.startswith(inside)}


def _people(free: Iterable[FileColumn]) -> dict[str, Said]:
    """Return the columns that have the name of who rated, perhaps with a dimension behind it."""
    names = {
        column.path: BESIDE_NAME.sub("", column.name)
        for column in free
        if column.name and column.filled and "[" not in column.path and _scores(column)
    }
    pairs = {path: re.split(r"[ _:./-]+", name, maxsplit=1) for path, name in names.items()}
    pairs = {path: each for path, each in pairs.items() if PERSON.fullmatch(each[0]) and each[1:]}
    firsts, seconds = ({each[place] for each in pairs.values()} for place in (0, 1))
    if len(pairs) == len(firsts) * len(seconds) and min(len(firsts), len(seconds)) > 1:
        return {path: Said(person, code_of(title)) for path, (person, title) in pairs.items()}
    found = {path: Said(name, QUALITY) for path, name in names.items() if PERSON.fullmatch(name)}
    roles = [said for said in found.values() if A_RATER.fullmatch(said.rater)]
    return found if len(found) > 2 or len(roles) > 1 else {}


def _item(
    sample: Sample, uses: Mapping[str, Use], known: Mapping[str, Use], *, by_rows: bool
) -> dict[str, Use]:
    """Return which column says of which item a rating is."""
    if Use.GROUP in uses.values() or (Use.ID in uses.values() and not by_rows):
        return {}
    found = {
        column.path: len({*map(str, column.values)}) == len(sample.rows)
        for column in sample.columns
        if uses[column.path] in (Use.METADATA, Use.ID) and column.path not in known
        if re.fullmatch(f"(?i:{ITEMS})", column.name or column.path)
    }
    if not by_rows:
        return dict.fromkeys([path for path, is_one in found.items() if is_one][:1], Use.ID)
    if not found:
        return {path: Use.SHARED for path, use in uses.items() if use in PROMPTS}
    other = {path: Use.UNUSED for path in found if uses[path] is Use.ID}
    return other | {min(found, key=lambda path: found[path]): Use.GROUP}


def _scoring(
    sample: Sample, known: Mapping[str, Use], said: Mapping[str, Said], rater: str
) -> Scoring:
    """Return how the ratings are written, as far as the sample says it."""
    there = {
        use: {str(each) for c in sample.columns if known.get(c.path) is use for each in c.filled}
        for use in (Use.DIMENSION, Use.TARGET)
    }
    usual = Scoring().code
    named = {name: "" if PAIRS.fullmatch(name) else usual(name) for name in there[Use.DIMENSION]}
    scoring = Scoring(
        dimensions={name: code for name, code in sorted(named.items()) if name != code},
        first=0 if "0" in there[Use.TARGET] else 1,
        rater=rater,
    )
    seen = RatingReader(known, sample.packed, said, scoring).scales(sample.rows)
    scales = {
        code: scale
        for code, found in seen.items()
        if scoring.dimensions.get(code) != ""
        # Columns side by side have one scale, which few scores of one of them may not show.
        if (scale := scale_of(found if there[Use.DIMENSION] else sum(seen.values(), Counter())))
    }
    return replace(scoring, scales=scales)
