"""The content of the demonstration: its users, the items that they rate, and finished projects.

In these, four annotators of known temper rated every item. They fill in the desk's own form, and
their ratings are stored as a person's are.
"""

import json
import os
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.db import transaction

from annotators.models import User
from rubrics import rules
from rubrics.models import Rubric
from rubrics.schema import Verdict
from rubrics.shipped import shipped
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.importing.files.rows import LineError
from tasks.models import Lease, Membership, Project
from tasks.queue.allocation import take_next
from tasks.queue.submitting import submit_lease
from tasks.rating_form.evaluate import SETS
from tasks.rating_form.fields import Target
from tasks.rating_form.form import RatingForm, item_view_of
from tasks.rating_form.item_view import ShownResponse, ShownSet
from tasks.rating_form.view_models import Row

FIXTURES: Path = settings.BASE_DIR / "fixtures"
ROLES = {"ada": "annotator", "ben": "annotator", "lea": "lead", "admin": "admin"}
# slug of the project and of its rubric → (title, its items)
PROJECTS = {
    "response-quality": ("Response quality, a demonstration", "demo-response-quality.items.jsonl"),
    "dialogue": ("Dialogue, a demonstration", "demo-dialogue.items.jsonl"),
}
AGAIN = "-again"  # ends the names of the items that come twice
SPAN = timedelta(weeks=3)
MOST_ROUNDS = 12  # until a form can be stored
Facts = frozenset[str]


@dataclass(frozen=True)
class Temper:
    """How someone rates."""

    misses: float  # how often they miss what is there
    imagines: float  # how often they see what is not
    leans: float  # how far above the merit of a response they score: 1 is all open scores
    wavers: float  # the standard deviation from that


TEMPERS = {
    "cleo": Temper(misses=0.02, imagines=0.005, leans=0, wavers=0.06),  # careful
    "dina": Temper(misses=0.03, imagines=0.01, leans=-0.08, wavers=0.08),  # strict
    "emil": Temper(misses=0.25, imagines=0.02, leans=0.35, wavers=0.2),  # hasty and lenient
    "fay": Temper(misses=0.05, imagines=0.01, leans=0.05, wavers=0.1),  # new, but careful
}


Place = tuple[str, int | str, str]  # item, response from 0 or model, dimension
Truth = Mapping[Place, Facts]


@dataclass
class Rater:
    """Someone at the form, who knows what each response of an item is like."""

    temper: Temper
    truth: Truth
    chance: random.Random

    def rate(self, lease: Lease, now: datetime) -> None:
        """Fill in the form until it can be stored, and submit it. Raise ValueError if it can't."""
        desk = item_view_of(lease)
        said: dict[str, str] = {"active_seconds": str(self.chance.randint(40, 240))}
        seen: dict[str, Facts] = {}
        heights: dict[str, float] = {}
        for _round in range(MOST_ROUNDS):
            form = RatingForm(desk, said)
            evaluated = form.evaluated(submitting=True)
            if evaluated.storable:
                submit_lease(lease, form.submission(evaluated), now=now)
                return
            for target, row in ((each, row) for each in evaluated.targets for row in each.rows):
                if row.name not in seen:
                    place = _place(lease.item.external_id, target.shown, row)
                    seen[row.name] = self._sees(place, row)
                    heights[row.name] = self._height(place)
                said |= self._answers(row, seen[row.name], heights[row.name])
            told = evaluated.seen | ({SETS} if evaluated.shows_sets else set())
            said["seen"] = " ".join(sorted(told))
        raise ValueError(f"{lease.item}: the form can't be stored: {evaluated.errors}")

    def _sees(self, place: Place, row: Row) -> Facts:
        """Return what they see there: the truth, less what they miss, and errors."""
        facts = self.truth.get(place, frozenset())
        missed = {fact for fact in facts if self.chance.random() < self.temper.misses}
        ticks = [tick.check.code for tick in row.ticks if not tick.locked]
        imagined = {code for code in ticks if self.chance.random() < self.temper.imagines}
        found = facts - missed | imagined
        return found if isinstance(rules.judge(row.dimension, found), Verdict) else facts

    def _height(self, place: Place) -> float:
        """Return which of the open scores they give: 0 the lowest, 1 the highest.

        People agree because a response has a merit of its own, the same for all of them.
        """
        merit = random.Random(repr(place)).random()  # noqa: S311 - no secret
        height = self.chance.gauss(merit + self.temper.leans, self.temper.wavers)
        return min(1, max(0, height))

    def _answers(self, row: Row, facts: Facts, height: float) -> dict[str, str]:
        said = {
            tick.name: "yes" for tick in row.ticks if tick.check.code in facts and not tick.locked
        }
        for question in (*row.questions, *row.corpus):
            answers = question.check.answers
            given = [each for each in answers if each.sets in facts]
            given = given or [each for each in answers if not each.sets] or list(answers)
            said[question.name] = given[0].code
        said |= {detection.name: "no" for detection in row.detections}
        if isinstance(row.judgement, Verdict) and not row.judgement.missing:
            said[row.name] = str(_score(row, row.judgement.open, height))
        return said


