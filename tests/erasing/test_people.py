"""An admin erases a person: nothing tells who that was, and every rating stays."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import models
from django.test import Client

from annotators.accounts.erasure import DELETED, LastLeadError, erase_person, is_erased
from annotators.models import User
from tasks.models import Membership, Rating, Score
from tests.factories import make_user
from tests.fuzz.people import HERE

from .full_projects import make_full_project
from .leftovers import tables_with

# Rows that refer to an account, and stay when its person is erased: its work, and acts in projects.
# The account has no name any more.
STAYS = {
    ("Admission", "annotator"),
    ("Admission", "by"),
    ("ApiToken", "owner"),
    ("ApiToken", "withdrawn_by"),
    ("Batch", "created_by"),
    ("BatchProgress", "annotator"),
    ("ClauseText", "written_by"),
    ("Concern", "annotator"),
    ("Concern", "decided_by"),
    ("CorpusAnswer", "annotator"),
    ("ImportedRater", "account"),
    ("Invitation", "accepted_by"),
    ("Invitation", "made_by"),
    ("Item", "dropped_by"),
    ("Lease", "annotator"),
    ("LogEntry", "user"),
    ("PracticeRound", "annotator"),
    ("Project", "created_by"),
    ("Question", "annotator"),
    ("Question", "asked_by"),
    ("Rating", "annotator"),
    ("RatingFile", "uploader"),
    ("ReturnedRating", "annotator"),
    ("Rubric", "created_by"),
    ("RubricDraft", "changed_by"),
    ("RubricDraft", "made_by"),
    ("ScoreDecision", "decided_by"),
    ("Upload", "uploader"),
    ("Workday", "annotator"),
}


@pytest.mark.django_db(transaction=True)
def test_no_table_names_an_erased_person_and_the_ratings_stay() -> None:
    make_full_project(HERE)
    person = User.objects.get(username=f"{HERE}-rater")
    User.objects.filter(pk=person.pk).update(
        username="xaver", email="xaver@example.org", first_name="Xaver", last_name="Xylander"
    )
    person.refresh_from_db()
    EmailAddress.objects.create(user=person, email=person.email)
    client = Client()
    client.force_login(person)
    scores = list(Score.objects.order_by("pk").values())
    comments = comments_of(person)
    assert any(comments)
    erase_person(person, comments=False)
    assert tables_with("xaver") == tables_with("Xaver") == tables_with("Xylander") == []
    person.refresh_from_db()
    assert is_erased(person)
    assert not person.is_active
    assert not person.has_usable_password()
    assert client.get("/").status_code == 302
    assert not Membership.objects.filter(user=person).exists()
    assert list(Score.objects.order_by("pk").values()) == scores
    assert comments_of(person) == comments


def comments_of(person: User) -> list[str]:
    ratings = Rating.objects.filter(annotator=person).order_by("pk")
    return list(ratings.values_list("comment", flat=True))


@pytest.mark.django_db(transaction=True)
def test_comments_go_on_request() -> None:
    make_full_project(HERE)
    person = User.objects.get(username=f"{HERE}-rater")
    others = Rating.objects.exclude(annotator=person)
    others.update(comment="Of another.")
    erase_person(person, comments=True)
    assert not Rating.objects.filter(annotator=person).exclude(comment="").exists()
    assert not others.exclude(comment="Of another.").exists()


@pytest.mark.django_db(transaction=True)
def test_the_only_lead_of_a_project_is_not_erased_until_it_has_another() -> None:
    project = make_full_project(HERE)
    lead = User.objects.get(username=f"{HERE}-lead")
    with pytest.raises(LastLeadError):
        erase_person(lead, comments=False)
    lead.refresh_from_db()
    assert not is_erased(lead)
    Membership.objects.create(project=project, user=make_user(), role=Membership.Role.LEAD)
    erase_person(lead, comments=False)


def test_every_row_that_refers_to_an_account_goes_or_stays_for_a_reason() -> None:
    deleted = {(model.__name__, column) for model, column in DELETED}
    references = set()
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.related_model is User:
                references.add((model.__name__, field.name))
    assert deleted | STAYS == references
