"""Rows of any shape → items and ratings. No Django but its translations.

A Mapping says what each column of a file is. It is read from YAML and written as it.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping as AnyMapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import TypeAlias

import yaml
from django.utils.translation import gettext as _

from rubrics.schema import Turn

from ..files.rows import LineError, SourceRow, Text, excerpt, filled, printable
from ..files.values import LONGEST_MODEL, BadValue, cell_text
from .items import (
    NewItem,
    NewResponse,
    entries_beside,
    id_of,
    item_of,
    metadata_of,
    persona_of,
    require_few,
)
from .layouts import LAYOUTS, OWN
from .names import TABLE, Strength, is_turns, meaning, variant
from .rating_reader import RatingReader
from .sample import EMPTY, Leaf, Sample, leaves
from .scoring import RatingRow, Said, Scoring
from .turns import chat, texts, turns_in
from .uses import ANSWERED, ANSWERING, ASKED, ASKING, LABELS, PROMPTS, Use

# Columns that a mapping does not name, by its shape; any other is an error.
UNNAMED = {OWN: Use.METADATA, "ratings": Use.UNUSED, "our-export": Use.UNUSED}
# Of these an item has one; of the others several columns may be one text each.
SINGLE = (Use.ID, Use.GROUP, *PROMPTS, Use.CONVERSATION, Use.SYSTEM, Use.SOURCE, Use.WARNING)
JOINED = (Use.SYSTEM, Use.CONTEXT, Use.REFERENCE, Use.SOURCE, Use.WARNING)  # as of a NewItem
# A text that YAML reads as it stands.
PLAIN = re.compile(r"(?!(?:yes|no|on|off|true|false|null)$)[a-z][a-z0-9_.-]*", re.IGNORECASE)
# How two columns of one response end: _a, _2, " B", A.
ENDING = re.compile(r"(?<=[ _-])[A-Za-z]$|\d+$|(?<=[a-z])[A-Z]$")
# What says which item and response a row is about.
ABOUT = (Use.ID, Use.GROUP, Use.SHARED, Use.MODEL, Use.RESPONSE)
Found: TypeAlias = AnyMapping[Use, Sequence[Leaf]]


@dataclass(frozen=True)
class Mapping:
    """The uses of all columns of a file."""

    shape: str  # its name in `shapes`
    columns: AnyMapping[str, Use]
    models: AnyMapping[str, str] = field(default_factory=dict)  # of all responses in a column
    root: str = ""  # the object that holds what counts in each row, such as `row`
    packed: Collection[str] = ()  # columns whose texts are JSON
    file: str = ""  # the name without its ending; ids are made of it
    said: AnyMapping[str, Said] = field(default_factory=dict)  # of columns of ratings
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

    def ratings(self, row: SourceRow) -> Iterator[RatingRow | LineError]:
        """Yield the ratings of a row, and the errors in its other ratings."""
        if isinstance(row.content, LineError):
            yield row.content
            return
        try:
            yield from self.reader.read(row, row.content, *self._target(row, row.content))
        except BadValue as bad:
            yield bad.at(row)

    @cached_property
    def reader(self) -> RatingReader:
        """The reader of its ratings."""
        return RatingReader(self.columns, self.packed, self.said, self.scoring, self.file)

    def with_uses(self, uses: AnyMapping[str, Use]) -> "Mapping":
        """Return the mapping with other uses of some columns."""
        found = replace(self, columns={**self.columns, **uses})
        paths = {path: path.removeprefix(f"{self.root}.") for path in found.of(*ANSWERING)}
        models = {path: model for path, model in self.models.items() if path in paths}
        if not models and not found.of(Use.MODEL) and len(paths) > 1:
            # Of `outputs.gpt-3.5` the end, if it is of one column alone; a version has a dot, too.
            ends = {path: re.split(r"\.(?=[^\W\d])", name)[-1] for path, name in paths.items()}
            for path, name in (ends if len({*ends.values()}) == len(ends) else paths).items():
                # "Answer B" says which response it is, and not whose.
                known = meaning(paths[path]) or TABLE.get(variant(name)[0])
                if not known or known.strength == Strength.NEAR:
                    models[path] = name
        return replace(found, models=models)

    def faults(self, sample: Sample) -> list[str]:
        """Return all that is wrong with the mapping or missing in it, in sentences."""
        there = dict.fromkeys(column.path for column in sample.columns)
        unsaid = [path for path in there if path not in self.columns and self.shape != OWN]
        several = {
            column.path for column in sample.columns if len(column.values) > len(sample.rows)
        }
        missing = [
            str(LABELS[uses[0]])
            for uses in (ASKING, ANSWERING)
            if not self.of(*uses) and (uses is ANSWERING or not LAYOUTS[self.shape].alone)
        ]
        if self.lacks_texts:
            missing = [] if self.of(Use.ID, Use.GROUP) else [str(LABELS[Use.ID])]
        single = {use: self.of(use) for use in SINGLE} | {
            Use.ID: self.of(Use.ID, Use.GROUP, Use.SHARED)
        }
        faults: list[tuple[Text, Text, Sequence[str]]] = [
            (
                _(
                    "The file has no column %(columns)s; correct it (a column is names, dots and "
                    "[*]), or leave it out."
                ),
                "",
                [path for path in self.columns if path not in there],
            ),
            (
                _("Still to be chosen: %(columns)s; say what each is."),
                "",
                self.of(Use.UNDECIDED) + unsaid,
            ),
            (
                _("Missing: %(what)s. Your columns: %(columns)s."),
                ", ".join(missing),
                [*there] if missing else [],
            ),
            (
                _(
                    "These are no names: %(columns)s; if the file has no header, write one "
                    "above its first row."
                ),
                "",
                [path for path in there if missing and re.search(r"^\d+$|[.?!]$", path)],
            ),
            *(
                (
                    _("An item has one %(what)s, and not %(columns)s; choose one."),
                    use.value,
                    paths,
                )
                for use, paths in single.items()
                if len(paths) > 1 or any(path in several for path in paths)
            ),
            (
                _("It is unclear which model said %(columns)s; choose one column of models."),
                "",
                [path for path in self.of(*ANSWERING) if self._model_column(path) is None],
            ),
            *self.reader.faults(sample),
        ]
        return [
            printable(filled(text, what=what, columns=", ".join(paths)))
            for text, what, paths in faults
            if paths
        ]

    def item(self, row: SourceRow) -> NewItem | LineError:
        """Return the item of a row with the row's responses, or the row's error."""
        if isinstance(row.content, LineError):
            return row.content
        if self.is_own:
            return item_of(row)
        try:
            return self._item(row, row.content)
        except BadValue as bad:
            return bad.at(row)

    @cached_property
    def is_own(self) -> bool:
        """True if every column is what our own shape says, which then reads the rows."""
        own = LAYOUTS[OWN]
        uses = self.columns.items()
        return self.shape == OWN and all(
            use is (own.use(path) or Use.METADATA) for path, use in uses
        )

    def as_yaml(self, comments: AnyMapping[str, str]) -> str:
        """Return the mapping as YAML, with a comment behind a column."""
        lines = [
            f"shape: {self.shape}",
            f"root: {_scalar(self.root)}",
            f"json: [{', '.join(map(_scalar, sorted(self.packed)))}]",
            *([f"ratings: {self.scoring.as_yaml()}".rstrip()] if self.repeats else []),
            "columns:" if self.columns else "columns: {}",
        ]
        for path, use in self.columns.items():
            more = {key: text for key, text in asdict(self.said.get(path, Said())).items() if text}
            more |= {"model": self.models[path]} if path in self.models else {}
            entries = [f"{key}: {_scalar(text)}" for key, text in more.items()]
            said = ", ".join([f"use: {_scalar(use.value)}", *entries])
            said = f"{{{said}}}" if entries else _scalar(use.value)
            comment = "".join(filter(str.isprintable, comments.get(path, "")))
            # A key of more than 1,024 characters needs a mark, and an escaped one has ten for one.
            entry = "  ? {}\n  : {}" if len(path) > 100 else "  {}: {}"
            lines.append(entry.format(_scalar(path), said) + (f"  # {comment}" if comment else ""))
        return "\n".join(lines) + "\n"

    def _item(self, row: SourceRow, content: AnyMapping[str, object]) -> NewItem:
        values, metadata = self._sorted(content)
        for use in (*ASKING, *ANSWERING):
            for leaf in values[use]:
                if entries := entries_beside(leaf.value):
                    metadata[leaf.place] = entries
        turns, responses = self._texts(values)
        joined = {
            use: "\n\n".join(text for leaf in values[use] for text in texts(leaf.value, leaf.place))
            for use in JOINED
        }
        # The system prompt is shown apart from the conversation.
        if turns and turns[0].role == "system" and not values[Use.SYSTEM]:
            joined[Use.SYSTEM], turns = turns[0].text, turns[1:]
        persona = [leaf.value for leaf in values[Use.PERSONA]]
        if self.lacks_texts:
            responses = [NewResponse(_first(values[Use.MODEL]), "")]
        return NewItem(
            line=row.line,
            external_id=id_of({"id": self._name(row, values)}),
            persona=persona_of(persona[0] if len(persona) == 1 else persona),
            messages=turns,
            system=joined[Use.SYSTEM],
            context=joined[Use.CONTEXT],
            reference=joined[Use.REFERENCE],
            source=joined[Use.SOURCE],
            warning=joined[Use.WARNING],
            metadata=metadata_of({"meta": metadata}),
            responses=tuple(require_few(responses)),
            lacks_texts=self.lacks_texts,
        )

    def _name(self, row: SourceRow, found: Found) -> object:
        """Return the id of a row's item."""
        if found[Use.SHARED]:
            return f"{self.file}:{_mark(found[Use.SHARED][0].value)}"
        paths = self.reader.paths
        if paths[Use.ID] or paths[Use.GROUP]:
            return next((leaf.value for leaf in (*found[Use.ID], *found[Use.GROUP])), None)
        return f"{self.file}:{row.path or row.line}"

    def _target(
        self, row: SourceRow, content: AnyMapping[str, object]
    ) -> tuple[str, str, NewResponse | None]:
        """Return the item that a row's ratings are of, the model, and the response if it is one."""
        # Most rows need not be read as items once more.
        paths = self.reader.paths
        found = {use: [Leaf(path, path, content.get(path)) for path in paths[use]] for use in ABOUT}
        about = [type(leaf.value) for leaves in found.values() for leaf in leaves]
        if not paths[Use.CHAT] and all(kind in (str, int) for kind in about):
            item = id_of({"id": self._name(row, found)})
            match found[Use.RESPONSE]:
                case []:
                    return item, _first(found[Use.MODEL]), None
                case [Leaf(path, value=str(text))] if len(found[Use.MODEL]) < 2:
                    model = self.models.get(path) or _first(found[Use.MODEL])
                    return item, model, NewResponse(model, text)
        whole = self._item(row, content)
        if len(whole.responses) != 1:
            return whole.external_id, "", None
        [response] = whole.responses
        return whole.external_id, response.model, None if self.lacks_texts else response

    def _sorted(self, content: AnyMapping[str, object]) -> tuple[Found, dict[str, object]]:
        """Return the values of a row by their use, and its metadata."""
        found: defaultdict[Use, list[Leaf]] = defaultdict(list)
        metadata: dict[str, object] = {}
        for name, path, value in self._entries(content):
            inner = [
                (self._use(leaf), leaf)
                for leaf in leaves(value, self.columns, self.packed, path, path)
            ]
            # Metadata stays as it stands, in its objects and lists, if nothing else is among it.
            if {use for use, _leaf in inner if use} == {Use.METADATA}:
                metadata[path if name in metadata else name] = value
                continue
            for use, leaf in inner:
                if use is Use.METADATA:
                    entries = metadata.setdefault(
                        leaf.path, [] if "[*]" in leaf.path else leaf.value
                    )
                    if "[*]" in leaf.path and isinstance(entries, list):
                        entries.append(leaf.value)
                elif use and leaf.value is not None:
                    found[use].append(leaf)
        return found, metadata

    def _entries(self, content: AnyMapping[str, object]) -> Iterator[tuple[str, str, object]]:
        """Yield the entries of a row with their names and paths; the root's are among them."""
        for name, value in content.items():
            if name == self.root and isinstance(value, dict) and name not in self.columns:
                yield from ((inner, f"{name}.{inner}", each) for inner, each in value.items())
            else:
                yield name, name, value

    def _use(self, leaf: Leaf) -> Use | None:
        """Return what a value is, or None for an object or a list that is empty in this row."""
        use = self.columns.get(leaf.path, UNNAMED.get(self.shape))
        if use or leaf.value in EMPTY:
            return use
        raise BadValue(
            leaf.place,
            _("is a column that the mapping does not name"),
            _("say in the mapping what it is"),
            excerpt(leaf.value),
        )

    def _texts(self, found: Found) -> tuple[tuple[Turn, ...], list[NewResponse]]:
        """Return the conversation of a row, and its responses."""
        before = {
            leaf.place: turns_in(leaf.value, leaf.place, use)
            for use in (*PROMPTS, Use.CONVERSATION)
            for leaf in found[use]
        }
        match list(before.items()):
            case [(place, asked), (_place, [*_before, Turn(role="assistant")] as history)]:
                before = {place: (*history, *asked)}  # what was said before the prompt
        prompts = next(iter(before.values()), ())
        responses: list[NewResponse] = []
        for leaf in (*found[Use.RESPONSE], *found[Use.CHAT]):
            if leaf in found[Use.CHAT] or is_turns(leaf.value):
                before[leaf.place], text = chat(leaf.value, leaf.place)
                said = [text]
            else:
                said = texts(leaf.value, leaf.place)
                if 1 < len(said) == len(prompts) and {turn.role for turn in prompts} == {ASKED}:
                    # Each answers one of the prompts. The last is the response.
                    answered = zip(prompts, [Turn(ANSWERED, text) for text in said], strict=True)
                    between = tuple(chain.from_iterable(answered))[:-1]
                    before = {place: turns for place, turns in before.items() if turns != prompts}
                    before[leaf.place], said = between, said[-1:]
            models = self._models(leaf, len(said), found[Use.MODEL])
            for model in models:
                cell_text(model, "model", LONGEST_MODEL)
            responses += map(NewResponse, models, said)
        for uses, there in ((ASKING, before), (ANSWERING, responses)):
            if (columns := self.of(*uses)) and not there:
                raise BadValue(columns[0], _("is missing"), _("give it, or leave the item out"))
        different = {turns: place for place, turns in before.items() if turns}
        if len(different) > 1:
            first, second = list(different.values())[:2]
            raise BadValue(
                second,
                filled(_('holds another conversation than "%(column)s"'), column=first),
                _("make several items of it: the responses of an item answer one conversation"),
            )
        return next(iter(different), ()), responses

    def _models(self, leaf: Leaf, number: int, given: Sequence[Leaf]) -> list[str]:
        """Return the models of the responses in one value."""
        path = self._model_column(leaf.path)
        beside = path and _parent(path) == _parent(leaf.path)
        model = next(
            (
                each
                for each in given
                if each.path == path and (not beside or _parent(each.place) == _parent(leaf.place))
            ),
            Leaf("", "", self.models.get(leaf.path, "")),
        )
        said = texts(model.value, model.place)
        if len(said) not in (1, number):
            raise BadValue(
                model.place,
                filled(_("has %(number)s entries"), number=len(said)),
                filled(_("give %(most)s, one for each response"), most=number),
            )
        return said * number if len(said) == 1 else said

    def _model_column(self, path: str) -> str | None:
        """Return the model's column for a response's, "" if there is none, or None if unclear."""
        models = [] if path in self.models else self.of(Use.MODEL)
        beside = [model for model in models if _parent(model) == _parent(path)]
        alike = {model for model in models if model.startswith((f"{path}_", f"{path}-"))} or {
            model for model in models if _ending(model) == _ending(path)
        }
        for few in (alike.intersection(beside), beside, alike, models):
            if len(few) == 1:
                return next(iter(few))
        return None if models else ""


def _first(found: Sequence[Leaf]) -> str:
    """Return the first text of some values, or "" if there is none."""
    return next((text for leaf in found for text in texts(leaf.value or "", leaf.place)), "")


def _mark(value: object) -> str:
    """Return a name for a value that no other one has."""
    return sha256(json.dumps(value, default=str, sort_keys=True).encode()).hexdigest()[:20]


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _ending(path: str) -> list[str]:
    return [ending.lower() for ending in ENDING.findall(path)]


def _scalar(text: str) -> str:
    """Return a text as YAML, in one line."""
    quoted = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9).rstrip("\n")
    return text if PLAIN.fullmatch(text) else quoted
