"""Generate the content of the bench from seeds.

The items are artificial, but as long and as varied as real ones.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as MinimalStore
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotators.accounts.sessions import SessionStore
from annotators.models import User
from rubrics.documents.shipped import shipped
from rubrics.judging import rules
from rubrics.judging.dimension import Dimension
from rubrics.judging.repetition import repeats
from rubrics.judging.verdict import Verdict
from rubrics.models import Rubric
from tasks.models import Item, Lease, Membership, Placement, Project, Rating, Score

from .minimal.models import Note
from .place import Place

SLUG = "rated"
WANTED = 3
BLOCK = 2_000  # rows written at once
DIFFERENT = 60_000  # items of a large file that differ in more than the id
MODELS = ("heron-2", "osprey-mini", "plover-large")
VOCABULARY = """
the of and to in is that it for on with as this be by are from or you at an can not which but have
your one all when more will use if time they there what each other many some water people make long
first day small found between never under light while open story year example life few without
often paper together group always began those both run important until children feet side car mile
night walk white sea grow took river four carry state once book hear stop second later miss idea
enough eat face watch far really almost let above girl sometimes mountain cut young talk soon list
song leave family body music colour stand sun question fish area mark dog horse birds problem
complete room knew since ever piece told usually friends easy heard order red door sure become top
ship across today during short better best however low hours black products happened whole measure
remember early waves reached listen wind rock space covered fast several hold himself toward five
step morning passed vowel true hundred against pattern numeral table north slowly money map farm
pulled draw voice seen cold cried plan notice south sing war ground fall king town unit figure
certain field travel wood fire upon
"""
WORDS = VOCABULARY.split()


def text(chance: random.Random, length: int) -> str:
    """Return prose of about `length` characters, in paragraphs with sentences of 6 to 22 words."""
    parts: list[str] = []
    size = 0
    while size < length:
        words = chance.choices(WORDS, k=chance.randint(6, 22))
        sentence = " ".join(words).capitalize() + chance.choice(".....?!")
        parts.append(sentence + ("\n\n" if chance.random() < 0.2 else " "))
        size += len(parts[-1])
    return "".join(parts).strip()


def unrepeating(chance: random.Random, length: int) -> str:
    """Return prose without a detected repetition, so that the desk asks no question about it."""
    while True:
        made = text(chance, length)
        if repeats(made) is None:
            return made


def write_items(path: Path, count: int, *, responses: int, length: int, seed: int) -> None:
    """Write a file of items as a lead uploads it.

    Each item has a prompt, some responses of about `length` characters each, and some metadata.
    """
    chance = random.Random(seed)  # noqa: S311 - texts, no secret
    say = unrepeating if count <= 50_000 else text
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            item = {
                "id": f"{path.stem}-{number:06}",
                "prompt": text(chance, 200),
                "responses": [
                    {
                        "model": model,
                        "text": say(chance, chance.randint(length // 2, length * 3 // 2)),
                    }
                    for model in (*MODELS, "rail-3")[:responses]
                ],
                "difficulty": chance.randint(1, 5),
                "topic": chance.choice(WORDS),
            }
            file.write(json.dumps(item, ensure_ascii=False) + "\n")


def write_many_items(path: Path, count: int) -> None:
    """Write a file of items of 1 kB, with the same texts again and again under other ids.

    Making each text would take longer than the import.
    """
    some = path.with_suffix(".some")
    write_items(some, min(count, DIFFERENT), responses=2, length=330, seed=4)
    with some.open(encoding="utf-8") as file:
        lines = file.readlines()
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            time, place = divmod(number, len(lines))
            file.write(lines[place].replace(f"{path.stem}-", f"{path.stem}-{time}-", 1))
    some.unlink()


@dataclass(frozen=True)
class Said:
    """The answers about one response."""

    fields: dict[str, str]  # the fields of the form below `r1.quality`
    verdict: Verdict
    score: int


@cache
def sayings() -> tuple[Said, ...]:
    """Return typical answers: a faultless response, one with errors, one that missed something."""
    [dimension] = shipped("response-quality").dimensions
    best = {
        check.code: check.best for check in dimension.checks if check.needs_answer and check.best
    }
    return (
        _said(dimension, best),
        _said(dimension, {**best, "language_error": "yes", "punctuation_error": "yes"}),
        _said(
            dimension,
            {**best, "helpful": "partly", "comprehensive": "no", "instructions_missed": "yes"},
        ),
    )


def _said(dimension: Dimension, fields: dict[str, str]) -> Said:
    verdict = rules.judge(dimension, dimension.facts_of_answers(fields))
    assert isinstance(verdict, Verdict)
    remarked = {score for remark in verdict.remarks for score in remark.scores}
    return Said(fields, verdict, max(score for score in verdict.open if score not in remarked))


@dataclass(frozen=True)
class World:
    """The project that the bench rates over HTTP, and session cookies for both servers."""

    project: Project
    sessions: tuple[str, ...]
    minimal_sessions: tuple[str, ...]


def make_world(place: Place) -> World:
    """Create a project whose items have three responses, and those who work in it."""
    sizes = place.sizes
    project = make_half_done(place.folder, SLUG, sizes.items, responses=3)
    people = make_people("annotator", sizes.annotators, project)
    make_notes(sizes.items)
    return World(
        project,
        tuple(make_session(person) for person in people),
        tuple(_minimal_session(number) for number in range(1, sizes.annotators + 1)),
    )


def make_half_done(folder: Path, slug: str, count: int, *, responses: int) -> Project:
    """Create a project whose items have responses of 1 kB each, a third of them finished.

    Others have rated part of a second third; the rest is untouched.
    """
    items = folder / f"{slug}.jsonl"
    write_items(items, count, responses=responses, length=1_000, seed=1)
    project = make_project(items, slug)
    crowd = make_people(f"{slug}-crowd", 2 * WANTED, project)
    pks = list(
        Item.objects.filter(project=project).order_by("position").values_list("pk", flat=True)
    )
    third = len(pks) // 3
    for place, annotator in enumerate(crowd):
        # Each rates every other item. Only the first three people rate in the second third.
        mine = [pk for number, pk in enumerate(pks[:third]) if number % 2 == place % 2]
        if place < WANTED:
            mine += [
                pk for number, pk in enumerate(pks[third : 2 * third]) if number % 2 == place % 2
            ]
        rate(project, annotator, mine)
    return project


def make_project(items: Path, slug: str, wanted: int = WANTED) -> Project:
    """Create a project for response quality with the items of a file."""
    rubric = shipped("response-quality")
    Rubric.objects.load(rubric, now=timezone.now())
    call_command(
        *("import_batch", slug, items, "--create", "--rubric", rubric.slug),
        *("--wanted", str(wanted), "--verbosity", "0"),
    )
    return Project.objects.get(slug=slug)


def make_people(name: str, count: int, *projects: Project) -> list[User]:
    """Create annotators of some projects. They use session cookies and need no password."""
    people = User.objects.bulk_create(
        User(username=f"{name}-{number}", password="!")  # noqa: S106 - nobody logs in with it
        for number in range(1, count + 1)
    )
    for project in projects:
        for person in people:
            project.admit(person, role=Membership.Role.ANNOTATOR)
    return people


def rate(project: Project, annotator: User, items: Sequence[int]) -> None:
    """Insert ratings of the items (primary keys) as ordinary submits would have stored them."""
    for start in range(0, len(items), BLOCK):
        block = Item.objects.prefetch_related("responses").in_bulk(items[start : start + BLOCK])
        _rate(project, annotator, list(block.values()))


def _rate(project: Project, annotator: User, items: Sequence[Item]) -> None:
    chance = random.Random(annotator.pk * 1_000_003 + items[0].pk)  # noqa: S311 - answers, no secret
    now = timezone.now()
    before = now - timedelta(minutes=2)
    ended = {
        "status": Lease.Status.SUBMITTED,
        "started_at": before,
        "expires_at": now,
        "ended_at": now,
    }
    shown = {
        item.pk: chance.sample(list(item.responses.all()), k=item.responses.all().count())
        for item in items
    }
    leases = Lease.objects.bulk_create(
        Lease(
            project=project,
            item=item,
            annotator=annotator,
            responses=[response.pk for response in shown[item.pk]],
            model_names=[response.model for response in shown[item.pk]],
            **ended,
        )
        for item in items
    )
    ratings = Rating.objects.bulk_create(
        Rating(
            project=project,
            item=item,
            annotator=annotator,
            rubric=project.rubric,
            lease=lease,
            active_seconds=90,
            elapsed_seconds=120,
            started_at=before,
            submitted_at=now,
        )
        for item, lease in zip(items, leases, strict=True)
    )
    placements, scores = [], []
    for rating in ratings:
        for position, response in enumerate(shown[rating.item_id], start=1):
            said = chance.choice(sayings())
            comment = text(chance, 80) if chance.random() < 0.2 else ""
            placements.append(
                Placement(rating=rating, response=response, position=position, comment=comment)
            )
            scores.append(
                Score(
                    project=project,
                    rating=rating,
                    dimension="quality",
                    unit="response",
                    response=response,
                    model=response.model,
                    position=position,
                    value=said.score,
                    open=list(said.verdict.open),
                    clauses=sorted({reason.clause for reason in said.verdict.acting_reasons}),
                    checks=said.fields,
                )
            )
    Placement.objects.bulk_create(placements, batch_size=BLOCK)
    Score.objects.bulk_create(scores, batch_size=BLOCK)


def make_notes(count: int) -> None:
    """Create the minimal view's table and fill it with rows."""
    with connection.schema_editor() as editor:
        editor.create_model(Note)
    now = timezone.now()
    words = text(random.Random(2), 600)  # noqa: S311 - a text, no secret
    Note._default_manager.bulk_create(
        (Note(owner=number % 97, text=words, made_at=now) for number in range(count)),
        batch_size=BLOCK,
    )


def make_session(person: User) -> str:
    """Create a session as a login would, and return its key."""
    store = SessionStore()
    store[SESSION_KEY] = str(person.pk)
    store[BACKEND_SESSION_KEY] = "annotators.backends.PlainBackend"
    store[HASH_SESSION_KEY] = person.get_session_auth_hash()
    store.save()
    assert store.session_key
    return store.session_key


def _minimal_session(number: int) -> str:
    store = MinimalStore()
    store["owner"] = number
    store.save()
    assert store.session_key
    return store.session_key


def answers() -> Iterator[dict[str, str]]:
    """Yield the fields of a complete form with three responses, cycling through `sayings`."""
    kinds = sayings()
    number = 0
    while True:
        fields: dict[str, str] = {}
        for place in (1, 2, 3):
            said = kinds[(number * place) % len(kinds)]
            fields |= {f"r{place}.quality.{code}": value for code, value in said.fields.items()}
            fields[f"r{place}.quality"] = str(said.score)
        yield fields
        number += 1
