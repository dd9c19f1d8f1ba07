"""What the person was told, on the screen and over the wire, held against the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any

from rubrics.models import Rubric
from rubrics.rules import judge
from rubrics.schema import Verdict
from tasks.models import Item, Rating

from .around import Around, entered, stored
from .device import Device, State
from .network import Sent

DRAFTED = ("draft", "verdict", "submit")  # what carries the form, and so saves it
STORED = "Saved."
REDIRECTED = 302
CONFLICT = 409


def differing(where: str, before: State, after: State) -> str:
    names = sorted({*before.values, *after.values})
    found = [
        f"{name}: {before.values.get(name, '-')!r}, now {after.values.get(name, '-')!r}"
        for name in names
        if before.values.get(name) != after.values.get(name)
    ]
    return f"{where} {before.item!r} stands otherwise than before: {'; '.join(found)}"


def missing_in(fields: Mapping[str, str], before: State) -> dict[str, str]:
    """What stood in a form and is not among fields that were kept of it, or otherwise."""
    kept = {name: value.replace("\r\n", "\n") for name, value in fields.items()}
    return {name: value for name, value in before.values.items() if kept.get(name) != value}


def said_on(state: State, around: Around, log: Sequence[Sent], since: float) -> Iterator[str]:
    """At rest: what is called saved is what the tables have, unless another page wrote after it.
    `since`: when the page was asked for."""
    if not state.lease or state.covered or state.conflict or state.login:
        return
    item = around.item_of(state.lease)
    draft = around.draft_of(item)
    if state.unjudged:
        yield (
            f"says of {state.unjudged} rows that they are not judged yet,"
            " though the server is there"
        )
    if around.is_rated(item):
        return
    if draft is None:
        if state.values:
            yield (
                f"shows {state.values} ({state.saved!r}) of {item}; the tables have no draft of it"
            )
    elif not _wrote_last(draft.writer, state.writer, log, since):
        there, shown = entered(draft.answers), entered(state.values)
        differ = {name for name in {*there, *shown} if there.get(name) != shown.get(name)}
        # One that was entered before the answers forced another is saved, and shown no more.
        if names := sorted(differ - {*forced(around.project.rubric, shown)}.difference(shown)):
            told = [(name, shown.get(name), there.get(name)) for name in names]
            yield f"says {state.saved!r}; (field, shown, in the tables) differ: {told}"


def _wrote_last(other: str, own: str, log: Sequence[Sent], since: float) -> bool:
    """Whether another page may have written since one was asked for, or since the newest form of
    its own that was saved was sent."""
    told = max(
        (sent.begun for sent in log if sent.writer == own and _was_taken(sent)), default=since
    )
    return other != own and any(
        sent.arrived and sent.ended > told for sent in log if sent.writer == other
    )


def of_ratings(around: Around, devices: Sequence[Device]) -> Iterator[str]:
    """Every rating was asked for, and is what stood on a screen when it was sent; every one that
    was called stored is there, with what stood there then."""
    ratings = around.ratings()
    by_lease = {rating.lease_id: rating for rating in ratings}
    sent: dict[int, list[dict[str, str]]] = defaultdict(list)
    asked = {what["lease"] for device in devices for what in device.told if what["kind"] == "asked"}
    for device in devices:
        for what in device.told:
            if what["kind"] == "sent":
                sent[what["lease"]].append(what["values"])
        for what, then in pairwise(what for what in device.told if what["kind"] != "asked"):
            if (
                what["kind"] == "sent"
                and then["kind"] == "told"
                and then["words"].startswith(STORED)
            ):
                rating = by_lease.get(what["lease"])
                if rating is None:
                    yield (
                        f"lease {what['lease']} was called stored on {device.name},"
                        " and is not there"
                    )
                elif not is_as_shown(rating, what["values"]):
                    yield f"{device.name} called stored {what['values']}; there is {stored(rating)}"
    for rating in ratings:
        if rating.lease_id not in asked:
            yield f"{rating} was stored, and nobody asked for it"
        if not any(is_as_shown(rating, values) for values in sent[rating.lease_id or 0]):
            yield f"{rating} has {stored(rating)}; on the screen stood {sent[rating.lease_id or 0]}"
    revised = {rating.supersedes_id for rating in ratings}
    counted = Counter(
        rating.item.external_id
        for rating in ratings
        if rating.kind == Rating.Kind.COUNTED and rating.pk not in revised
    )
    for item, times in counted.items():
        if times > 1:
            yield f"{item} is counted {times} times"


def is_as_shown(rating: Rating, values: dict[str, str]) -> bool:
    """Whether a rating has all that stood on the screen, and nothing else; but for answers about a
    corpus and to what the program asked, which are kept apart, and scores that were left empty
    where the answers force one."""
    there, shown = stored(rating), {k: v for k, v in values.items() if not k.startswith("m")}
    plain = {name for name in {*there, *shown} if name.count(".") < 2 or name.endswith(".comment")}
    seen = {name: value for name, value in there.items() if name in shown or name[0] == "s"}
    empty = {
        name
        for name, score in forced(rating.rubric, seen).items()
        if there.get(name) == score and name not in shown
    }
    if any(there.get(name) != shown.get(name) for name in plain - empty):
        return False
    return all(there.get(name, value) == value for name, value in shown.items())


def forced(rubric: Rubric, values: Mapping[str, str]) -> dict[str, str]:
    """Return the scores that the answers force, by field. On the screen they are no fields."""
    found = {}
    for name in {name.rpartition(".")[0] for name in values if name.count(".") == 2}:
        _target, _, code = name.partition(".")
        checks = {k.removeprefix(f"{name}."): v for k, v in values.items()}
        for dimension in rubric.schema.dimensions:
            if dimension.code == code:
                verdict = judge(dimension, dimension.asserted_by(checks))
                if isinstance(verdict, Verdict) and verdict.forced is not None:
                    found[name] = str(verdict.forced)
    return found


def of_drafts(around: Around, log: Sequence[Sent]) -> Iterator[str]:
    """Of each item that was not rated, the draft is what was acknowledged last, or sent after that;
    and no page wrote over what another one had saved, unless it was shown that."""
    leases = around.leases()
    by_item: dict[int, list[Sent]] = defaultdict(list)
    for sent in log:
        if sent.writer and sent.verb in DRAFTED and sent.lease in leases:
            by_item[leases[sent.lease]].append(sent)
    for item_pk, forms in by_item.items():
        item = around.project.items.get(pk=item_pk)
        if around.is_rated(item):  # some submit ended its draft
            yield from _passed_over(item, [*takewhile(lambda each: each.verb != "submit", forms)])
            continue
        yield from _passed_over(item, forms)
        allowed = _allowed(forms)
        draft = around.draft_of(item)
        there = entered(draft.answers) if draft else None
        if (
            allowed
            and there not in [says for _each, says in allowed]
            and (draft or any(_was_taken(each) for each, _ in allowed))
        ):
            tale = "".join(f"\n      {each}" for each in forms[-12:])
            yield (
                f"the draft of {item} is {there};"
                f" it could be {[str(each) for each, _ in allowed]}{tale}"
            )


def _passed_over(item: Item, forms: Sequence[Sent]) -> Iterator[str]:
    """What is saved is a later revision than the one that its page was shown. `wrote`: who may have
    written what stands there: who was told so last, and who had no answer after that."""
    last: Sent | None = None
    wrote: set[str] = set()
    for each in sorted(forms, key=lambda form: form.begun):  # one that was held back came later
        if not _was_taken(each):
            wrote |= {each.writer} if each.arrived and each.status != CONFLICT else set()
            continue
        says_so_too = last is not None and entered(each.fields) == entered(last.fields)
        knew = last is None or each.based_on > last.based_on or each.writer in wrote
        at_once = last is not None and each.begun < last.ended  # either may have been first
        # A later form of its page came at once. If that was saved first, this one changed nothing.
        overtaken = any(
            one.writer == each.writer and one.order > each.order and one.begun < each.ended
            for one in forms
        )
        if not (knew or says_so_too or at_once or overtaken):
            tale = "".join(f"\n      {one}" for one in forms)
            yield f"{item}: {each} was saved over {last}, which that page had not been shown{tale}"
        last, wrote = each, {each.writer}


def _allowed(forms: Sequence[Sent]) -> list[tuple[Sent, dict[str, str]]]:
    """Which of what was sent may stand there now, and what it says: the last that was acknowledged,
    and what was sent after it without a word. What a page sent late does not undo what it sent
    before."""
    found: list[tuple[Sent, dict[str, str]]] = []
    for each in forms:
        if any(one.writer == each.writer and one.order > each.order for one, _ in found):
            continue
        if _was_taken(each):
            found = [(each, entered(each.fields))]
        elif each.arrived and (not each.passed or each.status == REDIRECTED or not each.said):
            # Led elsewhere: to the desk, to the last rating, or to the log-in.
            found.append((each, entered(each.fields)))
    return found


def _was_taken(sent: Sent) -> bool:
    """Whether the browser was told that a form is saved."""
    return sent.passed and sent.status == 200 and "draft-state" in sent.said


def summary(told: Sequence[dict[str, Any]]) -> int:
    """How often something was called stored."""
    return sum(what["kind"] == "told" and what["words"].startswith(STORED) for what in told)
