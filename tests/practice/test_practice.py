"""Practice on a rubric's examples: rounds, their answers, and who may rate after them."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.documents.nodes import LONGEST
from rubrics.documents.shipped import shipped
from rubrics.judging.parts import Example, Level, Turn
from rubrics.judging.practice_rounds import LEAST, examples_of
from rubrics.judging.rules import judge
from rubrics.judging.schema import Rubric as Schema
from rubrics.judging.verdict import Verdict
from rubrics.models import Rubric
from rubrics.views import rubric_text_html
from tasks.models import (
    Admission,
    Draft,
    Lease,
    Notice,
    PracticeAnswer,
    PracticeRound,
    Project,
    Rating,
    Workday,
)
from tasks.models.new_projects import duplicate_project
from tasks.practice.practice_item import PracticeItem
from tasks.queue.allocation import take_next
from tasks.queue.availability import availability_of
from tests.factories import NOW, make_item, make_project, make_rating, make_rubric, make_user
from tests.made_rubrics import scale, scales
from tests.practising import begin, current, finish, require, right, send, wrong

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user(name="ada")


@pytest.fixture
def lea() -> User:
    return make_user(name="lea")


@pytest.fixture
def project(ada: User, lea: User) -> Project:
    made = make_project(slug="eggs", annotators=[ada], leads=[lea])
    make_item(project=made, responses=["One."])
    return require(made)


@pytest.fixture
def desk(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def page(client: Client, address: str) -> LexborHTMLParser:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return LexborHTMLParser(answer.content.decode())


def words(found: Any) -> str:
    return " ".join(found.text(separator=" ").split())


# --- a round ---


def test_a_round_has_eight_examples_of_the_version_and_goes_on_where_one_stopped(
    desk: Client, project: Project
) -> None:
    first = begin(desk, project)
    assert len(first.examples) == len(set(first.examples)) == 8
    assert set(first.examples) <= set(examples_of(project.rubric.schema))
    send(desk, first, 1, right(first, 1))
    again = begin(desk, project)  # leaving a round draws no new examples
    assert (again.pk, again.examples, again.next_place) == (first.pk, first.examples, 2)
    there = desk.get("/projects/eggs/practice/1/")
    assert there["Location"].endswith("/practice/1/2/")


def test_a_missed_clause_may_be_as_long_as_in_a_document(desk: Client, project: Project) -> None:
    answer = PracticeAnswer(round=begin(desk, project), example="quality.1.0", answers={})
    answer.is_exact = answer.is_near = answer.is_automatic = False
    answer.missed, answer.answered_at = ["C" * LONGEST["clause id"]], NOW
    answer.save()
    assert PracticeAnswer.objects.get().missed == ["C" * LONGEST["clause id"]]


def test_the_database_has_one_open_round_and_one_answer_for_each_example(
    desk: Client, project: Project, ada: User
) -> None:
    first = begin(desk, project)
    twin = PracticeRound(
        project=project, annotator=ada, rubric=project.rubric, number=2, started_at=NOW, examples=[]
    )
    with pytest.raises(IntegrityError, match="one_practises_in_one_round"), transaction.atomic():
        twin.save()
    send(desk, first, 1, right(first, 1))
    answer = first.answers.get()
    answer.pk = None
    with pytest.raises(IntegrityError, match="answered_once"), transaction.atomic():
        answer.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_of_two_clicks_at_once_one_draws_the_round(project: Project, ada: User) -> None:
    found = []

    def click() -> None:
        here = Project.objects.select_related("rubric").get(pk=project.pk)
        found.append(PracticeRound.objects.begin(ada, here, now=timezone.now()).pk)
        connection.close()

    clicks = [threading.Thread(target=click) for _ in range(4)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_a_new_round_has_examples_that_were_not_used_before(desk: Client, project: Project) -> None:
    first = finish(desk, begin(desk, project), rightly=False)
    second = begin(desk, project)
    assert second.number == 2
    assert set(first.examples).isdisjoint(second.examples)


def test_an_answer_is_stored_once(desk: Client, project: Project) -> None:
    round_ = begin(desk, project)
    send(desk, round_, 1, right(round_, 1))
    stored = PracticeAnswer.objects.get()
    assert (stored.example, stored.is_exact) == (round_.examples[0], True)
    second = desk.post("/projects/eggs/practice/1/1/submit/", wrong(round_, 1), follow=True)
    assert "You have answered this example before. That answer stays." in second.content.decode()
    assert PracticeAnswer.objects.get().answers == stored.answers


def test_the_first_of_two_answers_to_an_example_at_once_stays(
    desk: Client, project: Project
) -> None:
    round_, twin = begin(desk, project), current(project, desk)
    first, second = (PracticeItem(each, 1) for each in (round_, twin))
    assert (first.answer, second.answer) == (None, None)  # both pages were open
    for lesson, said in ((first, right(round_, 1)), (second, wrong(round_, 1))):
        lesson.round.answer(lesson.answer_of(lesson.form(said)), now=NOW)
    stored = PracticeAnswer.objects.get()
    assert stored.answers == first.answer_of(first.form(right(round_, 1))).answers
    assert second.answer == stored


def test_an_incomplete_answer_to_an_example_is_refused_and_not_stored(
    desk: Client, project: Project
) -> None:
    begin(desk, project)
    answer = desk.post("/projects/eggs/practice/1/1/submit/", {"r1.quality.helpful": "entirely"})
    assert answer.status_code == 200
    assert "Not answered yet" in answer.content.decode()
    assert not PracticeAnswer.objects.exists()


@pytest.mark.parametrize(
    ("address", "leads_to"), [("1/3/", "/practice/1/"), ("1/9/", ""), ("1/0/", ""), ("2/1/", "")]
)
def test_an_example_that_is_not_next_leads_back_and_one_of_no_round_is_not_found(
    desk: Client, project: Project, address: str, leads_to: str
) -> None:
    begin(desk, project)
    for answer in (
        desk.get(f"/projects/eggs/practice/{address}"),
        desk.post(f"/projects/eggs/practice/{address}submit/", {"r1.quality": "4"}),
    ):
        assert answer.status_code == (302 if leads_to else 404)
        assert answer.get("Location", "").endswith(leads_to)
    assert not PracticeAnswer.objects.exists()


def test_nobody_sees_the_round_of_another(client: Client, desk: Client, project: Project) -> None:
    begin(desk, project)
    ben = make_user(name="ben")
    project.admit(ben, role="annotator")
    other = Client()
    other.force_login(ben)
    assert other.get("/projects/eggs/practice/1/1/").status_code == 404
    assert other.post("/projects/eggs/practice/1/1/submit/").status_code == 404


def test_practice_that_is_off_is_not_there(desk: Client, project: Project) -> None:
    require(project, practice="off")
    assert desk.get("/projects/eggs/practice/").status_code == 404
    assert desk.post("/projects/eggs/practice/start/").status_code == 404


def test_a_rubric_with_fewer_than_four_examples_has_no_practice_and_bars_nobody(
    ada: User,
) -> None:
    made = make_project(slug="few", annotators=[ada], rubric=make_rubric(slug="dialogue"))
    made = require(made)
    schema = made.rubric.schema
    few = [*examples_of(schema)][:3]
    assert made.asks_practice
    made.rubric.schema = type(schema)(
        schema.slug, schema.title, schema.summary, schema.dimensions[:0], checks=schema.checks
    )
    assert (made.offers_practice, made.asks_practice, len(few)) == (False, False, 3)


# --- the desk of an example ---


def test_the_answer_does_not_stand_beside_the_question(desk: Client, project: Project) -> None:
    """Neither the page nor the rubric's column has the text of any example that is not answered."""
    round_ = begin(desk, project)
    send(desk, round_, 1, right(round_, 1))
    served = page(desk, "/projects/eggs/practice/1/2/")
    [column] = served.css("#rubric")
    beside = column.attributes["data-hx-get"] or ""
    html = (served.html or "") + desk.get(beside).content.decode()
    for place in range(2, 9):
        lesson = PracticeItem(round_, place)
        said = " ".join(LexborHTMLParser(html).text(separator=" ").split())
        assert " ".join(lesson.example.example.why.split()) not in said
        assert f"{lesson.example.name}" not in html
    told = page(desk, beside)
    assert not told.css(".example")
    assert not [link for link in told.css("a") if "example" in (link.attributes["href"] or "")]
    assert all(told.css(f".{each}") for each in ("definition", "illustrations", "readings"))


