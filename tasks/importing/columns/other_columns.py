"""Columns that go with the prompt and the responses: models, contexts, options of a question.

Each function makes choices of a `Decision`. No Django but its translations.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import LONGEST_NAME, PROSE, Candidate
from .choices import Certainty, ColumnChoice
from .deciding import Decision
from .model_names import MODEL_NAME, NO_MODEL, is_known_model
from .names import Strength, fold, meaning, variant
from .profile import ValueKind
from .rating_names import use_of
from .uses import ANSWERING, ASKING, BESIDE, PROMPTS, Use

# Folded names of what a question offers, without the letter or number of one.
OPTION = re.compile(
    "(answer)?(option|choice)s?|distractors?|antwortoption(en)?|auswahl(option(en)?)?"
    "|antwortmoglichkeit(en)?|choix|proposition"
)
LETTERS = ("A", "B", "C", "D", "E", "F")  # of options, alone as names
TIES = frozenset(["tie", "both", "equal", "same", "neither", "none", "draw"])  # no response is best


def choose_rest(decision: Decision) -> None:
    """Choose what goes with the prompt and the responses, which are chosen before."""
    _choose_models(decision)
    for use in BESIDE:
        if not decision.of(use):
            _choose_single(decision, use)
    _choose_options(decision)
    # Last: a system prompt that was just chosen may name the models.
    _doubt_names(decision)


def ask_all(decision: Decision) -> None:
    """Ask what each text is, if none has the name of a prompt or a response."""
    texts = [column for column in decision.free if column.has_words and not column.use]
    decision.ask(texts, (Use.RESPONSE, Use.PROMPT, Use.METADATA), _("what is it?"))


def keep_rest(decision: Decision) -> None:
    """Keep what is not decided as metadata."""
    if decision.of(*ANSWERING) and not decision.is_known:
        for column in decision.free:
            if column.is_prose:
                decision.keep(column, _("other texts"))
    for path in decision.profile.columns:
        decision.choices.setdefault(path, ColumnChoice(path, Use.METADATA, Certainty.SURE))


def _choose_models(decision: Decision) -> None:
    """Choose the columns that name models: one for each response, or one for all."""
    partners = _partners(decision)
    if partners:
        decision.models = {}
        for column in partners:
            decision.take(column, Use.MODEL, _("named after its response"))
    if decision.of(Use.MODEL) or decision.models:
        return
    parents = {path.rpartition(".")[0] for path in decision.of(*ANSWERING)}
    candidates = [column for column in decision.free if _may_be_model(column, parents)]
    marked = [column for column in candidates if column.mark]
    in_lists = [column for column in candidates if "[*]" in column.path]
    if len(marked) > 1:
        models = marked
    elif in_lists:
        models = in_lists
    else:
        models = _best(candidates)
    for column in models:
        decision.take(column, Use.MODEL)
    if not models:
        _choose_authors(decision)


def _choose_authors(decision: Decision) -> None:
    """Choose what differs between the responses to a prompt, and names models: `author`.

    If it names other things, and the same ones for each prompt, it is asked. An author gives each
    response once: who is beside a response that others have, too, rated it.
    """
    responses, prompts = decision.of(Use.RESPONSE), decision.of(*PROMPTS, Use.CONVERSATION)
    if not (len(responses) == len(prompts) == 1) or "[" in responses[0]:
        return
    profile = decision.profile
    if profile.follows(responses[0], prompts[0]):
        return
    is_unique_pair = profile.names_rows(prompts[0], responses[0])
    for column in decision.free:
        if not _is_author(decision, column, prompts[0]):
            continue
        counts = column.profile.counts
        models = [name for name in counts if is_known_model(name)]
        may_be_models = any(map(MODEL_NAME.search, counts))
        are_models = len(models) * 2 > len(counts)
        if are_models and is_unique_pair:
            decision.take(column, Use.MODEL, _("a row for each model"))
            return
        is_even = len({*counts.values()}) == 1
        if are_models or (is_unique_pair and (may_be_models or is_even)):
            question = _("does it name who gave each response?")
            decision.ask([column], (Use.MODEL, Use.RATER, Use.UNUSED), question)
            return


def _is_author(decision: Decision, column: Candidate, prompt: str) -> bool:
    """Tell whether a column has few short names, one for each response to a prompt."""
    is_name = column.is_short and column.is_label and not column.has_numbers and not column.mark
    if not is_name or NO_MODEL.search(column.name) or use_of(column.name) is Use.RATER:
        return False
    return decision.profile.names_rows(prompt, column.path)


def _partners(decision: Decision) -> list[Candidate]:
    """Return columns such as `chosen_model` and `rejected_model`, one for each response."""
    responses = decision.of(*ANSWERING)
    partners = []
    for path in responses:
        for column in decision.free:
            rest = column.path.removeprefix(f"{path}_")
            known = meaning(rest) if rest != column.path else None
            if known and known.use is Use.MODEL and column.is_short:
                partners.append(column)
    return partners if len(partners) == len(responses) > 1 else []


def _choose_single(decision: Decision, use: Use) -> None:
    """Choose the column with the best name for a use, or ask if it is misspelt."""
    if use is Use.REFERENCE:
        _keep_verdicts(decision)
    fitting = [column for column in decision.free if column.use is use and _fits(column, use)]
    for column in _best(fitting):
        if column.strength == Strength.NEAR:
            words = _("is “%(column)s” %(use)s?")
            question = fill_in(words, column=column.name, use=use.label)
            decision.ask([column], (use, Use.METADATA), question)
        else:
            decision.take(column, use)


def _keep_verdicts(decision: Decision) -> None:
    """Keep what says which of the responses is best: 1 or 2 beside `answer_1` and `answer_2`."""
    responses = decision.chosen(*ANSWERING)
    names = {fold(column.name) for column in responses}
    marks = {column.mark for column in responses if column.mark}
    if len(marks) < 2:
        return
    for column in decision.free:
        values = {fold(value) for value in column.profile.counts}
        is_short = not (column.profile.marks or column.profile.uncounted)
        verdicts = values & (marks | names)
        if column.use is Use.REFERENCE and is_short and verdicts and values <= verdicts | TIES:
            decision.keep(column, _("compares the responses"))


def _best(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the first candidate with the best name, in a list, which is empty without any."""
    return sorted(candidates, key=lambda column: -column.strength)[:1]


