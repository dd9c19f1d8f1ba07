"""The content of the demonstration: its users, and the items that they rate."""

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotators.demo_ratings import AGAIN, SPAN, TEMPERS, rate_all
from annotators.models import User
from rubrics.models import Rubric
from rubrics.shipped import shipped
from tasks.importing.loading import load_batch
from tasks.importing.rows import LineError
from tasks.models import Membership, Project

FIXTURES: Path = settings.BASE_DIR / "fixtures"
ROLES = {"ada": "annotator", "ben": "annotator", "lea": "lead", "admin": "admin"}
# slug of the project and of its rubric → (title, its items)
PROJECTS = {
    "response-quality": ("Response quality, a demonstration", "demo-response-quality.items.jsonl"),
    "dialogue": ("Dialogue, a demonstration", "demo-dialogue.items.jsonl"),
}


def make_people(passwords: Path) -> list[dict[str, str]]:
    """Create the missing ones of the four users, and return name, password and role of each.

    The passwords are in the file `passwords`. The first run creates it, readable by its owner only.
    If it was lost, all users get a new password: one can't be read back from the database.
    """
    kept = json.loads(passwords.read_text()) if passwords.exists() else {}
    accounts = [
        {"name": name, "password": kept.get(name) or secrets.token_hex(6), "role": role}
        for name, role in ROLES.items()
    ]
    with transaction.atomic():
        for account in accounts:
            name, is_admin = account["name"], account["role"] == "admin"
            rights = {"is_staff": is_admin, "is_superuser": is_admin}
            user, is_new = User.objects.get_or_create(
                username=name, defaults={"email": f"{name}@example.org", **rights}
            )
            if is_new or name not in kept:
                user.set_password(account["password"])
                user.save(update_fields=["password"])
        if kept.keys() != ROLES.keys():
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
            project = _start(slug, title, rubric, annotators, wanted=3, now=now)
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
            rubric = Rubric.objects.newest(slug)
            project = _start(name, title, rubric, people.values(), wanted=len(people), now=began)
            lines = (FIXTURES / items).read_bytes().splitlines()
            again = [line.replace(b'", "', f'{AGAIN}", "'.encode(), 1) for line in lines]
            for part, batch in ((lines, "first"), (again, "second")):
                _load(project, b"\n".join(part), items, batch, began)
            rate_all(project, people, FIXTURES / items.replace(".items.", ".expected."), now)


def _start(
    slug: str, title: str, rubric: Rubric, annotators: Iterable[User], *, wanted: int, now: datetime
) -> Project:
    lead = User.objects.get(username="lea")
    project = Project.objects.start(
        slug=slug, title=title, rubric=rubric, wanted=wanted, by=lead, now=now
    )
    for person in annotators:
        Membership.objects.create(project=project, user=person, role=Membership.Role.ANNOTATOR)
    return project


def _load(project: Project, items: bytes, file_name: str, batch: str, now: datetime) -> None:
    def refuse(error: LineError) -> None:
        raise ValueError(f"a demonstration's item is bad: {error}")  # a test checks that none is

    load_batch(
        project,
        BytesIO(items),
        file_name=file_name,
        batch_name=batch,
        by=project.created_by,
        now=now,
        report=refuse,
    )


def write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON that only its owner can read, in one step: readers see all of it or nothing."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    draft.replace(path)
