"""The questions about what a file lacks: a response, a prompt, or who speaks in a conversation.

No Django but its translations.
"""

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import PROSE, Candidate
from .deciding import Decision
from .history import unread_speaker
from .uses import ANSWERING, ASKING, Use

TEXTS = (Use.RESPONSE, Use.PROMPT, Use.METADATA)
ENDS = (Use.CHAT, Use.CONVERSATION, Use.METADATA)


def doubt_gaps(decision: Decision) -> None:
    """Ask which column is the response, or the prompt, if none is."""
    if decision.has_questions:
        return
    asking, answering = decision.chosen(*ASKING), decision.chosen(*ANSWERING)
    if not answering:
        question = _("no column is the response: is it this one?")
        _ask(decision, asking, TEXTS, question)
    elif not asking:
        question = _("no column is the prompt: is it this one?")
        _ask(decision, answering, (Use.PROMPT, Use.RESPONSE, Use.METADATA), question)


def doubt_speakers(decision: Decision) -> None:
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


def _ask(
    decision: Decision, known: list[Candidate], options: tuple[Use, ...], question: str
) -> None:
    """Ask about texts that are kept as metadata; about the other side if there are none."""
    unused = [column for column in decision.chosen(Use.METADATA, Use.UNUSED) if column.has_words]
    texts = [column for column in unused if column.profile.mean_length >= PROSE]
    if texts:
        decision.ask(texts, options, question)
    elif turns := [column for column in known if column.is_conversation]:
        words = _("is its last turn the response, or does it come before one?")
        decision.ask(turns, ENDS, words)
    elif decision.of(*ANSWERING):  # without a response, a fault tells it
        decision.ask(known, options, question)
