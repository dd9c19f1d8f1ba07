"""What the person was told, on the screen and over the wire, held against the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rubrics.judging.rules import judge
from rubrics.judging.verdict import Verdict
from rubrics.models import Rubric
from tasks.models import Item, Rating
from tasks.queue.saving import MOST

from .around import Around, entered, stored
from .device import Device, State
from .network import Sent

DRAFTED = ("draft", "verdict", "submit")  # what carries the form, and so saves it
STORED = "Saved."
REDIRECTED = 302
RATED = 409  # by another form, which this one is saved beside


def differing(where: str, before: State, after: State) -> str:
    names = sorted({*before.values, *after.values})
    found = [
        f"{name}: {before.values.get(name, '-')!r}, now {after.values.get(name, '-')!r}"
        for name in names
        if before.values.get(name) != after.values.get(name)
    ]
    return f"{where} {before.item!r} stands otherwise than before: {'; '.join(found)}"


def said_on(state: State, around: Around, log: Sequence[Sent], since: float) -> Iterator[str]:
    """At rest: what is called saved is what the tables have of the page, or of what it shows.
    `since`: when the page was asked for."""
    if not state.lease or state.covered or state.conflict or state.login:
        return
    item = around.item_of(state.lease)
    drafts = around.drafts_of(item)
    if state.unjudged:
        yield (
            f"says of {state.unjudged} rows that they are not judged yet,"
            " though the server is there"
        )
    if around.is_rated(item):
        return
    own = [draft for draft in drafts if draft.writer == state.writer]
    shown = entered(state.values)
    # An answer that was entered before the others forced another is saved, and shown no more.
    unseen = {*forced(around.project.rubric, shown)}.difference(shown)
    there = [entered(draft.answers) for draft in own or drafts] or [{}]
    for each in there:
        differ = {name for name in {*each, *shown} if each.get(name) != shown.get(name)}
        if not differ - unseen:
            return
    if own or not _others_wrote(state.writer, around, item, log, since):
        yield f"says {state.saved!r} of {item} and shows {shown}; the tables have {there}"


def _others_wrote(
    writer: str, around: Around, item: Item, log: Sequence[Sent], since: float
) -> bool:
    """Return whether another page may have written of an item since this one was asked for."""
    leases = around.leases()
    return any(
        sent.arrived and sent.ended > since
        for sent in log
        if sent.writer != writer and leases.get(sent.lease) == item.pk
    )


def not_linked(state: State, around: Around, item: Item) -> list[str]:
    """Return the versions of an item that its page, just loaded, neither shows nor leads to."""
    shown = entered(state.values)
    return [
        str(entered(draft.answers))
        for draft in around.drafts_of(item)
        if not draft.continued
        and draft.writer not in state.versions
        and entered(draft.answers) != shown
        and {**entered(draft.answers), **forced(around.project.rubric, shown)}
        != {**shown, **forced(around.project.rubric, shown)}
    ]


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
                verdict = judge(dimension, dimension.facts_of_answers(checks))
                if isinstance(verdict, Verdict) and verdict.forced is not None:
                    found[name] = str(verdict.forced)
    return found


def of_drafts(around: Around, log: Sequence[Sent], corrections: set[str]) -> Iterator[str]:
    """What a page was told is saved is there: in its draft, in its rating, or in the draft of a
    page that went on from it. `corrections`: pages whose drafts a rating's page took further."""
    leases = around.leases()
    by_page: dict[tuple[int, str], list[Sent]] = defaultdict(list)
    continued: set[str] = set()
    submitted: set[str] = set()
    for sent in log:
        if sent.writer and sent.verb in DRAFTED and sent.lease in leases and sent.arrived:
            by_page[leases[sent.lease], sent.writer].append(sent)
            continued.add(sent.shown)
            if sent.verb == "submit":
                submitted |= {sent.shown, sent.writer}
    for (item_pk, writer), forms in by_page.items():
        item = around.project.items.get(pk=item_pk)
        allowed = _allowed(forms)
        drafts = around.drafts_of(item)
        own = next((draft for draft in drafts if draft.writer == writer), None)
        if own is not None:
            is_there = not allowed or entered(own.answers) in [says for _each, says in allowed]
        else:
            versions = {each.version for each, _says in allowed}
            is_there = (
                not any(_was_taken(each) for each, _says in allowed)
                or bool(versions & continued)
                or writer in corrections
                or (around.is_rated(item) and bool(submitted & {writer, *versions}))
                or len(drafts) >= MOST
            )
        if not is_there:
            tale = "".join(f"\n      {each}" for each in forms[-12:])
            yield (
                f"of {item} {writer[:4]} has {own and entered(own.answers)};"
                f" it could be {[str(each) for each, _ in allowed]}{tale}"
            )


def _allowed(forms: Sequence[Sent]) -> list[tuple[Sent, dict[str, str]]]:
    """Which of what a page sent may be its draft now, and what it says: the last that was
    acknowledged, and what was sent after it without a word. What it sent late does not undo what it
    sent before."""
    found: list[tuple[Sent, dict[str, str]]] = []
    for each in forms:
        if any(one.order > each.order for one, _ in found):
            continue
        if _was_taken(each):
            found = [(each, entered(each.fields))]
        elif not each.passed or each.status == REDIRECTED or not each.said:
            # Led elsewhere: to the desk, to the last rating, or to the log-in.
            found.append((each, entered(each.fields)))
    return found


def _was_taken(sent: Sent) -> bool:
    """Whether the browser was told that a form is saved."""
    says_saved = "draft-state" in sent.said or "data-kept" in sent.said
    return sent.passed and (sent.status == RATED or (sent.status == 200 and says_saved))


def summary(told: Sequence[dict[str, Any]]) -> int:
    """How often something was called stored."""
    return sum(what["kind"] == "told" and what["words"].startswith(STORED) for what in told)
