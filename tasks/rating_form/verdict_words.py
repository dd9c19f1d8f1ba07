"""Wording of verdicts, questions and errors in the form."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from django.utils.translation import gettext as _, ngettext

from rubrics import detectors
from rubrics.scales import MOST_BUTTONS
from rubrics.schema import Better, Check, Clashes, Detector, Dimension, Effect, Reason, Verdict
from tasks.answers import COMMENT, FieldName
from tasks.fact_checks import is_address

from .fields import Target, element_id
from .view_models import EvaluatedForm, EvaluatedTarget, Fact, Headline, Row

# The scores that a line under them begins with: "3, 2: say what is wrong first."
SCORES_BEFORE = re.compile(r"^-?\d+(, -?\d+)*: ")


def headline(judgement: Verdict | Clashes, dimension: Dimension, target: Target) -> Headline:
    """Return the verdict: the open scores, then a line for each limit on them."""
    match judgement:
        case Verdict(is_asked=False):
            return Headline("open", _("Not asked."))
        case Verdict() if not dimension.scores:
            return Headline("open", "")
        case Clashes(clashes):
            reasons = (
                Reason(clash.clause, "", Effect.EXCLUDE, clash.text, reading=clash.reading)
                for clash in clashes
            )
            return Headline("clash", _("These do not go together."), tuple(reasons))
        case Verdict(forced=int(score)) if not dimension.given:
            is_best = score == max(dimension.scores, key=dimension.merit)  # no warning then
            return Headline(
                "open" if is_best else "forced",
                _("The score is %(score)s.") % {"score": score},
                judgement.acting,
            )
        case Verdict(open=(), missing=()):  # the rubric was stored before this was refused
            return Headline(
                "limited",
                _("The rules leave no score for %(target)s: flag the item.")
                % {"target": target.short},
                judgement.acting,
            )
        case Verdict(open=(), missing=(first, *others)):
            return Headline(
                "limited",
                ngettext(
                    "Answer “%(first)s” first.",
                    "Answer “%(first)s” and %(others)s more first.",
                    len(others) + 1,
                )
                % {"first": dimension.check(first).wording, "others": len(others)},
                judgement.acting,
            )
        # Of a score that the answers give, the line in place of the buttons says it.
        case Verdict() if dimension.given or not dimension.rules:
            return Headline("silent", "", judgement.acting)
        case Verdict(barred=()):
            return Headline("open", _("All scores are open."))
        case Verdict():
            lines = tuple(_named(reason, judgement, dimension) for reason in _lines(judgement))
            is_limited = any(reason.effect is not Effect.REQUIRE for reason in lines)
            return Headline(
                "limited" if is_limited else "open",
                _("Open: %(scores)s.") % {"scores": _listed(judgement.open)},
                lines,
            )


def _listed(scores: Sequence[int]) -> str:
    """Return scores in words, each by itself; if they are many, each run of them as one."""
    if len(scores) <= MOST_BUTTONS:
        return ", ".join(map(str, scores))
    runs = (
        [score for _place, score in run]
        for _start, run in groupby(enumerate(scores), key=lambda each: each[1] - each[0])
    )
    return ", ".join(str(run[0]) if len(run) == 1 else in_span(run[0], run[-1]) for run in runs)


def in_span(low: int, high: int) -> str:
    """Return all scores from one to another in words."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def misread(text: str, dimension: Dimension) -> str:
    """Return why a text is no score of a scale that is typed."""
    return _("“%(text)s” is no score here: write a whole number, %(scores)s.") % {
        "text": _cut(text),
        "scores": in_span(dimension.lowest, dimension.highest),
    }


def _lines(verdict: Verdict) -> Iterator[Reason]:
    """Yield the limits next to the open scores, then what the scores beyond them need.

    Limits that say the same are one line. The highest scores come first, as in the rubric.
    """
    low, high = verdict.open[0], verdict.open[-1]
    closing = {*verdict.bars(high + 1), *verdict.bars(low - 1)}
    acting = verdict.acting[::-1]
    limits = [
        reason for reason in acting if reason in closing and reason.effect is not Effect.REQUIRE
    ]
    yield from {(reason.clause, reason.said): reason for reason in limits}.values()
    unsaid = {
        reason for bar in verdict.barred if not {*limits} & {*bar.reasons} for reason in bar.reasons
    }
    yield from (reason for reason in acting if reason in unsaid)


def _named(reason: Reason, verdict: Verdict, dimension: Dimension) -> Reason:
    """Return a reason whose line names the response that a score must be worse than (RQ-11)."""
    if reason.beside is None:
        return reason
    (key, score), is_low = reason.beside, dimension.better is Better.LOW
    if score is None:
        line = _("Above %(other)s.") if is_low else _("Below %(other)s.")
    elif score in verdict.open:  # a tie passes
        line = _("%(other)s has a %(score)s: give a %(score)s, too.")
    else:
        line = (
            _("Above %(other)s, which has a %(score)s.")
            if is_low
            else _("Below %(other)s, which has a %(score)s.")
        )
    return replace(reason, line=line % {"other": Target(key).short, "score": score})


def what_was_seen(check: Check, text: str) -> str:
    """Return the question about a check that the program would tick."""
    if check.detector is Detector.REPEATS and (repeat := detectors.repeats(text)):
        return _("“%(text)s” appears %(times)s times here. %(asks)s") % {
            "text": _cut(repeat.text),
            "times": repeat.times,
            "asks": check.asks,
        }
    return check.asks


