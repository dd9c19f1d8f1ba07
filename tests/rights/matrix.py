"""Who reaches what: each address of the pages, and each command, by role.

Roles are those of one project, "own", and of another one: somebody from elsewhere meets here what
is another's. `reach.py` says how it is tried.
"""

from __future__ import annotations

PROJECT, DRAFT = "projects/<slug:slug>/", "rubric-drafts/<int:pk>/"
DESK, RATING = f"{PROJECT}desk/<int:lease>/", f"{PROJECT}ratings/<int:pk>/"
PRACTICE = f"{PROJECT}practice/"
EXAMPLE = f"{PRACTICE}<int:number>/<int:place>/"
TRY = f"{DRAFT}try/<int:number>/"
BESIDE = "rubrics/<slug:slug>/<int:version>/beside/<str:digest>/"

SIGNED_IN = frozenset(
    {
        *("annotator elsewhere", "lead elsewhere", "removed annotator", "annotator"),
        *("other annotator", "adjudicator", "lead", "admin"),
    }
)
EVERYBODY = SIGNED_IN | {"nobody"}
LEADS = frozenset({"lead", "admin"})

# By who reaches them. “annotator” is whose item, rating and practice it is; “lead” is whose
# message, file, token and draft it is.
MATRIX: list[tuple[frozenset[str], list[str]]] = [
    (
        SIGNED_IN,
        [
            "",
            "inbox/",
            "inbox/read/",
            "profile/",
            "profile/data/",
            "work/",
            "work/own-data.csv",
            "accounts/logout/",
            "accounts/reauthenticate/",
            "accounts/password/change/",
            "accounts/password/set/",
            "examples/",
            "api/",
            "api/client.py",
            "rubrics/<slug:slug>/<int:version>/scores/",
            "rubrics/<slug:slug>/<int:version>/",
            BESIDE,
            f"{BESIDE}practice/",
        ],
    ),
    (
        frozenset({"lead"}),
        [
            "inbox/<int:pk>/",
            "uploads/<int:pk>/",
            f"{PROJECT}upload/<int:pk>/",
            f"{PROJECT}upload/<int:pk>/faults.csv",
            f"{PROJECT}export/files/<int:pk>/",
            f"{PROJECT}export/files/<int:pk>/file/",
            f"{PROJECT}tokens/<int:pk>/renew/",
        ],
    ),
    (
        frozenset({"admin"}),
        [
            "people/<int:pk>/erase/",
            f"{PROJECT}erase/",
            f"{PROJECT}items/<int:pk>/redact/",
            f"{PROJECT}tokens/<int:pk>/remove/",
        ],
    ),
    (
        frozenset({"annotator", "other annotator"}),
        [
            f"{PROJECT}desk/",
            f"{PROJECT}desk/start/",
            f"{PROJECT}ratings/",
            f"{PROJECT}ratings/last/",
        ],
    ),
    (
        frozenset({"annotator"}),
        [
            f"{DESK}open/",
            f"{DESK}verdict/",
            f"{DESK}draft/",
            f"{DESK}texts/",
            f"{DESK}submit/",
            f"{DESK}skip/",
            f"{DESK}flag/",
            f"{DESK}renew/",
            f"{DESK}corpus/",
            PRACTICE,
            f"{PRACTICE}<int:number>/",
            EXAMPLE,
            f"{EXAMPLE}verdict/",
            f"{EXAMPLE}submit/",
            f"{EXAMPLE}texts/",
            f"{EXAMPLE}disagree/",
            RATING,
            f"{RATING}verdict/",
            f"{RATING}draft/",
            f"{RATING}correct/",
        ],
    ),
    (
        LEADS,
        [
            f"{PROJECT}preview/",
            f"{PROJECT}preview/verdict/",
            f"{PROJECT}preview/submit/",
            f"{PROJECT}preview/texts/",
            TRY,
            f"{TRY}verdict/",
            f"{TRY}submit/",
            f"{TRY}texts/",
            f"{TRY}panel/",
            f"{DRAFT}try/paste/",
            PROJECT,
            f"{PROJECT}days.csv",
            f"{PROJECT}status/",
            f"{PROJECT}rubric/",
            f"{PROJECT}rubric/offer/",
            f"{PROJECT}batches/<int:pk>/",
            f"{PROJECT}settings/",
            f"{PROJECT}delete/",
            f"{PROJECT}duplicate/",
            f"{PROJECT}items/",
            f"{PROJECT}items/<int:pk>/",
            f"{PROJECT}items/<int:pk>/panel/",
            f"{PROJECT}items/<int:pk>/drop/",
            f"{PROJECT}models/",
            f"{PROJECT}upload/",
            f"{PROJECT}people/",
            f"{PROJECT}members/",
            f"{PROJECT}members/<int:user>/",
            f"{PROJECT}hours.csv",
            f"{PROJECT}invitations/",
            f"{PROJECT}invitations/link/",
            f"{PROJECT}invitations/list/",
            f"{PROJECT}invitations/<int:pk>/send/",
            f"{PROJECT}invitations/<int:pk>/withdraw/",
            f"{PROJECT}raters/<int:pk>/",
            f"{PROJECT}raters/files/<int:pk>/",
            f"{PROJECT}people/practice/",
            f"{PROJECT}people/practice/<int:user>/",
            f"{PROJECT}people/practice/rounds/<int:pk>/",
            f"{PROJECT}agreement/",
            f"{PROJECT}agreement/<slug:table>.csv",
            f"{PROJECT}export/",
            f"{PROJECT}export/files/",
            f"{PROJECT}ratings.csv",
            f"{PROJECT}tokens/",
            f"{PROJECT}tokens/make/",
            f"{PROJECT}tokens/<int:pk>/withdraw/",
            DRAFT,
            f"{DRAFT}dimensions/",
            f"{DRAFT}publish/",
            f"{DRAFT}scores/",
            f"{DRAFT}delete/",
            f"{DRAFT}document/",
            f"{DRAFT}document.yaml",
            "rubrics/draft-<int:pk>/0/",
            "rubrics/draft-<int:pk>/0/beside/<str:digest>/",
        ],
    ),
    (
        EVERYBODY,
        [
            "accounts/login/",
            "accounts/inactive/",
            "accounts/password/reset/",
            "accounts/password/reset/done/",
            "accounts/password/reset/key/done/",
        ],
    ),
    (
        LEADS | {"lead elsewhere"},
        [
            "projects/new/",
            "projects/new/sheet/",
            "rubrics/",
            "rubrics/new/",
        ],
    ),
    (
        LEADS | {"adjudicator"},
        [
            f"{PROJECT}disagreements/<str:token>/ask/",
            f"{PROJECT}disagreements/medians/",
            f"{PROJECT}disagreements/medians/<uuid:bulk>/take-back/",
            f"{PROJECT}disagreements/by-clause/",
            f"{PROJECT}disagreements/",
            f"{PROJECT}disagreements/<str:token>/",
            f"{PROJECT}rubric/<int:version>/",
        ],
    ),
]

