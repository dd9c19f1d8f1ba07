"""The pages in other languages: every message translated, none forgotten, and room for longer
ones."""

from __future__ import annotations

import ast
import html
import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import pgettext
from playwright.sync_api import BrowserContext, ViewportSize, expect

from annotators.models import User
from rubrics.documents.shipped import shipped
from tasks.agreement.measures import coefficient, percent
from tasks.models import Project, Upload
from tasks.overview.drawing import shares
from tests.catalogues import catalogues, compiled, extract
from tests.desk_keys import resize
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user
from tests.importing.import_steps import load_uploads
from tests.invitations import make_email, make_link, path_of
from tests.strange import PLACEHOLDER, Texts, forgotten, known_words, written_in

ROOT = Path(settings.BASE_DIR)
SOURCES = ("annotators", "config", "locale", "rubrics", "tasks", "templates")
LANGUAGES = sorted(catalogues(ROOT))


@cache
def messages(language: str) -> polib.POFile:
    return polib.pofile(str(catalogues(ROOT)[language]))


def strings(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


# --- the catalogues ---


def test_there_is_a_catalogue_for_every_language_that_can_be_chosen() -> None:
    assert {code for code, _name in settings.LANGUAGES} == {"en", *LANGUAGES}
    assert len(LANGUAGES) >= 2


@pytest.mark.django_db
@pytest.mark.parametrize("code", ["", "en", *LANGUAGES])
def test_a_language_that_can_be_chosen_can_be_stored(code: str) -> None:
    user = make_user(name="ada", language=code)
    user.full_clean()
    assert User.objects.get(language=code) == user


@pytest.mark.ci
def test_the_catalogues_hold_what_the_program_says(tmp_path: Path) -> None:
    """`make messages` leaves no difference."""
    for folder in SOURCES:
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    extract(tmp_path, LANGUAGES)
    for language, path in catalogues(tmp_path).items():
        assert path.read_text() == catalogues(ROOT)[language].read_text(), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated_with_its_placeholders(language: str) -> None:
    for entry in messages(language):
        assert "fuzzy" not in entry.flags, entry.msgid
        for text in strings(entry):
            assert text, entry.msgid
            asked = {
                tuple(sorted(PLACEHOLDER.findall(said)))
                for said in (entry.msgid, entry.msgid_plural)
                if said
            }
            assert tuple(sorted(PLACEHOLDER.findall(text))) in asked, entry.msgid
            assert (text[0].isspace(), text[-1].isspace()) == (
                entry.msgid[0].isspace(),
                entry.msgid[-1].isspace(),
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_catalogues_match_the_written_ones(language: str) -> None:
    path = catalogues(ROOT)[language]
    assert path.with_suffix(".mo").read_bytes() == compiled(path)


# --- how each language is written ---

# What stands between straight quotes or braces is of a file, and keeps the signs it has there.
OF_A_FILE = re.compile(r'"[^"]*"|\{[^}]*\}|https?:|\bbetter:|\d:\d')
UNITS = r"(?:s|min|h|%%|[kKMG]B|[kMG]o)(?![\w(])"
# Words that a term of the glossary has replaced, or that mean something else to a reader.
BARRED = {
    "de": r"\bNoten?\b|\bBriefe?\b|kreuz(t|en)\b|Ausleih|verliehen|\bMengen?\b|Arbeitsplatz|Merkmal"
    r"|verb[eo]rgen|\bKn[oö]pf|Bewertende|System-Prompt|\babge(geb|b)en|verworfen|\bEingang\b"
    r"|\bGrenzen?\b|Antwortmöglichkeit|\bUser\b|\breichen Sie|\bpro Aufgabe",
    "fr": r"critère|\bavis\b|courriel|courrier|électronique|\bprêtée?s?\b|réglage|[Pp]articiper"
    r"|otre responsable|personnes? responsable|annotateur|requête|\bclo(re|s)\b|chez vous"
    r"|[Vv]ous seul\b|[Vv]ous \w+ (dé)?connecté\b|en plus\u202f:|[Ll]ien expiré",
}
# A word that is right for one English word alone.
ONLY_FOR = [
    ("de", r"\bAnfrage", r"requests"),
    ("de", r"\bVersion", r"version"),
    ("de", r"\bFassung", r"revision"),
    ("fr", r"\blettre", r"letter|key"),
    ("fr", r"\bchiffre", r"digit"),
    ("fr", r"\bindication", r"fact"),
    ("fr", r"[Mm]odèle", r"model"),
    ("fr", r"\b[Vv]ersion", r"version"),
    ("fr", r"\b[Rr]évision", r"revision"),
]
# English habits that the interface has dropped; "log in" and "sign in" are one thing, say.
BARRED_IN_ENGLISH = r"\bcannot\b|\bis due$|\b[Ll]og (in|out)\b|\bstands?\b(?! for)|'|batch \""
# Texts that are the same in both languages, beside those that are placeholders alone.
EQUAL = {
    "de": "Code|Dimension|Export|Fleiss’ κ|gil@example.org\nhana@example.org, Hana|HelpSteer|"
    "ID|Median|Name|name@example.org|normal|Parameter|Parquet|Pause|Person|Persona|Prompt|"
    "Pseudonym|Set %(number)s|Status|System|Token|Version",
    "fr": "%%s questions|%(number)s correction|%(number)s corrections|"
    "%(title)s, version %(version)s|Assistant|Cause|classes|Clause|Clauses|Code|Condition|"
    "Conversation|Conversation %(number)s|Corpus|Corrections|Dimension|dimensions|"
    "Dimensions|Distance|Document|E-mail|gil@example.org\nhana@example.org, Hana|HelpSteer|ID|"
    "Invitations|Pages|Parquet|Pause|Persona|Prompt|question|Question|Questions|Source|"
    "source|Version",
}
# Short English texts whose translation is long: a line for each. Take lines away; add none.
LONG = (Path(__file__).parents[1] / "long_texts.txt").read_text("utf-8").splitlines()
MOST_LONG = 154
# One word in English, and several in other languages: each says by its context which it is.
TWO_MEANINGS = {"All", "Newest", "Newer", "Older"}
# A word that means one thing as a name of something, and another as a command or in a list.
BY_CASE = {"check", "first", "guidance", "last", "look", "open", "annotator"} | {
    "finished",  # of one item, and a heading of several in French
    "who rated",  # at the head of a column, and in a sentence
}


def texts(language: str) -> list[tuple[str, str]]:
    """Each English text with its translation; singular and plural are two."""
    return [
        pair
        for entry in messages(language)
        for pair in zip((entry.msgid, entry.msgid_plural), strings(entry), strict=False)
    ]


def length(text: str) -> int:
    """The characters of a text; what is filled in counts as two, and a tag as none."""
    return len(PLACEHOLDER.sub(lambda found: "" if found[0][0] == "<" else "xx", text))


def test_french_signs_stay_with_their_words() -> None:
    """A narrow no-break space goes before ; : ! ? and », and after «."""
    loose = [
        text
        for _english, text in texts("fr")
        if re.search(r"(?<!\u202f)[;:!?»]|«(?!\u202f)", OF_A_FILE.sub("", text))
    ]
    assert not loose


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_figure_stays_with_its_unit(language: str) -> None:
    loose = [
        text
        for _english, text in texts(language)
        if re.search(rf"(?:\d|%\(\w+\)s|…)(?:</\w+>)? {UNITS}", text)
    ]
    assert not loose


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_has_a_word_that_another_has_replaced(language: str) -> None:
    assert not [text for _english, text in texts(language) if re.search(BARRED[language], text)]


@pytest.mark.parametrize(("language", "word", "meaning"), ONLY_FOR)
def test_a_word_has_one_meaning(language: str, word: str, meaning: str) -> None:
    said = [(english, text) for english, text in texts(language) if re.search(word, text)]
    assert said
    assert not [each for each in said if not re.search(meaning, each[0], re.IGNORECASE)]


def test_english_is_plain() -> None:
    assert not [english for english, _text in texts("de") if re.search(BARRED_IN_ENGLISH, english)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_short_text_has_a_short_translation(language: str) -> None:
    """Or is on the list, from which a text goes once it is short."""
    long = {
        f"{language}: {english}"
        for english, text in texts(language)
        if length(english) < 20 and length(text) > max(12, 1.4 * length(english))
    }
    assert long == {line for line in LONG if line.startswith(f"{language}: ")}
    assert len(LONG) <= MOST_LONG, "the list only gets shorter"


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_listed_words_are_the_same_as_in_english(language: str) -> None:
    words = {english for english, text in texts(language) if english == text}
    words = {each for each in words if re.search(r"\w\w", PLACEHOLDER.sub("", each))}
    assert words == set(EQUAL[language].split("|"))


@pytest.mark.parametrize(
    ("language", "wrong", "opening", "closing"), [("de", "”'", "„", "“"), ("fr", "“”„'", "«", "»")]
)
def test_quotation_marks_are_those_of_the_language(
    language: str, wrong: str, opening: str, closing: str
) -> None:
    for english, text in texts(language):
        assert not set(wrong) & set(text), text
        assert text.count(opening) == text.count(closing), text
        assert ('"' in text) <= ('"' in english), text  # around what a file says


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_ends_as_the_english_one(language: str) -> None:
    for english, text in texts(language):
        if english == "D j":  # a form of a date
            continue
        assert "  " not in text
        ends = [re.search(r"[.?!:…]?$", each.strip()) for each in (english, text)]
        assert len({end[0] for end in ends if end}) == 1, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_with_two_meanings_says_which_one_it_has(language: str) -> None:
    assert not [e.msgid for e in messages(language) if not e.msgctxt and e.msgid in TWO_MEANINGS]
    found: dict[str, set[str]] = {}
    for entry in messages(language):
        if not entry.msgctxt and not entry.msgid_plural:
            found.setdefault(entry.msgid.casefold(), set()).add(entry.msgstr.casefold())
    assert {word for word, several in found.items() if len(several) > 1} <= BY_CASE


@pytest.mark.parametrize(("language", "quoted"), [("de", "„%s“"), ("fr", "«\u202f%s\u202f»")])
def test_a_sentence_names_a_button_as_the_button_is_named(language: str, quoted: str) -> None:
    known = {entry.msgid: entry.msgstr for entry in messages(language) if not entry.msgctxt}
    named = 0
    for english, text in texts(language):
        for button in set(re.findall(r"“([^”]*)”", english)) & known.keys():
            named += 1
            assert quoted % known[button] in text, text
    assert named > 10


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ("Tue 24", "24 Nov", "24 Nov 2026")),
        ("de", ("Di, 24.", "24. Nov.", "24. November 2026")),
        ("fr", ("mar 24", "24 nov.", "24 novembre 2026")),
    ],
)
def test_a_day_is_told_as_the_language_tells_it(language: str, told: tuple[str, ...]) -> None:
    day = date(2026, 11, 24)
    with translation.override(language):
        forms = (pgettext("date format", "D j"), "MONTH_DAY_FORMAT", "DATE_FORMAT")
        assert tuple(date_format(day, form) for form in forms) == told


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "−0.71, 0.4\xa0%, 1: 25\xa0%"),
        ("de", "−0,71, 0,4\xa0%, 1: 25\xa0%"),
        ("fr", "−0,71, 0,4\xa0%, 1\u202f: 25\xa0%"),
    ],
)
def test_a_figure_is_written_as_the_language_writes_it(language: str, told: str) -> None:
    [dimension] = shipped("response-quality").dimensions
    with translation.override(language):
        [first, *_others] = shares(Counter({1: 1, 7: 3}), dimension).split(", ")
        assert f"{coefficient(-0.706)}, {percent(0.004)}, {first}" == told


