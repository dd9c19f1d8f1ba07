"""What is entered in a form, as values: a page, a draft and a rating say the same."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tasks.answers.slot_answers import TICKED, Answers, Claim, FieldName, SlotAnswers

NAMES = st.sampled_from(
    [
        "comment",
        "not_sure",
        *("r1.comment", "r1.quality", "r1.quality.honest", "r1.quality.short.asked", "r2.quality"),
        *("r1.consistency.contradicts", "r1.consistency.contradicts.line.12"),
        *("s1.diversity", "m1.diversity.corpus_high", "r1.fact.1.claim", "r1.fact.12.clock"),
    ]
)


@given(st.dictionaries(NAMES, st.text(min_size=1, max_size=9)))
def test_fields_say_what_the_answers_say(fields: dict[str, str]) -> None:
    assert Answers.read(fields).fields() == fields


def test_the_names_of_fields_are_those_that_drafts_and_browsers_store() -> None:
    fields = {
        "comment": "So.",
        "not_sure": "yes",
        "r1.comment": "Short.",
        "r1.quality": "5",
        "r1.quality.honest": "yes",
        "r1.quality.repeats_itself.asked": "no",
        "r1.consistency.contradicts.line.3": "yes",
        "m1.diversity.corpus_high": "no",
        "r1.fact.1.claim": "Eggs float.",
        "r1.fact.1.clock": "42",
    }
    answers = Answers.read({**fields, "seen": "sets", "view": "text", "draft_writer": "w"})
    assert answers.fields() == fields
    assert answers.at("r1", "quality").to() == "5"
    assert answers.at("r1", "consistency").lines("contradicts") == [3]
    assert answers.claim("r1", 1) == Claim("Eggs float.", clock="42")
    assert FieldName.read("r1.quality.repeats_itself.asked").check == "repeats_itself"


def test_answers_stored_with_a_score_equal_those_of_the_form() -> None:
    said = SlotAnswers.of(
        [
            ("", "", "3"),
            ("contradicts", "", "yes"),
            ("contradicts", "line.1", TICKED),
            ("contradicts", "line.12", TICKED),
            ("repeats_itself", "asked", "no"),
        ]
    )
    assert said.checks == {
        "contradicts": "yes",
        "contradicts.lines": "1,12",
        "repeats_itself": "no",
    }
    assert SlotAnswers.stored(3, said.checks).checks == said.checks
