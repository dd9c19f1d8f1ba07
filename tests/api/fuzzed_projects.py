"""Two projects with some of everything, and callers who may reach one of them or none."""

from __future__ import annotations

import json
from datetime import timedelta

from django.utils import timezone

from annotators.models import User
from tasks.models import Upload
from tests.api.calling import Caller, Form, api_client, make_token
from tests.api.fuzzing import KnownValues, RandomCaller
from tests.factories import (
    imported_rating,
    make_batch,
    make_decision,
    make_item,
    make_project,
    make_rating,
    make_user,
)

BATCHES = ("night", "old")
RATES = "rater"
NAMES = f"plover|kestrel-{RATES}|kestrel-1"  # the other project, and a person and a model
# What has names, if a token may read them.
NAMED = (
    *("items?texts=true", "ratings", "scores", "decisions", "people", "agreement", "batches"),
    "case?item=night-1&target=1&dimension=quality",
)
FEEDS = ("scores", "ratings", "decisions", "events")


def make_world(slug: str, word: str) -> User:
    """A project with some of everything. A word is in all that no other project has."""
    lead, rater = make_user(name=f"{word}-lead"), make_user(name=f"{word}-{RATES}")
    project = make_project(slug=slug, title=word, leads=[lead], annotators=[rater], wanted=2)
    for name in BATCHES:
        batch = make_batch(project=project, name=name, complete=name == "old", warning=word)
        for number in range(3):
            item = make_item(
                batch=batch,
                external_id=f"{name}-{number}",
                position=number,
                prompt=word,
                responses=[(f"{word}-1", word), (f"{word}-2", word)],
                metadata={word: word},
            )
            if number:
                make_rating(item=item, annotator=rater, comment=word)
        imported_rating(item=item, by=word, values={1: 2, 2: 5})
        make_decision(item, by=lead)
    return lead


def everybody() -> list[RandomCaller]:
    """A lead, and who may do less."""
    lead, other = make_world("eggs", "kestrel"), make_world("ham", "plover")
    names = {"names_people": True, "names_models": True}
    tokens = {"may_write": True, **names}
    long_ago = timezone.now() - timedelta(days=100)
    _token, expired = make_token(owner=lead, may_write=True, now=long_ago)
    reads = api_client(lead, None, **names).secret
    nameless = api_client(lead, None, may_write=True).secret
    return [
        RandomCaller("the lead", api_client(lead, None, **tokens).secret, "plover", "eggs"),
        RandomCaller("who reads only", reads, "plover", "eggs", only_reads=True),
        RandomCaller(
            "a lead of others", api_client(other, None, **tokens).secret, "kestrel", "ham"
        ),
        RandomCaller("who reads no names", nameless, NAMES, "eggs"),
        RandomCaller("an expired token", expired, "kestrel", is_dead=True),
        RandomCaller("nobody", "", "kestrel", is_dead=True),
    ]


def names_read(caller: RandomCaller) -> list[str]:
    """Return the lists in which a caller reads what it may not."""
    program = Caller(caller.secret)
    wrong = []
    for name in NAMED:
        text = json.dumps(program.value(f"projects/{caller.project}/{name}"))
        if any(word in text for word in caller.never_reads.split("|")):
            wrong.append(name)
    return wrong


def values_of(lead: Caller) -> KnownValues:
    """What there is in the project of a lead."""
    file = Form(file=("night.csv", "id,prompt,response\na,Why?,So.\n"))
    lead.post("projects/eggs/files", file)
    items = [f"{name}-{number}" for name in BATCHES for number in range(3)]
    cursors = [lead.value(f"projects/eggs/{name}")["cursor"] for name in FEEDS]
    versions = []
    for item in ("night-1", "night-2", "old-1", "old-2"):
        case = lead.value(f"projects/eggs/case?item={item}&target=1&dimension=quality")
        versions.append(case["version"])
    new_items = []
    for number in range(50):
        new_items.append([{"id": f"new-{number}", "prompt": "Why?", "response": "So."}])
    return {
        "slug": ["eggs", "eggs", "eggs", "ham", "none"],
        "name": [*BATCHES, "none"],
        "item": [*items, "none"],
        "job": [Upload.objects.earliest("pk").pk, 0],
        "target": ["1", "2"],
        "dimension": ["quality"],
        "version": versions,
        "since": ["", *cursors],
        "cursor": [""],
        "wait": [0],  # a call that waits makes no others
        "limit": [1, 3, 1_000],
        "rubric": ["response-quality"],
        "settings": [{}, {"most_daily": 40}, {"none": 1}],
        "wanted": [0, 1, 3],
        "checks": [[], ["harmless"], ["language_error", "repeats_itself"]],
        "answered": [None, ["harmless"]],
        "score": [None, 4, 7],
        "adopted_rating": [None],
        "mapping": [""],
        "batch": ["night", "another"],
        "ItemsToAdd.items": new_items,
        "ItemsToAdd.existing": ["skip"],
        "VerdictOrder.version": [0, 1],
    }
