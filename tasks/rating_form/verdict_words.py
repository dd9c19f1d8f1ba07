"""Wording of verdicts, questions and errors in the form."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from django.utils.translation import gettext as _, ngettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Detector, Effect
from rubrics.judging.parts import Check
from rubrics.judging.repetition import repeats
from rubrics.judging.scales import MOST_BUTTONS
from rubrics.judging.verdict import Clash, Clashes, Reason, Verdict
from tasks.answers.fact_checks import is_address
from tasks.answers.slot_answers import COMMENT, REPLY, FieldName

from .evaluated_form import EvaluatedForm, EvaluatedTarget, Fact
from .fields import Target, element_id
from .row_view import Headline, Row

# The scores that a line under them begins with: "3, 2: say what is wrong first."
SCORES_BEFORE = re.compile(r"^-?\d+(, -?\d+)*: ")


def headline(judgement: Verdict | Clashes, dimension: Dimension, target: Target) -> Headline:
    """Return the verdict: the open scores, then a line for each limit on them."""
    match judgement:
        case Verdict(applies=False):
            return Headline("open", _("Not asked."))
        case Verdict() if not dimension.scores:
            return Headline("open", "")
        case Clashes(clashes):
            reasons = tuple(map(_reason_of_clash, clashes))
            text = _("These do not go together.")
            return Headline("clash", text, reasons)
        case Verdict(forced=int(score)) if not dimension.given:
            best = max(dimension.scores, key=dimension.goodness)
            tone = "open" if score == best else "forced"  # no warning at the best
            text = _("The score is %(score)s.") % {"score": score}
            return Headline(tone, text, judgement.acting_reasons)
        case Verdict(open=()):
            text = _without_open_score(judgement, dimension, target)
            return Headline("limited", text, judgement.acting_reasons)
        # Of a score that the answers give, the line in place of the buttons says it.
        case Verdict() if dimension.given or not dimension.rules:
            return Headline("silent", "", judgement.acting_reasons)
        case Verdict(barred=()):
            return Headline("open", _("All scores are open."))
        case Verdict():
            limits: list[Reason] = []
            for reason in _lines(judgement):
                limit = _with_response_name(reason, judgement, dimension)
                limits.append(limit)
            is_limited = any(reason.effect is not Effect.REQUIRE for reason in limits)
            tone = "limited" if is_limited else "open"
            scores = _listed(judgement.open)
            text = _("Open: %(scores)s.") % {"scores": scores}
            return Headline(tone, text, tuple(limits))


def _reason_of_clash(clash: Clash) -> Reason:
    return Reason(clash.clause, "", Effect.EXCLUDE, clash.text, reading=clash.reading)


def _without_open_score(verdict: Verdict, dimension: Dimension, target: Target) -> str:
    if not verdict.missing:  # the rubric was stored before this was refused
        text = _("The rules leave no score for %(target)s: flag the item.")
        return text % {"target": target.short}
    first, *others = verdict.missing
    text = ngettext(
        "Answer “%(first)s” first.",
        "Answer “%(first)s” and %(others)s more first.",
        len(verdict.missing),
    )
    wording = dimension.check(first).wording
    return text % {"first": wording, "others": len(others)}


def _listed(sorted_scores: Sequence[int]) -> str:
    """Return scores in words, each by itself; if they are many, each run of them as one."""
    if len(sorted_scores) <= MOST_BUTTONS:
        return ", ".join(map(str, sorted_scores))
    score_texts: list[str] = []
    for _start, run in groupby(enumerate(sorted_scores), key=lambda pair: pair[1] - pair[0]):
        (_place, low), *others = run
        text = str(low)
        if others:
            _place, high = others[-1]
            text = in_span(low, high)
        score_texts.append(text)
    return ", ".join(score_texts)


def in_span(low: int, high: int) -> str:
    """Return all scores from one to another in words."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def misread(text: str, dimension: Dimension) -> str:
    """Return why a text is no score of a scale that is typed."""
    scores = in_span(dimension.lowest, dimension.highest)
    words = _("“%(text)s” is no score here: write a whole number, %(scores)s.")
    excerpt = _cut(text)
    return words % {"text": excerpt, "scores": scores}


def _lines(verdict: Verdict) -> Iterator[Reason]:
    """Yield the limits next to the open scores, then what the scores beyond them need.

    Limits that say the same are one line. The highest scores come first, as in the rubric.
    """
    low = verdict.open[0]
    high = verdict.open[-1]
    closing = {*verdict.bars(high + 1), *verdict.bars(low - 1)}
    acting = verdict.acting_reasons[::-1]
    limits: dict[Reason, None] = {}  # an ordered set
    for reason in acting:
        if reason in closing and reason.effect is not Effect.REQUIRE:
            limits[reason] = None
    by_text = {(reason.clause, reason.short_text): reason for reason in limits}
    yield from by_text.values()
    other_reasons: set[Reason] = set()
    for bar in verdict.barred:
        if limits.keys().isdisjoint(bar.reasons):
            other_reasons.update(bar.reasons)
    for reason in acting:
        if reason in other_reasons:
            yield reason


