"""What tests are made of: keyword-only functions, each of which makes one thing with honest
defaults.

Names count upwards, so that two things made alike are two things. Time is an argument; where a test
does not care, it is NOW.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from django.db.models import Max

from annotators.models import User
from rubrics.documents import document
from rubrics.judging import rules, schema
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope, Unit
from rubrics.judging.practice_rounds import examples_of
from rubrics.judging.verdict import Verdict
from rubrics.models import Rubric
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import Submission, SubmittedClaim, SubmittedScore
from tasks.models import (
    Batch,
    ImportedRater,
    Item,
    Lease,
    Membership,
    Placement,
    PracticeAnswer,
    PracticeRound,
    Project,
    Question,
    Rating,
    RatingFile,
    Response,
    Score,
    ScoreDecision,
)
from tasks.models.barred_scores import CorpusQuestion, record_answer
from tasks.queue.submitting import submit_lease

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PASSWORD = "a password of some length"
ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"

# Beyond any that the database gives.
RUBRIC_KEYS = {"response-quality": 2_000_000_001, "dialogue": 2_000_000_002}
_numbers = count(1)


def make_user(
    *, name: str = "", admin: bool = False, password: str = PASSWORD, **fields: Any
) -> User:
    """A person without any role in a project; `admin` is the one global role."""
    return User.objects.create_user(
        name or f"person-{next(_numbers)}",
        password=password,
        is_superuser=admin,
        **fields,
    )


def written(rubric: schema.Rubric) -> str:
    """The rubric as a YAML text."""
    text: str = yaml.dump(document.dump(rubric), Dumper=yaml.CSafeDumper, sort_keys=False)
    return text


@cache
def rubric_document(slug: str) -> schema.Rubric:
    """One of the two rubrics, as its document says."""
    return document.read((FIXTURES / f"{slug}.yaml").read_text(encoding="utf-8"))


@cache
def rubric_columns(slug: str) -> dict[str, Any]:
    """The same, as it is stored."""
    return document.dump(rubric_document(slug))


def make_rubric(*, slug: str = "response-quality", now: datetime = NOW) -> Rubric:
    """The published version of "response-quality" or "dialogue".

    The first version has the same key in every test: a process parses a published version once,
    and remembers what is made of it.
    """
    if Rubric.objects.filter(slug=slug).exists():
        return Rubric.objects.load(rubric_document(slug), now=now)[0]
    rubric = Rubric.objects.create(
        **rubric_columns(slug),
        pk=RUBRIC_KEYS[slug],
        version=1,
        published_at=now,
    )
    assert rubric.schema == rubric_document(slug)
    return rubric


def make_project(
    *,
    slug: str = "",
    title: str = "",
    rubric: Rubric | None = None,
    wanted: int = 3,
    seed: int = 7,
    annotators: Sequence[User] = (),
    leads: Sequence[User] = (),
    now: datetime = NOW,
    **fields: Any,
) -> Project:
    """An open project without items. `seed` stands still, so that what is drawn can be told
    beforehand."""
    slug = slug or f"project-{next(_numbers)}"
    project = Project.objects.create(
        slug=slug,
        title=title or slug,
        rubric=rubric or make_rubric(),
        wanted=wanted,
        seed=seed,
        created_at=now,
        **fields,
    )
    for user in annotators:
        make_membership(project=project, user=user, role=Membership.Role.ANNOTATOR)
    for user in leads:
        make_membership(project=project, user=user, role=Membership.Role.LEAD)
    return project


def make_talk(*, annotators: Sequence[User]) -> Project:
    """Dialogues: seven histories in a batch, two candidates each of one model, so that diversity is
    asked."""
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=annotators)
    batch = make_batch(project=project)
    for number in range(7):
        make_item(
            batch=batch,
            persona=["i keep bees."],
            messages=[("user", f"turn {number}")],
            responses=[("gull", f"reply {number}"), ("gull", f"other {number}")],
        )
    return project


def answer_about_corpus(batch: Batch, annotator: User, answer: str, *, now: datetime) -> None:
    """What someone says of all that "gull" said in a batch of dialogues."""
    record_answer(
        CorpusQuestion(
            annotator=annotator,
            batch=batch,
            model="gull",
            dimension=batch.project.rubric.schema.dimension("diversity"),
            code="corpus_high",
        ),
        answer,
        now=now,
    )


def make_membership(
    *, project: Project, user: User, role: Membership.Role = Membership.Role.ANNOTATOR
) -> Membership:
    return Membership.objects.create(project=project, user=user, role=role)


def make_batch(
    *, project: Project | None = None, name: str = "", now: datetime = NOW, **fields: Any
) -> Batch:
    """An open batch without items, as if uploaded last."""
    project = project or make_project()
    number = next(_numbers)
    last = project.batches.aggregate(last=Max("position"))["last"]
    return Batch.objects.create(
        project=project,
        name=name or f"batch-{number}",
        position=fields.pop("position", 0 if last is None else last + 1),
        digest=fields.pop("digest", f"{number:064x}"),
        created_at=now,
        **fields,
    )


def make_item(
    *,
    project: Project | None = None,
    batch: Batch | None = None,
    external_id: str = "",
    prompt: str = "How many moons has Mars?",
    messages: Sequence[tuple[str, str]] | None = None,
    responses: Sequence[str | tuple[str, str]] = ("Two.", "Two: Phobos and Deimos."),
    persona: Sequence[str] = (),
    **fields: Any,
) -> Item:
    """An item with its responses, each a text or a pair (model, text), last in its batch.

    The conversation is `messages`, pairs (role, text), or else one turn of the user's, `prompt`.
    """
    batch = batch or make_batch(project=project)
    number = next(_numbers)
    turns = messages if messages is not None else [("user", prompt)]
    item = Item.objects.create(
        project=batch.project,
        batch=batch,
        external_id=external_id or f"item-{number}",
        position=fields.pop("position", number),
        persona=list(persona),
        messages=[{"role": role, "text": text} for role, text in turns],
        wanted=fields.pop("wanted", batch.project.wanted),
        **fields,
    )
    said = [
        (f"model-{place}", each) if isinstance(each, str) else each
        for place, each in enumerate(responses, start=1)
    ]
    Response.objects.bulk_create(
        Response(project=batch.project, item=item, position=position, model=model, text=text)
        for position, (model, text) in enumerate(said, start=1)
    )
    return item


def make_lease(
    *, item: Item, annotator: User, now: datetime = NOW, order: Sequence[int] = (), **fields: Any
) -> Lease:
    """An item lent. `order`: the numbers of the responses as they stand on the desk; else the
    upload's."""
    responses = {response.position: response for response in item.responses.all()}
    shown = [responses[number] for number in order or responses]
    return Lease.objects.create(
        project=item.project,
        item=item,
        annotator=annotator,
        started_at=now,
        expires_at=fields.pop("expires_at", now + timedelta(minutes=item.project.lease_minutes)),
        responses=[response.pk for response in shown],
        model_names=list(dict.fromkeys(response.model for response in shown)),
        **fields,
    )


