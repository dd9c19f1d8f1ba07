"""Which columns are the responses. No Django but its translations."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_lazy

from ..files.rows import fill_in
from .candidates import Candidate
from .column_profile import ValueKind
from .deciding import Decision
from .model_names import MODEL_NAME, NO_MODEL, OF_MODEL, has_answer, model_in
from .name_tables import TABLE, Strength
from .rating_names import last_name
from .spelling import TOKENS, fold, variant
from .uses import ANSWERING, ASKING, BESIDE, Use

CRITERIA = re.compile(r"(?:.*[._])?(?:criteria|rubrics?|checklist)(?:\W.*)?")
PAIR = ("chosen", "rejected")
SIDES = ("text", "system", "model", "option")  # of texts with numbers or letters
ONE_MORE = (Use.RESPONSE, Use.REFERENCE, Use.METADATA)
IS_RATED = gettext_lazy("is it one more response to rate, or a reference that shows what is right?")
# A whole value, or what stands before its colon.
OUTCOME = re.compile(
    r"\s*(pass(ed)?|fail(ed|ure)?|errors?|success|succeeded|timed? ?out|ok)\s*(:.*)?",
    re.IGNORECASE | re.DOTALL,
)
REFERENCE = (Use.REFERENCE, Use.RESPONSE, Use.METADATA)


@dataclass(frozen=True)
class ResponseColumns:
    """Columns that together hold the responses of an item."""

    candidates: tuple[Candidate, ...]
    strength: int
    reason: str = ""
    models: tuple[str, ...] = ()  # that gave them, in the order of the columns
    is_doubtful: bool = False  # it is asked whether they are responses

    @property
    def rank(self) -> tuple[bool, int, int]:
        """How well it fits; what is the same everywhere, or a label, fits least."""
        fits = [
            column.filled * 2 >= column.rows and not (column.is_constant or column.is_label)
            for column in self.candidates
        ]
        return any(fits), self.strength, len(self.candidates)


def choose_responses(decision: Decision) -> None:
    """Choose the responses by the names of columns."""
    several = sorted(_by_names(decision), key=lambda columns: columns.rank, reverse=True)
    if known := decision.chosen(*ANSWERING):
        first = ResponseColumns(tuple(known), Strength.OURS)
    elif several:
        first = several.pop(0)
        _choose_first(decision, first, several)
    else:
        return
    for others in several:
        for column in others.candidates:
            if column.path not in decision.choices:
                _doubt(decision, column, first.candidates[0])
    for column in decision.free:
        if column.is_prose and not column.use and has_answer(column.name):
            decision.ask([column], REFERENCE, str(IS_RATED))


def doubt_responses(decision: Decision) -> None:
    """Ask about texts that may be responses as well as the only one with a doubtful name."""
    answers = [column for column in decision.chosen(*ANSWERING) if column.strength <= Strength.WEAK]
    if len(decision.of(*ANSWERING)) > 1 or not answers:
        return
    texts = [column for column in decision.free_texts if not column.is_word]
    fewest = 1 if decision.models else 2  # one may be a title, but not beside a model's name
    if len(texts) >= fewest:
        decision.ask([*answers, *texts], ONE_MORE, str(IS_RATED))
        if decision.models:
            decision.models |= {column.path: column.name for column in texts}


def choose_response_by_texts(decision: Decision) -> None:
    """Choose the only longer texts of no other use, or ask about several.

    If all have a use, these are the translations of a source, else contexts.
    """
    if any(Use.RESPONSE in choice.options for choice in decision.choices.values()):
        return  # it is asked already
    has_prompt = bool(decision.of(*ASKING))
    prose = [column for column in decision.free if column.is_prose]
    translations = _translations(prose)
    texts = [column for column in prose if not column.use] or translations
    texts = texts or [column for column in prose if column.means(Use.CONTEXT)]
    answers = [column for column in texts if not CRITERIA.fullmatch(column.name)]
    if has_prompt:  # what a judge says of a response is none
        answers = [column for column in answers if not NO_MODEL.search(column.name)]
    is_plain = len(answers) == 1 and not (answers[0].is_key or answers[0].has_exchanges)
    if is_plain and (translations or (has_prompt and not _says_other(answers[0]))):
        decision.take(answers[0], Use.RESPONSE, _("longer texts, one a row"))
    else:
        decision.ask(answers, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))


def _translations(prose: Sequence[Candidate]) -> list[Candidate]:
    """Return the columns that are translations beside a source: `target`."""
    if not any(column.means(Use.SOURCE) for column in prose):
        return []
    references = [column for column in prose if column.use is Use.REFERENCE]
    return [column for column in references if column.strength <= Strength.WEAK]


def _says_other(column: Candidate) -> bool:
    """Tell whether a word in a name is of another use: `reference_context`, `topic_source`."""
    for word in TOKENS.findall(last_name(column.name)):
        known = TABLE.get(fold(word))
        if known and known.strength >= Strength.STRONG and known.use in BESIDE:
            return True
    return False


def _choose_first(
    decision: Decision, best: ResponseColumns, other_columns: Sequence[ResponseColumns]
) -> None:
    """Choose the best columns, or ask if others are as good or something speaks against them."""
    ties = [columns for columns in other_columns if columns.rank == best.rank]
    is_weak = best.strength <= Strength.WEAK
    path = best.candidates[0].path
    prompts = [column for column in decision.free if column.mark and column.use is Use.PROMPT]
    if len(prompts) > 1 and len(best.candidates) > 1:
        question = _("prompts have numbers, too: is it a response, or a turn before the last one?")
        decision.ask(best.candidates, (Use.RESPONSE, Use.METADATA), question)
        question = _("is it the prompt or the conversation?")
        decision.ask(prompts, (Use.PROMPT, Use.METADATA), question)
    elif best.is_doubtful:
        decision.ask(best.candidates, ONE_MORE, str(IS_RATED))
    elif not all(decision.profile.same(path, tie.candidates[0].path) for tie in ties):
        for columns in (best, *ties):
            decision.ask(columns.candidates, ONE_MORE, str(IS_RATED))
    elif is_weak and best.candidates[0].is_label:
        question = _("is it the response? Its few short texts look like a reference")
        decision.ask(best.candidates, REFERENCE, question)
    elif is_weak and (texts := _better_texts(decision, best)):
        decision.ask((*best.candidates, *texts), ONE_MORE, _("what is it?"))
    else:
        _take(decision, best)


def _better_texts(decision: Decision, best: ResponseColumns) -> list[Candidate]:
    """Return longer texts beside a column that is the same in every row, such as `accept`."""
    is_constant = all(column.is_constant for column in best.candidates)
    return decision.free_texts if is_constant else []


def _take(decision: Decision, several: ResponseColumns) -> None:
    """Choose columns as responses; of several that hold conversations each ends with one."""
    for column in several.candidates:
        is_chat = len(several.candidates) > 1 and (column.has_turns or column.has_speakers)
        decision.take(column, Use.CHAT if is_chat else Use.RESPONSE, several.reason)
    if several.models:
        paths = [column.path for column in several.candidates]
        decision.models |= dict(zip(paths, several.models, strict=True))


def _doubt(decision: Decision, column: Candidate, winner: Candidate) -> None:
    """Decide on a column that has a response's name beside a clearer one."""
    if decision.profile.same(column.path, winner.path):
        decision.keep(column, fill_in(_("the same as “%(column)s”"), column=winner.path))
    elif column.is_constant and not column.mark:
        decision.keep(column, _("the same in every row"))
    elif column.strength <= Strength.WEAK and _says_outcome(column):
        decision.keep(column, _("says how a test went"))
    elif column.strength >= Strength.STRONG and (column.mark or not column.is_label):
        decision.ask([column], ONE_MORE, str(IS_RATED))
    else:
        decision.ask([column], REFERENCE, str(IS_RATED))