def test_without_scripts_a_rubric_that_says_hidden_is_read_whole(db: None) -> None:
    made = scales(scale("help", "Helpfulness", 1, ["A hidden fault", "No fault"]), slug="helps")
    rubric = Rubric.objects.load(parse(made), now=NOW)[0]
    plain = LexborHTMLParser(rubric_text_html(rubric, with_examples=False, is_plain=True))
    assert "A hidden fault" in plain.text()
    assert not plain.css("[hidden]")


def test_the_desk_of_an_example_has_no_comment_look_up_flag_or_draft(
    desk: Client, project: Project
) -> None:
    begin(desk, project)
    served = page(desk, "/projects/eggs/practice/1/1/")
    for absent in ("textarea", "[data-look-up]", "#concern", "[data-back]", '[src*="drafts"]'):
        assert not served.css(f"main {absent}, head {absent}"), absent
    assert len(served.css("form#rating [data-row]")) == 1
    assert words(served.css_first("#submit")).startswith("Submit")


def test_a_verdict_comes_as_on_the_desk(desk: Client, project: Project) -> None:
    round_ = begin(desk, project)
    answer = desk.post(
        "/projects/eggs/practice/1/1/verdict/?row=r1-quality",
        {"r1.quality.language_error": "yes"},
        headers={"HX-Request": "true"},
    )
    assert "at most 4" in answer.content.decode()
    assert not PracticeAnswer.objects.exists()
    assert current(project, desk).next_place == 1 == round_.next_place


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_every_example_of_a_shipped_rubric_can_be_answered_as_it_should_be(
    desk: Client, ada: User, slug: str
) -> None:
    made = make_project(slug="all", annotators=[ada], rubric=make_rubric(slug=slug))
    project = require(made, practice_examples=20)
    names = [*examples_of(project.rubric.schema)]
    for number, start in enumerate(range(0, len(names), 20), start=1):
        round_ = PracticeRound.objects.create(
            project=project,
            annotator=ada,
            rubric=project.rubric,
            number=number,
            started_at=NOW,
            examples=names[start : start + 20],
        )
        round_ = finish(desk, current(project, desk))
        for answer in round_.answers.all():
            found = (answer.is_exact, answer.is_near, answer.missed)
            assert found == (True, True, []), answer.example
        assert round_.is_finished


