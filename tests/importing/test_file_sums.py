"""The numbers that a file's page and the command say of it add up: columns, rows and scores."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given, strategies as st

from annotators.models import User
from tasks.importing.columns.choices import Certainty, ColumnChoice
from tasks.importing.columns.mapping import Mapping
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.summary import WORDS_OF_VISIBLE, file_sentence
from tasks.importing.columns.uses import Use
from tasks.importing.files.rows import SourceRow
from tasks.models import Score, Upload

from ..factories import make_project
from .import_steps import (
    load_uploads,
    shown_in,
)

CHOICES = st.lists(
    st.tuples(st.sampled_from(Use), st.sampled_from(Certainty), st.sampled_from(["", "longer"])),
    min_size=1,
    max_size=40,
).map(
    lambda uses: [
        ColumnChoice(f"c{number}", use, certainty, reason)
        for number, (use, certainty, reason) in enumerate(uses)
    ]
)


def listed(sentence: str, beginning: str) -> int:
    """Return how many columns a part of the sentence lists, those behind “more” too."""
    part = re.search(rf"{beginning} ([^.]*)\.", sentence)
    if part is None:
        return 0
    more = [int(number) for number in re.findall(r"and (\d+) more", part[1])]
    return len(re.findall(r"\bc\d+\b", part[1])) + sum(more)


@given(CHOICES)
def test_each_column_is_counted_once_and_the_lists_have_as_many(
    choices: Sequence[ColumnChoice],
) -> None:
    mapping = Mapping("columns", {choice.path: choice.use for choice in choices})
    profile = Profile.of([SourceRow(1, dict.fromkeys(mapping.columns, "x"), "")])
    sentence = file_sentence(profile, mapping, choices)
    total, parts = re.findall(r"(\d+) columns?: ([^.]*)\.", sentence)[0]
    numbers = {words: int(number) for number, words in re.findall(r"(\d+) ([a-z ]+)", parts)}
    assert int(total) == len(choices) == sum(numbers.values())
    assert listed(sentence, "Annotators see") == numbers.get("shown", 0)
    assert listed(sentence, "Kept from them:") == numbers.get("kept from annotators", 0)
    assert listed(sentence, "To be chosen:") == numbers.get("to be chosen", 0)
    sure = [choice.use for choice in choices if choice.certainty is not Certainty.DOUBTFUL]
    assert numbers.get("shown", 0) == sum(use in WORDS_OF_VISIBLE for use in sure)
    assert numbers.get("not kept", 0) == sure.count(Use.UNUSED)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    """A browser of the lead of project `p`."""
    make_project(slug="p", title="P", leads=[lead])
    client.force_login(lead)
    return client


def drop(client: Client, content: str, *, into: str = "") -> str:
    """Upload a file into a project, or as a new one; return the words of its page."""
    address = f"/projects/{into}/upload/" if into else "/projects/new/sheet/"
    client.post(address, {"file": SimpleUploadedFile("study.csv", content.encode())})
    return page_words(client)


def page_words(client: Client) -> str:
    """Return the words of the last file's page, when its work is done."""
    load_uploads()
    page = client.get(Upload.objects.latest("pk").address).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def import_it(client: Client) -> None:
    upload = Upload.objects.latest("pk")
    client.post(upload.address, shown_in(upload) | {"act": "import"})


COPIES = """id,prompt,response,topic
a,Why?,So.,x
a,Why?,So.,x
a,Why?,Thus.,x
b,How?,Like this.,y
,Who?,She.,y
c,When?,Now.,z
c,Where?,Here.,z
"""


def test_rows_are_in_items_or_left_out_and_copies_are_counted(here: Client) -> None:
    seen = drop(here, COPIES, into="p")
    assert "2 items with 3 responses." in seen
    assert "4 columns: 2 shown, 1 kept from annotators, 1 of ids and models." in seen
    rows = "Rows: 7 in the file, 3 in these items, 4 left out, of which 1 as copies."
    assert rows in seen
    assert "2 items ready, with 3 responses." in seen
    assert "4 rows can’t be loaded" in seen
    assert "Models:" not in seen  # none has a name
    import_it(here)
    outcome = page_words(here)
    assert "2 items. 4 rows were left out." in outcome
    assert rows in outcome


RATED = f"""id,question,answer,Anna,Ben,Cem
1,How long do I boil an egg?,Six minutes.,4,5,n/a
2,Can I freeze a boiled egg?,Yes.,five,5,1
3,Why did mine turn green?,Sulphur meets iron.,2,5,2
{"4" * 501},Is a cracked egg safe?,Not raw.,5,3,2
5,What is a poached egg?,One without its shell.,1,2,1
6,Is an egg good?,Yes.,3,4.5,4
"""


def test_scores_are_taken_or_left_out_with_a_bad_row_or_by_themselves(here: Client) -> None:
    seen = drop(here, RATED)
    assert "5 items, each with one response." in seen
    assert "17 scores by 3 people: Anna, Ben, Cem" in seen
    rows = "Rows: 6 in the file, 5 in these items, 1 left out."
    scores = "Scores: 17 in the file, 12 taken, 5 left out."
    assert rows in seen
    assert scores in seen
    import_it(here)
    outcome = page_words(here)
    assert rows in outcome
    assert scores in outcome
    assert Score.objects.exclude(value=None).count() == 12


def test_a_correction_is_a_score_of_the_file_and_what_it_leaves_as_it_was_is_none(
    here: Client,
) -> None:
    rows = "id,prompt,response,rater,fluency,truth,time\n"
    rows += "".join(f"{n},Why {n}?,So {n}.,Anna,{n},{n},2026-03-02 09:00\n" for n in range(1, 6))
    rows += "1,Why 1?,So 1.,Anna,2,,2026-03-02 10:00\n"
    seen = drop(here, rows)
    assert "11 scores by 1 person" in seen
    assert "left out" not in seen


def test_many_rows_of_few_items_are_counted_as_the_items_that_they_are(here: Client) -> None:
    lines = [f"q{n // 2},Why {n // 2}?,So {n}." for n in range(2_400)]
    seen = drop(here, "\n".join(["id,prompt,response", *lines]), into="p")
    assert "1,200 items, each with 2 responses." in seen
