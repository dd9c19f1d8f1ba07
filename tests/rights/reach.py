"""Who reaches an address: every role sends what the page takes, and is answered or refused."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Model
from django.test import Client

from annotators.models import User
from rubrics.models import RubricDraft
from tasks.models import (
    Batch,
    CaseEntry,
    ImportedRater,
    Invitation,
    Item,
    Lease,
    Membership,
    Notice,
    PracticeRound,
    Rating,
    RatingFile,
    StoredExport,
    Upload,
)
from tests.erasing.full_projects import make_full_project
from tests.factories import PASSWORD, make_membership, make_user
from tests.fuzz.fuzzing import taken_back
from tests.fuzz.people import ELSEWHERE, HERE, PROJECTS
from tests.worker import work

SLUG = PROJECTS[HERE]
NOBODY, NOT_ALLOWED = 401, 405
REFUSED = (NOBODY, 403, 404)
# The rows whose keys stand in addresses, by the words before the key.
ROWS: list[tuple[str, type[Model]]] = [
    ("/batches/", Batch),
    ("/items/", Item),
    ("/ratings/", Rating),
    ("/raters/files/", RatingFile),
    ("/raters/", ImportedRater),
    ("/invitations/", Invitation),
    ("/rounds/", PracticeRound),
    ("/export/files/", StoredExport),
    ("/upload/", Upload),
    ("/desk/", Lease),
]


@dataclass(frozen=True)
class World:
    """A project with everybody in it, and what addresses name of it."""

    people: dict[str, User | None]  # by role
    keys: dict[str, str]  # of rows, by the words before the key
    values: dict[str, str]  # of other parts of addresses


def make_world() -> World:
    """Make two projects with some of everything; all rows that addresses name are of the first."""
    project = make_full_project(HERE)
    make_full_project(ELSEWHERE)
    work()
    rater = User.objects.get(username=f"{HERE}-rater")
    lead = User.objects.get(username=f"{HERE}-lead")
    adjudicator = make_user(name="who-settles")
    make_membership(project=project, user=adjudicator, role=Membership.Role.ADJUDICATOR)
    removed = make_user(name="who-was-removed")
    other = User.objects.get(username=f"{HERE}-second")
    make_membership(project=project, user=other)
    people = {
        "nobody": None,
        "annotator elsewhere": User.objects.get(username=f"{ELSEWHERE}-rater"),
        "lead elsewhere": User.objects.get(username=f"{ELSEWHERE}-lead"),
        "removed annotator": removed,
        "annotator": rater,
        "other annotator": other,
        "adjudicator": adjudicator,
        "lead": lead,
        "admin": make_user(name="root", admin=True),
    }
    keys = {}
    for before, model in ROWS:
        rows = model._default_manager.filter(project=project)
        if model is Rating:
            rows = rows.filter(annotator=rater)
        if model is Lease:
            rows = rows.filter(status="live")
        keys[before] = str(rows.order_by("pk").values_list("pk", flat=True)[0])
    draft = RubricDraft.objects.get(made_by=lead)
    keys |= {
        "/inbox/": str(Notice.objects.filter(user=lead).values_list("pk", flat=True)[0]),
        "/rubric-drafts/": str(draft.pk),
        "/draft-": str(draft.pk),
        "/uploads/": keys["/upload/"],
        "/tokens/": str(project.api_tokens.values_list("pk", flat=True)[0]),
        "/people/": str(rater.pk),
    }
    case = CaseEntry.objects.filter(project=project).exclude(token="").first()
    values = {
        "<slug:slug>": SLUG,
        "<int:lease>": keys["/desk/"],
        "<int:user>": str(rater.pk),
        "<int:version>": "1",
        "<int:number>/<int:place>": "1/1",
        "<int:number>": "1",
        "<slug:table>": "overall",
        "<str:token>": case.token if case else "",
        "<str:part>": "general",
        "<str:digest>": "x",
        "<str:consequences>": "x",
        "<uuid:bulk>": "00000000-0000-0000-0000-000000000000",
    }
    return World(people, keys, values)


@dataclass(frozen=True)
class Visitor:
    """Somebody with one of the roles, signed in with a password that was just given."""

    role: str
    cookies: dict[str, str]

    @classmethod
    def of(cls, role: str, user: User | None) -> Visitor:
        client = Client()
        if user:
            client.force_login(user)
            client.post("/accounts/reauthenticate/", {"password": PASSWORD})
        return cls(role, {name: morsel.value for name, morsel in client.cookies.items()})

    def reaches(self, address: str) -> bool:
        """Return True if an address answers this visitor with more than a log-in or a refusal.

        What takes a form gets an empty one.
        """
        posted = self._send("post", address)
        if posted not in (NOT_ALLOWED, *REFUSED):
            return True
        looked_at = self._send("get", address)
        # An address that takes forms alone leads whoever looks at it elsewhere.
        return looked_at not in REFUSED and (posted == NOT_ALLOWED or looked_at == 200)

    def _send(self, method: str, address: str) -> int:
        """Return the status of the answer; that of nobody if it leads to the log-in."""
        client = Client()
        client.cookies.load(self.cookies)
        with taken_back():
            answer = getattr(client, method)(address)
        if answer.status_code == 302 and answer["Location"].startswith("/accounts/login/"):
            return NOBODY
        return int(answer.status_code)


def address_of(pattern: str, world: World) -> str:
    """Return the address of a row of the world, by how the URLconf writes it."""
    address = f"/{pattern}".replace("rubrics/<slug:slug>/", "rubrics/response-quality/")
    for part, value in world.values.items():
        address = address.replace(part, value)
    before, key, _rest = address.partition("<int:pk>")
    if key:
        words = max((words for words in world.keys if before.endswith(words)), key=len)
        address = address.replace(key, world.keys[words])
    return address
