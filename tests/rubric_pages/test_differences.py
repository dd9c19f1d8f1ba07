"""What differs between two documents of a rubric, in words, and the pages that say it."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.documents.document import dump, parse, parse_stored
from rubrics.documents.shipped import GALLERY, SLUGS, content as shipped_content, shipped
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.differences import Change, changes_between
from rubrics.pages.readable_document import in_sentences
from tests.factories import NOW

SMALL: dict[str, Any] = {
    "slug": "small",
    "title": "Small",
    "summary": "How good is it?",
    "dimensions": [
        {
            **{"code": "tone", "short": "Tone", "title": "Tone", "question": "How does it sound?"},
            **{"lowest": 1, "highest": 3},
            "levels": [
                {"score": score, "label": label, "definition": f"It sounds {label.lower()}."}
                for score, label in ((3, "Good"), (2, "Fair"), (1, "Bad"))
            ],
            "checks": [
                {"code": "rude", "kind": "tick", "wording": "Rude"},
                {"code": "curt", "kind": "tick", "wording": "Curt"},
                {"code": "cold", "kind": "yes_no", "wording": "Cold"},
            ],
            "rules": [
                {
                    **{"code": "rude_caps", "effect": "cap", "score": 2, "reason": "It is rude."},
                    "when": {"all_of": ["rude"]},
                },
                {
                    **{"code": "curt_caps", "effect": "cap", "score": 2, "reason": "It is curt."},
                    "when": {"all_of": ["curt"]},
                },
            ],
        }
    ],
}
Edit = Callable[[dict[str, Any]], object]


def edited(edit: Edit) -> dict[str, Any]:
    content = deepcopy(SMALL)
    edit(content)
    return content


def tone(content: dict[str, Any]) -> Any:
    return content["dimensions"][0]


def swap_rules(content: dict[str, Any]) -> None:
    tone(content)["rules"].reverse()


def ask_if_rude(content: dict[str, Any]) -> None:
    tone(content)["checks"][2]["when"] = {"all_of": ["rude"]}


RULE = "Tone, rule “If Rude: at most 2”"
CASES: dict[str, tuple[Edit, Change]] = {
    "an entry of the rubric": (
        lambda content: content.update(title="Smaller"),
        Change("title", "Small", "Smaller", "changed"),
    ),
    "an entry of a level": (
        lambda content: tone(content)["levels"][0].update(label="Great"),
        Change("Tone, level 3, label", "Good", "Great", "changed"),
    ),
    "an entry that was not there": (
        lambda content: tone(content).update(blank="Not applicable"),
        Change("Tone, blank", "", "Not applicable", "added"),
    ),
    "a check's words, and not those of its rule": (
        lambda content: tone(content)["checks"][0].update(wording="Impolite"),
        Change("Tone, check “Impolite”, wording", "Rude", "Impolite", "changed"),
    ),
    "an answer": (
        lambda content: tone(content)["checks"][2].update(
            answers=[
                {"code": "yes", "wording": "quite", "sets": "cold"},
                {"code": "no", "wording": "no"},
            ]
        ),
        Change("Tone, check “Cold”, answer “quite”, wording", "yes", "quite", "changed"),
    ),
    "a new part, whose own parts are counted": (
        lambda content: tone(content)["checks"].append(
            {
                **{"code": "odd", "kind": "one_of", "wording": "Odd", "help": "As a whole."},
                "answers": [{"code": code, "wording": code} for code in ("no", "yes")],
            }
        ),
        Change("Tone, check “Odd”", "", "kind: one of; help: As a whole.; 2 answers", "added"),
    ),
    "a part that is gone": (
        lambda content: tone(content)["levels"].pop(1),
        Change("Tone, level 2", "label: Fair; definition: It sounds fair.", "", "removed"),
    ),
    "a rule, as a sentence": (
        lambda content: tone(content)["rules"][0].update(score=1),
        Change(
            "Tone, rule “If Rude: at most 1”", "If Rude: at most 2", "If Rude: at most 1", "changed"
        ),
    ),
    "the rest of a rule": (
        lambda content: tone(content)["rules"][0].update(reason="Be kind."),
        Change(f"{RULE}, reason", "It is rude.", "Be kind.", "changed"),
    ),
    "the order of the rules": (
        swap_rules,
        Change("Tone, rule “If Curt: at most 2”", "2", "1", "moved"),
    ),
    "a condition, as a sentence": (
        ask_if_rude,
        Change("Tone, check “Cold”, when", "", "Rude", "added"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_says_where_it_is_by_titles_and_what_stood_and_stands_there(case: str) -> None:
    edit, change = CASES[case]
    before = parse_stored(SMALL)
    after = parse_stored(edited(edit))
    assert changes_between(in_sentences(before), in_sentences(after)) == [change]


def test_documents_as_entered_are_compared_too_even_with_faults() -> None:
    def spoil(content: dict[str, Any]) -> None:
        content["summary"] = None
        tone(content)["rules"][0]["when"] = {"all_of": ["rude", "curt"]}
        tone(content)["levels"] = "none"
        content["clauses"] = ["A", {"id": "B", "source": "So."}]

    assert changes_between(SMALL, edited(spoil)) == [
        Change("summary", "How good is it?", "", "removed"),
        Change(
            "Tone",
            ", ".join(
                f"label: {label}; definition: It sounds {label.lower()}."
                for label in ("Good", "Fair", "Bad")
            ),
            "none",
            "changed",
        ),
        Change("Tone, rule rude_caps, when, all of", "rude", "rude, curt", "changed"),
        Change("clause 1", "", "A", "added"),
        Change("clause B", "", "source: So.", "added"),
    ]


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_a_document_does_not_differ_from_itself(slug: str) -> None:
    rubric = shipped(slug)
    assert changes_between(in_sentences(rubric), in_sentences(parse(dump(rubric)))) == []
    assert changes_between(shipped_content(slug), shipped_content(slug)) == []


def test_a_sentence_on_many_facts_names_those_that_changed() -> None:
    """It only counts them elsewhere."""

    def many(*left: int) -> object:
        content = deepcopy(SMALL)
        tone(content)["checks"] += [
            {"code": f"c{number}", "kind": "tick", "wording": f"C{number}"} for number in range(12)
        ]
        facts = [f"c{number}" for number in range(12) if number not in left]
        tone(content)["rules"][0]["when"] = {"any_of": facts}
        return in_sentences(parse(content))

    [change] = changes_between(many(3), many(4))
    assert change.before != change.after
    assert "C4" in change.before
    assert "C3" in change.after


# --- the pages ---


def publish(content: dict[str, Any], by: User, changes: str = "") -> Rubric:
    return Rubric.objects.load(parse(content), by=by, now=NOW, changes=changes)[0]


def seen(client: Client, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200
    return LexborHTMLParser(answer.content.decode())


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def better(content: dict[str, Any]) -> None:
    tone(content)["levels"][0].update(label="Great")


@pytest.mark.django_db
def test_a_draft_of_a_published_rubric_shows_its_changes_in_a_tab(here: Client, lead: User) -> None:
    draft = RubricDraft.objects.start(edited(better), by=lead, now=NOW)
    address = f"/rubric-drafts/{draft.pk}/changes/"
    assert here.get(address).status_code == 404
    assert not seen(here, f"/rubric-drafts/{draft.pk}/parts/about/").css(f'a[href="{address}"]')
    publish(SMALL, lead)
    [tab] = seen(here, f"/rubric-drafts/{draft.pk}/parts/about/").css(f'a[href="{address}"]')
    assert words(tab.text()) == "Changes since version 1 1"
    page = seen(here, address)
    [change] = page.css(".changes li")
    assert words(change.text()) == "Tone, level 3, label Good Great"
    assert [change.css_first(name).text() for name in ("del", "ins")] == ["Good", "Great"]
    assert page.css_first('[aria-current="page"] .badge')


@pytest.mark.django_db
def test_the_changes_of_a_draft_follow_what_is_kept(here: Client, lead: User) -> None:
    publish(SMALL, lead)
    draft = RubricDraft.objects.start(edited(swap_rules), by=lead, now=NOW)
    address = f"/rubric-drafts/{draft.pk}/changes/"
    [change] = seen(here, address).css(".changes li")
    assert words(change.text()).endswith("moved from place 2 to 1")
    assert len(draft.changes) == 1
    draft.keep(SMALL, by=lead, now=NOW)
    assert draft.changes == []
    assert words(seen(here, address).css_first(".changes").text()) == "Nothing has changed."


@pytest.mark.django_db
def test_only_who_may_edit_a_draft_sees_its_changes(client: Client, lead: User, ada: User) -> None:
    publish(SMALL, lead)
    draft = RubricDraft.objects.start(edited(better), by=lead, now=NOW)
    client.force_login(ada)
    assert client.get(f"/rubric-drafts/{draft.pk}/changes/").status_code == 404


@pytest.mark.django_db
def test_a_version_says_what_changed_since_the_one_before(here: Client, lead: User) -> None:
    publish(SMALL, lead)
    publish(edited(better), lead, "The best is great.")
    assert not seen(here, "/rubrics/small/1/").css(".since")
    since = seen(here, "/rubrics/small/2/").css_first("details.since:not([open])")
    assert [words(each.text()) for each in since.css("summary, p, li")] == [
        "What changed since version 1",
        "The best is great.",
        "Tone, level 3, label Good Great",
    ]


@pytest.mark.django_db
def test_a_version_has_a_line_to_cite_and_a_draft_has_none(here: Client, lead: User) -> None:
    rubric = publish(SMALL, lead)
    cited = f"Small (small 1, {NOW:%Y-%m-%d}). SHA-256: {rubric.digest}"
    field = seen(here, "/rubrics/small/1/").css_first("#cited")
    assert field.text() == cited
    draft = RubricDraft.objects.start(SMALL | {"slug": "new"}, by=lead, now=NOW)
    assert not seen(here, f"/rubrics/draft-{draft.pk}/0/").css("#cited")