def test_the_program_writes_no_form_of_a_date_itself() -> None:
    """It names one, or takes it from the catalogue. So do the templates: test_dates.py."""
    written: list[str] = []
    for folder in ("annotators", "config", "rubrics", "tasks"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Name("date_format"), args=[_, ast.Constant(value=str(form))]
                    ):
                        written.append(form)
    assert len(written) > 3
    assert not [form for form in written if not form.endswith("_FORMAT")]


# --- the choice ---


@pytest.fixture
def project(ada: User) -> Project:
    """With a title in German, an item, and one who rates and leads."""
    project = make_project(slug="eggs", title="Eier", annotators=[ada], leads=[ada])
    make_item(project=project)
    return project


def said(language: str, message: str) -> str:
    found = messages(language).find(message)
    assert found is not None
    return str(found.msgstr)


def test_the_pages_speak_as_the_browser_asks_and_else_as_one_chose(
    client: Client, ada: User, project: Project
) -> None:
    german = {"Accept-Language": "de"}
    page = client.get("/accounts/login/", headers=german).content.decode()
    assert '<html lang="de"' in page
    assert html.escape(said("de", "Name or e-mail")) in page
    client.force_login(ada)
    assert said("de", "Sign out") in client.get("/", headers=german).content.decode()
    User.objects.filter(pk=ada.pk).update(language="fr")
    page = client.get("/", headers=german).content.decode()
    assert '<html lang="fr"' in page
    assert said("fr", "Sign out") in page
    # And the one after is not served in the language of the one before.
    client.logout()
    assert '<html lang="en"' in client.get("/accounts/login/").content.decode()