def _with_response_name(reason: Reason, verdict: Verdict, dimension: Dimension) -> Reason:
    """Return a reason whose line names the response that a score must be worse than (RQ-11)."""
    if reason.binding_target is None:
        return reason
    key, score = reason.binding_target
    is_low = dimension.better is Better.LOW
    if score is None:
        line = _("Above %(other)s.") if is_low else _("Below %(other)s.")
    elif score in verdict.open:  # a tie passes
        line = _("%(other)s has a %(score)s: give a %(score)s, too.")
    elif is_low:
        line = _("Above %(other)s, which has a %(score)s.")
    else:
        line = _("Below %(other)s, which has a %(score)s.")
    names = {"other": Target(key).short, "score": score}
    return replace(reason, line=line % names)


def what_was_seen(check: Check, text: str) -> str:
    """Return the question about a check that the program would tick."""
    repeat = None
    if check.detector is Detector.REPEATS:
        repeat = repeats(text)
    if repeat is None:
        return check.asks
    words = _("“%(text)s” appears %(times)s times here. %(asks)s")
    excerpt = _cut(repeat.text)
    return words % {"text": excerpt, "times": repeat.times, "asks": check.asks}


def what_was_refuted(label: str, claims: Sequence[str]) -> str:
    """Return the proposal of an answer or tick, named by `label`, because claims are refuted."""
    quoted = []
    for claim in claims:
        excerpt = _cut(claim)
        quoted.append(_("“%(claim)s”") % {"claim": excerpt})
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
        dimension = row.dimension
        codes = {check.code for check in dimension.checks}
        for code in row.judgement.missing:
            if code not in codes:
                wording = dimension.check(code).wording
                yield _("the answer to “%(check)s”") % {"check": wording}


def order(names: Sequence[str]) -> str:
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
        if binding is None or binding[1] is None:  # else both responses have it as an error
            text = SCORES_BEFORE.sub("", reason.short_text)
            why = cited(text, reason.clause, reason.reading)
            yield _("You can’t give %(score)s: %(reason)s") % {"score": score, "reason": why}


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


def fact_errors(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the errors that prevent storing a looked-up claim, as (field, message)."""
    if not fact.claim.strip():
        yield "claim", _("Which claim did you look up? Write it here, or clear the other fields.")
    if not fact.outcome:
        yield "outcome", _("What did the search show? Choose one of the three results.")
    for source in fact.addresses:
        if not is_address(source):
            text = _(
                "“%(source)s” is not an address. Sources start with http:// or "
                "https://, one per line."
            )
            yield "sources", text % {"source": _cut(source)}


def no_claim() -> str:
    """Return the error of a look-up without a claim."""
    return _("Which claim do you want to look up? Select it in a text, or write it here.")


def field(name: str) -> str:
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


def summary(evaluated: EvaluatedForm) -> Iterator[tuple[str, str]]:
    """Yield all errors as (element id, message), in page order.

    A row or a target without any answer is one line, not one for each of its fields.
    """
    listed: set[str] = set()  # errors about two responses
    for target in evaluated.targets:
        yield from _summary_of_rows(target, evaluated.notes, listed)
        for fact in target.look_ups:
            if not fact.errors:
                continue
            names = {"target": target.name, "number": fact.place.number}
            where = _("%(target)s, claim %(number)s") % names
            for field, error in fact.errors:
                yield f"{fact.place.id}-{field}", f"{where}: {error}"


def _summary_of_rows(
    target: EvaluatedTarget, notes: Collection[str], listed: set[str]
) -> Iterator[tuple[str, str]]:
    mistakes_by_row: list[tuple[Row, list[tuple[str, str]]]] = []
    elements: list[str] = []
    for row in _asking_once(target, notes):
        mistakes = list(_errors_in(row, notes))
        mistakes_by_row.append((row, mistakes))
        elements += (element for element, _text in mistakes)
    has_several_rows = len(target.rows) > 1
    if elements and has_several_rows and all(row.untouched for row in target.rows):
        yield elements[0], not_rated(target.name)
        return
    for row, mistakes in mistakes_by_row:
        where = f"{target.name}, {row.dimension.title}"
        if row.untouched and mistakes:
            yield mistakes[0][0], not_rated(where)
        else:
            for element, text in mistakes:
                yield element, f"{where}{text}"
        # List an error about two responses once, although both rows have it.
        for error in row.errors:
            if error in notes and error not in listed:
                listed.add(error)
                yield row.entry, error


def _asking_once(target: EvaluatedTarget, notes: Collection[str]) -> Iterator[Row]:
    """Yield the rows of a target; the comment that several lack is an error of the first."""
    for row in target.rows:
        if row.lacks_comment and row is not target.uncommented:
            errors = tuple(error for error in row.errors if error in notes)
            yield replace(row, errors=errors)
        else:
            yield row


def _errors_in(row: Row, notes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the errors of a row alone, as (element id, message)."""
    for element, wording, mistake in row.mistakes:
        yield element, f", {wording}: {mistake}"
    element = row.entry
    limits = row.headline.text if row.score is None else ""
    if row.lacks_comment:
        comment = FieldName(row.target.key, COMMENT)
        element = element_id(str(comment))
    for error in row.errors:
        if error not in notes:
            yield element, f": {error} {limits}".rstrip()
