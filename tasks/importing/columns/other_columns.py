"""Columns that go with the prompt and the responses: contexts, references, offered options.

`proposals.py` calls the three public functions when the prompt and the responses are chosen. Each
makes choices of a `Decision`. No Django but its translations.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import Candidate
from .choices import Certainty, ColumnChoice
from .column_profile import ValueKind
from .deciding import Decision
from .model_columns import best_named, choose_models, doubt_names
from .name_tables import Strength
from .spelling import fold, variant
from .uses import ANSWERING, ASKING, BESIDE, Use

# Folded names of what a question offers, without the letter or number of one.
OPTION = re.compile(
    "(answer)?(option|choice)s?|distractors?|antwortoption(en)?|auswahl(option(en)?)?"
    "|antwortmoglichkeit(en)?|choix|proposition"
)
LETTERS = ("A", "B", "C", "D", "E", "F")  # of options, alone as names
TIES = frozenset(["tie", "both", "equal", "same", "neither", "none", "draw"])  # no response is best


def choose_rest(decision: Decision) -> None:
    """Choose what goes with the prompt and the responses, which are chosen before."""
    choose_models(decision)
    for use in BESIDE:
        if not decision.of(use):
            _choose_single(decision, use)
    _choose_options(decision)
    # Last: a system prompt that was just chosen may name the models.
    doubt_names(decision)


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


def _choose_single(decision: Decision, use: Use) -> None:
    """Choose the column with the best name for a use, or ask if it is misspelt."""
    if use is Use.REFERENCE:
        _keep_verdicts(decision)
    fitting = [column for column in decision.free if column.use is use and _fits(column, use)]
    for column in best_named(fitting):
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


def _choose_options(decision: Decision) -> None:
    """Choose the answers that a question offers, which annotators see with it."""
    if not (decision.of(*ASKING) and decision.of(*ANSWERING)):
        return
    lists = [column for column in decision.free if _has_options(column)]
    for column in [*_lettered(decision.free), *lists]:
        decision.take(column, Use.CONTEXT, _("an answer that the question offers"))


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


def _fits(column: Candidate, use: Use) -> bool:
    """Tell whether a column holds what its name says."""
    if column.mark and use is not Use.CONTEXT:
        return False
    if use is Use.REFERENCE and column.profile.share(ValueKind.WHOLE, ValueKind.DECIMAL) >= 0.5:
        return column.strength >= Strength.STRONG
    if column.strength <= Strength.WEAK and column.is_label:
        return False
    return column.has_words and not column.has_turns
