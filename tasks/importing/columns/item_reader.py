"""Rows of any shape → items. No Django but its translations.

`Mapping.item` calls the reader of its columns. With the uses `q: prompt`, `a: response`, `llm:
model` and `topic: metadata`, the row

    {"q": "Why?", "a": "Because.", "llm": "gull", "topic": "sky"}

is an item with one message by the user, one response by gull, and the metadata `topic`.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TypeAlias

from django.utils.translation import gettext as _

from rubrics.judging.parts import Turn

from ..files.rows import JsonObject, SourceRow, fill_in
from ..files.values import LONGEST_MODEL, BadValue, cell_text
from .history import turn_entries
from .items import (
    NewItem,
    NewResponse,
    id_of,
    joined_id,
    metadata_of,
    persona_of,
    require_few,
)
from .response_models import model_column, parent_of
from .row_values import LeavesByUse, RowSplitter, add_to_metadata
from .sample import Leaf
from .scoring import RatedItem
from .spelling import variant
from .turn_keys import is_turns
from .turns import chat, texts, turns_in
from .uses import ANSWERED, ANSWERING, ASKED, ASKING, PROMPTS, Use

JOINED = (Use.SYSTEM, Use.CONTEXT, Use.REFERENCE, Use.SOURCE, Use.WARNING)
# Uses that say which item and response a row is about.
ABOUT = (Use.ID, Use.GROUP, Use.SHARED, Use.MODEL, Use.RESPONSE)
TurnsByPlace: TypeAlias = Mapping[str, tuple[Turn, ...]]  # of a row, by where they stand


class ItemReader:
    """A reader of the items in rows of one mapping, which is worked out once."""

    def __init__(
        self,
        *,
        column_uses: Mapping[str, Use],
        rest: Use | None,
        models: Mapping[str, str],
        root: str,
        packed: Collection[str],
        file: str,
        lacks_texts: bool,
    ) -> None:
        self.splitter = RowSplitter(column_uses, rest, root, packed)
        self.models = models
        self.file = file
        self.lacks_texts = lacks_texts
        self.paths: dict[Use, list[str]] = {}
        for use in Use:
            self.paths[use] = [path for path in column_uses if column_uses[path] is use]
        self.has_id_parts = len(self.paths[Use.ID]) > 1
        # Of each response's column the model's, "" if there is none, or None if it is unclear.
        self.model_columns: dict[str, str | None] = {}
        for use in ANSWERING:
            for path in self.paths[use]:
                models_of_columns = [] if path in models else self.paths[Use.MODEL]
                self.model_columns[path] = model_column(path, models_of_columns)

    def read(self, row: SourceRow, content: Mapping[str, object]) -> NewItem:
        """Return the item of a row with the row's responses. Raises BadValue."""
        values, metadata = self.splitter.split(content)
        self._add_to_metadata(metadata, values)
        messages, responses = self._texts(values)
        joined = {}
        for use in JOINED:
            parts = _all_texts(values[use], letters=use is Use.CONTEXT)
            joined[use] = "\n\n".join(parts)
        # The system prompt is shown apart from the conversation.
        if messages and messages[0].role == "system" and not values[Use.SYSTEM]:
            joined[Use.SYSTEM] = messages[0].text
            messages = messages[1:]
        if self.lacks_texts:
            responses = [NewResponse(_first(values[Use.MODEL]), "")]
        personas = [leaf.value for leaf in values[Use.PERSONA]]
        return NewItem(
            line=row.line,
            external_id=id_of(self._name(row, values)),
            persona=persona_of(personas[0] if len(personas) == 1 else personas),
            messages=messages,
            system=joined[Use.SYSTEM],
            context=joined[Use.CONTEXT],
            reference=joined[Use.REFERENCE],
            source=joined[Use.SOURCE],
            warning=joined[Use.WARNING],
            metadata=metadata_of({"meta": metadata}),
            responses=tuple(require_few(responses)),
            lacks_texts=self.lacks_texts,
        )

    def _add_to_metadata(self, metadata: JsonObject, leaves_by_use: LeavesByUse) -> None:
        """Add what texts and ids of several columns say beside themselves."""
        for leaf in self._of(leaves_by_use, *ASKING, *ANSWERING):
            entries = turn_entries(leaf.value)
            if entries:
                metadata[leaf.place] = entries
        if self.has_id_parts:  # the id has their values, but nobody can filter by it
            for leaf in leaves_by_use[Use.ID]:
                add_to_metadata(metadata, leaf)

    def rated_item(self, row: SourceRow, content: Mapping[str, object]) -> RatedItem:
        """Return the item that a row's ratings are about. Raises BadValue."""
        if plain := self._plain_rated_item(row, content):
            return plain
        item = self.read(row, content)
        if len(item.responses) != 1:
            return RatedItem(item.external_id, "", None)
        [response] = item.responses
        return RatedItem(item.external_id, response.model, None if self.lacks_texts else response)

    def _plain_rated_item(self, row: SourceRow, content: Mapping[str, object]) -> RatedItem | None:
        """Return the item of a row of texts and numbers, as most are, without reading it whole.

        None: the row must be read as an item once more.
        """
        leaves_by_use: dict[Use, list[Leaf]] = {}
        types: set[type] = set()
        for use in ABOUT:
            leaves_by_use[use] = []
            for path in self.paths[use]:
                value = content.get(path)
                types.add(type(value))
                leaves_by_use[use].append(Leaf(path, path, value))
        if self.paths[Use.CHAT] or not types <= {str, int}:
            return None
        item = id_of(self._name(row, leaves_by_use))
        models, responses = leaves_by_use[Use.MODEL], leaves_by_use[Use.RESPONSE]
        if not responses:
            return RatedItem(item, _first(models), None)
        [response, *others] = responses
        if others or len(models) > 1 or not isinstance(response.value, str):
            return None
        model = self.models.get(response.path) or _first(models)
        return RatedItem(item, model, NewResponse(model, response.value))

    def _of(self, leaves_by_use: LeavesByUse, *uses: Use) -> list[Leaf]:
        return [leaf for use in uses for leaf in leaves_by_use[use]]

    def _name(self, row: SourceRow, leaves_by_use: LeavesByUse) -> object:
        """Return the id of a row's item."""
        if leaves_by_use[Use.SHARED]:
            [prompt, *_others] = leaves_by_use[Use.SHARED]
            return f"{self.file}:{_mark(prompt.value)}"
        if self.has_id_parts:
            id_parts: JsonObject = dict.fromkeys(self.paths[Use.ID])
            for leaf in leaves_by_use[Use.ID]:
                id_parts[leaf.path] = leaf.value
            return joined_id(id_parts)
        if self.paths[Use.ID] or self.paths[Use.GROUP]:
            ids = self._of(leaves_by_use, Use.ID, Use.GROUP)
            return ids[0].value if ids else None
        return f"{self.file}:{row.path or row.line}"

    def _texts(self, leaves_by_use: LeavesByUse) -> tuple[tuple[Turn, ...], list[NewResponse]]:
        """Return the conversation of a row, and its responses. Raises BadValue."""
        before = self._before(leaves_by_use)
        prompts = next(iter(before.values()), ())
        new_responses: list[NewResponse] = []
        for leaf in self._of(leaves_by_use, Use.RESPONSE, Use.CHAT):
            if leaf in leaves_by_use[Use.CHAT] or is_turns(leaf.value):
                before[leaf.place], text = chat(leaf.value, leaf.place)
                answers = [text]
            else:
                answers = texts(leaf.value, leaf.place)
                if _answer_prompts(prompts, answers):
                    # The last is the response. The others stand between the prompts.
                    before = {place: turns for place, turns in before.items() if turns != prompts}
                    before[leaf.place] = _between(prompts, answers)
                    answers = answers[-1:]
            models = self._models(leaf, len(answers), leaves_by_use[Use.MODEL])
            new_responses += map(NewResponse, models, answers)
        if not before:
            self._require_none(*ASKING)
        if not new_responses:
            self._require_none(*ANSWERING)
        return _one_conversation(before), new_responses

    def _require_none(self, *uses: Use) -> None:
        """Raise BadValue if the mapping has a column of some uses, and the row nothing in it."""
        for use in uses:
            for path in self.paths[use]:
                advice = _("give it, or leave the item out")
                raise BadValue(path, _("is missing"), advice)

    def _before(self, leaves_by_use: LeavesByUse) -> dict[str, tuple[Turn, ...]]:
        """Return what was said before the responses, by place.

        A prompt goes on with the history beside it, unless this ends with the prompt already.
        """
        turns_by_place: dict[str, tuple[Turn, ...]] = {}
        for use in (*PROMPTS, Use.CONVERSATION):
            last = ANSWERED if turns_by_place else ASKED  # a prompt comes after what was said
            for leaf in leaves_by_use[use]:
                turns_by_place[leaf.place] = turns_in(leaf.value, leaf.place, use, last)
        if len(turns_by_place) == 2:
            [(place, prompt), (_place, history)] = turns_by_place.items()
            if history and history[-1].role not in (ASKED, "system"):
                return {place: (*history, *_continued(history, prompt))}
        return turns_by_place

    def _models(self, leaf: Leaf, number: int, leaves: Sequence[Leaf]) -> list[str]:
        """Return the models of the responses in one value. Raises BadValue."""
        path = self.model_columns[leaf.path]
        model = Leaf("", "", self.models.get(leaf.path, ""))
        is_inside = path and parent_of(path) == parent_of(leaf.path)
        place = parent_of(leaf.place)
        for other in leaves:
            is_sibling = not is_inside or parent_of(other.place) == place
            if other.path == path and is_sibling:
                model = other
                break
        names = texts(model.value, model.place)
        if len(names) not in (1, number):
            reason = fill_in(_("has %(number)s entries"), number=len(names))
            advice = fill_in(_("give %(most)s, one for each response"), most=number)
            raise BadValue(model.place, reason, advice)
        for name in names:
            cell_text(name, model.place, LONGEST_MODEL)
        return names * number if len(names) == 1 else names