def _says_outcome(column: Candidate) -> bool:
    """Tell whether a column says how a test of the response went: "failed: AssertionError"."""
    values = column.profile.counts
    return bool(values) and not column.profile.marks and all(map(OUTCOME.fullmatch, values))


def _by_names(decision: Decision) -> list[ResponseColumns]:
    """Return what may be the responses by its names."""
    free = [column for column in decision.free if column.use is not Use.CONVERSATION]
    words = [column for column in free if column.has_words]
    several = [*_pair(words), *_numbered(words), *_by_model(words)]
    used = {column.path for columns in several for column in columns.candidates}
    for column in free:
        is_free = column.means(Use.RESPONSE, Strength.NEAR) and column.path not in used
        if is_free and _may_answer(column):
            most = Strength.STRONG if column.mark else Strength.OURS
            several.append(ResponseColumns((column,), min(column.strength, most)))
    return several


def _may_answer(column: Candidate) -> bool:
    """Tell whether a column holds answers, and no tokens, classes or scores."""
    if column.strength == Strength.WEAK:
        if column.has_numbers and "[*]" in column.name:  # as in `scores[*].result`
            return False
        return column.filled > 0 and column.profile.share(ValueKind.NUMBERS, ValueKind.OTHER) <= 0.5
    return column.filled > 0 and not (column.has_numbers or column.is_key)