def _choose_options(decision: Decision) -> None:
    """Choose the answers that a question offers, which annotators see with it."""
    if not (decision.of(*ASKING) and decision.of(*ANSWERING)):
        return
    lists = [column for column in decision.free if _has_options(column)]
    for column in [*_lettered(decision.free), *lists]:
        decision.take(column, Use.CONTEXT, _("an answer that the question offers"))


def _doubt_names(decision: Decision) -> None:
    """Ask about what annotators would see and may name the models, if nothing else does."""
    if decision.of(Use.MODEL) or decision.models:
        return
    for column in decision.chosen(Use.SYSTEM, Use.SOURCE, Use.PERSONA, Use.CONTEXT):
        use = decision.choices[column.path].use
        is_name = column.is_short and column.profile.mean_length < PROSE
        has_models = any(map(MODEL_NAME.search, column.profile.counts))
        if is_name and column.profile.distinct > 1 and (use is Use.SYSTEM or has_models):
            question = _("is it the model? Annotators would see it")
            decision.ask([column], (Use.MODEL, use, Use.METADATA), question)


def _lettered(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the columns of options with letters or numbers: `option_a`, `Antwort B`, `C`."""
    groups: defaultdict[str, list[Candidate]] = defaultdict(list)
    for column in candidates:
        stem = variant(column.name)[0] if column.mark else ""
        is_option = bool(column.mark) and OPTION.fullmatch(stem)
        # Numbers are what somebody chose.
        if column.filled and column.has_words and (is_option or column.name in LETTERS):
            groups[stem].append(column)
    options = []
    for stem, group in groups.items():
        # So are a few labels in all of them: a letter alone may be one who rated.
        has_texts = any(not column.is_label for column in group)
        if has_texts and len(group) > (1 if stem else 2):
            options += group
    return options


def _has_options(column: Candidate) -> bool:
    """Tell whether a column holds lists of the answers that a question offers."""
    return bool(OPTION.fullmatch(fold(column.name))) and column.has_lists


def _may_be_model(column: Candidate, parents: set[str]) -> bool:
    """Tell whether a column may name models: it is short, and beside responses or above."""
    parent, _dot, last = column.path.rpartition(".")
    if not column.filled or column.strength == Strength.NEAR or not _has_names(column):
        return False
    if "[*]" in column.path and parent not in parents:
        return False
    # In translation and speech, a system is a model.
    if column.use is Use.SYSTEM:
        return column.is_word
    return column.use is Use.MODEL or ("[*]" in parent and last == "name")


def _has_names(column: Candidate) -> bool:
    """Tell whether a column holds names, perhaps with what is in brackets: `wren (new, large)`."""
    has_name_of_names = (
        column.strength >= Strength.STRONG and column.profile.mean_length <= LONGEST_NAME
    )
    is_few = column.is_label or column.is_constant
    return column.is_short or column.may_name_models or (has_name_of_names and is_few)


def _fits(column: Candidate, use: Use) -> bool:
    """Tell whether a column holds what its name says."""
    if column.mark and use is not Use.CONTEXT:
        return False
    if use is Use.REFERENCE and column.profile.share(ValueKind.WHOLE, ValueKind.DECIMAL) >= 0.5:
        return column.strength >= Strength.STRONG
    if column.strength <= Strength.WEAK and column.is_label:
        return False
    return column.has_words and not column.has_turns
