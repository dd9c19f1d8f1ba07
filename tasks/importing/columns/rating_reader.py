"""Rows of a file → the ratings in them. No Django but its translations."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest
from math import ceil, floor
from typing import TypeAlias

from django.utils.translation import gettext as _

from ..files.rows import LineError, SourceRow, excerpt, filled
from ..files.values import BadValue, cell_text
from .items import NewResponse
from .sample import EMPTY, Sample, leaves
from .scoring import FILE, MANY, QUALITY, RatingRow, Said, Scoring, code_of
from .uses import RATINGS, Use

NUMBER = re.compile(r"[+-]?\d{1,6}(?:\.\d{1,20}|,\d{1,2})?")
LONGEST_RATER = 150  # characters of a name, as `ImportedRater` has it
USUAL = 10  # few scales end above it
MOST_DIFFERENT = 10_000  # scores of a dimension that are counted
ANY = (-(10**6), 10**6)
Written: TypeAlias = int | Decimal | str | None  # a score, none that is whole, a text, no answer
# A value with its column and place, who said it, the dimension, and the row's values beside it.
Cell: TypeAlias = tuple[object, str, str, object, str, Mapping[str, object]]


class RatingReader:
    """A reader of the ratings in rows of one mapping, which is worked out once."""

    def __init__(
        self,
        columns: Mapping[str, Use],
        packed: Container[str],
        said: Mapping[str, Said],
        scoring: Scoring,
        file: str = "",
    ) -> None:
        self.columns, self.packed, self.scoring = columns, packed, scoring
        self.rater = scoring.rater.replace(FILE, file)
        self.no_answer = frozenset(text.strip().casefold() for text in scoring.no_answer)
        self.paths = {use: [path for path in columns if columns[path] is use] for use in Use}
        self.rated = [path for use in RATINGS for path in self.paths[use]]
        beside = (Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME)
        self.needed = {*self.rated, *(path for use in beside for path in self.paths[use])}
        self.said = {path: said.get(path, Said()) for path in columns}
        for path in self.rated:
            if not (self.said[path].dimension or self.paths[Use.DIMENSION]):
                self.said[path] = replace(
                    self.said[path], dimension=QUALITY if self.said[path].rater else code_of(path)
                )
        # Scores of dimensions without a place, by the file's names.
        self.left_out: Counter[str] = Counter()
        self.exported = {path.partition("[")[0] for path in self.paths[Use.EXPORTED]}

    def faults(self, sample: Sample) -> list[tuple[str, str, Sequence[str]]]:
        """Return what is wrong or missing: a sentence, its subject, and the columns."""
        inside = [path.rpartition("[*]")[0] for path in self.paths[Use.RATER]]
        nobodys = [
            path
            for path in self.rated
            if not (
                self.said[path].rater or self.scoring.rater or any(map(path.startswith, inside))
            )
        ]
        lists = {each.path for each in sample.columns if isinstance((*each.filled, 0)[0], list)}
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.SCORE]:
            if "[*]" not in path:
                alike[f"{self.said[path].dimension} / {self.said[path].rater}"].append(path)
        return [
            (
                _("Who rated in %(columns)s? Say whose each is, or which column says who rated."),
                "",
                [path for path in nobodys if path not in lists],
            ),
            *(
                (
                    _("A person gives one score of %(what)s, and not %(columns)s; choose one."),
                    what.strip(" /"),
                    paths,
                )
                for what, paths in alike.items()
                if len(paths) > 1
            ),
        ]

    def read(
        self,
        row: SourceRow,
        content: Mapping[str, object],
        item: str,
        model: str,
        response: NewResponse | None,
    ) -> Iterator[RatingRow | LineError]:
        """Yield the ratings of a row.

        An error in a score keeps out all that its rater says of the target in the row.
        """
        own = {name: _text(content[name]) for name in self.exported if name in content}
        groups: dict[tuple[str, int | None], RatingRow | None] = {}
        # An export leaves out what is empty.
        cells = {**dict.fromkeys(self.needed), **content} if own else content
        for cell in self._cells(cells):
            value, path, _place, rater, code, beside = cell
            silent = self._written(value) is None
            if not code:
                self.left_out[_text(self._beside(Use.DIMENSION, beside))] += 1
            if not code or (silent and not (rater and self.columns[path] is Use.SCORE)):
                continue
            key: tuple[str, int | None] = "", None
            try:
                key = self._rater(rater), self._number(beside, model)
                if key not in groups:
                    at, (name, number) = self._moment(beside), key
                    target = number, model, response
                    groups[key] = RatingRow(row.line, item, name, target, {}, {}, "", at, own)
                if group := groups[key]:
                    groups[key] = self._with(group, cell)
            except BadValue as error:
                groups[key] = None
                yield error.at(row, item)
        for group in filter(None, groups.values()):
            scores = [score for _path, score in group.scores.values() if score is not None]
            if own or scores or group.checks:
                yield group

    def scales(
        self, rows: Iterable[SourceRow], use: Use = Use.SCORE
    ) -> dict[str, Counter[Written]]:
        """Return what rows have of each dimension; one that is left out has the file's name.

        With Use.CHECK: of each check.
        """
        seen: defaultdict[str, Counter[Written]] = defaultdict(Counter)
        for row in rows:
            # What is wrong with a row is told where it is read.
            with suppress(BadValue):
                cells = () if isinstance(row.content, LineError) else self._cells(row.content)
                for value, path, _place, _rater, code, beside in cells:
                    if self.columns[path] is use:
                        name = (use is Use.CHECK and self.said[path].check) or code
                        found = seen[name or _text(self._beside(Use.DIMENSION, beside))]
                        found[self._written(value) if len(found) < MOST_DIFFERENT else "…"] += 1
        return seen

    def _cells(self, content: Mapping[str, object]) -> Iterator[Cell]:
        for entry, there, beside in self._parts(content):
            named = self._beside(Use.RATER, beside) or self.rater
            dimension = self.scoring.code(_text(self._beside(Use.DIMENSION, beside)))
            for path in self.rated:
                if path in there:
                    value, said = there[path], self.said[path]
                    place = entry + path[path.rfind("[*]") + 3 :] if entry else path
                    rater, code = said.rater or named, said.dimension or dimension
                    match value, rater:
                        case list(), list() | "":
                            # Raters without names have numbers.
                            who = rater or range(1, len(value) + 1)
                            for number, (one, name) in enumerate(zip_longest(value, who)):
                                yield one, path, f"{place}[{number}]", name, code, beside
                        case ([one], _) | (one, _):  # a choice of several is a list of one
                            yield one, path, place, rater, code, beside

    def _parts(
        self, content: Mapping[str, object]
    ) -> Iterator[tuple[str, Mapping[str, object], Mapping[str, object]]]:
        """Yield the entries of lists in a row, and the row itself as "".

        Each with its values, and with these and the values of what it is in.
        """
        if all(path in content for path in self.needed):
            yield "", content, content
            return
        found: defaultdict[str, dict[str, object]] = defaultdict(dict)
        for leaf in leaves(content, self.columns, self.packed):
            if leaf.path in self.needed:
                _list, mark, tail = leaf.path.rpartition("[*]")
                found[leaf.place[: len(leaf.place) - len(tail)] if mark else ""][leaf.path] = (
                    leaf.value
                )
        for entry, there in found.items():
            around = [found[outer] for outer in found if entry.startswith(outer)]
            yield entry, there, {path: outer[path] for outer in around for path in outer}

    def _beside(self, use: Use, beside: Mapping[str, object]) -> object:
        """Return the value of a use that goes with a rating; the innermost comes last."""
        for path in reversed(self.paths[use]):
            if beside.get(path) not in EMPTY:
                return beside[path]
        return None

    def _rater(self, rater: object) -> str:
        column = ", ".join(self.paths[Use.RATER])
        if name := _text(rater).strip():
            return cell_text(name, column, LONGEST_RATER)
        raise BadValue(
            column,
            _("does not say who rated"),
            _("name the person, or leave the rating out"),
        )

    def _number(self, beside: Mapping[str, object], model: str) -> int | None:
        """Return the number of the response that is rated, from 1, if the row says it."""
        text, first = _text(self._beside(Use.TARGET, beside)).strip(), self.scoring.first
        if text in ("", model):  # the name of who said all that is rated
            return None
        if isinstance(number := read_number(text, frozenset()), int) and number >= first:
            return number - first + 1
        raise BadValue(
            ", ".join(self.paths[Use.TARGET]),
            _("is no number of a response"),
            filled(_("count the responses from %(first)s on"), first=first),
            excerpt(text),
        )

    def _moment(self, beside: Mapping[str, object]) -> datetime | None:
        text = _text(self._beside(Use.TIME, beside)).strip()
        try:
            at = datetime.fromisoformat(text) if text else None
            return at and (at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
        except (ValueError, OverflowError) as error:
            raise BadValue(
                ", ".join(self.paths[Use.TIME]),
                _("is no time"),
                _("write it like 2026-03-02 09:00, or say that the column is not kept"),
                excerpt(text),
            ) from error

    def _with(self, group: RatingRow, cell: Cell) -> RatingRow:
        """Return a rating with what one more column says. Raises BadValue."""
        value, path, place, _rater, code, _beside = cell
        said = {True: "yes", False: "no"}[value] if isinstance(value, bool) else _text(value)
        match self.columns[path]:
            case Use.COMMENT:
                comments = filter(None, (group.comment, cell_text(said, place)))
                return replace(group, comment="\n".join(comments))
            case Use.CHECK:
                # Where a question stands beside its answer, the question is the check.
                check = self.said[path].check or code
                dimension = code if self.said[path].check else ""
                said = cell_text(said, place)
                pairs = said.split(";") if check == MANY else [f"{check}={said}"]
                answers = dict(pair.partition("=")[::2] for pair in pairs)
                group.checks.setdefault(dimension, {}).update(answers)
            case _ if code in group.scores:
                raise BadValue(
                    place,
                    filled(_("is a second score of %(dimension)s"), dimension=code),
                    _("keep one score of each rater"),
                    excerpt(value),
                )
            case _:
                group.scores[code] = path, self._score(code, value, place)
        return group

    def _written(self, value: object) -> Written:
        text = _text(value)
        # Long texts are not worth keeping.
        return read_number(text, self.no_answer) if len(text) < LONGEST_RATER else text[:60]

    def _score(self, dimension: str, value: object, place: str) -> int | None:
        """Return a score as it will be stored. Raises BadValue."""
        texts = [each.casefold() for each in self.scoring.words.get(dimension, ())]
        factor = 1 if texts else 1 + self.scoring.doubled
        lowest, highest = self.scoring.scale(dimension) or ANY
        found = self._written(value)
        if isinstance(found, str) and found.casefold() in texts:
            found = texts.index(found.casefold()) + 1
        match found:
            case None:
                return None
            case str():
                reason = _("is no number")
                advice = _("write a score, put the column’s texts in order, or say that it is none")
            case _ if found * factor % 1:
                reason, advice = _("is no whole score"), _("round it, or have halves doubled")
            case _ if lowest <= found * factor <= highest:
                return int(found * factor)
            case _:
                reason = filled(
                    _("is off the scale of %(dimension)s, from %(lowest)s to %(highest)s"),
                    dimension=dimension,
                    lowest=lowest // factor,
                    highest=highest // factor,
                )
                advice = _("correct it, or choose another scale")
        raise BadValue(place, reason, advice, excerpt(value))


@lru_cache(maxsize=10_000)
def read_number(text: str, no_answer: frozenset[str]) -> Written:
    """Return a number, a text that is none, or None for no answer."""
    text = text.strip()
    if text.casefold() in no_answer or not NUMBER.fullmatch(text):
        return None if text.casefold() in no_answer else text
    number = Decimal(text.replace(",", "."))
    if number % 1:
        return number
    return None if str(int(number)) in no_answer else int(number)


def scale_of(found: Counter[Written]) -> tuple[int, int] | None:
    """Return the lowest and the highest score, without slips such as 55 among 1 to 5."""
    known = {each: number for each, number in found.items() if isinstance(each, int | Decimal)}
    usual = {each: number for each, number in known.items() if each <= USUAL}
    there = usual if sum(usual.values()) * 10 >= sum(known.values()) * 9 else known
    return (floor(min(1, *there)), ceil(max(there))) if there else None


def _text(value: object) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)
