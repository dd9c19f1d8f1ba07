"""Someone who practises: what the tests of practice share."""

from __future__ import annotations

from typing import Any

from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.judging.verdict import Verdict
from tasks.models import PracticeRound, Project
from tasks.practice.practice_item import PracticeItem

# What the page of all settings sends besides what a test is about.
OFF = {"practice": "off", "practice_examples": "8", "practice_near": "6", "practice_tries": "2"}
OFF |= {"consequences": "always"}


def require(project: Project, **settings: Any) -> Project:
    """Have a project ask for practice before the first item."""
    Project.objects.filter(pk=project.pk).update(**{"practice": "required"} | settings)
    return Project.objects.select_related("rubric").get(pk=project.pk)


def begin(client: Client, project: Project) -> PracticeRound:
    """Press the button; the round that is open then."""
    answer = client.post(f"/projects/{project.slug}/practice/start/")
    assert answer.status_code == 302
    return current(project, client)


def current(project: Project, client: Client) -> PracticeRound:
    """The newest round of who is signed in, as the database has it."""
    user = User.objects.get(pk=client.session["_auth_user_id"])
    rounds = PracticeRound.objects.of(user, project)
    return rounds.select_related("project", "rubric", "annotator")[0]


def right(round_: PracticeRound, place: int) -> dict[str, str]:
    """The fields that say what the example says, with a harmless answer where it says none."""
    lesson = PracticeItem(round_, place)
    fields = lesson.trial.answers(lesson.view).fields()
    evaluated = lesson.form(fields).evaluated()
    for row in evaluated.rows:
        for question in (*row.questions, *row.corpus):
            if question.check.code in getattr(row.judgement, "missing", ()):
                fields[question.name] = sorted(question.good or {question.check.answers[0].code})[0]
    return fields


def wrong(round_: PracticeRound, place: int) -> dict[str, str]:
    """The best answers, and a score in the middle of those that they leave open."""
    lesson = PracticeItem(round_, place)
    fields: dict[str, str] = {}
    for row in lesson.form({}).evaluated().rows:
        for question in (*row.questions, *row.corpus):
            fields[question.name] = sorted(question.good or {question.check.answers[0].code})[0]
        if row.dimension.scores:
            judgement = lesson.form(fields).evaluated().row(row.id)
            assert judgement
            assert isinstance(judgement.judgement, Verdict)
            open_ = judgement.judgement.open
            off = [each for each in open_ if abs(each - lesson.example.example.score) > 1]
            fields[row.name] = str((off or open_)[0])
    return fields


def send(client: Client, round_: PracticeRound, place: int, said: dict[str, str]) -> Any:
    """Submit an answer, and once more where a remark is to be read or the program asks first."""
    where = f"/projects/{round_.project.slug}/practice/{round_.number}/{place}/submit/"
    answer = client.post(where, said)
    if answer.status_code == 200:
        page = LexborHTMLParser(answer.content.decode())
        seen = page.css_first("#seen")
        assert seen is not None
        asked = {str(each.attributes["name"]): "no" for each in page.css('input[name$=".asked"]')}
        answer = client.post(where, said | asked | {"seen": seen.attributes["value"] or ""})
    return answer


def finish(client: Client, round_: PracticeRound, *, rightly: bool = True) -> PracticeRound:
    """Answer all examples that are left, as they should be or not at all so."""
    for place in range(1, len(round_.examples) + 1):
        said = (right if rightly else wrong)(round_, place)
        answer = send(client, round_, place, said)
        assert answer.status_code == 302, round_.examples[place - 1]
    return current(round_.project, client)
