"""A project that has a row in every table, with a word in every text that somebody wrote."""

from __future__ import annotations

from django.utils import timezone

from annotators.models import User
from tasks.models import (
    Admission,
    AnsweredCall,
    ApiToken,
    ApiUsage,
    CaseOpening,
    CorpusAnswer,
    Draft,
    FactCheck,
    Lease,
    Project,
    Rating,
    ReturnedRating,
    ScoreCounts,
    TokenUse,
)
from tasks.models.progress import Assignment, GroupHold
from tests.api.fuzzed_projects import make_world
from tests.fuzz.people import PROJECTS, add_what_people_do


def make_full_project(word: str) -> Project:
    """Make the project of one of `PROJECTS`, with a row in every table."""
    now = timezone.now()
    lead = make_world(PROJECTS[word], word)
    add_what_people_do(word)
    project = Project.objects.get(slug=PROJECTS[word])
    rater = User.objects.get(username=f"{word}-rater")
    lease = Lease.objects.get(project=project, status="live")
    lease.flag(reason="unclear", note=word, now=now)
    Draft.objects.create(
        project=project,
        item=lease.item,
        annotator=rater,
        lease=lease,
        writer="page",
        number=1,
        answers={"r1.comment": word},
        saved_at=now,
    )
    rating = Rating.objects.filter(project=project, annotator=rater).earliest("pk")
    FactCheck.objects.create(
        rating=rating,
        response=rating.item.responses.earliest("pk"),
        position=1,
        claim=word,
        outcome="holds",
        sources=word,
    )
    ReturnedRating.objects.create(
        project=project,
        rating=rating,
        annotator=rater,
        reasons=[["flag 1", word]],
        reason=word,
        returned_at=now,
    )
    CorpusAnswer.objects.create(
        project=project,
        batch=rating.item.batch,
        annotator=rater,
        model=f"{word}-1",
        dimension="quality",
        code="helpful",
        answer="yes",
        answered_at=now,
    )
    project.write_clause("RQ-01", word, by=lead, now=now)
    Admission.objects.create(
        project=project, annotator=rater, how=Admission.How.PASSED, by=lead, reason=word, at=now
    )
    CaseOpening.objects.note(project, lead, "x" * 16, now=now)
    ScoreCounts.objects.create(project=project)
    Assignment.objects.create(batch=rating.item.batch, annotator=rater)
    GroupHold.objects.create(project=project, group=1, slot=1, annotator=rater, expires_at=now)
    token = ApiToken.objects.get(project=project)
    AnsweredCall.objects.create(
        token=token, key="k", digest="d", status=200, answer=word, called_at=now
    )
    ApiUsage.objects.create(
        token=token, operation="o", status=200, day=now.date(), calls=1, rows=1, last=now
    )
    TokenUse.objects.create(token=token, minute=1, calls=1)
    return project