def test_a_part_of_the_desk_speaks_it_too(client: Client, ada: User, project: Project) -> None:
    client.force_login(ada)
    for language in (*LANGUAGES, ""):  # parts that are remembered are remembered by language
        User.objects.filter(pk=ada.pk).update(language=language)
        page = client.post(
            "/projects/eggs/desk/start/", headers={"HX-Request": "true"}
        ).content.decode()
        assert (said(language, "Submit") if language else "Submit") in page


def test_the_profile_stores_the_choice_and_answers_in_it(client: Client, ada: User) -> None:
    client.force_login(ada)
    page = client.get("/profile/").content.decode()
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"[^>]*checked', page))
    keys = dict(re.findall(r'name="(key_\w+)" value="([^"]*)"', page))
    answer = client.post(
        "/profile/", form | keys | {"language": "de"}, follow=True
    ).content.decode()
    ada.refresh_from_db()
    assert ada.language == "de"
    assert html.escape(said("de", "Saved. If you are rating in another tab, reload it.")) in answer
    refused = client.post("/profile/", form | keys | {"language": "tlh"}).content.decode()
    assert 'aria-invalid="true"' in refused
    ada.refresh_from_db()
    assert ada.language == "de"


# --- nothing forgotten, and room: every message with accents, and longer by 40 % ---

