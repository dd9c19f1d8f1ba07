"""One's own data is complete: every row that refers to an account is in the file, or has a
reason."""

from __future__ import annotations

import csv
import io

import pytest
from django.apps import apps
from django.db import models

from annotators.models import User
from tasks.exporting.own_data import RECORDS, personal_csv
from tests.fuzz.people import HERE

from .full_projects import make_full_project

# Rows that are no part of the file, and why.
ELSEWHERE_OR_NOBODYS = {
    ("Admission", "annotator"): "the practice that it follows from is in the file",
    ("Admission", "by"): "about another person",
    ("ApiToken", "withdrawn_by"): "about the token",
    ("Assignment", "annotator"): "what comes next, which an annotator does not know",
    ("Batch", "created_by"): "about the batch",
    ("BatchProgress", "annotator"): "made from ratings",
    ("CaseOpening", "user"): "gone after minutes",
    ("ClauseText", "written_by"): "about the project",
    ("Concern", "decided_by"): "about another person",
    ("EmailAddress", "user"): "the address of the account",
    ("GroupHold", "annotator"): "gone after minutes",
    ("ImportedRater", "account"): "ratings of a file, which belong to who imported it",
    ("Invitation", "accepted_by"): "the role is in the file",
    ("Item", "dropped_by"): "about the item",
    ("Lease", "annotator"): "its times are those of the rating",
    ("LogEntry", "user"): "about other accounts",
    ("Project", "created_by"): "about the project",
    ("RatingFile", "uploader"): "about the project",
    ("Rubric", "created_by"): "about the rubric",
    ("RubricDraft", "changed_by"): "about the rubric",
    ("RubricDraft", "made_by"): "about the rubric",
    ("Session", "person"): "the profile lists them",
    ("SocialAccount", "user"): "its number is among the rows of the account",
    ("StoredExport", "lead"): "files of the project, gone after days",
    ("Upload", "uploader"): "files of the project, gone after days",
}


def test_every_row_that_refers_to_an_account_is_in_the_file_or_has_a_reason() -> None:
    tables = {(records.table, records.person) for records in RECORDS}
    # Ratings have rows of their own there; the others come by a join.
    tables |= {("tasks_rating", "annotator_id"), ("tasks_returnedrating", "annotator_id")}
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.related_model is User:
                is_in_file = (model._meta.db_table, field.column) in tables
                has_reason = (model.__name__, field.name) in ELSEWHERE_OR_NOBODYS
                assert is_in_file != has_reason, (model.__name__, field.name)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        (
            "rater",
            {
                *("account", "role", "rating", "corpus_answer", "flag", "returned", "practice"),
                *("day", "draft"),
            },
        ),
        (
            "lead",
            {
                *("account", "role", "decision", "question_asked", "invitation_made", "token"),
                "message",
            },
        ),
        ("second", {"account", "rating", "day", "question"}),
    ],
)
def test_the_file_has_everything_that_a_person_did(role: str, kinds: set[str]) -> None:
    make_full_project(HERE)
    person = User.objects.get(username=f"{HERE}-{role}")
    User.objects.filter(pk=person.pk).update(email="x@example.org", time_zone="Asia/Tokyo")
    text = b"".join(personal_csv(person)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["record"] for row in rows} >= kinds
    account = {row["note"]: row["answer"] for row in rows if row["record"] == "account"}
    assert account["e-mail"] == "x@example.org"
    assert account["time zone"] == "Asia/Tokyo"
    assert {row["annotator"] for row in rows} == {person.username}