def test_the_outcome_of_an_example_says_where_the_answer_differs_and_by_which_clause(
    desk: Client, project: Project
) -> None:
    round_ = begin(desk, project)
    place = next(
        at
        for at in range(1, 9)
        if "language_error" in round_.example_at(at).example.checks
        or "punctuation_error" in round_.example_at(at).example.checks
        or at == 8
    )
    for at in range(1, place):
        send(desk, round_, at, right(round_, at))
    round_ = current(project, desk)
    send(desk, round_, place, wrong(round_, place))
    served = page(desk, f"/projects/eggs/practice/1/{place}/")
    lesson = PracticeItem(current(project, desk), place)
    assert lesson.answer
    score = lesson.example.example.score
    assert f"It is a {score}. You gave {lesson.answer.score}." in words(
        served.css_first("#outcome")
    )
    differ = [words(row) for row in served.css(".compare .differ")]
    assert differ[0] == f"Quality {lesson.answer.score} {score}"
    shown = {node.text() for node in served.css(".because .clause")}
    assert shown == set(lesson.answer.missed)
    assert " ".join(lesson.example.example.why.split()) in words(served.css_first(".why-it-is"))


def test_an_answer_equal_to_the_example_reads_one_line_and_why(
    desk: Client, project: Project
) -> None:
    round_ = begin(desk, project)
    send(desk, round_, 1, right(round_, 1))
    served = page(desk, "/projects/eggs/practice/1/1/")
    score = round_.example_at(1).example.score
    assert words(served.css_first("#outcome")) == f"It is a {score}, as you said."
    assert not served.css(".compare")
    assert served.css(".why-it-is p")