def make_submission(
    *,
    lease: Lease,
    values: Mapping[int, int] | None = None,
    comments: Mapping[int, str] | None = None,
    facts: Sequence[tuple[int, str, str, str]] = (),
    comment: str = "",
    active_seconds: int | None = None,
    view: str = "",
) -> Submission:
    """Every response of the item scored in every dimension that applies to it, each question
    answered as well as it can be, nothing ticked, and the highest score that leaves open.

    By number in the upload: `values` (instead of the highest), `comments`; `facts` are (number,
    claim, outcome, sources).
    """
    numbers = dict(lease.item.responses.values_list("pk", "position"))
    models = dict(lease.item.responses.values_list("pk", "model"))
    keys = {number: pk for pk, number in numbers.items()}
    scores = [
        _best_score(
            dimension,
            response=pk,
            model=models[pk],
            position=place,
            value=(values or {}).get(numbers[pk]),
        )
        for dimension in lease.project.rubric.schema.dimensions
        if dimension.unit is Unit.RESPONSE
        and (lease.item.persona or not dimension.needs.persona)
        and (lease.item.messages or not dimension.needs.history)
        for place, pk in enumerate(lease.responses, start=1)
    ]
    return Submission(
        scores=tuple(scores),
        comments=tuple((keys[number], text) for number, text in (comments or {}).items()),
        comment=comment,
        facts=tuple(
            SubmittedClaim(keys[number], place, claim, outcome, sources)
            for place, (number, claim, outcome, sources) in enumerate(facts, start=1)
        ),
        active_seconds=active_seconds,
        view=view,
    )


def _best_score(
    dimension: Dimension, *, response: int, model: str, position: int, value: int | None
) -> SubmittedScore:
    answers = {
        check.code: next((a for a in check.answers if a.code == check.best), check.answers[-1])
        for check in dimension.checks
        if check.needs_answer and check.scope is Scope.TARGET
    }
    verdict = rules.judge(dimension, [answer.sets for answer in answers.values() if answer.sets])
    assert isinstance(verdict, Verdict)
    value = max(verdict.open) if value is None else value
    return SubmittedScore(
        dimension=dimension.code,
        unit=str(dimension.unit),
        response=response,
        model=model,
        position=position,
        value=value,
        open=verdict.open,
        clauses=tuple(dict.fromkeys(reason.clause for reason in verdict.acting_reasons)),
        remarks=(),
        answers=SlotAnswers.stored(value, {code: answer.code for code, answer in answers.items()}),
    )


