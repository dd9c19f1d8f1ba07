"""Questions about the columns that are chosen for items, and about what a file lacks.

`ask_about_items` has them in their order. No Django but its translations.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from ..files.values import BadValue
from .candidates import PROSE, Candidate
from .deciding import Decision
from .history import unread_speaker
from .layouts import ALONE, BY_HAND
from .model_names import has_answer
from .recognising import Recognised
from .turns import chat
from .uses import ANSWERING, ASKING, PROMPTS, Use

TEXTS = (Use.RESPONSE, Use.PROMPT, Use.METADATA)
ENDS = (Use.CHAT, Use.CONVERSATION, Use.METADATA)
INSTRUCTIONS = 20  # characters at least that tell a judge what to do with a response


def ask_about_items(decision: Decision, fit: Recognised, shape: str) -> None:
    """Ask about choices against which something speaks, and then about what is missing.

    A later question about a column replaces an earlier one. `shape` is that of the mapping.
    """
    _doubt_repeats(decision)
    _doubt_judge_prompts(decision)
    _doubt_layouts(decision, fit)
    _doubt_speakers(decision)
    may_lack_texts = fit.inner.alone or shape == ALONE
    has_only_prompts = bool(decision.of(Use.PROMPT)) and not decision.of(*ANSWERING)
    is_fault = fit.name != BY_HAND and has_only_prompts  # which the mapping tells
    if not (decision.has_questions or may_lack_texts or is_fault):
        _doubt_gaps(decision)


def _doubt_repeats(decision: Decision) -> None:
    """Ask whether rows with the same prompt are one item."""
    prompts = decision.chosen(Use.PROMPT)
    if not prompts or decision.of(Use.ID, Use.GROUP, Use.SHARED):
        return
    prompt = prompts[0]
    names_rows = decision.profile.names_rows
    if not prompt.repeats or names_rows(prompt.path, *_visible_with_prompts(decision)):
        return
    models = decision.of(Use.MODEL)
    if len(models) == 1 and names_rows(prompt.path, models[0]):
        decision.take(prompt, Use.SHARED, _("a row for each model"))
        return
    question = _("several rows have the same: is each an item of its own, or are they one?")
    decision.ask([prompt], (Use.SHARED, Use.PROMPT), question)


def _visible_with_prompts(decision: Decision) -> list[str]:
    """Return the columns that annotators see before the responses, beside the prompt.

    A text to be translated is one of them; the name of a data set is not.
    """
    paths = decision.of(Use.CONTEXT, Use.CONVERSATION, Use.SYSTEM, Use.PERSONA)
    sources = decision.chosen(Use.SOURCE)
    return [*paths, *(source.path for source in sources if source.has_sentences)]


def _doubt_judge_prompts(decision: Decision) -> None:
    """Ask about a prompt that holds the responses: a judge was asked that, and not the model."""
    responses = decision.of(*ANSWERING)
    answers = []
    for column in decision.candidates:
        if column.is_prose and (column.path in responses or has_answer(column.name)):
            answers.append(column)
    for prompt in decision.chosen(*PROMPTS):
        for answer in answers:
            if decision.stands_in(answer, prompt, longer_by=INSTRUCTIONS):
                words = _("was a judge asked this? It holds the texts of “%(column)s”")
                question = fill_in(words, column=answer.path)
                decision.ask([prompt], (Use.METADATA, Use.PROMPT), question)
                break


def _doubt_layouts(decision: Decision, fit: Recognised) -> None:
    """Ask about responses that are empty, or against which something speaks."""
    sample = decision.profile.sample
    doubt_of_layout = fit.outer.doubt(sample) or fit.inner.doubt(sample)
    responses = decision.chosen(*ANSWERING)
    are_empty = not any(column.filled for column in responses)
    for column in responses:
        use = decision.choices[column.path].use
        # What speaks against the layout is asked about its first response.
        question = doubt_of_layout if column is responses[0] else ""
        if are_empty:
            question = _("is it a response? It is empty in every row")
        elif use is Use.CHAT and not question:
            question = _fault_of_chats(decision, column.path)
        if question:
            decision.ask([column], (use, Use.CONVERSATION, Use.METADATA), question)


def _fault_of_chats(decision: Decision, path: str) -> str:
    """Return what is wrong with the first chat that does not end with a response, or ""."""
    try:
        for row in decision.texts:
            if row.get(path):
                chat(row[path], path)
    except BadValue as bad:
        return fill_in(_("%(column)s %(fault)s."), column=path, fault=bad.reason)
    return ""


def _doubt_speakers(decision: Decision) -> None:
    """Ask about conversations whose lines name somebody who is not read as who speaks."""
    for column in decision.chosen(Use.CONVERSATION, Use.CHAT):
        examples = column.profile.examples if column.has_speakers else []
        if name := unread_speaker([*map(str, examples)]):
            words = _(
                "“%(name)s:” begins lines, and is not read as who speaks: is it one text, the "
                "prompt?"
            )
            use = decision.choices[column.path].use
            options = (Use.PROMPT, use, Use.METADATA)
            decision.ask([column], options, fill_in(words, name=name))


def _doubt_gaps(decision: Decision) -> None:
    """Ask which column is the response, or the prompt, if none is."""
    asking, answering = decision.chosen(*ASKING), decision.chosen(*ANSWERING)
    if not answering:
        question = _("no column is the response: is it this one?")
        _ask_for_text(decision, asking, TEXTS, question)
    elif not asking:
        question = _("no column is the prompt: is it this one?")
        _ask_for_text(decision, answering, (Use.PROMPT, Use.RESPONSE, Use.METADATA), question)


def _ask_for_text(
    decision: Decision, known: Sequence[Candidate], options: tuple[Use, ...], question: str
) -> None:
    """Ask about texts that are kept as metadata; about what is known if there are none."""
    unused = [column for column in decision.chosen(Use.METADATA, Use.UNUSED) if column.has_words]
    texts = [column for column in unused if column.profile.mean_length >= PROSE]
    conversations = [column for column in known if column.is_conversation]
    if texts:
        decision.ask(texts, options, question)
    elif conversations:
        words = _("is its last turn the response, or does it come before one?")
        decision.ask(conversations, ENDS, words)
    elif decision.of(*ANSWERING):  # without a response, a fault tells it
        decision.ask(known, options, question)