# Refused to everybody in the world of the test, and who reaches them elsewhere.
REFUSED_HERE = {
    "join/<str:token>/": "whoever has the token of an invitation",
    "profile/sessions/end/": "whoever has other sign-ins",
    f"{PRACTICE}start/": "annotators, where practice is on",
    f"{EXAMPLE}corpus/": "as its example, for a candidate set",
    f"{PROJECT}preview/corpus/": "as its preview, for a candidate set",
    f"{TRY}corpus/": "as its draft, for a candidate set",
    "accounts/lab/": "whoever signs in by the lab's provider, where there is one",
    "accounts/lab/callback/": "whom the lab's provider sends back",
    "accounts/password/reset/key/<base36:uidb36>-<key>/": "whoever has the key of the e-mail",
    "uploads/<int:pk>/faults.csv": "who sent the file, if it has faults",
    f"{DRAFT}parts/<str:part>/": "as its draft, by the name of a part",
    f"{DRAFT}changes/": "as its draft, for a second version",
    f"{BESIDE}<str:consequences>/": "as its rubric, by the names of settings",
}

# Commands ask for no log-in: whoever may run one may read the database itself.
COMMANDS = frozenset(
    {
        "check_rubric",
        "demo",
        "erase_project",
        "export_ratings",
        "import_batch",
        "import_ratings",
        "judge",
        "load_rubric",
        "migrate",
        "rubric",
        "work",
    }
)
