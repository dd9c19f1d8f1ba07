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

from annotators.demo_decisions import decide_some
from annotators.models import User
from rubrics.documents.shipped import shipped
from rubrics.judging import rules
from rubrics.judging.parts import Answer
from rubrics.judging.verdict import Verdict
from rubrics.models import Rubric
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.importing.files.rows import LineError
from tasks.models import Lease, Membership, Project
from tasks.models.new_projects import start_project
from tasks.queue.allocation import take_next
from tasks.queue.submitting import submit_lease
from tasks.rating_form.fields import Target
from tasks.rating_form.form import RatingForm
from tasks.rating_form.form_parts import CheckQuestion
from tasks.rating_form.item_view import CandidateSetView, ResponseView
from tasks.rating_form.leased_item import item_view_of
from tasks.rating_form.row_view import Row
from tasks.rating_form.seen_names import SETS

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
    leans: float  # how far above the quality of a response they score: 1 is all open scores
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
        fields = {"active_seconds": str(self.chance.randint(40, 240))}
        facts_by_row: dict[str, Facts] = {}
        heights: dict[str, float] = {}
        for _round in range(MOST_ROUNDS):
            form = RatingForm(desk, fields)
            evaluated = form.evaluated(submitting=True)
            if evaluated.storable:
                submit_lease(lease, form.submission(evaluated), now=now)
                return
            for target in evaluated.targets:
                for row in target.rows:
                    if row.name not in facts_by_row:
                        place = _place(lease.item.external_id, target.target, row)
                        facts_by_row[row.name] = self._observe(place, row)
                        heights[row.name] = self._choose_height(place)
                    fields |= self._answers(row, facts_by_row[row.name], heights[row.name])
            seen = evaluated.seen | ({SETS} if evaluated.shows_sets else set())
            fields["seen"] = " ".join(sorted(seen))
        raise ValueError(f"{lease.item}: the form can't be stored: {evaluated.errors}")

    def _observe(self, place: Place, row: Row) -> Facts:
        """Return what they see there: the truth, less what they miss, and errors."""
        facts = self.truth.get(place, frozenset())
        missed = {fact for fact in facts if self.chance.random() < self.temper.misses}
        ticks = [tick.check.code for tick in row.ticks if not tick.locked]
        imagined = {code for code in ticks if self.chance.random() < self.temper.imagines}
        observed = facts - missed | imagined
        is_possible = isinstance(rules.judge(row.dimension, observed), Verdict)
        if is_possible:
            return observed
        return facts

    def _choose_height(self, place: Place) -> float:
        """Return which of the open scores they give: 0 the lowest, 1 the highest.

        People agree because a response has a quality of its own, the same for all of them.
        """
        quality = random.Random(repr(place)).random()  # noqa: S311 - no secret
        height = self.chance.gauss(quality + self.temper.leans, self.temper.wavers)
        return min(1, max(0, height))

    def _answers(self, row: Row, observed: Facts, height: float) -> dict[str, str]:
        """Return the fields of a row, filled in."""
        fields = {}
        for tick in row.ticks:
            if tick.check.code in observed and not tick.locked:
                fields[tick.name] = "yes"
        for question in (*row.questions, *row.corpus):
            fields[question.name] = _fitting_answer(question, observed).code
        for detection in row.detections:
            fields[detection.name] = "no"
        if isinstance(row.judgement, Verdict) and not row.judgement.missing:
            fields[row.name] = str(_score(row, row.judgement.open, height))
        return fields


def _fitting_answer(question: CheckQuestion, observed: Facts) -> Answer:
    """Return the first answer that sets a fact, else the first that sets none, else the first."""
    answers = question.check.answers
    for answer in answers:
        if answer.sets in observed:
            return answer
    for answer in answers:
        if not answer.sets:
            return answer
    return answers[0]


def _place(item: str, target: Target, row: Row) -> Place:
    assert isinstance(target, ResponseView | CandidateSetView)
    number_or_model = target.number - 1 if isinstance(target, ResponseView) else target.model
    return item.removesuffix(AGAIN), number_or_model, row.dimension.code


