"""The decision which columns are the prompt, the responses, and what goes with them.

A clear column is chosen with its reason. Two that may be the prompt, or a response, are asked.
No Django but its translations.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ..files.rows import filled
from .candidates import PROSE, Candidate
from .choices import Certainty, ColumnChoice
from .names import MODEL_NAME, NO_MODEL, Strength, is_turns, model_in, variant
from .profile import Profile, ValueKind
from .sample import leaves
from .turns import as_ours
from .uses import ANSWERING, ASKING, LABELS, PROMPTS, Use

# Of these an item has one, by the best name.
BESIDE = (Use.SYSTEM, Use.CONTEXT, Use.REFERENCE, Use.SOURCE, Use.WARNING, Use.PERSONA)
PAIR = ("chosen", "rejected")
FEW = 0.02  # the share of prompts that may repeat by chance
MAY_ANSWER = (Use.RESPONSE, Use.REFERENCE, Use.METADATA)
MAY_ASK = (Use.PROMPT, Use.CONTEXT, Use.METADATA)


@dataclass(frozen=True)
class ResponseColumns:
    """Columns that together hold the responses of an item."""

    candidates: tuple[Candidate, ...]
    strength: int
    reason: str
    models: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[int, int]:
        return self.strength, len(self.candidates)


class Decision:
    """The choices for the columns of a file, made one after another."""

    def __init__(
        self, profile: Profile, candidates: Sequence[Candidate], choices: Iterable[ColumnChoice]
    ) -> None:
        self.profile = profile
        self.candidates = candidates
        self.choices = {choice.path: choice for choice in choices}
        self.models: dict[str, str] = {}
        # A layout says what is asked and what the responses are.
        self.is_known = bool(self.of(*ASKING) and self.of(*ANSWERING))
        self.texts = [
            {leaf.path: leaf.value for leaf in leaves(row.content, profile.columns, profile.packed)}
            for row in profile.sample.rows
        ]

    def of(self, *uses: Use) -> list[str]:
        """Return the columns that are chosen for some uses."""
        return [path for path, choice in self.choices.items() if choice.use in uses]

    def decide(self) -> None:
        """Choose the prompt and the responses, and what goes with them."""
        self._choose_responses()
        self._choose_prompt()
        if not self.of(*ANSWERING):
            self._choose_response_by_texts()
        if not self.of(*ASKING):
            self._choose_prompt_by_texts()
        self.decide_rest()

    def ask_all(self) -> None:
        """Ask what each text is, if none has the name of a prompt or a response."""
        words = [each for each in self.free if each.has_words and not each.use]
        self._ask(words, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))

    def decide_rest(self) -> None:
        """Choose what goes with the prompt and the responses."""
        self._choose_models()
        for use in BESIDE:
            self._choose_one(use)

    # --- responses ---

    def _choose_responses(self) -> None:
        units = sorted(self._units(), key=lambda unit: unit.rank, reverse=True)
        if chosen := self._chosen(*ANSWERING):
            units = [ResponseColumns(tuple(chosen), Strength.OURS, ""), *units]
        if not units:
            return
        first, *others = units
        ties = [unit for unit in others if unit.rank == first.rank]
        weak = first.strength <= Strength.WEAK
        if chosen:
            pass
        elif ties and not self._is_one_of(first, ties):
            for unit in (first, *ties):
                self._ask(unit.candidates, MAY_ANSWER, _("is it one more response?"))
        elif weak and first.candidates[0].is_label:
            question = _("is it the response? Its few short texts look like a reference")
            self._ask(first.candidates, (Use.REFERENCE, Use.RESPONSE, Use.METADATA), question)
        else:
            self._take_unit(first)
        for unit in others:
            for candidate in unit.candidates:
                if candidate.path not in self.choices:
                    self._doubt_response(candidate, first)

    def _units(self) -> list[ResponseColumns]:
        """Return what may be the responses by its names."""
        free = [
            each for each in self.free if each.column.filled and each.use is not Use.CONVERSATION
        ]
        words = [each for each in free if each.has_words]
        named = [each for each in free if each.is_named(Use.RESPONSE, Strength.NEAR)]
        units: list[ResponseColumns] = []
        pair = [each for each in words if variant(each.name)[0] in PAIR]
        if len(pair) == 2:
            names = tuple(each.name for each in pair)
            units.append(
                ResponseColumns(tuple(pair), Strength.STRONG, _("chosen and rejected"), names)
            )
        groups: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in words:
            stem, mark = variant(candidate.name)
            if mark and (candidate in named or stem in ("text", "candidate", "option")):
                groups[stem].append(candidate)
        for several in groups.values():
            if len(several) > 1:
                strength = max(Strength.STRONG, *(each.strength for each in several))
                units.append(ResponseColumns(tuple(several), strength, _("numbered responses")))
        units += self._by_model(words)
        used = {each.path for unit in units for each in unit.candidates}
        for candidate in named:
            if candidate.path not in used and not self._is_number(candidate):
                strength = candidate.strength
                if variant(candidate.name)[1]:
                    strength = min(strength, Strength.STRONG)
                units.append(ResponseColumns((candidate,), strength, self._reason(candidate)))
        return units

    def _by_model(self, words: Sequence[Candidate]) -> list[ResponseColumns]:
        """Return the columns that have the names of models, alone or beside a word."""
        single = [
            each for each in words if each.column.share(ValueKind.TEXTS, ValueKind.TURNS) < 0.5
        ]
        plain = [
            each
            for each in single
            if each.use in (None, Use.MODEL)
            and MODEL_NAME.search(each.name)
            and not NO_MODEL.search(each.name)
        ]
        reason = _("named after models")
        units = []
        if plain and all(each.is_prose or not each.is_label for each in plain):
            strength = Strength.STRONG if len(plain) > 1 else Strength.WEAK
            names = self._model_names(plain)
            units.append(ResponseColumns(tuple(plain), strength, reason, names))
        beside = [each for each in single if each not in plain and model_in(each.name)]
        beside = [each for each in beside if not each.use and not each.is_label]
        if len(beside) > 1 or any(MODEL_NAME.search(each.name) for each in beside):
            names = tuple(model_in(each.name) for each in beside)
            units.append(ResponseColumns(tuple(beside), Strength.STRONG, reason, names))
        return units

    def _model_names(self, candidates: Sequence[Candidate]) -> tuple[str, ...]:
        """Return the last part of each name, or the whole names if these are needed."""
        ends = [each.name.rpartition(".")[2] for each in candidates]
        is_enough = len({*ends}) == len(ends) and all(map(MODEL_NAME.search, ends))
        return tuple(ends) if is_enough else tuple(each.name for each in candidates)

    def _is_one_of(self, first: ResponseColumns, ties: Sequence[ResponseColumns]) -> bool:
        """Tell whether all units hold the same as the first."""
        path = first.candidates[0].path
        return all(self.profile.same(path, unit.candidates[0].path) for unit in ties)

    def _take_unit(self, unit: ResponseColumns) -> None:
        sure = unit.strength == Strength.OURS and len(unit.candidates) == 1
        for candidate in unit.candidates:
            is_chat = len(unit.candidates) > 1 and (candidate.has_turns or candidate.has_speakers)
            certainty = Certainty.SURE if sure else Certainty.LIKELY
            self._take(candidate, Use.CHAT if is_chat else Use.RESPONSE, certainty, unit.reason)
        if unit.models:
            paths = [each.path for each in unit.candidates]
            self.models |= dict(zip(paths, unit.models, strict=True))

    def _doubt_response(self, candidate: Candidate, first: ResponseColumns) -> None:
        """Decide on a column that has a response's name beside clearer ones."""
        winner = first.candidates[0]
        if self.profile.same(candidate.path, winner.path):
            same = filled(_("the same as “%(column)s”"), column=winner.path)
            self._take(candidate, Use.METADATA, Certainty.LIKELY, same)
        elif candidate.strength >= Strength.STRONG and (
            variant(candidate.name)[1] or not candidate.is_label
        ):
            self._ask([candidate], MAY_ANSWER, _("is it one more response?"))
        elif candidate.is_constant:
            self._take(candidate, Use.METADATA, Certainty.LIKELY, _("the same in every row"))
        else:
            question = _("is it the reference, or one more response?")
            self._ask([candidate], (Use.REFERENCE, Use.RESPONSE, Use.METADATA), question)

    def _choose_response_by_texts(self) -> None:
        """Look for the responses by what the columns hold."""
        if any(choice.certainty is Certainty.OPEN for choice in self.choices.values()):
            return
        prose = [each for each in self.free if each.is_prose and not each.use]
        if self.of(*ASKING):  # what a judge says of a response is none
            prose = [each for each in prose if not NO_MODEL.search(each.name)]
        if len(prose) == 1 and self.of(*ASKING):
            self._take(prose[0], Use.RESPONSE, Certainty.LIKELY, _("longer texts, one a row"))
        else:
            self._ask(prose, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))

    # --- the prompt ---

    def _choose_prompt(self) -> None:
        """Choose the prompt or the conversation by names."""
        asking = [each for each in self.free if each.column.filled and self._may_ask(each)]
        if self._has_chats():
            for candidate in asking:
                reason = _("stands in the conversations, too")
                self._take(candidate, Use.METADATA, Certainty.LIKELY, reason)
            return
        if chosen := self._chosen(*PROMPTS, Use.CONVERSATION):
            for candidate in asking:
                self._doubt_prompt(candidate, chosen[0])
            if chosen[0].has_turns and chosen[0].is_chat and not self.of(*PROMPTS):
                self._doubt_end(chosen[0])
            return
        chats = [each for each in asking if each.has_turns and variant(each.name)[1]]
        if len(chats) > 1 and not self.of(*ANSWERING) and any(each.is_chat for each in chats):
            for candidate in chats:
                self._take(candidate, Use.CHAT, Certainty.LIKELY, _("ends with the assistant"))
            return
        good = [each for each in asking if not each.is_constant and not each.is_template]
        good = good or asking
        if not good:
            return
        best = max(self._rank(each) for each in good)
        first, *ties = [each for each in good if self._rank(each) == best]
        ties = [each for each in ties if not self._goes_with(each, first)]
        for candidate in ties[:]:
            if self._stands_in(first, candidate):  # the longer one is what the model was asked
                ties[ties.index(candidate)], first = first, candidate
        ties = [each for each in ties if not self._stands_in(each, first)]
        if ties:
            question = _("is it the prompt or the conversation?")
            self._ask([first, *ties], (*MAY_ASK, Use.SYSTEM), question)
            return
        self._take_prompt(first)
        for candidate in asking:
            if candidate.path not in self.choices:
                self._doubt_prompt(candidate, first)

    def _may_ask(self, candidate: Candidate) -> bool:
        if candidate.has_turns:
            return candidate.use not in (Use.RESPONSE, Use.REFERENCE, Use.METADATA)
        return candidate.use in ASKING and candidate.has_words

    def _rank(self, candidate: Candidate) -> int:
        return Strength.STRONG if candidate.has_turns and not candidate.use else candidate.strength

    def _is_conversation(self, candidate: Candidate) -> bool:
        lists = candidate.column.share(ValueKind.TEXTS, ValueKind.TURNS) >= 0.5
        is_named = candidate.use is Use.CONVERSATION
        return candidate.has_turns or candidate.has_speakers or (lists and is_named)

    def _take_prompt(self, candidate: Candidate) -> None:
        use = Use.CONVERSATION if self._is_conversation(candidate) else Use.PROMPT
        certainty = Certainty.LIKELY
        if candidate.strength == Strength.OURS:
            certainty = Certainty.SURE
        reason = self._reason(candidate)
        if use is Use.CONVERSATION and any(candidate.ends) and not self.of(Use.PROMPT):
            if not self.of(*ANSWERING):
                self._take(candidate, Use.CHAT, Certainty.LIKELY, _("ends with the assistant"))
                return
            if candidate.is_chat and not self._continues(candidate):
                self._doubt_end(candidate)
                return
        self._take(candidate, use, certainty, reason)

    def _doubt_end(self, candidate: Candidate) -> None:
        question = _("it ends with the assistant’s turn: is this a response, or before one?")
        self._ask([candidate], (Use.CONVERSATION, Use.CHAT, Use.METADATA), question)

    def _continues(self, history: Candidate) -> bool:
        """Tell whether a prompt beside a conversation goes on with it."""
        prompts = [each for each in self.free if each.is_named(Use.PROMPT) and each.has_words]
        return any(not self._stands_in(each, history) for each in prompts)

    def _goes_with(self, candidate: Candidate, first: Candidate) -> bool:
        """Tell whether one of two columns is what was said before the other."""
        before = [each for each in (candidate, first) if self._is_conversation(each)]
        return len(before) == 1 and before[0].is_chat

    def _doubt_prompt(self, candidate: Candidate, first: Candidate) -> None:
        """Decide on a column that has a prompt's name beside a clearer one."""
        likely = Certainty.LIKELY
        if self._goes_with(candidate, first):
            use = Use.CONVERSATION if self._is_conversation(candidate) else Use.PROMPT
            self._take(candidate, use, likely, self._reason(candidate))
        elif self._stands_in(candidate, first) or self._stands_in(first, candidate):
            reason = filled(_("says the same as “%(column)s”"), column=first.path)
            self._take(candidate, Use.METADATA, likely, reason)
        elif candidate.is_template:
            self._take(candidate, Use.METADATA, likely, _("a template, and no prompt"))
        elif candidate.is_constant and candidate.strength < Strength.STRONG:
            self._take(candidate, Use.METADATA, likely, _("the same in every row"))
        elif candidate.is_label and not candidate.is_constant:
            self._take(candidate, Use.METADATA, likely, _("few different values"))
        elif candidate.strength <= Strength.WEAK and candidate.is_word and not candidate.has_turns:
            self._take(candidate, Use.METADATA, likely, _("single words"))
        else:
            options = (Use.SYSTEM, *MAY_ASK) if candidate.is_constant else MAY_ASK
            self._ask([candidate], options, _("is it the prompt or the conversation?"))

    def _choose_prompt_by_texts(self) -> None:
        """Look for the prompt among what is around it, or by what the columns hold."""
        if self._has_chats():
            return
        around = [each for each in self.free if each.is_named(Use.CONTEXT) and each.has_words]
        around = [each for each in around if each.column.mean_length >= PROSE]
        around = [each for each in around if not each.is_constant]
        prose = [each for each in self.free if each.is_prose and not each.use]
        sources = [each for each in self.free if each.is_named(Use.SOURCE) and each.is_prose]
        several = around or prose
        if len(several) == 1 and not sources:
            reason = _("the only longer texts beside the response")
            use = Use.CONVERSATION if self._is_conversation(several[0]) else Use.PROMPT
            self._take(several[0], use, Certainty.LIKELY, reason)
        else:
            question = _("is it the prompt or the conversation?")
            self._ask([*several, *sources], (*MAY_ASK, Use.SOURCE), question)

    def _has_chats(self) -> bool:
        """Tell whether the responses are conversations, in which the prompt stands."""
        chats = self._chosen(*ANSWERING)
        return bool(chats) and all(self.choices[each.path].use is Use.CHAT for each in chats)

    # --- what goes with them ---

    def _choose_models(self) -> None:
        if self.of(Use.MODEL) or self.models:
            return
        parents = {path.rpartition(".")[0] for path in self.of(*ANSWERING)}
        found = [each for each in self.free if self._may_be_model(each, parents)]
        marked = [each for each in found if variant(each.name)[1]]
        inside = [each for each in found if "[*]" in each.path]
        best = max((each.strength for each in found), default=0)
        single = [each for each in found if each.strength == best][:1]
        for candidate in marked if len(marked) > 1 else inside or single:
            certainty = Certainty.SURE if candidate.strength == Strength.OURS else Certainty.LIKELY
            self._take(candidate, Use.MODEL, certainty, self._reason(candidate))

    def _may_be_model(self, candidate: Candidate, parents: set[str]) -> bool:
        """Tell whether a column may name models: it is short, and beside responses or above."""
        parent, _dot, last = candidate.path.rpartition(".")
        # In translation and speech, a system is a model.
        is_named = candidate.use in (Use.MODEL, Use.SYSTEM) or (
            parent in parents and "[*]" in parent and last == "name"
        )
        is_near = "[*]" not in candidate.path or parent in parents or not parent
        return (
            is_named
            and is_near
            and candidate.strength != Strength.NEAR
            and candidate.column.filled > 0
            and candidate.is_short
            and (candidate.use is not Use.SYSTEM or candidate.is_word)
        )

    def _choose_one(self, use: Use) -> None:
        """Choose the best column for what an item has once."""
        if self.of(use):
            return
        found = [each for each in self.free if each.use is use and self._fits(each, use)]
        for candidate in sorted(found, key=lambda each: -each.strength)[:1]:
            if candidate.strength == Strength.NEAR:
                question = filled(
                    _("is “%(column)s” %(use)s?"), column=candidate.name, use=LABELS[use]
                )
                self._ask([candidate], (use, Use.METADATA), question)
                continue
            certainty = Certainty.SURE if candidate.strength == Strength.OURS else Certainty.LIKELY
            self._take(candidate, use, certainty, self._reason(candidate))

    def _fits(self, candidate: Candidate, use: Use) -> bool:
        if (
            use is Use.REFERENCE
            and candidate.column.share(ValueKind.WHOLE, ValueKind.DECIMAL) >= 0.5
        ):
            return candidate.strength >= Strength.STRONG
        if candidate.strength <= Strength.WEAK and candidate.is_label:
            return False
        return candidate.has_words and not candidate.has_turns

    # --- common ---

    def _chosen(self, *uses: Use) -> list[Candidate]:
        paths = self.of(*uses)
        return [each for each in self.candidates if each.path in paths]

    @property
    def free(self) -> list[Candidate]:
        """The columns that are not decided; in a layout only those that stand for themselves."""
        free = [each for each in self.candidates if each.path not in self.choices]
        return [each for each in free if not (self.is_known and re.search(r"[.\[]", each.name))]

    def _reason(self, candidate: Candidate) -> str:
        if candidate.strength == Strength.OURS:
            return _("named as ours")
        if candidate.strength == Strength.NEAR:
            return _("nearly named as ours")
        return _("by its name") if candidate.use else _("by what it holds")

    def _is_number(self, candidate: Candidate) -> bool:
        """Tell whether a column named as a response holds numbers: tokens, classes, scores."""
        numbers = (
            ValueKind.WHOLE,
            ValueKind.DECIMAL,
            ValueKind.BOOLEAN,
            ValueKind.NUMBERS,
            ValueKind.OTHER,
        )
        share = candidate.column.share(*numbers)
        return (share > 0.5 and candidate.strength != Strength.WEAK) or candidate.column.share(
            ValueKind.NUMBERS, ValueKind.OTHER
        ) > 0.5

    def _take(self, candidate: Candidate, use: Use, certainty: Certainty, reason: str) -> None:
        self.choices[candidate.path] = ColumnChoice(candidate.path, use, certainty, reason)

    def _ask(
        self, candidates: Iterable[Candidate], options: tuple[Use, ...], question: str
    ) -> None:
        for candidate in candidates:
            self.choices[candidate.path] = ColumnChoice(
                candidate.path, Use.UNDECIDED, Certainty.OPEN, "", options, question
            )

    def _stands_in(self, candidate: Candidate, other: Candidate) -> bool:
        """Tell whether a column's texts are in another's, row by row."""
        pairs = [(row.get(candidate.path), row.get(other.path)) for row in self.texts]
        return all(_in_words(text) in _in_words(longer) for text, longer in pairs)


def _in_words(value: object) -> str:
    if is_turns(value):
        return " ".join(_in_words(as_ours(turn)["content"]) for turn in value)
    if isinstance(value, list):
        return " ".join(map(_in_words, value))
    return " ".join(str(value or "").split())