PAGES = [
    "/",
    "/profile/",
    "/projects/eggs/",
    "/projects/eggs/items/",
    "/projects/eggs/upload/",
    "/projects/eggs/people/",
    "/projects/eggs/export/",
    "/projects/eggs/settings/",
]
DATA = {"eggs", "Eier", "ada", "ad"}  # and her initials
FAULTY = sorted((ROOT / "fixtures" / "import").glob("bad-*"))
FAULTY.remove(ROOT / "fixtures" / "import" / "bad-no-id-column.csv")  # on its page an id is made


@pytest.mark.usefixtures("strange_language")
@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_no_page_says_anything_that_is_not_translated(client: Client, db: None, slug: str) -> None:
    ada = make_user(name="ada")
    rubric = make_rubric(slug=slug)
    project = make_project(slug="eggs", title="Eier", rubric=rubric, annotators=[ada], leads=[ada])
    batch = make_batch(project=project, name="Eier")
    item = make_item(batch=batch, persona=["I keep bees."] if slug == "dialogue" else [])
    # A rubric speaks the language that it is written in; so do the items.
    words = {text for text in written_in(rubric.schema) if len(text) > 1}
    link, over = make_link(project), make_email(project)
    over.withdraw(now=timezone.now())
    known = known_words({*DATA, item.external_id, over.email, slug, *words})
    pages = ["/accounts/login/", "/accounts/password/reset/", path_of(link), path_of(over)]
    seen = {address: client.get(address).content.decode() for address in pages}
    client.force_login(ada)
    seen |= {
        address: client.get(address).content.decode()
        for address in [*PAGES, f"/projects/eggs/batches/{batch.pk}/"]
    }
    seen["idle"] = client.get("/projects/eggs/desk/").content.decode()
    client.post("/projects/eggs/desk/start/")
    seen["desk"] = client.get("/projects/eggs/desk/").content.decode()
    lease = item.leases.get()
    seen["refused"] = client.post(
        f"/projects/eggs/desk/{lease.pk}/submit/", {"r1.quality": "4"}
    ).content.decode()
    left = {
        f"{name}: {said} in {text!r}"
        for name, page in seen.items()
        for text in Texts(page).found
        if (said := forgotten(text, known))
    }
    assert not left, "\n".join(sorted(left))