def test_a_disagreement_with_an_example_is_stored_and_leads_have_one_notice_with_a_count(
    desk: Client, project: Project, lea: User
) -> None:
    round_ = begin(desk, project)
    for place in (1, 2):
        send(desk, round_, place, wrong(round_, place))
        for _twice in range(2):
            desk.post(f"/projects/eggs/practice/1/{place}/disagree/")
    assert PracticeAnswer.objects.filter(disagrees=True).count() == 2
    notice = Notice.objects.get(user=lea, kind="practice", read_at=None)
    lead = Client()
    lead.force_login(lea)
    assert "2 times someone sees an example otherwise." in lead.get("/inbox/").content.decode()
    assert notice.words.split(", ") == round_.examples[:2]


# --- the end of a round ---


def test_the_end_counts_what_was_right_and_lists_the_clauses_missed(
    desk: Client, project: Project
) -> None:
    round_ = begin(desk, project)
    send(desk, round_, 1, right(round_, 1))
    for place in range(2, 9):
        send(desk, round_, place, wrong(round_, place))
    round_ = current(project, desk)
    counts = round_.counts
    served = page(desk, "/projects/eggs/practice/1/")
    assert words(served.css_first(".practice-sum")).startswith(
        f"{counts.exact} of 8 exact {counts.close} of 8 within one"
    )
    assert counts.exact >= 1
    assert counts.automatic >= 2
    missed = {clause for answer in round_.answers.all() for clause in answer.missed}
    assert {node.text() for node in served.css(".missed .clause")} == missed
    assert len(served.css("table.rows tbody tr")) == 8
    work = desk.get("/work/").content.decode()
    assert "/projects/eggs/practice/1/" in work


# --- who may rate ---


def test_an_annotator_who_has_not_practised_gets_no_item(
    desk: Client, project: Project, ada: User
) -> None:
    now = timezone.now()
    assert take_next(project, ada, now=now) is None
    assert availability_of(project, ada, now).state == "practice"
    said = words(page(desk, "/projects/eggs/desk/").css_first("main"))
    assert "Practise first: rate 8 examples of the rubric" in said
    desk.post("/projects/eggs/desk/start/")
    assert not Lease.objects.exists()
    assert "Practise first" in words(page(desk, "/").css_first("main"))


def test_a_round_that_is_right_enough_admits(desk: Client, project: Project, ada: User) -> None:
    finish(desk, begin(desk, project))
    admission = Admission.objects.get()
    assert (admission.annotator, admission.how) == (ada, "passed")
    assert "You can start rating" in words(page(desk, "/projects/eggs/practice/1/"))
    assert take_next(project, ada, now=timezone.now())


@pytest.mark.parametrize("tries", [1, 2])
def test_after_the_last_try_rounds_stay_open_and_admit_nobody(
    desk: Client, project: Project, ada: User, tries: int
) -> None:
    project = require(project, practice_tries=tries, practice_examples=LEAST)
    for _ in range(tries):
        finish(desk, begin(desk, project), rightly=False)
    assert "Your lead decides how you go on" in words(
        page(desk, f"/projects/eggs/practice/{tries}/")
    )
    round_ = begin(desk, project)
    assert round_.number == tries + 1
    finish(desk, round_)
    assert not Admission.objects.exists()
    assert take_next(project, ada, now=timezone.now()) is None


