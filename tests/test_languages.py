"""The pages in other languages: every message translated, none forgotten, and room for longer
ones."""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, ViewportSize, expect

from annotators.models import User
from tasks.models import Project, Upload
from tests.catalogues import catalogues, compiled, extract
from tests.desk_keys import resize
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user
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
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    path = catalogues(ROOT)[language]
    assert path.with_suffix(".mo").read_bytes() == compiled(path)


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
DATA = {"eggs", "Eier", "ada"}
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
    report = Upload.objects.get().report
    samples = [sample for kind in report["faults"] for sample in kind.get("samples", [])]
    told = [sample[part] for sample in samples for part in ("reason", "advice")]
    told += [*filter(None, [report.get("refused")]), *report["missing"]]
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
