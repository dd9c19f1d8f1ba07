"""Rows of a file → the ratings in them. No Django but its translations."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest

from django.utils.translation import gettext as _

from ..files.rows import LineError, SourceRow, excerpt, filled
from ..files.values import BadValue, cell_text
from .items import NewResponse
from .rated_parts import Cell, RatedPart, list_of, text_of
from .rating_names import last_name
from .sample import EMPTY, Sample, leaves
from .score_cells import LONGEST, Score, list_in, read_score
from .scoring import (
    FILE,
    MANY,
    QUALITY,
    RatingKey,
    RatingKeys,
    RatingRow,
    Scoring,
    code_of,
    title_of,
)
from .uses import ANSWERING, RATINGS, Use

LONGEST_RATER = 150  # characters of a name, as `ImportedRater` has it
MOST_DIFFERENT = 10_000  # scores of a dimension that are counted
ANY = (-(10**6), 10**6)
NO_NUMBERS: frozenset[str] = frozenset()


class RatingReader:
    """A reader of the ratings in rows of one mapping, which is worked out once."""

    def __init__(
        self,
        columns: Mapping[str, Use],
        packed: Container[str],
        rating_keys: RatingKeys,
        scoring: Scoring,
        file: str = "",
    ) -> None:
        self.columns, self.packed, self.scoring = columns, packed, scoring
        self.rater = scoring.rater.replace(FILE, file)
        self.no_answer = frozenset(text.strip().casefold() for text in scoring.no_answer)
        self.paths = {use: [path for path in columns if columns[path] is use] for use in Use}
        self.rated = [path for use in RATINGS for path in self.paths[use]]
        around = (Use.RATER, Use.DIMENSION, Use.TARGET, Use.TIME)
        self.needed = {*self.rated, *(path for use in around for path in self.paths[use])}
        self.rating_keys = {path: rating_keys.get(path, RatingKey()) for path in columns}
        for path in self.rated:
            key = self.rating_keys[path]
            if not (key.dimension or self.paths[Use.DIMENSION]):
                dimension = QUALITY if key.rater else code_of(path)
                self.rating_keys[path] = replace(key, dimension=dimension)
        self.number = 0  # of scores that were read, good or bad
        self.left_out: Counter[str] = Counter()  # scores of dimensions without a place, by name
        self.exported = {path.partition("[")[0] for path in self.paths[Use.EXPORTED]}
        self._sort_lists()

    @property
    def titles(self) -> dict[str, str]:
        """The names of dimensions as the file writes them, by their codes."""
        titles = {code: name for name, code in self.scoring.dimensions.items() if code}
        for path in self.paths[Use.SCORE]:
            code = self.rating_keys[path].dimension
            titles.setdefault(code, title_of(last_name(path), code))
        return titles

    def _sort_lists(self) -> None:
        """Find the lists of responses, and those whose entries are of one rater each."""
        answers = [path for use in ANSWERING for path in self.paths[use]]
        answered = {list_of(path) for path in answers if "[*]" in path}
        within = tuple(f"{name}[*]" for name in answered)
        self.fixed = {
            path
            for path in self.rated
            if path.startswith(within) or self.rating_keys[path].response
        }
        self.has_targets = bool(self.paths[Use.TARGET])
        self.answers = answers if self.fixed else []
        self.needed |= {*self.answers}
        self.inner_raters: defaultdict[str, list[str]] = defaultdict(list)
        for rater in self.paths[Use.RATER]:
            self.inner_raters[rater.rpartition(".")[0]].append(rater)
        raters = [list_of(path) for path in self.paths[Use.RATER]]
        lists = dict.fromkeys(list_of(path) for path in self.rated if "[*]" in path)
        self.unnamed = [
            name for name in lists if name not in answered and not any(map(name.startswith, raters))
        ]

    def faults(self, sample: Sample) -> list[tuple[str, str, Sequence[str]]]:
        """Return what is wrong or missing: a sentence, its subject, and the columns."""
        inside = [list_of(path) for path in self.paths[Use.RATER]]
        examples = {column.path: (*column.filled, "")[0] for column in sample.columns}
        nobodys = []
        for path in self.rated:
            rater = self.rating_keys[path].rater or self.scoring.rater
            has_rater = rater or list_of(path) in self.unnamed
            is_list = isinstance(list_in(examples.get(path)), list)
            if not (has_rater or is_list or any(map(path.startswith, inside))):
                nobodys.append(path)
        columns_of: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths[Use.SCORE]:
            if "[*]" not in path:
                key = self.rating_keys[path]
                columns_of[f"{key.dimension} / {key.rater} / {key.response}"].append(path)
        several = [(names, paths) for names, paths in columns_of.items() if len(paths) > 1]
        one = _("A person gives one score of %(what)s, and not %(columns)s; choose one.")
        return [
            (
                _("Who rated in %(columns)s? Say whose each is, or which column says who rated."),
                "",
                nobodys,
            ),
            *((one, names.strip(" /"), paths) for names, paths in several),
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

        An error in a score keeps out that score alone. An error in what goes with it, such as the
        time, keeps out all that its rater says of the target in the row.
        """
        exported = {name: text_of(content[name]) for name in self.exported if name in content}
        groups: dict[tuple[str, int | None, str], RatingRow | None] = {}
        faults: dict[str, BadValue] = {}
        # An export leaves out what is empty.
        cells = {**dict.fromkeys(self.needed), **content} if exported else content
        for cell in self._cells(cells):
            is_silent = self._read_score(cell.value) is None
            is_score = self.columns[cell.path] is Use.SCORE
            self.number += is_score and not is_silent
            if not cell.dimension:
                self.left_out[text_of(self._around(Use.DIMENSION, cell.part))] += 1
                continue
            if is_silent and not (cell.rater is not None and is_score):
                continue
            key: tuple[str, int | None, str] = "", None, ""
            try:
                name, number = model, None
                if cell.path in self.fixed:
                    name = self._model(cell.path) or model
                    number = self._number_of_response(cell, cells, response)
                elif self.has_targets:
                    number = self._number(cell.part, model)
                key = self._rater(cell.rater), number, name
                if key not in groups:
                    at, target = self._moment(cell.part), (*key[1:], response)
                    groups[key] = RatingRow(
                        row.line, item, key[0], target, {}, {}, "", at, exported
                    )
            except BadValue as error:
                groups[key] = None
                faults[str(error.args)] = error
            try:
                if group := groups[key]:
                    groups[key] = self._with(group, cell)
            except BadValue as error:
                faults[cell.place] = error
                if not is_score:
                    groups[key] = None
        for fault in faults.values():
            yield fault.at(row, item)
        for group in filter(None, groups.values()):
            scores = [score for _path, score in group.scores.values() if score is not None]
            if exported or scores or group.checks:
                yield group

    def scales(self, rows: Iterable[SourceRow], use: Use = Use.SCORE) -> dict[str, Counter[Score]]:
        """Return what rows have of each dimension; one that is left out has the file's name.

        With Use.CHECK: of each check.
        """
        seen: defaultdict[str, Counter[Score]] = defaultdict(Counter)
        for row in rows:
            # What is wrong with a row is told where it is read.
            with suppress(BadValue):
                cells = () if isinstance(row.content, LineError) else self._cells(row.content)
                for cell in cells:
                    if self.columns[cell.path] is use:
                        check = use is Use.CHECK and self.rating_keys[cell.path].check
                        name = check or cell.dimension
                        scores = seen[name or text_of(self._around(Use.DIMENSION, cell.part))]
                        is_few = len(scores) < MOST_DIFFERENT
                        scores[self._read_score(cell.value) if is_few else "…"] += 1
        return seen

    def _cells(self, content: Mapping[str, object]) -> Iterator[Cell]:
        for part in self._parts(content):
            dimension = self.scoring.code(text_of(self._around(Use.DIMENSION, part)))
            for path in self.rated:
                if path in part.values:
                    key = self.rating_keys[path]
                    column = self._raters(path, part)
                    place = part.place + path[path.rfind("[*]") + 3 :] if part.place else path
                    rater = key.rater or column
                    if rater is None:
                        rater = self._entry(path, part.place) or self.rater or None
                    value = part.values[path]
                    cell = Cell(value, path, place, rater, key.dimension or dimension, part)
                    if type(value) is str and value[:1] != "[":
                        yield cell
                    else:
                        yield from self._entries(cell, column)

    def _entries(self, cell: Cell, column: object) -> Iterator[Cell]:
        """Yield the scores of a cell, one for each rater if it is a list."""
        scores = list_in(cell.value) if self.columns[cell.path] is Use.SCORE else cell.value
        is_numbered = column is None or isinstance(column, list)
        if isinstance(scores, list) and is_numbered and (len(scores) != 1 or column):
            # Raters without names have numbers.
            raters = column or range(1, len(scores) + 1)
            for number, (score, name) in enumerate(zip_longest(scores, raters)):  # type: ignore[call-overload]
                yield cell._replace(value=score, place=f"{cell.place}[{number}]", rater=name)
        elif isinstance(scores, list) and len(scores) == 1:  # a choice of several
            yield cell._replace(value=scores[0])
        else:
            yield cell

    def _entry(self, path: str, place: str) -> str:
        """Return the number of an entry as the name of who rated, where nothing names people."""
        name = list_of(path)
        if "[*]" not in path or name not in self.unnamed:
            return ""
        number = str(int(place.rpartition("[")[2].rstrip("]")) + 1)
        return number if len(self.unnamed) == 1 else f"{last_name(name)} {number}"

    def _parts(self, content: Mapping[str, object]) -> Iterator[RatedPart]:
        """Yield the entries of lists in a row, and the row itself."""
        if all(path in content for path in self.needed):
            yield RatedPart("", content, content)
            return
        parts: defaultdict[str, dict[str, object]] = defaultdict(dict)
        for leaf in leaves(content, self.columns, self.packed):
            if leaf.path in self.needed:
                _list, mark, tail = leaf.path.rpartition("[*]")
                place = leaf.place[: len(leaf.place) - len(tail)] if mark else ""
                parts[place][leaf.path] = leaf.value
        for place, values in parts.items():
            around = [parts[outer] for outer in parts if place.startswith(outer)]
            yield RatedPart(
                place, values, {path: outer[path] for outer in around for path in outer}
            )

    def _raters(self, path: str, part: RatedPart) -> object:
        """Return who rated in a column: one, several, or None. Its own raters come first."""
        inner = self.inner_raters.get(path, ())
        for name in inner:
            if part.around.get(name) not in EMPTY:
                return list_in(part.around[name])
        return None if inner else list_in(self._around(Use.RATER, part))

    def _around(self, use: Use, part: RatedPart) -> object:
        """Return the value of a use that goes with a rating; the innermost comes last."""
        for path in reversed(self.paths[use]):
            if part.around.get(path) not in EMPTY:
                return part.around[path]
        return None

    def _rater(self, rater: object) -> str:
        column = ", ".join(self.paths[Use.RATER])
        if name := " ".join(text_of(rater).split()):
            return cell_text(self.scoring.merged.get(name, name), column, LONGEST_RATER)
        raise BadValue(
            column,
            _("does not say who rated"),
            _("name the person, or leave the rating out"),
        )

    def _model(self, path: str) -> str:
        """Return the model that a column's scores are of, or ""."""
        name = self.rating_keys[path].response
        return "" if name in self.columns or name.isdigit() else name

    def _number(self, part: RatedPart, model: str) -> int | None:
        """Return the number of the response that is rated, from 1, if the row says it."""
        text = text_of(self._around(Use.TARGET, part)).strip()
        first = self.scoring.first
        if text in ("", model):  # the name of who said all that is rated
            return None
        number = read_score(text, NO_NUMBERS)
        if isinstance(number, int) and number >= first:
            return number - first + 1
        raise BadValue(
            ", ".join(self.paths[Use.TARGET]),
            _("is no number of a response"),
            filled(_("count the responses from %(first)s on"), first=first),
            excerpt(text),
        )

    def _number_of_response(
        self, cell: Cell, content: Mapping[str, object], response: NewResponse | None
    ) -> int | None:
        """Return the number of the response that a score stands with, or None if none is needed."""
        name = self.rating_keys[cell.path].response
        if name and name not in self.columns:
            return int(name) if name.isdigit() else None
        if response:  # the only one
            return None
        answers = [
            leaf.place
            for leaf in leaves(content, self.columns, self.packed)
            if leaf.path in self.answers and leaf.value is not None
        ]
        for number, place in enumerate(answers, start=1):
            # A score is in the entry of its response, or in a list within that.
            entry = place.rpartition("]")[0] + "]" if "]" in place else place
            beginning = name or cell.part.place
            if place == beginning or place.startswith((f"{beginning}.", f"{beginning}[")):
                return number
            if not name and f"{cell.place}.".startswith((f"{entry}.", f"{entry}[")):
                return number
        raise BadValue(
            cell.place,
            _("is of a response that the row does not have"),
            _("add the response, or leave the score out"),
            excerpt(cell.value),
        )

    def _moment(self, part: RatedPart) -> datetime | None:
        text = text_of(self._around(Use.TIME, part)).strip()
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
        code, value = cell.dimension, cell.value
        answer = {True: "yes", False: "no"}[value] if isinstance(value, bool) else text_of(value)
        match self.columns[cell.path]:
            case Use.COMMENT:
                comments = filter(None, (group.comment, cell_text(answer, cell.place)))
                return replace(group, comment="\n".join(comments))
            case Use.CHECK:
                # Where a question stands beside its answer, the question is the check.
                check = self.rating_keys[cell.path].check or code
                dimension = code if self.rating_keys[cell.path].check else ""
                answer = cell_text(answer, cell.place)
                pairs = answer.split(";") if check == MANY else [f"{check}={answer}"]
                answers = dict(pair.partition("=")[::2] for pair in pairs)
                group.checks.setdefault(dimension, {}).update(answers)
            case _ if code in group.scores:
                raise BadValue(
                    cell.place,
                    filled(_("is a second score of %(dimension)s"), dimension=code),
                    _("keep one score of each rater"),
                    excerpt(value),
                )
            case _:
                group.scores[code] = cell.path, self._score(code, value, cell.place)
        return group

    def _read_score(self, value: object) -> Score:
        return read_score(text_of(value)[:LONGEST], self.no_answer)

    def _score(self, dimension: str, value: object, place: str) -> int | None:
        """Return a score as it will be stored. Raises BadValue."""
        texts = [text.casefold() for text in self.scoring.words.get(dimension, ())]
        factor = 1 if texts else 1 + self.scoring.doubled
        lowest, highest = self.scoring.scale(dimension) or ANY
        text = text_of(value).strip().casefold()
        score = texts.index(text) + 1 if text in texts else self._read_score(value)
        match score:
            case None:
                return None
            case str():
                reason = _("is no number")
                advice = _("write a score, put the column’s texts in order, or say that it is none")
            case _ if score * factor % 1:
                reason, advice = _("is no whole score"), _("round it, or have halves doubled")
            case _ if lowest <= score * factor <= highest:
                return int(score * factor)
            case _:
                words = _("is off the scale of %(dimension)s, from %(lowest)s to %(highest)s")
                ends = {"lowest": lowest // factor, "highest": highest // factor}
                reason = filled(words, dimension=dimension, **ends)
                advice = _("correct it, or choose another scale")
        raise BadValue(place, reason, advice, excerpt(value))