def _continued(history: Sequence[Turn], prompt: Sequence[Turn]) -> Iterator[Turn]:
    """Yield a prompt as the turn of the one of two speakers who did not speak last."""
    speakers = {turn.role for turn in history} - {"system"}
    others = speakers - {history[-1].role}
    speaker = others.pop() if len(others) == 1 else ASKED
    for turn in prompt:
        yield Turn(speaker, turn.text) if turn.role == ASKED else turn


def _answer_prompts(prompts: Sequence[Turn], answer_texts: Sequence[str]) -> bool:
    """Tell whether several answers are to as many prompts, one to each."""
    are_prompts = {turn.role for turn in prompts} == {ASKED}
    return are_prompts and 1 < len(answer_texts) == len(prompts)


def _between(prompts: Sequence[Turn], answer_texts: Sequence[str]) -> tuple[Turn, ...]:
    """Return prompts with their answers in turns, without the last answer."""
    turns: list[Turn] = []
    for prompt, answer in zip(prompts, answer_texts, strict=True):
        turns += prompt, Turn(ANSWERED, answer)
    return tuple(turns[:-1])


def _one_conversation(turns_before: TurnsByPlace) -> tuple[Turn, ...]:
    """Return the one conversation that responses answer. Raises BadValue."""
    places = {turns: place for place, turns in turns_before.items() if turns}
    if len(places) > 1:
        first, second, *_more = places.values()
        reason = fill_in(_('holds another conversation than "%(column)s"'), column=first)
        advice = _("make several items of it: the responses of an item answer one conversation")
        raise BadValue(second, reason, advice)
    return next(iter(places), ())


def _all_texts(leaves: Sequence[Leaf], *, letters: bool = False) -> list[str]:
    """Return the texts of some values; of several each begins with its column's letter."""
    lettered_texts: list[str] = []
    for leaf in leaves:
        mark = variant(leaf.path)[1] or leaf.path
        has_letter = letters and len(leaves) > 1 and len(mark) == 1 and mark.isalpha()
        for text in texts(leaf.value, leaf.place):
            lettered_texts.append(f"{mark.upper()}: {text}" if has_letter else text)
    return lettered_texts


def _first(leaves: Sequence[Leaf]) -> str:
    """Return the first text of some values, or "" if there is none."""
    for leaf in leaves:
        for text in texts(leaf.value or "", leaf.place):
            return text
    return ""


def _mark(value: object) -> str:
    """Return a name for a value that no other one has."""
    text = json.dumps(value, default=str, sort_keys=True)
    digest = sha256(text.encode())
    return digest.hexdigest()[:20]
