"""The former names of `manage.py rubric check`, `load` and `judge`, until version 0.2."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command, load_command_class

from rubrics.documents.shipped import path_of
from rubrics.management.commands.rubric import Command

FILE = str(path_of("dialogue"))
QUALITY = str(path_of("response-quality"))


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("former", "verb", "arguments"),
    [
        ("check_rubric", "check", [FILE]),
        ("load_rubric", "load", [FILE]),
        ("judge", "judge", [QUALITY, "quality", "harmful", "--answered", "helpful"]),
    ],
)
def test_a_former_command_prints_what_its_verb_prints_and_names_it(
    former: str, verb: str, arguments: list[str]
) -> None:
    if verb == "load":  # a second time it says that nothing changed
        call_command("rubric", "load", FILE, stdout=StringIO())
    assert printed(former, *arguments) == printed("rubric", verb, *arguments)
    help_text = load_command_class("rubrics", former).help
    assert f"`manage.py rubric {verb}`" in help_text
    assert "0.2" in help_text


def test_a_rubric_command_lists_its_verbs() -> None:
    help_text = Command().create_parser("manage.py", "rubric").format_help()
    assert "{check,load,judge}" in help_text
