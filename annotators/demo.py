"""The content of the demonstration: its users, and the items that they rate."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Account:
    """An account to log in with, as written to DATA/demo.json."""

    name: str
    password: str
    role: str


def make_people(passwords: Path) -> list[Account]:
    """Create the missing ones of the four users, with the passwords in the file `passwords`.

    The first run creates the file, readable by its owner only. If the file was lost, all users get
    a new password: a password can't be read back from the database.
    """
    kept = _read(passwords)
    accounts = [
        Account(name, kept.get(name) or secrets.token_hex(6), role) for name, role in ROLES.items()
    ]
    with transaction.atomic():
        there = {user.username: user for user in User.objects.filter(username__in=ROLES)}
        for account in accounts:
            user = there.get(account.name)
            if user is None:
                make = (
                    User.objects.create_superuser
                    if account.role == "admin"
                    else User.objects.create_user
                )
                make(account.name, f"{account.name}@example.org", account.password)
            elif account.name not in kept:
                user.set_password(account.password)
                user.save(update_fields=["password"])
        if kept.keys() != ROLES.keys():
            write_private(passwords, {account.name: account.password for account in accounts})
    return accounts


def make_projects(now: datetime) -> None:
    """Load both rubrics and give each a project with items, unless the project exists.

    Existing ratings are left as they are.
    """
    people = {user.username: user for user in User.objects.filter(username__in=ROLES)}
    for slug, (title, items) in PROJECTS.items():
        if Project.objects.filter(slug=slug).exists():
            continue
        # The next run would skip a project without its items.
        with transaction.atomic():
            rubric, _ = Rubric.objects.load(shipped(slug), now=now)
            project = Project.objects.start(
                slug=slug, title=title, rubric=rubric, wanted=3, by=people["lea"], now=now
            )
            for name, role in ROLES.items():
                if role in Membership.Role.values:
                    Membership.objects.get_or_create(project=project, user=people[name], role=role)
            with (FIXTURES / items).open("rb") as file:
                load_batch(
                    project, file, file_name=items, by=people["lea"], now=now, report=_refuse
                )


def make_finished(now: datetime) -> None:
    """Give each rubric a finished project, so that every page has something to show.

    Its items are those of the other project, each of them twice. Four people rated them all.
    """
    lead = User.objects.get(username="lea")
    for slug, (title, items) in PROJECTS.items():
        name = f"{slug}-finished"
        if Project.objects.filter(slug=name).exists():
            continue
        with transaction.atomic():
            people = {
                each: User.objects.get_or_create(username=each, defaults={"password": "!"})[0]
                for each in TEMPERS
            }
            began = now - SPAN
            project = Project.objects.start(
                slug=name,
                title=title.replace("a demonstration", "finished"),
                rubric=Rubric.objects.newest(slug),
                wanted=len(people),
                by=lead,
                now=began,
            )
            for person in people.values():
                Membership.objects.create(project=project, user=person, role="annotator")
            lines = (FIXTURES / items).read_bytes().splitlines()
            again = [line.replace(b'", "', f'{AGAIN}", "'.encode(), 1) for line in lines]
            for part, batch in ((lines, "first"), (again, "second")):
                load_batch(
                    project,
                    BytesIO(b"\n".join(part)),
                    file_name=items,
                    batch_name=batch,
                    by=lead,
                    now=began,
                    report=_refuse,
                )
            rate_all(project, people, FIXTURES / items.replace(".items.", ".expected."), now)


def _refuse(error: LineError) -> None:
    raise ValueError(f"a demonstration's item is bad: {error}")  # a test checks that none is


def write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON that only its owner can read, in one step: readers see all of it or nothing."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    draft.replace(path)


def _read(passwords: Path) -> dict[str, str]:
    try:
        return dict(json.loads(passwords.read_text()))
    except FileNotFoundError:
        return {}