def _place(item: str, target: Target, row: Row) -> Place:
    assert isinstance(target, ShownResponse | ShownSet)
    number_or_model = target.number - 1 if isinstance(target, ShownResponse) else target.model
    return item.removesuffix(AGAIN), number_or_model, row.dimension.code


def _score(row: Row, scores: Sequence[int], height: float) -> int:
    if row.score is None or row.score not in scores:
        return scores[round(height * (len(scores) - 1))]
    # It must be below that of a better response (RQ-11).
    lower = [each for each in scores if each < row.score] if row.errors else []
    return max(lower, default=row.score)


def make_people(passwords: Path) -> list[dict[str, str]]:
    """Create the missing ones of the four users, and return name, password and role of each.

    The passwords are in the file `passwords`. The first run creates it, readable by its owner only.
    If it was lost, all users get a new password: one can't be read back from the database.
    """
    stored = json.loads(passwords.read_text()) if passwords.exists() else {}
    accounts = [
        {"name": name, "password": stored.get(name) or secrets.token_hex(6), "role": role}
        for name, role in ROLES.items()
    ]
    with transaction.atomic():
        for account in accounts:
            name, is_admin = account["name"], account["role"] == "admin"
            user, is_new = User.objects.get_or_create(
                username=name,
                defaults={"email": f"{name}@example.org", "is_superuser": is_admin},
            )
            if is_new or name not in stored:
                user.set_password(account["password"])
                user.save(update_fields=["password"])
        if stored.keys() != ROLES.keys():
            write_private(passwords, {each["name"]: each["password"] for each in accounts})
    return accounts


def make_projects(now: datetime) -> None:
    """Load both rubrics and give each a project with items, unless the project exists.

    Existing ratings are left as they are.
    """
    annotators = User.objects.filter(username__in=("ada", "ben"))
    for slug, (title, items) in PROJECTS.items():
        if Project.objects.filter(slug=slug).exists():
            continue
        # The next run would skip a project without its items.
        with transaction.atomic():
            rubric, _ = Rubric.objects.load(shipped(slug), now=now)
            project = _start(slug, title, rubric, annotators, wanted=len(annotators), now=now)
            _load(project, (FIXTURES / items).read_bytes(), items, "", now)


def make_finished(now: datetime) -> None:
    """Give each rubric a finished project, so that every page has something to show.

    Its items are those of the other project, each of them twice. Four people rated them all.
    """
    began = now - SPAN
    for slug, (title, items) in PROJECTS.items():
        name, title = f"{slug}-finished", title.replace("a demonstration", "finished")
        if Project.objects.filter(slug=name).exists():
            continue
        with transaction.atomic():
            people = {
                each: User.objects.get_or_create(username=each, defaults={"password": "!"})[0]
                for each in TEMPERS
            }
            # The expected answers are to this document; a folder may have an earlier version.
            rubric, _ = Rubric.objects.load(shipped(slug), now=began)
            project = _start(name, title, rubric, people.values(), wanted=len(people), now=began)
            lines = (FIXTURES / items).read_bytes().splitlines()
            again = [line.replace(b'", "', f'{AGAIN}", "'.encode(), 1) for line in lines]
            for part, batch in ((lines, "first"), (again, "second")):
                _load(project, b"\n".join(part), items, batch, began)
            rate_all(project, people, FIXTURES / items.replace(".items.", ".expected."), now)


def _start(
    slug: str, title: str, rubric: Rubric, annotators: Iterable[User], *, wanted: int, now: datetime
) -> Project:
    project = Project.objects.start(
        slug=slug,
        title=title,
        rubric=rubric,
        wanted=wanted,
        settings={"practice": Project.Practice.OFFERED},
        by=User.objects.get(username="lea"),
        now=now,
    )
    for person in annotators:
        Membership.objects.create(project=project, user=person, role=Membership.Role.ANNOTATOR)
    return project


def _load(project: Project, items: bytes, file_name: str, batch: str, now: datetime) -> None:
    def refuse(error: LineError) -> None:
        raise ValueError(f"a demonstration's item is bad: {error}")  # a test checks that none is

    load_batch(
        FileToLoad(
            project,
            BytesIO(items),
            file_name=file_name,
            batch_name=batch,
            by=project.created_by,
            now=now,
            report=refuse,
        )
    )


def write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON that only its owner can read, in one step: readers see all of it or nothing."""
    with NamedTemporaryFile("w", dir=path.parent, delete=False) as draft:
        json.dump(content, draft, indent=2)
        draft.write("\n")
    os.replace(draft.name, path)


def rate_all(project: Project, people: Mapping[str, User], expected: Path, now: datetime) -> None:
    """Have everyone rate all items of a project, over the last three weeks.

    `expected` is a file of what holds for each target, as the demonstration's tests know it.
    """
    lines = [json.loads(line) for line in expected.read_text(encoding="utf-8").splitlines()]
    truth: Truth = {
        (line["id"], line.get("model", line.get("response")), line["dimension"]): frozenset(
            line["checks"]
        )
        for line in lines
    }
    for name, person in people.items():
        rater = Rater(TEMPERS[name], truth, random.Random(name))  # noqa: S311 - no secret
        step = SPAN / (2 * project.items.count() + 2)
        then = now - SPAN
        while lease := take_next(project, person, now=then):
            rater.rate(lease, then + step)
            then += 2 * step