def test_an_automatic_score_that_is_missed_does_not_pass(desk: Client, project: Project) -> None:
    project = require(project, practice_near=1)
    round_ = begin(desk, project)
    for place in range(1, 9):
        is_automatic = round_.example_at(place).is_automatic
        send(desk, round_, place, (wrong if is_automatic else right)(round_, place))
    assert current(project, desk).is_finished
    assert not Admission.objects.exists()


def test_a_lead_lets_someone_in_with_a_reason(
    client: Client, project: Project, ada: User, lea: User
) -> None:
    client.force_login(lea)
    where = f"/projects/eggs/people/practice/{ada.pk}/"
    refused = client.post(where, {"reason": " "}, follow=True)
    assert "Write the reason" in refused.content.decode()
    assert not Admission.objects.exists()
    client.post(where, {"reason": "Wrote the rubric."})
    admission = Admission.objects.get()
    assert (admission.how, admission.by, admission.reason) == ("let_in", lea, "Wrote the rubric.")
    assert take_next(project, ada, now=timezone.now())
    project.change_roles(ada, [])  # it outlives a removal
    project.admit(ada, role="annotator")
    assert availability_of(project, ada, timezone.now()).state != "practice"


def test_a_rating_of_ones_own_admits_whoever_one_is(project: Project, ada: User, lea: User) -> None:
    project.admit(lea, role="annotator")
    require(project, practice="off")
    make_rating(item=make_item(project=project, responses=["Two."]), annotator=lea)
    here = require(project)
    make_item(project=here, responses=["Three."])
    assert take_next(here, lea, now=timezone.now())
    assert take_next(here, ada, now=timezone.now()) is None


def test_a_lease_that_is_held_goes_on_and_its_rating_counts(
    desk: Client, project: Project, ada: User
) -> None:
    off = require(project, practice="off")
    lease = take_next(off, ada, now=timezone.now())
    assert lease
    here = require(project)
    held = take_next(here, ada, now=timezone.now())
    assert held
    assert held.pk == lease.pk
    assert desk.get("/projects/eggs/desk/").context["lease"].pk == lease.pk


def test_a_duplicate_has_the_settings_and_nobody_is_admitted(
    project: Project, ada: User, lea: User
) -> None:
    project = require(project, practice_examples=5, practice_near=4, practice_tries=3)
    Admission.objects.admit(project, ada, "let_in", by=lea, now=NOW)
    made = duplicate_project(project, title="Eggs again", by=lea, now=NOW)
    assert (made.practice, made.practice_examples) == ("required", 5)
    assert (made.practice_near, made.practice_tries) == (4, 3)
    assert not made.admissions.exists()


def test_a_move_to_another_version_ends_open_rounds_and_keeps_admissions(
    desk: Client, project: Project, ada: User, lea: User
) -> None:
    round_ = begin(desk, project)
    send(desk, round_, 1, right(round_, 1))
    Admission.objects.admit(project, lea, "let_in", by=lea, now=NOW)
    newer = make_newer(project)
    assert project.move_to_newest_rubric(now=timezone.now())
    assert Project.objects.get().rubric == newer
    ended = current(project, desk)
    assert (ended.ended_at is not None, ended.is_finished) == (True, False)
    answer = desk.post("/projects/eggs/practice/1/2/submit/", right(round_, 2), follow=True)
    assert "That round has ended" in answer.content.decode()
    assert ended.answers.count() == 1
    assert Admission.objects.filter(annotator=lea).exists()
    assert begin(desk, project).rubric == newer


def make_newer(project: Project) -> Any:
    schema = replace(project.rubric.schema, summary="As before, and newer.")
    return Rubric.objects.load(schema, now=NOW)[0]


# --- it counts for nothing ---


def test_practice_leaves_no_lease_draft_rating_or_hour(
    desk: Client, project: Project, ada: User
) -> None:
    finish(desk, begin(desk, project))
    for kind in (Lease, Draft, Rating, Workday):
        assert not kind.objects.exists(), kind


