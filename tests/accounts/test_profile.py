"""What people choose for themselves: what may be chosen, what is refused and how, what is
stored."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from playwright.sync_api import FloatRect, Page, expect

from annotators.keyboard import COMMANDS, Keys, is_key, key_label
from annotators.models import User, zones
from tests.cases import cases
from tests.choices import CHOICES
from tests.desk_keys import log_in
from tests.factories import make_project, make_rubric, make_user

# --- keys ---


@cases("key", ["s", "S", "?", ",", "ß", "é", "Ж", ";", "<", "ع"])
def test_a_sign_of_a_single_key_can_be_chosen_as_a_key(key: str) -> None:
    assert is_key(key_label(key))


@cases("key", ["", "sk", "1", "٣", "²", " ", "\t", "\u200b", "\u0301", "+", "-", "İ", "\0"])
def test_a_sign_without_a_key_of_its_own_cannot_be_chosen(key: str) -> None:
    assert not is_key(key_label(key))


def test_a_key_is_written_as_it_stands_on_the_keyboard() -> None:
    assert [key_label(key) for key in ("s", " é ", "e\u0301", "ß", "?")] == [
        "S",
        "É",
        "É",
        "ß",
        "?",
    ]


def test_a_usual_key_given_away_calls_one_command_only() -> None:
    keys = Keys.of_person(True, {"skip": "F"})
    assert (keys.skip, keys.flag) == ("F", "")


# --- the page ---


@pytest.fixture
def ada(client: Client, db: None) -> User:
    """She rates by the rubric of response quality, and is logged in."""
    ada = make_user(name="ada")
    make_project(annotators=[ada])
    client.force_login(ada)
    return ada


def choose(client: Client, **changed: str | None) -> Any:
    """Send the form with some fields changed, or left out (None)."""
    chosen = {name: value for name, value in (CHOICES | changed).items() if value is not None}
    return client.post("/profile/", chosen, follow=True)


def faults(response: Any) -> list[str]:
    return [fault for faults in response.context["form"].errors.values() for fault in faults]


def test_a_profile_without_choices_has_the_defaults(ada: User) -> None:
    chosen = (ada.theme, ada.text_size, ada.reading_width, ada.single_keys, ada.own_keys)
    assert chosen == ("system", "normal", "normal", True, {})
    assert ada.keys == Keys()


def test_choices_of_a_profile_are_stored_and_every_page_carries_them(
    client: Client, ada: User
) -> None:
    answer = choose(client, key_skip="p", key_help="é")
    assert answer.redirect_chain == [("/profile/", 302)]
    ada.refresh_from_db()
    assert (ada.theme, ada.text_size, ada.reading_width, ada.single_keys) == (
        "dark",
        "larger",
        "wide",
        True,
    )
    assert ada.own_keys == {"skip": "P", "help": "É"}
    for address in ("/", "/profile/", "/no/such/page/"):
        page = client.get(address).content.decode()
        [opening] = re.findall(r"<html[^>]*>", page)
        told = '<html lang="en" data-theme="dark" data-text="larger" data-width="wide">'
        assert " ".join(opening.split()) == told
        assert '<meta name="color-scheme" content="dark">' in page


def test_pages_for_signed_out_people_carry_no_choices(client: Client, ada: User) -> None:
    choose(client)
    client.logout()
    page = client.get("/accounts/login/").content.decode()
    assert '<html lang="en">' in page
    assert '<meta name="color-scheme" content="light dark">' in page


def test_single_keys_can_be_switched_off_and_on(client: Client, ada: User) -> None:
    choose(client, single_keys=None)
    ada.refresh_from_db()
    assert ada.keys.on is False
    choose(client)
    ada.refresh_from_db()
    assert ada.keys.on is True


def test_the_usual_key_chosen_again_is_not_stored(client: Client, ada: User) -> None:
    choose(client, key_skip="q")
    choose(client, key_skip="s")
    ada.refresh_from_db()
    assert ada.own_keys == {}


def test_two_commands_may_change_places(client: Client, ada: User) -> None:
    choose(client, key_skip="f", key_flag="s")
    ada.refresh_from_db()
    assert (ada.keys.skip, ada.keys.flag) == ("F", "S")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"key_skip": "f"}, ["F is used twice. Each command needs its own key."] * 2),
        (
            {"key_skip": "7"},
            [
                (
                    "“7” can’t be used. Enter one letter or sign. Digits are for scores, and + "
                    "and - are not possible."
                )
            ],
        ),
        (
            {"key_skip": "ok"},
            [
                (
                    "“ok” can’t be used. Enter one letter or sign. Digits are for scores, and + "
                    "and - are not possible."
                )
            ],
        ),
        ({"key_skip": ""}, ["Enter a key. The default is S."]),
        (
            {"key_skip": "c"},
            ["C is the key for “Comprehensive” in Response quality. Choose another."],
        ),
        (
            {"time_zone": "Berlin"},
            [
                (
                    "“Berlin” is not in the list. Type a large city near you and choose its zone, "
                    "for example Europe/Berlin."
                )
            ],
        ),
        (
            {"theme": "pink"},
            ["Select a valid choice. pink is not one of the available choices."],
        ),
    ],
    ids=str,
)
def test_an_impossible_choice_is_refused_in_words_and_nothing_is_stored(
    client: Client, ada: User, changed: dict[str, str], said: list[str]
) -> None:
    answer = choose(client, **changed)
    assert answer.status_code == 200
    assert faults(answer) == said
    assert 'data-theme="system"' in answer.content.decode()
    ada.refresh_from_db()
    assert (ada.theme, ada.own_keys) == ("system", {})


def test_a_letter_of_a_rubric_that_one_does_not_rate_by_is_free(client: Client, ada: User) -> None:
    make_project(
        rubric=make_rubric(slug="dialogue"), annotators=[make_user()]
    )  # has P; ada's has not
    choose(client, key_skip="p")
    ada.refresh_from_db()
    assert ada.keys.skip == "P"


def test_a_profile_keeps_what_others_changed_of_the_person_meanwhile(
    client: Client, ada: User
) -> None:
    choose(client)
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    choose(client, theme="light")
    ada.refresh_from_db()
    assert (ada.theme, ada.email) == ("light", "ada@example.org")


@pytest.mark.parametrize("field", ["theme", "text_size", "reading_width"])
def test_the_database_takes_no_other_choice(ada: User, field: str) -> None:
    with pytest.raises(IntegrityError, match="is_one_that_there_is"), transaction.atomic():
        User.objects.filter(pk=ada.pk).update(**{field: "pink"})


def test_every_command_has_a_field_with_a_label(client: Client, ada: User) -> None:
    page = client.get("/profile/").content.decode()
    for command in COMMANDS:
        assert re.search(rf'<label for="id_key_{command}">[^<]{{8,}}</label>', page)


def test_the_initials_in_the_bar_open_the_menu_of_the_account(page: Page, ada: User) -> None:
    log_in(page, "ada")
    page.goto("/")
    menu = page.locator("#account")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Your account: ada").press("Enter")
    expect(menu.get_by_text("ada")).to_be_visible()
    expect(menu.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Your account: ada").click()
    menu.get_by_role("link", name="Your profile").click()
    expect(page.locator("h1")).to_have_text("Profile of ada")


def test_the_words_say_what_is_chosen(client: Client, ada: User) -> None:
    page = client.get("/profile/").content.decode()
    for words in (
        "Same as the browser",
        "same as the system",
        "After a click on a score, go to the next row",
    ):
        assert words in page
    assert "as the browser says" not in page


def test_a_time_zone_is_found_by_typing_a_city(client: Client, ada: User) -> None:
    page = client.get("/profile/").content.decode()
    assert re.search(r'<input [^>]*name="time_zone"[^>]*list="zones"', page)
    [shown] = re.findall(r'<datalist id="zones">(.*?)</datalist>', page, re.DOTALL)
    assert '<option value="Europe/Berlin">' in shown
    assert '<option value="America/New_York" label="America/New York">' in shown
    assert re.findall(r'value="([^"]+)"', shown) == list(zones())
    choose(client, time_zone="America/New_York")
    ada.refresh_from_db()
    assert ada.time_zone == "America/New_York"
    choose(client, time_zone="")
    ada.refresh_from_db()
    assert ada.time_zone == ""


GROUPS = ("Language and time", "How pages look", "Keys for rating")


def boxes(page: Page) -> list[FloatRect]:
    """Where the groups are: the settings of each, under its heading."""
    groups = [page.locator(".fields").filter(has_text=name) for name in GROUPS]
    return [box for group in groups if (box := group.bounding_box())]


@pytest.fixture
def own(page: Page, db: None) -> Page:
    make_user(name="ada")
    log_in(page, "ada")
    page.goto("/profile/")
    return page


def test_the_groups_are_side_by_side_and_on_a_phone_below_each_other(own: Page) -> None:
    own.set_viewport_size({"width": 1440, "height": 900})
    assert len({round(box["y"]) for box in boxes(own)}) == 1
    assert len({round(box["x"]) for box in boxes(own)}) == 3
    own.set_viewport_size({"width": 390, "height": 844})
    assert len({round(box["x"]) for box in boxes(own)}) == 1
    ends = [(box["y"], box["y"] + box["height"]) for box in boxes(own)]
    assert all(end <= begin for (_, end), (begin, _) in pairwise(ends))
    assert own.evaluate("document.documentElement.scrollWidth") == 390


@cases(("width", "height"), [(1440, 900), (1280, 580), (390, 844)])
def test_save_is_in_sight_wherever_one_is_in_the_form(own: Page, width: int, height: int) -> None:
    own.set_viewport_size({"width": width, "height": height})
    save = own.get_by_role("button", name="Save", exact=True)
    for label in ("Time zone", "wide", "Skip the item", "List of keys"):
        own.get_by_label(label, exact=True).focus()
        expect(save).to_be_in_viewport(ratio=1)
        focused, foot = own.locator(":focus").bounding_box(), save.bounding_box()
        assert focused
        assert foot
        assert focused["y"] + focused["height"] <= foot["y"], label


def test_a_refused_time_zone_has_the_focus_and_says_why(own: Page) -> None:
    zone = own.get_by_label("Time zone", exact=True)
    zone.fill("Berlin")
    own.get_by_role("button", name="Save", exact=True).click()
    expect(zone).to_be_focused()
    expect(zone).to_have_accessible_description(re.compile("“Berlin” is not in the list.*Europe"))