def make_rating(
    *,
    item: Item | None = None,
    annotator: User | None = None,
    now: datetime = NOW,
    submitted_at: datetime | None = None,
    order: Sequence[int] = (),
    **said: Any,
) -> Rating:
    """A rating come the ordinary way: the item lent at `now`, submitted a minute later. `said` goes
    to `make_submission`."""
    lease = make_lease(
        item=item or make_item(), annotator=annotator or make_user(), now=now, order=order
    )
    return submit_lease(
        lease, make_submission(lease=lease, **said), now=submitted_at or now + timedelta(minutes=1)
    )


def imported_rating(
    *,
    item: Item,
    by: str,
    values: Mapping[int, int],
    breaks: Mapping[int, Sequence[str]] | None = None,
    account: User | None = None,
    line: int = 2,
    submitted_at: datetime | None = None,
    now: datetime = NOW,
    **fields: Any,
) -> Rating:
    """A rating that came in the file "sheet.csv" at `now`, by the rater named `by`.

    By number in the upload: `values` in the first dimension, and the rules that they break. Call
    `recount` or `apply_settings` afterwards, as the import does, where places are filled.
    """
    project = item.project
    rater, _is_new = ImportedRater.objects.get_or_create(
        project=project, name=by, defaults={"account": account}
    )
    file, _is_new = RatingFile.objects.get_or_create(
        project=project, file_name="sheet.csv", defaults={"created_at": now}
    )
    rating = Rating.objects.create(
        project=project,
        item=item,
        rubric=project.rubric,
        kind=Rating.Kind.IMPORTED,
        rater=rater,
        file=file,
        line=line,
        submitted_at=submitted_at,  # type: ignore[misc]  # the file may have no times
        **fields,
    )
    dimension = project.rubric.schema.dimensions[0]
    for response in item.responses.filter(position__in=values):
        Placement.objects.create(rating=rating, response=response, position=response.position)
        Score.objects.create(
            project=project,
            rating=rating,
            dimension=dimension.code,
            unit=str(dimension.unit),
            response=response,
            model=response.model,
            position=response.position,
            value=values[response.position],
            open=list(dimension.scores),
            breaks=list((breaks or {}).get(response.position, ())),
        )
    return rating


def make_decision(
    item: Item, *, by: User, value: int = 4, dimension: str = "quality", now: datetime = NOW
) -> ScoreDecision:
    """A final score of the item's first response, of one's own."""
    return ScoreDecision.objects.create(
        project=item.project,
        item=item,
        rubric=item.project.rubric,
        dimension=dimension,
        response=item.responses.order_by("position").first(),
        source=ScoreDecision.Source.ANEW,
        value=value,
        checks={"helpful": "entirely"},
        cause=ScoreDecision.Cause.SLIP,
        reason="One slip.",
        seen="other answers",
        decided_by=by,
        decided_at=now,
    )


def make_question(rating: Rating, *, by: User, text: str = "Why?", now: datetime = NOW) -> Question:
    """A question about all of a rating; the rating does not come back."""
    assert rating.annotator
    return Question.objects.create(
        project=rating.project,
        item=rating.item,
        annotator=rating.annotator,
        rating=rating,
        text=text,
        asked_by=by,
        asked_at=now,
    )


def make_practice(
    *, project: Project, annotator: User, now: datetime, score: int = 5, number: int = 1
) -> PracticeRound:
    """A finished round of one example, of level 4, to which `score` was given."""
    made = PracticeRound.objects.create(
        project=project,
        annotator=annotator,
        rubric=project.rubric,
        number=number,
        examples=[next(name for name in examples_of(project.rubric.schema) if ".4." in name)],
        started_at=now,
        ended_at=now + timedelta(minutes=9),
        is_finished=True,
    )
    PracticeAnswer.objects.create(
        round=made,
        example=made.examples[0],
        answers={"r1.quality": str(score), "r1.quality.honest": "yes"},
        score=score,
        is_exact=score == 4,
        is_near=abs(score - 4) <= 1,
        is_automatic=False,
        missed=[] if score == 4 else ["RQ-12"],
        answered_at=now,
    )
    return made
