"""The questions about what a file lacks: a response, or a prompt. No Django but translations."""

from django.utils.translation import gettext as _

from .candidates import PROSE, Candidate
from .deciding import Decision
from .uses import ANSWERING, ASKING, Use

TEXTS = (Use.RESPONSE, Use.PROMPT, Use.METADATA)
ENDS = (Use.CHAT, Use.CONVERSATION, Use.METADATA)


def doubt_gaps(decision: Decision) -> None:
    """Ask which column is the response, or the prompt, if none is."""
    if decision.is_open:
        return
    asking, answering = decision.chosen(*ASKING), decision.chosen(*ANSWERING)
    if not answering:
        question = _("no column is the response: is it this one?")
        _ask(decision, asking, TEXTS, question)
    elif not asking:
        question = _("no column is the prompt: is it this one?")
        _ask(decision, answering, (Use.PROMPT, Use.RESPONSE, Use.METADATA), question)


def _ask(
    decision: Decision, known: list[Candidate], options: tuple[Use, ...], question: str
) -> None:
    """Ask about texts that are kept as metadata; about the other side if there are none."""
    unused = [column for column in decision.chosen(Use.METADATA, Use.UNUSED) if column.has_words]
    texts = [column for column in unused if column.values.mean_length >= PROSE]
    if texts:
        decision.ask(texts, options, question)
    elif turns := [column for column in known if column.is_conversation]:
        words = _("is its last turn the response, or does it come before one?")
        decision.ask(turns, ENDS, words)
    elif decision.of(*ANSWERING):  # without a response, a fault tells it
        decision.ask(known, options, question)
