"""A mapping: what each column of a file is. No Django but its translations.

It is read from YAML and written as it. Its readers make items and ratings of rows.
"""

import re
from collections.abc import Collection, Iterator, Mapping as AnyMapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

import yaml
from django.utils.translation import gettext as _

from ..files.rows import LineError, SourceRow, fill_in, printable
from ..files.values import BadValue
from .item_reader import ItemReader
from .items import NewItem, item_of
from .layouts import LAYOUTS, OWN
from .name_tables import Strength
from .names import listed_meaning, meaning
from .rated_column_faults import ColumnsFault, faults_of_ratings
from .rated_columns import RatedColumns
from .rating_reader import RatingReader
from .sample import Sample, name_within
from .scoring import RatingKey, RatingKeys, RatingRow, Scoring
from .spelling import variant
from .uses import ANSWERING, ASKING, PROMPTS, Use

# Columns that a mapping does not name, by its shape; any other is an error.
UNNAMED = {OWN: Use.METADATA, "ratings": Use.UNUSED, "our-export": Use.UNUSED}
# Of these an item has one; of the others several columns may be one text each.
SINGLE = (*PROMPTS, Use.CONVERSATION, Use.SYSTEM, Use.SOURCE, Use.WARNING)
# A text that YAML reads as it stands.
PLAIN = re.compile(r"(?!(?:yes|no|on|off|true|false|null)$)[a-z][a-z0-9_.-]*", re.IGNORECASE)
NO_NAME = re.compile(r"^\d+$|[.?!]$")


