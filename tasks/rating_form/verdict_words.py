"""The sentences of the rating form, in the reader's language: questions, errors and notes.

The modules that judge a form call these functions. The verdict itself is in `headlines.py`, the
list of errors in `error_list.py`.
"""

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _, ngettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Detector
from rubrics.judging.parts import Check
from rubrics.judging.repetition import repeats
from rubrics.judging.verdict import Clashes, Reason, Verdict
from tasks.answers.fact_checks import is_address
from tasks.answers.slot_answers import COMMENT, REPLY, FieldName

from .evaluated_form import Fact, FieldError
from .fields import Target
from .row_view import Row

# The scores at the beginning of a line under them: "3, 2: say what is wrong first."
SCORES_BEFORE = re.compile(r"^-?\d+(, -?\d+)*: ")


def in_span(low: int, high: int) -> str:
    """Return all scores from one to another in words."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def misread(text: str, dimension: Dimension) -> str:
    """Return why a text is no score of a scale that is typed."""
    scores = in_span(dimension.lowest, dimension.highest)
    words = _("“%(text)s” is no score here: write a whole number, %(scores)s.")
    return words % {"text": _cut(text), "scores": scores}


def what_was_seen(check: Check, text: str) -> str:
    """Return the question about a check that the program would tick."""
    repeat = repeats(text) if check.detector is Detector.REPEATS else None
    if repeat is None:
        return check.asks
    words = _("“%(text)s” appears %(times)s times here. %(asks)s")
    return words % {"text": _cut(repeat.text), "times": repeat.times, "asks": check.asks}


def what_was_refuted(label: str, claims: Sequence[str]) -> str:
    """Return the proposal of an answer or tick, named by `label`, because claims are refuted."""
    quoted = [_("“%(claim)s”") % {"claim": _cut(claim)} for claim in claims]
    words = ngettext(
        "%(claims)s is refuted. That suggests “%(check)s”. You decide.",
        "%(claims)s are refuted. That suggests “%(check)s”. You decide.",
        len(claims),
    )
    return words % {"claims": ", ".join(quoted), "check": label}


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def obstacles(row: Row) -> Iterator[str]:
    """Yield what is in the way of a row, in few words.

    The desk itself sees questions without an answer, the program's too, and whether there is a
    score. `evaluate` adds a missing comment, and what is in the way between responses.
    """
    if not row.applies:
        return
    if isinstance(row.judgement, Clashes):
        yield _("answers that go together")
    elif row.misread:
        yield _("a number that can be the score")
    elif row.score is not None and row.score not in row.judgement.open:
        yield _("another score, since %(score)s is barred") % {"score": row.score}
    elif not row.judgement.open:  # a question in another row decides
        codes = {check.code for check in row.dimension.checks}
        for code in row.judgement.missing:
            if code not in codes:
                wording = row.dimension.check(code).wording
                yield _("the answer to “%(check)s”") % {"check": wording}


def wrong_order(names: Sequence[str]) -> str:
    """Return in few words that the scores of some responses are out of order."""
    *others, last = names
    words = {"others": ", ".join(others), "last": last}
    return _("the order of %(others)s and %(last)s") % words


def no_comment() -> str:
    """Return in few words that a comment is missing."""
    return _("a comment")


def score_errors(score: int | None, verdict: Verdict, misread: str) -> Iterator[str]:
    """Yield the errors of a score; the headline next to them lists the open scores.

    `misread` is why what was typed is no score.
    """
    if score is None:
        yield misread or _("No score yet.")
        return
    for reason in verdict.bars(score):
        binding = reason.binding_target
        if binding is None or binding.score is None:  # else both responses have it as an error
            words = {"score": score, "reason": why_barred(reason)}
            yield _("You can’t give %(score)s: %(reason)s") % words


def why_barred(reason: Reason) -> str:
    """Return why a score is barred, without the scores that the line may begin with."""
    text = SCORES_BEFORE.sub("", reason.short_text)
    return cited(text, reason.clause, reason.reading)


def cited(text: str, clause: str, reading: str = "") -> str:
    """Return a text with its clause, if it has one, and "our reading" if it rests on one."""
    if reading and clause:
        clause = _("%(clause)s, our reading") % {"clause": clause}
    elif reading:
        clause = _("our reading")
    return f"{text} ({clause})" if clause else text


def out_of_order(lower: str, higher: Sequence[str], reason: Reason, *, is_low: bool) -> str:
    """Return one line for a response and all those that it must score worse than.

    `is_low`: the low end is the good one.
    """
    text = _("%(lower)s must score lower than %(higher)s. %(reason)s")
    if is_low:
        text = _("%(lower)s must score higher than %(higher)s. %(reason)s")
    why = cited(reason.text, reason.clause, reason.reading)
    names = {"lower": lower, "higher": ", ".join(higher), "reason": why}
    return text % names


def remark_between(first: str, second: str, reason: Reason) -> str:
    """Return a remark about two responses."""
    why = cited(reason.text, reason.clause, reason.reading)
    names = {"first": first, "second": second, "reason": why}
    return _("%(first)s and %(second)s: %(reason)s") % names


def twins_note(first: str, second: str) -> str:
    """Return the note on two responses that are the same."""
    text = _("%(first)s and %(second)s are the same, except perhaps for punctuation.")
    return text % {"first": first, "second": second}


def fact_errors(fact: Fact) -> Iterator[FieldError]:
    """Yield the errors that prevent storing a looked-up claim."""
    if not fact.claim.strip():
        text = _("Which claim did you look up? Write it here, or clear the other fields.")
        yield FieldError("claim", text)
    if not fact.outcome:
        text = _("What did the search show? Choose one of the three results.")
        yield FieldError("outcome", text)
    for source in fact.addresses:
        if not is_address(source):
            text = _(
                "“%(source)s” is not an address. Sources start with http:// or "
                "https://, one per line."
            )
            yield FieldError("sources", text % {"source": _cut(source)})


def no_claim() -> str:
    """Return the error of a look-up without a claim."""
    return _("Which claim do you want to look up? Select it in a text, or write it here.")


def field_in_words(name: str) -> str:
    """Return the name of a field of text in words; of any other field, the name itself."""
    if name == COMMENT:
        return _("Comment on the whole item")
    if name == REPLY:
        return _("Your reply")
    place = FieldName.read(name)
    if place.dimension == COMMENT:
        return _("Comment on %(name)s") % {"name": Target(place.target).name}
    return name


def not_rated(where: str) -> str:
    """Return the error of a row or target without any answer."""
    return _("%(where)s: not rated yet.") % {"where": where}
