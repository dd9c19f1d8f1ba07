"""What is entered in a form, as values: a page, a draft and a rating say the same."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tasks.answers import TICKED, Answers, Claim, FieldName, SlotAnswers

TEXTS = st.text(min_size=1, max_size=9)
TARGETS = st.sampled_from(["r1", "r2", "s1", "m1"])
CODES = st.sampled_from(["honest", "short", "contradicts"])
PARTS = st.sampled_from(["", "asked", "line.1", "line.12"])
SLOTS = st.builds(
    SlotAnswers.of,
    st.lists(
        st.one_of(st.tuples(CODES, PARTS, TEXTS), st.tuples(st.just(""), st.just(""), TEXTS)),
        unique_by=lambda each: each[:2],
        min_size=1,
    ),
)
ANSWERS = st.builds(
    Answers,
    st.dictionaries(st.tuples(TARGETS, st.sampled_from(["quality", "tone"])), SLOTS, max_size=3),
    st.dictionaries(
        st.tuples(TARGETS, st.integers(1, 20)), st.builds(Claim, TEXTS, TEXTS, TEXTS, TEXTS)
    ),
    st.dictionaries(TARGETS, TEXTS),
    st.text(max_size=9),
    st.booleans(),
)


@given(ANSWERS)
def test_fields_say_what_the_answers_say(answers: Answers) -> None:
    assert Answers.read(answers.fields()) == answers


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
    assert answers.at("r1", "quality").score == "5"
    assert answers.at("r1", "consistency").lines("contradicts") == (3,)
    assert answers.claims["r1", 1] == Claim("Eggs float.", clock="42")
    assert FieldName.read("r1.quality.repeats_itself.asked").check == "repeats_itself"


def test_what_is_stored_with_a_score_says_what_the_form_said() -> None:
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
    assert SlotAnswers.stored(3, said.checks, said.asked) == said