def _pair(wordy_columns: Sequence[Candidate]) -> list[ResponseColumns]:
    """Return columns such as `chosen` and `rejected_1`, which name the responses of a pair."""
    pair = tuple(column for column in wordy_columns if variant(column.name)[0] in PAIR)
    if len(pair) != 2:
        return []
    names = tuple(column.name for column in pair)
    return [ResponseColumns(pair, Strength.STRONG, _("chosen and rejected"), names)]


def _numbered(wordy_columns: Sequence[Candidate]) -> list[ResponseColumns]:
    """Return columns such as `response_a` and `response_b`, a group for each stem."""
    groups: defaultdict[str, list[Candidate]] = defaultdict(list)
    has_response = any(column.means(Use.RESPONSE, Strength.STRONG) for column in wordy_columns)
    for column in wordy_columns:
        stem, mark = variant(column.name)
        if stem == "option" and has_response:  # what the question offers
            continue
        is_model = stem in SIDES or (stem in TABLE and TABLE[stem].use is Use.MODEL)
        if mark and (column.use is Use.RESPONSE or (is_model and column.is_prose)):
            groups[stem].append(column)
    several = []
    for columns in groups.values():
        if len(columns) > 1:
            strength = max(Strength.STRONG, *(column.strength for column in columns))
            reason = _("numbered responses")
            several.append(ResponseColumns(tuple(columns), strength, reason))
    return several


def _by_model(wordy_columns: Sequence[Candidate]) -> list[ResponseColumns]:
    """Return the columns that have the names of models, alone or beside a word."""
    texts = [column for column in wordy_columns if not column.has_lists]
    alone = [column for column in texts if _is_model(column)]
    others = [column for column in texts if column not in alone]
    return [*_models_alone(alone), *_models_beside_words(others)]


def _models_alone(candidates: Sequence[Candidate]) -> list[ResponseColumns]:
    """Return columns such as `gpt-4` and `heron-8b`, unless they hold labels."""
    if not candidates or any(column.is_label and not column.is_prose for column in candidates):
        return []
    strength = Strength.STRONG if len(candidates) > 1 else Strength.WEAK
    models = _model_names(candidates)
    return [ResponseColumns(tuple(candidates), strength, _("named after models"), models)]


def _models_beside_words(candidates: Sequence[Candidate]) -> list[ResponseColumns]:
    """Return columns such as `answer (claude)`; they are asked about if no model is known."""
    models = {}
    for column in candidates:
        is_free = not (column.use or column.is_label)
        if is_free and (model := model_in(column.name)):
            models[column] = model
    is_known = any(map(MODEL_NAME.search, models.values()))
    if len(models) < 2 and not is_known:
        return []
    named = ResponseColumns(
        candidates=tuple(models),
        strength=Strength.STRONG if is_known else Strength.WEAK,
        reason=_("named after models"),
        models=tuple(models.values()),
        is_doubtful=not is_known,
    )
    return [named]


def _is_model(column: Candidate) -> bool:
    """Tell whether a header is the name of a model."""
    is_name = MODEL_NAME.search(column.name) and not NO_MODEL.search(column.name)
    return bool(is_name) and column.use in (None, Use.MODEL)


def _model_names(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the model in each name, or the whole names if these are needed."""
    ends = [_model_name(last_name(column.name)) for column in candidates]
    is_enough = len({*ends}) == len(ends) and all(map(MODEL_NAME.search, ends))
    return tuple(ends) if is_enough else tuple(column.name for column in candidates)


def _model_name(name: str) -> str:
    """Return a name without the word for a response: of `gpt4_response` it is gpt4."""
    known = OF_MODEL.fullmatch(name)
    rest = (known["after"] or known["before"]) if known else ""
    return rest if MODEL_NAME.search(rest) else name