@dataclass(frozen=True)
class Mapping:
    """The uses of all columns of a file."""

    shape: str  # its name in `layouts`
    columns: AnyMapping[str, Use]
    models: AnyMapping[str, str] = field(default_factory=dict)  # of all responses in a column
    root: str = ""  # the object that holds what counts in each row, such as `row`
    packed: Collection[str] = ()  # columns whose texts are JSON
    file: str = ""  # the name without its ending; ids are made of it
    rating_keys: RatingKeys = field(default_factory=dict)  # of columns of ratings
    scoring: Scoring = field(default_factory=Scoring)

    def of(self, *uses: Use) -> list[str]:
        """Return the columns of some uses."""
        return [path for path, use in self.columns.items() if use in uses]

    @property
    def repeats(self) -> bool:
        """True if it has ratings: then several rows may say the same of an item."""
        return bool(self.of(Use.SCORE, Use.CHECK))

    @property
    def lacks_texts(self) -> bool:
        """True if the file has ratings of items and no texts of them."""
        return self.repeats and not self.of(*ASKING, *ANSWERING)

    @cached_property
    def is_our_shape(self) -> bool:
        """True if every column is what our own shape says, which then reads the rows."""
        ours = LAYOUTS[OWN]
        if any(self.columns.get(path) is not Use.METADATA for path in self.packed):
            return False
        return self.shape == OWN and all(
            use is (ours.use(path) or Use.METADATA) for path, use in self.columns.items()
        )

    @cached_property
    def rated_columns(self) -> RatedColumns:
        """The columns of its ratings."""
        return RatedColumns(
            self.columns, self.packed, self.rating_keys, self.scoring, file=self.file
        )

    @cached_property
    def reader(self) -> RatingReader:
        """The reader of its ratings."""
        return RatingReader(self.rated_columns)

    @cached_property
    def items(self) -> ItemReader:
        """The reader of its items."""
        return ItemReader(
            column_uses=self.columns,
            rest=UNNAMED.get(self.shape),
            models=self.models,
            root=self.root,
            packed=self.packed,
            file=self.file,
            lacks_texts=self.lacks_texts,
        )

    def item(self, row: SourceRow) -> NewItem | LineError:
        """Return the item of a row with the row's responses, or the row's error."""
        if isinstance(row.content, LineError):
            return row.content
        if self.is_our_shape:
            return item_of(row)
        try:
            return self.items.read(row, row.content)
        except BadValue as bad:
            return bad.at(row)

    def ratings(self, row: SourceRow) -> Iterator[RatingRow | LineError]:
        """Yield the ratings of a row, and the errors in its other ratings."""
        if isinstance(row.content, LineError):
            yield row.content
            return
        try:
            rated_item = self.items.rated_item(row, row.content)
        except BadValue as bad:
            for scores in self.reader.scales([row]).values():  # which are left out with it
                self.reader.number += scores.total() - scores[None]
            yield bad.at(row)
            return
        try:
            yield from self.reader.read(row, row.content, rated_item)
        except BadValue as bad:
            yield bad.at(row)

    def with_uses(self, uses: AnyMapping[str, Use]) -> "Mapping":
        """Return the mapping with other uses of some columns."""
        mapping = replace(self, columns={**self.columns, **uses})
        paths = mapping.of(*ANSWERING)
        models = {path: model for path, model in self.models.items() if path in paths}
        if not models and not mapping.of(Use.MODEL) and len(paths) > 1:
            models = _models_in_header(paths, self.root)
        return replace(mapping, models=models)

    def faults(self, sample: Sample) -> list[str]:
        """Return all that is wrong with the mapping or missing in it, in sentences."""
        column_faults = [*self._faults(sample), *faults_of_ratings(self.rated_columns, sample)]
        sentences = []
        for fault in column_faults:
            if fault.columns:
                columns = ", ".join(fault.columns)
                sentence = fill_in(fault.words, what=fault.subject, columns=columns)
                sentences.append(printable(sentence))
        return sentences

    def as_yaml(self, comments: AnyMapping[str, str]) -> str:
        """Return the mapping as YAML, with a comment behind a column."""
        lines = [
            f"shape: {self.shape}",
            f"root: {_scalar(self.root)}",
            f"json: [{', '.join(map(_scalar, sorted(self.packed)))}]",
        ]
        if self.repeats:
            lines.append(f"ratings: {self.scoring.as_yaml()}".rstrip())
        lines.append("columns:" if self.columns else "columns: {}")
        for path, use in self.columns.items():
            # A key of more than 1,024 characters needs a mark, and an escaped one has ten for one.
            line = "  ? {}\n  : {}" if len(path) > 100 else "  {}: {}"
            line = line.format(_scalar(path), self._entry_as_yaml(path, use))
            comment = "".join(filter(str.isprintable, comments.get(path, "")))
            lines.append(f"{line}  # {comment}" if comment else line)
        return "\n".join(lines) + "\n"

    def _entry_as_yaml(self, path: str, use: Use) -> str:
        """Return what a column is: its use, or an object with more."""
        entries = {"use": use.value, **asdict(self.rating_keys.get(path, RatingKey()))}
        pairs = [f"{key}: {_scalar(text)}" for key, text in entries.items() if text]
        if path in self.models:
            pairs.append(f"model: {_scalar(self.models[path])}")
        return f"{{{', '.join(pairs)}}}" if len(pairs) > 1 else _scalar(use.value)

    def _faults(self, sample: Sample) -> Iterator[ColumnsFault]:
        """Yield what may be wrong with columns. It is a fault if there are such columns."""
        paths = [column.path for column in sample.columns]
        words = _(
            "The file has no column %(columns)s; correct it (a column is names, dots and [*]), or "
            "leave it out."
        )
        yield ColumnsFault(words, "", [path for path in self.columns if path not in paths])
        unnamed = [path for path in paths if path not in self.columns and self.shape != OWN]
        words = _("Still to be chosen: %(columns)s; say what each is.")
        yield ColumnsFault(words, "", [*self.of(Use.UNDECIDED), *unnamed])
        if missing := ", ".join(self._missing()):
            words = _("Missing: %(what)s. Your columns: %(columns)s.")
            yield ColumnsFault(words, missing, paths)
            words = _(
                "These are no names: %(columns)s; if the file has no header, write one above its "
                "first row."
            )
            yield ColumnsFault(words, "", [path for path in paths if NO_NAME.search(path)])
        yield from self._repeated_uses(sample)
        unclear = [path for path in self.of(*ANSWERING) if self.items.model_columns[path] is None]
        words = _("It is unclear which model said %(columns)s; choose one column of models.")
        yield ColumnsFault(words, "", unclear)

    def _repeated_uses(self, sample: Sample) -> Iterator[ColumnsFault]:
        """Yield the uses of which an item has one, but several columns or a list have it."""
        words = _("An item has one %(what)s, and not %(columns)s; choose one.")
        in_lists = set()
        for column in sample.columns:
            if len(column.first_values) > len(sample.first_rows):
                in_lists.add(column.path)
        names = self.of(Use.ID, Use.GROUP, Use.SHARED)
        are_parts = names == self.of(Use.ID)  # of one id
        if (len(names) > 1 and not are_parts) or not in_lists.isdisjoint(names):
            yield ColumnsFault(words, Use.ID.value, names)
        for use in SINGLE:
            columns = self.of(use)
            if len(columns) > 1 or not in_lists.isdisjoint(columns):
                yield ColumnsFault(words, use.value, columns)

    def _missing(self) -> Iterator[str]:
        """Yield the uses that the columns of a file must have, and that none has."""
        if self.lacks_texts:
            if not self.of(Use.ID, Use.GROUP):
                yield str(Use.ID.label)
            return
        if not self.of(*ASKING) and not LAYOUTS[self.shape].alone:
            yield str(Use.PROMPT.label)
        if not self.of(*ANSWERING):
            yield str(Use.RESPONSE.label)


def _models_in_header(paths: list[str], root: str) -> dict[str, str]:
    """Return the models that columns of responses are named after, by column."""
    names = [(root and name_within(root, path)) or path for path in paths]
    # Of `outputs.gpt-3.5` the end, if it is of one column alone; a version has a dot, too.
    ends = [re.split(r"\.(?=[^\W\d])", name)[-1] for name in names]
    if len({*ends}) < len(ends):
        ends = names
    models = {}
    for path, name, end in zip(paths, names, ends, strict=True):
        # "Answer B" says which response it is, and not whose.
        known = meaning(name) or listed_meaning(variant(end)[0])
        if not known or known.strength == Strength.NEAR:
            models[path] = end
    return models


def _scalar(text: str) -> str:
    """Return a text as YAML, in one line."""
    quoted = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9).rstrip("\n")
    return text if PLAIN.fullmatch(text) else quoted
