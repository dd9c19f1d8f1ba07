"""A lead sees how well people agree, on a page and in CSV files that say the same."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tasks.agreement.coefficients import alpha
from tasks.agreement.figures import reading as reading_of, value_of
from tasks.agreement.measures import (
    MEASURES,
    TITLES,
    coefficient,
    figure_in_words,
    is_below,
    sentence,
    titled,
)
from tasks.agreement.page_result import PageResult
from tasks.agreement.report import OVERALL
from tasks.agreement.results import result
from tasks.agreement.stored import Estimate, Figure, Missing, Part, Result, Why
from tasks.agreement.tables import TABLES
from tasks.models import AgreementResult, Project, Rating
from tasks.models.agreement_results import RatingChoice
from tasks.queue.submitting import correct_rating
from tests.cases import cases
from tests.exports import rows_of
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)
from tests.worker import few_resamples, work

from .spelt_out import counts_of, had

pytestmark = pytest.mark.django_db

PEOPLE = ("ada", "ben", "cleo")
# Items × annotators × scores of two responses; None where someone did not rate.
Rows = list[list[tuple[int, int] | None]]
SAID: Rows = [
    [(4, 6), (4, 5), (5, 6)],
    [(5, 5), (5, 5), (5, 4)],
    [(6, 4), (6, 4), None],
    [(4, 4), (6, 6), (4, 5)],
    [(5, 7), None, (5, 7)],
]


@pytest.fixture(autouse=True)
def _few_resamples() -> Iterator[None]:
    with few_resamples():
        yield


@pytest.fixture
def study() -> Project:
    """A study that three people have rated, as SAID."""
    people = [make_user(name=name) for name in PEOPLE]
    project = make_project(slug="eggs", annotators=people, leads=[make_user(name="lea")], wanted=3)
    for number, row in enumerate(SAID):
        item = make_item(
            project=project,
            external_id=f"item {number}",
            responses=[("heron", "One."), ("plover", "Two.")],
        )
        for place, (person, values) in enumerate(zip(people, row, strict=True)):
            if values:
                later = NOW + timedelta(weeks=number, minutes=place)
                make_rating(
                    item=item, annotator=person, now=later, values={1: values[0], 2: values[1]}
                )
    return project


def with_names(project: Project, **asked: Any) -> PageResult:
    [dimension] = project.rubric.schema.dimensions
    return result(project, dimension, NOW, RatingChoice(**asked))


def found(project: Project, **asked: Any) -> Result:
    return with_names(project, **asked).result


def annotators(project: Project) -> list[str]:
    return list(with_names(project).names_by_number.values())


def main_value(figures: Result | Part) -> float:
    part = figures.overall if isinstance(figures, Result) else figures
    return had(part.figures["alpha-ordinal"]).value


def parts_of(figures: Result, name: str) -> list[Part]:
    parts: list[Part] = getattr(figures, name)
    return parts


def by_hand(rows: Rows, responses: Sequence[int] = (0, 1)) -> float:
    spelt = [[each and each[place] for each in row] for row in rows for place in responses]
    counts = counts_of(spelt, range(1, 8))
    return value_of(alpha, counts)


# --- the figures ---


def test_the_figures_are_those_of_the_ratings(study: Project) -> None:
    figures = found(study)
    assert (figures.overall.units, figures.overall.ratings) == (10, 26)
    assert main_value(figures) == pytest.approx(by_hand(SAID))
    models = {each.name: main_value(each) for each in figures.models}
    assert models == pytest.approx({"heron": by_hand(SAID, [0]), "plover": by_hand(SAID, [1])})
    assert annotators(study) == list(PEOPLE)
    weeks = [each.name for each in figures.weeks]
    assert weeks[0] == str((NOW - timedelta(days=NOW.weekday())).date())
    assert len(weeks) == 5
    assert figures.furthest[0].item == "item 3"
    assert figures.furthest[0].scores in ((4, 4, 6), (4, 5, 6))


def test_ratings_that_do_not_count_are_left_out(study: Project) -> None:
    before = found(study)
    Rating.objects.filter(annotator__username="cleo").update(kind="extra")
    AgreementResult.objects.all().delete()
    after = found(study)
    assert annotators(study) == ["ada", "ben"]
    assert after.overall != before.overall
    without: Rows = [[*row[:2], None] for row in SAID]
    assert main_value(after) == pytest.approx(by_hand(without))


def correct(study: Project, name: str, item: int, values: dict[int, int]) -> None:
    rating = Rating.objects.get(annotator__username=name, item__external_id=f"item {item}")
    assert rating.lease
    said = make_submission(lease=rating.lease, values=values)
    correct_rating(rating, said, based_on=1, now=rating.submitted_at + timedelta(minutes=5))


def test_current_revisions_count_or_the_first_ones_on_demand(study: Project) -> None:
    before = found(study, first=True)
    correct(study, "ben", 3, {1: 4, 2: 4})
    now: Rows = [*SAID[:3], [(4, 4), (4, 4), (4, 5)], SAID[4]]
    assert main_value(found(study)) == pytest.approx(by_hand(now))
    first = found(study, first=True)
    assert first.overall == before.overall
    assert first.overall.ratings == 26


def test_a_correction_stays_in_the_week_of_its_first_revision(study: Project) -> None:
    def weeks() -> list[tuple[str, int]]:
        return [(each.name, each.units) for each in found(study).weeks]

    before = weeks()
    assert [units for _week, units in before] == [2] * 5
    rating = Rating.objects.get(annotator__username="ben", item__external_id="item 3")
    assert rating.lease
    for revision, value in enumerate((5, 4), start=1):
        said = make_submission(lease=rating.lease, values={1: value, 2: value})
        later = rating.submitted_at + timedelta(weeks=revision)
        correct_rating(
            Rating.objects.current().get(item=rating.item, annotator=rating.annotator),
            said,
            based_on=revision,
            now=later,
        )
    assert Rating.objects.latest("pk").revision == 3
    assert weeks() == before


def test_ratings_under_another_version_of_the_rubric_are_not_pooled(study: Project) -> None:
    other = make_rubric(slug="dialogue")
    Rating.objects.filter(annotator__username="cleo").update(rubric=other)
    assert annotators(study) == ["ada", "ben"]


def test_another_projects_ratings_are_not_read(study: Project) -> None:
    before = found(study).overall
    make_rating()
    AgreementResult.objects.all().delete()
    assert found(study).overall == before


def tick(study: Project, check: str, name: str, item: int) -> None:
    scores = study.ratings.get(annotator__username=name, item__external_id=f"item {item}").scores
    for score in scores.all():
        score.checks = {**score.checks, check: "yes"}
        score.save(update_fields=["checks"])


def test_a_check_is_compared_and_disagreement_traced_to_it(study: Project) -> None:
    tick(study, "style_error", "ben", 3)
    figures = found(study)
    checks = {each.name: each for each in figures.checks}
    assert checks["style_error"].prevalence == [24 / 26, 2 / 26]
    assert checks["language_error"].figures["alpha-nominal"] == Missing(Why.ONE_CATEGORY)
    [origin, alike] = figures.sources
    assert (origin.check, origin.pairs, alike.check) == ("style_error", 4, "")


@cases(
    ("value", "low", "reading", "said"),
    [
        (0.83, 0.41, "unreliable", "(the interval’s lower end, 0.41, is below .667)"),
        (0.83, 0.6661, "unreliable", "(the interval’s lower end, 0.666, is below .667)"),
        (0.83, -0.102, "unreliable", "(the interval’s lower end, −0.10, is below .667)"),
        (0.83, 0.667, "tentative", "(the interval’s lower end, 0.67, is not below .667)"),
        (0.83, 0.7996, "tentative", "(the interval’s lower end, 0.799, is not below .667)"),
        (0.91, 0.8, "reliable", "(the interval’s lower end, 0.80, is not below .800)"),
    ],
)
def test_the_verdict_names_the_lower_end_that_it_reads(
    value: float, low: float, reading: str, said: str
) -> None:
    figure = Figure(value, low, high=0.99, undefined=0)
    assert reading_of(figure) == reading
    overall = Part("", units=2, ratings=4, prevalence=[], figures={"a": figure})
    found = Result(
        main="a", reading=reading, overall=overall, annotators=[], furthest=[], without=None
    )
    assert said in sentence(found, {})


# --- kept results ---


def test_a_result_is_kept_until_a_rating_comes(study: Project) -> None:
    first = found(study)
    with CaptureQueriesContext(connection) as queries:
        again = found(study)
    assert again == first
    assert not any(re.search(r"tasks_score\b", query["sql"]) for query in queries)
    AgreementResult.objects.update(figures={"form": 1})  # as an older program wrote them
    assert found(study) == first
    late = make_user(name="dina")
    make_rating(item=study.items.get(external_id="item 2"), annotator=late, values={1: 4, 2: 6})
    after = found(study)
    assert after != first
    assert annotators(study) == [*PEOPLE, "dina"]
    assert AgreementResult.objects.count() == 1


def test_numpy_is_loaded_by_the_first_result_that_is_made_not_with_the_addresses() -> None:
    """Each web worker would have it in memory."""
    program = """
