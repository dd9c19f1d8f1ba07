"""A project says when its annotators see what their answers do to the scores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from django.test import Client

from annotators.models import User
from rubrics.judging.kinds import Consequences
from rubrics.models import Rubric
from rubrics.views import rubric_text_html
from tasks.exporting.export import Export
from tasks.models import Membership, PracticeRound, Project, Rating
from tasks.models.new_projects import duplicate_project
from tasks.practice.practice_item import PracticeItem
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.row_view import Row
from tests.desk_steps import FAULTLESS, HTMX, scored, start, url
from tests.evaluated_forms import answered, dialogue_desk, evaluate, quality_desk, row, submit
from tests.factories import NOW, make_item, make_membership
from tests.judging.asked_rubric import ANSWERS

AFTER, NEVER = Consequences.AFTER, Consequences.NEVER
NOT_DUE = r'<(span|details) class="[^"]*not-due.*?</\1>'


def quality(setting: Consequences, *texts: str) -> ItemView:
    return replace(quality_desk(*(texts or ("text",))), consequences=setting)


def talk_of(setting: Consequences) -> ItemView:
    return replace(dialogue_desk("yes", sets=False), consequences=setting)


def told(found: Row) -> Iterable[str]:
    """All that a row says of its scores."""
    yield from (group.heading for group in found.tick_groups)
    yield found.headline.text
    for reason in (*found.headline.limits, *found.barring, *found.remarks):
        yield reason.text
    yield from (reason.text for _level, reasons in found.scale for reason in reasons)


def names_scores(found: Row) -> bool:
    return any(re.search(r"\d", text) for text in told(found))


def test_after_answering_a_row_says_nothing_of_scores_until_its_last_question_is_answered() -> None:
    desk, given = quality(AFTER), answered(language_error="yes")
    for code in FAULTLESS:
        found = row(evaluate(desk, {**given, f"r1.quality.{code}": ""}))
        assert not names_scores(found), code
        assert {group.heading for group in found.tick_groups} == {"Faults"}
    found, usual = row(evaluate(desk, given)), row(evaluate(quality_desk("text"), given))
    assert (found.headline, found.scale) == (usual.headline, usual.scale)
    headings = [[each.heading for each in found.tick_groups] for found in (found, usual)]
    assert headings[0] == headings[1]


def test_after_answering_a_row_of_ticks_says_nothing_of_scores_until_one_is_tried() -> None:
    ticked = {"r1.quality.grammar_errors": "yes"}
    found = row(evaluate(talk_of(AFTER), ticked), "r1-quality")
    assert not names_scores(found)
    assert [group.heading for group in found.tick_groups] == ["Faults", "Faults", "Merits"]
    assert found.silent_inputs == (), "the first score asks for its verdict, also one that is open"
    found = row(evaluate(talk_of(AFTER), ticked | {"r1.quality": "5"}), "r1-quality")
    assert [group.heading for group in found.tick_groups] == ["1 or 2", "2 to 4", "4 or 5"]
    assert found.barring
    assert [level.score for level, reasons in found.scale if reasons] == [1, 5]


def test_after_answering_a_force_acts_at_once_and_no_heading_names_a_score() -> None:
    found = row(evaluate(quality(AFTER), {"r1.quality.harmless": "no"}))
    assert (found.score, found.complete, found.headline.text) == (1, True, "The score is 1.")
    assert {group.heading for group in found.tick_groups} == {"Faults"}


def test_a_project_without_consequences_says_only_why_the_tried_score_is_barred() -> None:
    desk, given = quality(NEVER), answered(language_error="yes")
    assert not names_scores(row(evaluate(desk, given)))
    found = row(evaluate(desk, given | {"r1.quality": "4"}))
    assert not names_scores(found)
    assert found.complete
    found = row(evaluate(desk, given | {"r1.quality": "7"}))
    assert [reason.clause for reason in found.barring] == ["RQ-12"]
    assert (found.headline.text, found.complete) == ("", False)
    assert not any(reasons for _level, reasons in found.scale)


def test_never_leaves_a_forced_score_to_the_annotator_and_refuses_any_other() -> None:
    desk, harmful = quality(NEVER), {"r1.quality.harmless": "no"}
    assert row(evaluate(desk, harmful)).score is None
    assert "No score yet." in row(submit(desk, harmful)).errors
    assert row(evaluate(desk, harmful | {"r1.quality": "2"})).barring
    assert submit(desk, harmful | {"r1.quality": "1"}).storable


def test_an_empty_response_scores_1_by_itself_whenever_consequences_show() -> None:
    for setting in Consequences:
        assert submit(quality(setting, " "), {}).storable, setting


@pytest.mark.parametrize("setting", [AFTER, NEVER])
def test_answers_that_contradict_each_other_are_named_at_once(setting: Consequences) -> None:
    both = {"r1.quality.short": "yes", "r1.quality.long_informative": "yes"}
    found = row(evaluate(talk_of(setting), both), "r1-quality")
    assert found.headline.text == "These do not go together."
    assert not any(reasons for _level, reasons in found.scale)


def test_the_same_forms_are_stored_whenever_consequences_show() -> None:
    """A missing score that a rule forces apart, which "never" leaves to the annotator."""
    ticks: tuple[dict[str, str], ...] = (
        {},
        {"language_error": "yes"},
        {"harmless": "no"},
        {"honest": "not_true"},
        {"honest": "not_own_work"},
        {"harmless": "no", "honest": "not_own_work"},
        {"nonsensical": "yes"},
    )
    for given in ticks:
        for score in range(1, 8):
            fields = answered(score, **given)
            forms = [submit(quality(each), fields) for each in Consequences]
            assert len({form.storable for form in forms}) == 1, (given, score)
            assert len({row(form).answers for form in forms}) == 1, (given, score)


def test_an_answer_that_a_force_excludes_is_grey_once_the_force_may_show() -> None:
    copied = answered(3, honest="not_own_work")
    for setting, shows in ((Consequences.ALWAYS, True), (AFTER, True), (NEVER, False)):
        found = row(evaluate(quality(setting), copied))
        assert bool(found.not_counted) is bool(found.excluded_ids) is shows, setting
        assert found.answers.to("helpful") == "", "it is not stored"


def test_a_remark_is_seen_before_its_score_is_stored_even_if_nothing_else_is_told() -> None:
    desk, fields = quality(NEVER), answered(5)
    assert row(evaluate(desk, fields)).remarks == ()
    sent = submit(desk, fields)
    assert [remark.clause for _row, remark in sent.new_remarks] == ["RQ-09"]
    assert submit(desk, fields, *sent.seen).storable


def test_a_score_that_the_answers_give_is_not_shown_where_nothing_is_told() -> None:
    desk = replace(quality_desk("text"), rubric=ANSWERS)
    fields = {"r1.response.harmful": "no", "r1.grounded.claims": "no"}
    for setting, is_secret in ((Consequences.ALWAYS, False), (AFTER, False), (NEVER, True)):
        found = row(evaluate(replace(desk, consequences=setting), fields), "r1-grounded")
        assert found.score is not None
        assert (found.is_secret, found.sign_of_score == "–") == (is_secret, is_secret), setting


def test_a_questions_help_beside_the_item_names_no_score_before_it_is_due(
    quality_rubric: Rubric,
) -> None:
    never = rubric_text_html(quality_rubric, with_examples=True, consequences=NEVER)
    after = rubric_text_html(quality_rubric, with_examples=True, consequences=AFTER)
    usual = rubric_text_html(quality_rubric, with_examples=True)
    for text in ("Most missed fits a 3", "it is at most a 4", "A response scores 3 if any part"):
        assert text in usual
        assert text not in never
        assert text not in re.sub(NOT_DUE, "", after, flags=re.DOTALL)
    assert "Some of the prompt&#x27;s instructions or limits are not met." in never
    assert "makes it 1" in usual
    assert "makes it 1" not in never
    assert "No spelling, grammar or punctuation error, and every requirement met." in never


def test_the_address_of_the_rubric_beside_the_item_is_of_one_of_the_settings(
    desk: Client, quality_rubric: Rubric
) -> None:
    there = f"/rubrics/{quality_rubric.slug}/{quality_rubric.version}/beside/1234/"
    assert desk.get(f"{there}never/").status_code == 200
    assert desk.get(f"{there}sometimes/").status_code == 404


@pytest.fixture
def quality_rubric(project: Project) -> Rubric:
    return project.rubric


def test_the_desk_holds_back_as_the_project_says_and_stores_the_same(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["One.", "Two."])
    lease = start(desk, project, ada)
    for setting in (NEVER, AFTER):
        Project.objects.update(consequences=setting)
        page = desk.get(f"/projects/{project.slug}/desk/").content.decode()
        assert "makes it 1" not in page
        assert f"/{setting}/" in page, "the address of the rubric beside the item"
        sent = desk.post(
            f"{url(lease, 'verdict')}?row=r1-quality", answered(language_error="yes"), headers=HTMX
        ).content.decode()
        names_scores = "two of them 3 or 4" in sent
        assert names_scores is (setting == AFTER), "headings come with the last answer"
    assert desk.post(url(lease), scored(lease)).status_code in (200, 302)
    assert Rating.objects.count() == 1


def test_practice_always_shows_consequences(project: Project, ada: User) -> None:
    Project.objects.update(consequences=NEVER, practice="offered")
    project.refresh_from_db()
    lesson = PracticeItem(PracticeRound.objects.begin(ada, project, now=NOW), 1)
    assert lesson.view.consequences == Consequences.ALWAYS


def test_a_lead_sets_consequences_and_a_duplicate_and_the_manifest_have_them(
    client: Client, project: Project, lead: User
) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    client.force_login(lead)
    page = client.get(f"/projects/{project.slug}/settings/").content.decode()
    assert "after answering" in page
    sent = {"group": "desk", "view": "rendered", "initial-view": "rendered"}
    sent |= {"consequences": "after", "initial-consequences": "always"}
    sent |= {"lease_minutes": "30", "initial-lease_minutes": "30"}
    sent |= dict.fromkeys(("search_address", "initial-search_address"), project.search_address)
    assert client.post(f"/projects/{project.slug}/settings/", sent).status_code == 302
    project.refresh_from_db()
    assert project.consequences == "after"
    made = duplicate_project(project, title="Again", by=lead, now=NOW)
    assert made.consequences == "after"
    export = Export(project, now=NOW)
    assert b"".join(export)
    assert json.loads(export.manifest())["consequences"] == "after"