def test_minutes_are_told_once_there_are_five_rounds(desk: Client, project: Project) -> None:
    people = [make_user(name=f"p{number}") for number in range(5)]
    for number, person in enumerate(people):
        told = PracticeRound.objects.median_minutes([project.rubric_id])
        assert told == {}
        PracticeRound.objects.create(
            project=project,
            annotator=person,
            rubric=project.rubric,
            number=1,
            examples=[],
            started_at=NOW,
            ended_at=NOW + timedelta(minutes=10 + number),
            is_finished=True,
        )
    assert PracticeRound.objects.median_minutes([project.rubric_id]) == {project.rubric_id: 12}
    assert "That takes about 12 min." in words(page(desk, "/").css_first("main"))
    assert "That takes about 12 min." in words(
        page(desk, "/projects/eggs/practice/").css_first("main")
    )


# --- rubrics of other kinds ---


def exampled(rubric: Schema, code: str) -> Schema:
    """The rubric with up to six examples in one dimension: with one fact of it, or none."""
    dimension = rubric.dimension(code)
    checks = [*dimension.checks, *dimension.shared]
    own = [(), *((fact,) for check in checks for fact in check.facts)]
    found = [
        Example(
            score, checks, f"Why {number}.", (Turn("user", f"Ask {number}."),), (), f"So {number}."
        )
        for number, checks in enumerate(own)
        if isinstance(verdict := judge(dimension, checks), Verdict)
        for score in verdict.open[:1]
    ][:6]
    while len(found) < 4:
        found.append(replace(found[0], response=f"And {len(found)}.", why=f"So {len(found)}."))
    levels = {level.score: level for level in dimension.levels}
    for example in found:
        level = levels.get(example.score) or Level(example.score)
        levels[example.score] = replace(level, examples=(*level.examples, example))
    changed = replace(dimension, levels=tuple(levels[score] for score in sorted(levels)))
    others = (changed if each.code == code else each for each in rubric.dimensions)
    return replace(rubric, dimensions=tuple(others))


@pytest.mark.parametrize(
    ("slug", "code"),
    [
        ("beavertails", "harmless"),  # the answers give the score
        ("dices", "harm"),  # classes; there are checks of the whole response
        ("instructgpt", "overall"),  # its rules name checks of the whole response
        ("lamda", "groundedness"),
        ("ultrafeedback", "truthfulness"),  # a low score needs a comment
        ("wmt-direct-assessment", "adequacy"),  # 0 to 100, typed
    ],
)
def test_a_rubric_of_any_kind_is_practised_on(
    desk: Client, ada: User, slug: str, code: str
) -> None:
    stored, _is_new = Rubric.objects.load(exampled(shipped(slug), code), now=NOW)
    project = require(make_project(slug="any", annotators=[ada], rubric=stored))
    round_ = begin(desk, project)
    served = page(desk, "/projects/any/practice/1/1/")
    parts = {node.attributes["data-part"] for node in served.css("form [data-row]")}
    names_whole = any(
        check in stored.schema.checks for check in stored.schema.dimension(code).shared
    )
    assert parts == ({code, "response"} if names_whole else {code})
    assert not served.css("main textarea")
    round_ = finish(desk, round_)
    for answer in round_.answers.all():
        assert (answer.is_exact, answer.missed) == (True, []), answer.example
    assert "You can start rating" in words(page(desk, "/projects/any/practice/1/"))


def test_a_removed_annotator_sees_no_further_example_of_an_open_round(
    desk: Client, project: Project, ada: User
) -> None:
    first = begin(desk, project)
    send(desk, first, 1, right(first, 1))
    project.change_roles(ada, [])
    there = "/projects/eggs/practice/1/"
    found = [desk.get(f"{there}{each}").status_code for each in ("", "1/", "2/")]
    assert found == [404, 200, 404]