@pytest.mark.usefixtures("strange_language")
@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_a_rubrics_words_are_marked_as_of_its_language_and_nothing_else_is(
    client: Client, db: None, slug: str
) -> None:
    ada = make_user(name="ada")
    rubric = make_rubric(slug=slug)
    project = make_project(slug="eggs", rubric=rubric, annotators=[ada])
    make_item(project=project, responses=["One.", "Two."])
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    codes = re.compile(r"[A-Z]+-\d+|[a-z_]+|.{0,2}")  # they are of no language
    its_own = {text for text in written_in(rubric.schema) if not codes.fullmatch(text)}
    for address in ("/projects/eggs/desk/", f"/rubrics/{slug}/1/"):
        texts = Texts(client.get(address).content.decode())
        assert its_own.intersection(texts.apart)
        assert not its_own.intersection(texts.found)
        assert not [text for text in texts.apart if "éé" in text]


@pytest.mark.usefixtures("strange_language")
@pytest.mark.parametrize("file", FAULTY, ids=lambda file: file.name)
def test_every_fault_of_a_file_is_translated(
    client: Client, project: Project, ada: User, file: Path
) -> None:
    client.force_login(ada)
    content = SimpleUploadedFile(file.name, file.read_bytes())
    client.post("/projects/eggs/upload/", {"file": content})
    load_uploads()
    report = Upload.objects.get().report
    samples = [sample for kind in report.get("faults", ()) for sample in kind.get("samples", [])]
    told = [sample[part] for sample in samples for part in ("reason", "advice")]
    told += [*filter(None, [report.get("refused")]), *report.get("missing", ())]
    columns = [column["path"] for column in report.get("columns", [])]
    known = re.compile("|".join(map(re.escape, [file.name, *columns])))
    assert told
    for text in told:
        plain = re.sub(
            r"&quot;.*?&quot;|\".*?\"|\([^)]*\)|\{[^}]*\}|<[^>]+>", " ", html.unescape(text)
        )
        assert not forgotten(plain, known), text


@pytest.mark.usefixtures("strange_language")
def test_pages_hold_when_every_message_is_longer(
    new_context: Callable[..., BrowserContext], base_url: str
) -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada], leads=[ada])
    make_item(project=project)
    page = new_context().new_page()
    client = Client()
    client.force_login(ada)  # the log-in's labels are strange too
    page.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": base_url}]
    )
    laptop = ViewportSize(width=1366, height=650)
    windows = (laptop, ViewportSize(width=390, height=780))
    for address in [*PAGES, "/projects/eggs/desk/"]:
        page.goto(address)
        for window in windows:
            resize(page, window)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.locator("main form button").first.click()
    expect(page.locator("#rating")).to_be_visible()
    for window in windows:
        page.set_viewport_size(window)
        page.reload()
        expect(page.locator("#submit")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for level in page.locator("[data-row].current .level").all() if window == laptop else []:
            expect(level).to_be_in_viewport(ratio=1)