def what_was_refuted(label: str, claims: Sequence[str]) -> str:
    """Return the proposal of an answer or tick, named by `label`, because claims are refuted."""
    shown = ", ".join(_("“%(claim)s”") % {"claim": _cut(claim)} for claim in claims)
    return ngettext(
        "%(claims)s is refuted. That suggests “%(check)s”. You decide.",
        "%(claims)s are refuted. That suggests “%(check)s”. You decide.",
        len(claims),
    ) % {"claims": shown, "check": label}


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def obstacles(row: Row) -> Iterator[str]:
    """Yield what is in the way of a row, in few words.

    The desk itself sees questions without an answer, the program's too, and whether there is a
    score. `evaluate` adds a missing comment, and what is in the way between responses.
    """
    if not row.is_asked:
        return
    if isinstance(row.judgement, Clashes):
        yield _("answers that go together")
    elif row.misread:
        yield _("a number that can be the score")
    elif row.score is not None and row.score not in row.judgement.open:
        yield _("another score, since %(score)s is barred") % {"score": row.score}
    elif not row.judgement.open:  # a question in another row decides
        own = {check.code for check in row.dimension.checks}
        for code in (code for code in row.judgement.missing if code not in own):
            yield _("the answer to “%(check)s”") % {"check": row.dimension.check(code).wording}
    if row.none_of_these and row.none_of_these.checked is row.is_ticked:
        yield _("a tick, or “None of these”")


def order(names: Sequence[str]) -> str:
    """Return in few words that the scores of some responses are out of order."""
    *others, last = names
    return _("the order of %(others)s and %(last)s") % {"others": ", ".join(others), "last": last}


def no_comment() -> str:
    """Return in few words that a comment is missing."""
    return _("a comment")


def reason_error(ticked: bool, none_fits: bool) -> str:
    """Return the error of a required reason: it takes a tick or "none of these", not both."""
    if ticked and none_fits:
        return _("You ticked a reason and “None of these”. Keep only one.")
    return "" if ticked or none_fits else _("Tick the reason for the score, or “None of these”.")


def score_errors(score: int | None, verdict: Verdict, misread: str) -> Iterator[str]:
    """Yield the errors of a score; the headline next to them lists the open scores.

    `misread` is why what was typed is no score.
    """
    if score is None:
        yield misread or _("No score yet.")
        return
    for reason in verdict.bars(score):
        if reason.beside is None or reason.beside[1] is None:  # else said of both responses
            yield _("You can’t give %(score)s: %(reason)s") % {
                "score": score,
                "reason": cited(SCORES_BEFORE.sub("", reason.said), reason.clause, reason.reading),
            }


def cited(text: str, clause: str, reading: str = "") -> str:
    """Return a text with its clause, if it has one, and "our reading" if it rests on one."""
    if reading:
        clause = _("%(clause)s, our reading") % {"clause": clause} if clause else _("our reading")
    return f"{text} ({clause})" if clause else text


def out_of_order(lower: str, higher: Sequence[str], reason: Reason, *, is_low: bool) -> str:
    """Return one line for a response and all those that it must score worse than.

    `is_low`: the low end is the good one.
    """
    return (
        _("%(lower)s must score higher than %(higher)s. %(reason)s")
        if is_low
        else _("%(lower)s must score lower than %(higher)s. %(reason)s")
    ) % {
        "lower": lower,
        "higher": ", ".join(higher),
        "reason": cited(reason.text, reason.clause, reason.reading),
    }


def remark_between(first: str, second: str, reason: Reason) -> str:
    """Return a remark about two responses."""
    return _("%(first)s and %(second)s: %(reason)s") % {
        "first": first,
        "second": second,
        "reason": cited(reason.text, reason.clause, reason.reading),
    }


def twins_note(first: str, second: str) -> str:
    """Return the note on two responses that are the same."""
    return _("%(first)s and %(second)s are the same, except perhaps for punctuation.") % {
        "first": first,
        "second": second,
    }


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
    listed_before: set[str] = set()
    for target in evaluated.targets:
        errors = [
            (row, list(_errors_in(row, evaluated.notes)))
            for row in _asking_once(target, evaluated.notes)
        ]
        wrong = [element for _row, mistakes in errors for element, _text in mistakes]
        if wrong and len(target.rows) > 1 and all(row.untouched for row in target.rows):
            yield wrong[0], not_rated(target.name)
            errors = []
        for row, mistakes in errors:
            where = f"{target.name}, {row.dimension.title}" if mistakes else ""
            if row.untouched and mistakes:
                yield mistakes[0][0], not_rated(where)
            else:
                yield from ((element, f"{where}{text}") for element, text in mistakes)
            # List an error about two responses once, although both rows have it.
            for error in row.errors:
                if error in evaluated.notes and error not in listed_before:
                    listed_before.add(error)
                    yield row.entry, error
        for fact in target.facts:
            for field, error in fact.errors:
                where = _("%(target)s, claim %(number)s") % {
                    "target": target.name,
                    "number": fact.place.number,
                }
                yield f"{fact.place.id}-{field}", f"{where}: {error}"


def _asking_once(target: EvaluatedTarget, notes: Collection[str]) -> Iterator[Row]:
    """Yield the rows of a target; the comment that several lack is an error of the first."""
    for row in target.rows:
        if row.lacks_comment and row is not target.uncommented:
            yield replace(row, errors=tuple(error for error in row.errors if error in notes))
        else:
            yield row


def _errors_in(row: Row, elsewhere: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the errors of a row alone, as (element id, message)."""
    for element, wording, mistake in row.mistakes:
        yield element, f", {wording}: {mistake}"
    for error in row.errors:
        if error not in elsewhere:
            comment = element_id(str(FieldName(row.target.key, COMMENT)))
            yield (
                comment if row.lacks_comment else row.entry,
                f": {error} {row.headline.text if row.score is None else ''}".rstrip(),
            )
