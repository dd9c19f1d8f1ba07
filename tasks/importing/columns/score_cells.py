"""A cell of a score → a number, a text, or no answer. Knows no Django."""

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from math import ceil, floor
from typing import TypeAlias

Score: TypeAlias = int | Decimal | str | None  # a whole number, another one, a text, no answer
Scale: TypeAlias = tuple[int, int]

DIGITS = r"[+-]?\d{1,6}(?:\.\d{1,20}|,\d{1,2})?"
UNITS = "stars?|sterne?|[ée]toiles?|points?|punkte?"
CELL = re.compile(
    rf"(?P<alone>{DIGITS})"
    rf"|(?P<part>{DIGITS})\s*(?:/|out of|of|von|sur)\s*(?P<highest>\d{{1,3}})"
    rf"|(?P<percent>{DIGITS})\s*%"
    rf"|(?P<first>{DIGITS})\s*(?:[-–—:=.()]+\s*|\s(?={UNITS}))[^\W\d].*"
    rf"|[^\W\d][^\d(]*\((?P<last>{DIGITS})\)",
    re.IGNORECASE | re.DOTALL,
)
# What a workbook makes of 3/5.
DATE = re.compile(
    r"\d{1,2}[-. ]+(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz?|apr(?:il)?|may|mai"
    r"|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?"
    r"|de[cz](?:ember)?)\.?(?:[- ]\d{2,4})?",
    re.IGNORECASE,
)
STARS = re.compile("(?P<full>[★⭐🌟]+)(?P<empty>[☆✩✰]*)")
TRUTH = {"true": 1, "false": 0}
LONGEST = 200  # characters of a cell that are read
LONGEST_LIST = 2_000
USUAL = 10  # few scales end above it
# Words from the lowest to the highest; those between bars are as high.
LADDERS = (
    "terrible|awful, very bad|very poor, bad|poor|weak, fair|mediocre|okay|ok|average|medium"
    "|acceptable|neutral, good|strong, very good|great, excellent|perfect|outstanding",
    "no, partly|partially|somewhat|unsure|maybe|not sure|unclear, mostly, yes",
    "n, y",
    "strongly disagree, disagree, somewhat disagree|slightly disagree, neutral|undecided"
    "|neither agree nor disagree, somewhat agree|slightly agree, agree, strongly agree",
    "never, rarely, sometimes, often, always",
    "none, very low, low, medium|moderate, high, very high",
    "benign, debatable, moderate, extreme",
    "incorrect|wrong, partially correct|partly correct, correct|right",
    "fail, pass",
    "critical, major, minor, neutral, no-error|no error",
    "unsafe, unsure, safe",
    "unacceptable, acceptable",
    "irrelevant|not relevant, partially relevant|somewhat relevant, relevant, highly relevant",
    "not at all, slightly, somewhat, moderately, very, extremely",
    "sehr schlecht, schlecht, mittel|mittelmäßig|befriedigend|ok, gut, sehr gut, ausgezeichnet",
    "nein, teils|teilweise|vielleicht|unsicher, ja",
    "très mauvais, mauvais, moyen|passable, bon, très bon, excellent",
    "non, en partie|peut-être|incertain, oui",
)
WORDS = frozenset(word for ladder in LADDERS for word in re.split(r"[|,]\s*", ladder))


@lru_cache(maxsize=10_000)
def read_score(text: str, no_answer: frozenset[str]) -> Score:
    """Return the number that a cell says, its text if it says none, or None for no answer."""
    text = text.strip()
    if is_no_answer(text.casefold(), no_answer):
        return None
    number = _number(text)
    if number is None:
        return text[:LONGEST]
    if number % 1:
        return number
    return None if str(int(number)) in no_answer else int(number)


def is_no_answer(text: str, no_answer: Collection[str]) -> bool:
    """Tell whether a folded text is or begins with a text that means no answer."""
    return text in no_answer or any(_begins(text, beginning) for beginning in no_answer)


def _begins(text: str, beginning: str) -> bool:
    """Tell whether more follows a beginning, such as a reason in brackets."""
    rest = text.removeprefix(beginning)
    if rest == text or len(beginning) < 2 or beginning.isnumeric():
        return False
    if not rest.lstrip()[:1].isalnum():
        return True
    return not rest[0].isalnum() and not beginning.isalpha()


def _number(text: str) -> Decimal | None:
    """Return the number in a cell, or None."""
    if match := STARS.fullmatch(text.replace("\ufe0f", "")):
        return Decimal(len(match["full"]))
    if text.casefold() in TRUTH:
        return Decimal(TRUTH[text.casefold()])
    match = CELL.fullmatch(text[:LONGEST])
    if match is None or DATE.fullmatch(text):
        return None
    digits = next(match[name] for name in match.groupdict() if match[name])
    number = Decimal(digits.replace(",", "."))
    if match["highest"] and number > int(match["highest"]):
        return None  # a date
    return number


@lru_cache(maxsize=10_000)
def says_level(text: str) -> bool:
    """Tell whether a cell has a number, or a word of a scale such as "good"."""
    text = text.strip()
    return _number(text) is not None or text.casefold() in WORDS


def highest_in(text: str) -> int | None:
    """Return the end of the scale that a cell says: of `4/5`, `80 %`, `★★★☆☆`."""
    text = text.strip()
    if match := STARS.fullmatch(text.replace("\ufe0f", "")):
        return len(match[0]) if match["empty"] else None
    match = CELL.fullmatch(text[:LONGEST])
    if match and match["percent"]:
        return 100
    return int(match["highest"]) if match and match["highest"] else None


def list_in(value: object) -> object:
    """Return the list in a cell such as "[4, 3, 5]", or the value as it is."""
    if not (isinstance(value, str) and value[:1] == "[" and len(value) <= LONGEST_LIST):
        return value
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            entries = read(value.replace("NaN", "null") if read is json.loads else value)
            if isinstance(entries, list):
                return [Decimal(str(one)) if isinstance(one, float) else one for one in entries]
    return value


def scale_of(score_counts: Counter[Score]) -> Scale | None:
    """Return the lowest and the highest score, without slips such as 55 among 1 to 5."""
    numbers = {
        score: count for score, count in score_counts.items() if isinstance(score, int | Decimal)
    }
    usual = {score: count for score, count in numbers.items() if score <= USUAL}
    if sum(usual.values()) * 10 >= sum(numbers.values()) * 9:
        numbers = usual
    return (floor(min(1, *numbers)), ceil(max(numbers))) if numbers else None


def word_order(texts: Iterable[str]) -> Sequence[str]:
    """Return texts from the lowest to the highest if their order is known, else nothing."""
    spellings: dict[str, str] = {}
    for text in texts:
        spellings.setdefault(text.strip().casefold(), text.strip())
    for ladder in LADDERS:
        steps = [step.strip().split("|") for step in ladder.split(",")]
        chosen = [[word for word in step if word in spellings] for step in steps]
        words = [word for step in chosen for word in step]
        if len(words) == len(spellings) > 1 and max(map(len, chosen)) == 1:
            return [spellings[word] for word in words]
    return ()


def orders_of(texts_by_column: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return the order of each column's texts, also of those that other columns alone have."""
    orders = {}
    for name, texts in texts_by_column.items():
        every = {*texts}
        for others in texts_by_column.values():
            if not every.isdisjoint(others) and word_order({*every, *others}):
                every |= {*others}
        orders[name] = word_order(every)
    return orders