def _score(row: Row, scale_scores: Sequence[int], height: float) -> int:
    if row.score is None or row.score not in scale_scores:
        return scale_scores[round(height * (len(scale_scores) - 1))]
    if not row.errors:
        return row.score
    # It must be below that of a better response (RQ-11).
    lower = [score for score in scale_scores if score < row.score]
    return max(lower, default=row.score)


def make_people(passwords: Path) -> list[dict[str, str]]:
    """Create the missing ones of the four users, and return name, password and role of each.

    The passwords are in the file `passwords`. The first run creates it, readable by its owner only.
    If it was lost, all users get a new password: one can't be read back from the database.
    """
    stored = {}
    if passwords.exists():
        stored = json.loads(passwords.read_text())
    accounts = []
    for name, role in ROLES.items():
        password = stored.get(name) or secrets.token_hex(6)
        accounts.append({"name": name, "password": password, "role": role})
    with transaction.atomic():
        for account in accounts:
            name = account["name"]
            is_admin = account["role"] == "admin"
            user, is_new = User.objects.get_or_create(
                username=name,
                defaults={"email": f"{name}@example.org", "is_superuser": is_admin},
            )
            if is_new or name not in stored:
                user.set_password(account["password"])
                user.save(update_fields=["password"])
        if stored.keys() != ROLES.keys():
            chosen = {account["name"]: account["password"] for account in accounts}
            write_private(passwords, chosen)
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
            people = _raters()
            # The expected answers are to this document; a folder may have an earlier version.
            rubric, _ = Rubric.objects.load(shipped(slug), now=began)
            project = _start(name, title, rubric, people.values(), wanted=len(people), now=began)
            lines = (FIXTURES / items).read_bytes().splitlines()
            again = [line.replace(b'", "', f'{AGAIN}", "'.encode(), 1) for line in lines]
            for part, batch in ((lines, "first"), (again, "second")):
                _load(project, b"\n".join(part), items, batch, began)
            rate_all(project, people, FIXTURES / items.replace(".items.", ".expected."), now)
            decide_some(project, now=now)


def _raters() -> dict[str, User]:
    """Return the people who rate the finished projects, made where they are missing."""
    people = {}
    for name in TEMPERS:
        user, _is_new = User.objects.get_or_create(username=name, defaults={"password": "!"})
        people[name] = user
    return people


def _start(
    slug: str, title: str, rubric: Rubric, annotators: Iterable[User], *, wanted: int, now: datetime
) -> Project:
    project = start_project(
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


def _load(project: Project, item_file: bytes, file_name: str, batch: str, now: datetime) -> None:
    def refuse(error: LineError) -> None:
        raise ValueError(f"a demonstration's item is bad: {error}")  # a test checks that none is

    load_batch(
        FileToLoad(
            project,
            BytesIO(item_file),
            file_name=file_name,
            batch_name=batch,
            by=project.created_by,
            now=now,
            report=refuse,
        )
    )


def write_private(path: Path, document: Mapping[str, Any]) -> None:
    """Write JSON that only its owner can read, in one step: readers see all of it or nothing."""
    with NamedTemporaryFile("w", dir=path.parent, delete=False) as draft:
        json.dump(document, draft, indent=2)
        draft.write("\n")
    os.replace(draft.name, path)


def rate_all(
    project: Project, users_by_name: Mapping[str, User], expected: Path, now: datetime
) -> None:
    """Have everyone rate all items of a project, over the last three weeks.

    `expected` is a file of what holds for each target, as the demonstration's tests know it.
    """
    truth: dict[Place, Facts] = {}
    for line in expected.read_text(encoding="utf-8").splitlines():
        target = json.loads(line)
        place = (target["id"], target.get("model", target.get("response")), target["dimension"])
        truth[place] = frozenset(target["checks"])
    for name, person in users_by_name.items():
        rater = Rater(TEMPERS[name], truth, random.Random(name))  # noqa: S311 - no secret
        step = SPAN / (2 * project.items.count() + 2)
        then = now - SPAN
        while lease := take_next(project, person, now=then):
            rater.rate(lease, then + step)
            then += 2 * step