import sys, django
django.setup()
from django.core.checks import run_checks
from django.urls import get_resolver
run_checks()  # it loads the addresses and the admin's pages
assert get_resolver().reverse_dict
import tasks.agreement.results, tasks.agreement.drawing, tasks.agreement.views
print("numpy" in sys.modules)
import tasks.agreement.making
print("numpy" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["False", "True"], run.stderr


def test_every_measure_of_groups_has_a_coefficient() -> None:
    assert list(MEASURES) == list(OVERALL)


# --- the page ---


def shown(client: Client, address: str = "/projects/eggs/agreement/") -> str:
    work()
    client.force_login(make_user_of("lea"))
    page = client.get(address)
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def make_user_of(name: str) -> Any:
    from annotators.models import User

    return User.objects.get(username=name)


def test_the_page_shows_all_figures(study: Project, client: Client) -> None:
    page, figures = shown(client), found(study)
    assert f"α {coefficient(main_value(figures))}" in page
    every = [*titled(figures.overall.figures), *titled(figures.of_team)]
    every += [
        (each.name, each.figures["alpha-ordinal"])
        for part in ("models", "batches", "weeks")
        for each in parts_of(figures, part)
    ]
    for title, figure in every:
        assert figure_in_words(figure) in page, title
    for each in figures.checks:
        of_answers = figure_in_words(each.figures["alpha-nominal"])
        assert of_answers in page or each.figures["alpha-nominal"] == Missing(Why.ONE_CATEGORY)
    for pair in figures.pairs:
        value = coefficient(had(pair.figures["alpha-ordinal"]).value)
        assert f"{value}<small>{pair.units}</small>" in page
    given = re.findall(r'<span class="score s\d+">(\d+)</span>\s*<small[^>]*>(.*?)<', page)
    names = with_names(study).names_by_number
    assert given == [
        (str(score), names[number])
        for each in figures.furthest
        for number, score in each.scores_of_people
    ]
    of_pair = figures.pairs[0].figures
    assert {*figures.overall.figures, *figures.of_team, *of_pair} == {*TITLES}


def test_the_lead_chooses_the_measure_by_which_groups_are_compared(
    study: Project, client: Client
) -> None:
    tick(study, "style_error", "ben", 3)
    figures = found(study)
    for measure, of_answers in MEASURES.items():
        page = shown(client, f"/projects/eggs/agreement/?measure={measure}")
        for part in ("models", "weeks"):
            for each in parts_of(figures, part):
                assert figure_in_words(each.figures[measure]) in page
        for each in figures.checks:
            if each.figures[of_answers] != Missing(Why.ONE_CATEGORY):
                assert figure_in_words(each.figures[of_answers]) in page
                assert f"n {each.units}</small>" in page
        for pair in figures.pairs:
            value = coefficient(had(pair.figures[measure]).value)
            assert f"{value}<small>{pair.units}</small>" in page
        assert f'<option value="{measure}" selected>' in page
        assert f"{TITLES[measure]}, and how many both rated" in page
        assert f"{TITLES[of_answers]}, and ticked in … %" in page
        # What one may rely on goes by one figure.
        assert f"α {coefficient(main_value(figures))}" in page


def test_shares_have_the_same_axis_without_the_marks_for_coefficients(
    study: Project, client: Client
) -> None:
    for measure, marks in (("ac1", 2), ("same", 0), ("within-one", 0)):
        page = shown(client, f"/projects/eggs/agreement/?measure={measure}")
        section = page.partition('id="models"')[2].partition("</section>")[0]
        assert section.count('<line class="range"') == 3
        assert section.count('<line class="mark"') == 3 * marks
        on_axis = ["0", ".5", *[".667", ".8"][:marks], "1"]
        assert re.findall(r"<text[^>]*>([^<]+)</text>", section) == on_axis


def test_an_unknown_measure_is_told_at_its_field_and_the_main_one_is_shown(
    study: Project, client: Client
) -> None:
    page = shown(client, "/projects/eggs/agreement/?measure=luck")
    assert "luck is not one of the available choices" in page
    assert f"{TITLES['alpha-ordinal']}, and how many both rated" in page


def test_the_page_says_what_is_missing_where_there_is_no_figure(client: Client) -> None:
    make_project(slug="eggs", leads=[make_user(name="lea")])
    page = shown(client)
    assert "There is no figure yet: no ratings." in page
    assert "Figures come when two people have scored the same two responses." in page
    assert "An item gets 3 ratings at present" in page


def test_shares_overlap_and_the_figures_are_folded_with_how_they_came(
    study: Project, client: Client
) -> None:
    tick(study, "style_error", "ben", 3)
    page = shown(client)
    section = page.partition('id="sources"')[2].partition("</section>")[0]
    assert "Such a pair counts for each of them, so shares overlap." in section
    [fold] = re.findall(r"<details> <summary>How this is computed</summary>.*?</details>", page)
    assert re.search(r"Intervals: [\d,]+ resamples, seed \d+\.", fold)
    assert fold.count("<tr>") > 10
    assert "resamples" not in page.replace(fold, "")


def test_where_everyone_gave_the_same_there_are_shares_and_the_reason_for_the_rest(
    client: Client,
) -> None:
    people = [make_user(name=name) for name in PEOPLE]
    project = make_project(slug="eggs", annotators=people, leads=[make_user(name="lea")])
    item = make_item(project=project, responses=["One.", "Two."])
    for person in people:
        make_rating(item=item, annotator=person, values={1: 5, 2: 5})
    page = shown(client)
    assert "There is no figure yet: everyone gave the same." in page
    assert "Figures come when" not in page
    assert "<b>100 %</b> the same score" in page
    # The figures of all and of the model; the checks are one line.
    assert page.count('<td class="number quiet" colspan="2">none: everyone gave the same</td>') == 2
    wordings = [check.wording for check in project.rubric.schema.dimensions[0].checks]
    assert len(wordings) > 10
    [line] = re.findall(r"Everyone gave the same: <span[^>]*>(.*?)</span>", page)
    assert set(line.split(", ")) >= set(wordings)
    section = shown(client, "/projects/eggs/agreement/?measure=same").partition('id="models"')[2]
    assert "1.00 (1.00 to 1.00)" in section.partition("</section>")[0]


def test_a_figure_that_rounds_to_zero_has_no_sign_and_stands_on_the_axis() -> None:
    assert [coefficient(value) for value in (-0.004, -0.006, 0.0)] == ["0.00", "−0.01", "0.00"]
    assert [is_below(value) for value in (-0.004, -0.006, 0.0)] == [False, True, False]


def test_the_dimension_is_chosen_and_an_unknown_one_is_the_first(client: Client) -> None:
    project = make_project(
        slug="eggs", rubric=make_rubric(slug="dialogue"), leads=[make_user(name="lea")]
    )
    codes = [each.code for each in project.rubric.schema.dimensions]
    client.force_login(make_user_of("lea"))
    for asked, shown_then in ((codes[2], codes[2]), ("none such", codes[0]), ("", codes[0])):
        page = client.get(f"/projects/eggs/agreement/?dimension={asked}")
        assert page.context["dimension"].code == shown_then


def test_only_leads_see_the_page(study: Project, client: Client) -> None:
    client.force_login(make_user_of("ada"))
    assert client.get("/projects/eggs/agreement/").status_code == 404


# --- names ---


@pytest.fixture
def unnamed(study: Project) -> Project:
    """The study, in which dina rated something first, and whose leads see no names."""
    item = make_item(project=study, responses=["x"])
    dina, before = make_user(name="dina"), NOW - timedelta(weeks=1)
    make_rating(item=item, annotator=dina, now=before)
    make_rating(item=item, annotator=make_user_of("cleo"), now=before + timedelta(minutes=1))
    study.names_annotators = False
    study.save()
    return study


def test_names_are_hidden_everywhere_if_the_project_says_so(
    unnamed: Project, client: Client
) -> None:
    page = shown(client)
    files = {name: table(client, name) for name in TABLES}
    for name in (*PEOPLE, "dina"):
        for place in (page, str(files)):
            assert not re.search(rf"\b{name}\b", place), name
    assert "Annotators’ names are hidden." in page
    assert 'href="/projects/eggs/settings/"' in page
    unnamed.names_annotators = True
    unnamed.save()
    page = shown(client)
    assert "names are hidden" not in page
    for name in (*PEOPLE, "dina"):
        assert re.search(rf"\b{name}\b", page)
    assert "rater-" not in page


def test_the_lead_hides_names_by_a_setting_of_the_project(study: Project, client: Client) -> None:
    client.force_login(make_user_of("lea"))
    address = "/projects/eggs/settings/"
    form = client.get(address).context["form"]
    given = {name: form[name].value() for name in form.fields}
    shown_then = {f"initial-{name}": value for name, value in given.items()}
    sent = {name: value for name, value in {**given, **shown_then}.items() if value is not None}
    assert sent.pop("names_annotators") is True
    assert client.post(address, sent).status_code == 302
    study.refresh_from_db()
    assert study.names_annotators is False
    assert "rater-1" in shown(client)


def test_pseudonyms_are_those_of_the_exports(unnamed: Project, client: Client) -> None:
    exported = {row["annotator"] for row in rows_of(unnamed, pseudonyms=True)}
    hidden = with_names(unnamed)
    names = hidden.names_by_number
    assert list(names.values()) == sorted(exported) == [f"rater-{n}" for n in (1, 2, 3, 4)]
    unnamed.names_annotators = True
    named = with_names(unnamed)
    people = {"dina": "rater-1", "cleo": "rater-2", "ada": "rater-3", "ben": "rater-4"}
    assert {named.names_by_number[number]: names[number] for number in names} == people
    pairs = {frozenset((each.first, each.second)): each.figures for each in named.result.pairs}
    there = [(names[each.first], names[each.second]) for each in hidden.result.pairs]
    assert there == sorted(there)
    for each in hidden.result.pairs:
        assert each.figures == pairs[frozenset((each.first, each.second))]
    assert hidden.result.without == named.result.without
    assert set(hidden.names_among(hidden.result.team)) == {
        people[name] for name in named.names_among(named.result.team)
    }


def test_the_sentence_on_one_person_has_the_pseudonym(study: Project, client: Client) -> None:
    for number in range(20):
        item = make_item(project=study, responses=["x"])
        for name, value in zip(PEOPLE, (4 + number % 3, 4 + number % 3, 6), strict=True):
            make_rating(item=item, annotator=make_user_of(name), values={1: value})
    assert "without cleo, α is" in shown(client)
    Project.objects.update(names_annotators=False)
    assert "without rater-3, α is" in shown(client)


# --- tables as CSV ---


def table(client: Client, name: str, query: str = "") -> list[dict[str, str]]:
    work()
    client.force_login(make_user_of("lea"))
    client.post("/projects/eggs/models/", {"models": "shown"})
    response = client.get(f"/projects/eggs/agreement/{name}.csv?{query}")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    text = response.getvalue().decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def cells(shown: Estimate, units: int) -> dict[str, str]:
    """The cells of a figure, as they are stored."""
    figure = asdict(shown)
    ends = {name: str(figure.get(name, "")) for name in ("value", "low", "high")}
    return {**ends, "units": str(units), "missing": figure.get("missing", "")}


def test_every_table_of_the_page_is_a_file_with_the_figures_unrounded(
    study: Project, client: Client
) -> None:
    tick(study, "style_error", "ben", 3)
    figures = found(study)
    names = with_names(study).names_by_number
    for measure in ("alpha-ordinal", "ac2-linear"):
        the_compared_groups_are_files_with_their_figures(client, figures, names, measure)
    everything = table(client, "overall")
    every = {**figures.overall.figures, **figures.of_team}
    assert [row["measure"] for row in everything] == [code for code in TITLES if code in every]
    assert {row["annotators"] for row in everything} == {"", "ada;ben;cleo"}
    [source, alike] = table(client, "sources")
    assert (source["check"], source["pairs"], alike["check"]) == ("style_error", "4", "")
    assert source["share"] == str(figures.sources[0].share)
    furthest = table(client, "furthest")
    assert furthest[0]["item"] == figures.furthest[0].item
    assert furthest[0]["scores"] == ";".join(map(str, figures.furthest[0].scores))


def the_compared_groups_are_files_with_their_figures(
    client: Client, figures: Result, names: Mapping[int, str], measure: str
) -> None:
    for name, by in (("models", "model"), ("batches", "batch"), ("weeks", "week")):
        wanted = [
            {"by": by, "name": each.name} | cells(each.figures[measure], each.units)
            for each in parts_of(figures, name)
        ]
        if name == "models":
            of_all = cells(figures.overall.figures[measure], 10)
            wanted.insert(0, {"by": "all", "name": ""} | of_all)
        assert [without(row) for row in table(client, name, f"measure={measure}")] == wanted
    checks = {row["name"]: row for row in table(client, "checks", f"measure={measure}")}
    assert list(checks) == [each.name for each in figures.checks]
    assert checks["style_error"]["measure"] == MEASURES[measure]
    assert checks["style_error"]["ticked"] == str(2 / 26)
    assert checks["helpful"]["ticked"] == ""  # a question
    pairs = table(client, "pairs", f"measure={measure}")
    assert [without(row) for row in pairs] == [
        {"first": names[each.first], "second": names[each.second]}
        | cells(each.figures[measure], each.units)
        for each in figures.pairs
    ]
    assert {row["measure"] for row in pairs} == {measure}


def without(row: dict[str, str]) -> dict[str, str]:
    """Return a row without the columns that say how it was made."""
    about = {"dimension": "quality", "revisions": "before_talk", "rubric": "response-quality"}
    assert {name: row[name] for name in about} == about
    assert (row["rubric_version"], row["measure"] in TITLES) == ("1", True)
    return {name: row[name] for name in row if name not in (*about, "rubric_version", "measure")}


def test_a_file_has_the_choices_of_the_page_that_leads_to_it(
    study: Project, client: Client
) -> None:
    correct(study, "ben", 3, {1: 4, 2: 4})
    page = shown(client, "/projects/eggs/agreement/?measure=same&revisions=first")
    links = re.findall(r'href="/projects/eggs/agreement/(\w+)\.csv\?([^"]+)"', page)
    assert {name for name, _ in links} == {*TABLES}
    for name, query in links:
        rows = table(client, name, unescape(query))
        assert {row["revisions"] for row in rows} == {"first"}
        if "by" in rows[0]:
            assert {row["measure"] for row in rows} == {"same"}
    first = had(found(study, first=True).overall.figures["same"]).value
    assert table(client, "models", unescape(links[0][1]))[0]["value"] == str(first)
    assert table(client, "models", "measure=same")[0]["value"] != str(first)


def test_batches_are_compared_where_there_are_several(study: Project, client: Client) -> None:
    assert "By batch" in shown(client)
    only = make_project(slug="one-batch", leads=[make_user_of("lea")])
    batch = make_batch(project=only)
    for name in PEOPLE:
        item = batch.items.first() or make_item(batch=batch, responses=["One.", "Two."])
        make_rating(item=item, annotator=make_user_of(name), values={1: 4, 2: 5})
    page = shown(client, "/projects/one-batch/agreement/")
    assert "Overall and by model" in page
    assert "By batch" not in page


def test_a_name_that_a_spreadsheet_would_run_is_defused(client: Client) -> None:
    people = [make_user(name=name) for name in ("+1+1", "-2", 'quo"ted')]
    project = make_project(slug="eggs", annotators=people, leads=[make_user(name="lea")])
    item = make_item(
        project=project, external_id="=1+1", responses=[("@model, with a comma", "x"), ("b", "y")]
    )
    for value, person in enumerate(people, start=4):
        make_rating(item=item, annotator=person, values={1: value, 2: 4})
    assert [row["name"] for row in table(client, "models")] == ["", "'@model, with a comma", "b"]
    assert table(client, "furthest")[0]["item"] == "'=1+1"
    names = [(row["first"], row["second"]) for row in table(client, "pairs")]
    assert names == [("'+1+1", "-2"), ("'+1+1", 'quo"ted'), ("-2", 'quo"ted')]


def test_a_file_that_is_asked_for_wrongly_is_not_made(study: Project, client: Client) -> None:
    page = shown(client, "/projects/eggs/agreement/pairs.csv?measure=luck")
    assert "luck is not one of the available choices" in page
    assert '<form class="choose cluster" method="get" action="/projects/eggs/agreement/">' in page
    assert client.get("/projects/eggs/agreement/nothing.csv").status_code == 404
    client.force_login(make_user_of("ada"))
    assert client.get("/projects/eggs/agreement/pairs.csv").status_code == 404


def test_a_file_of_a_project_without_ratings_has_its_header_and_the_reason(client: Client) -> None:
    make_project(slug="eggs", leads=[make_user(name="lea")])
    [row] = table(client, "models")
    assert (row["by"], row["value"], row["units"], row["missing"]) == ("all", "", "0", "no ratings")
    assert table(client, "pairs") == []
