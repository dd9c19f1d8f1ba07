"""What is said of a rubric's document, in the language of who reads it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotators.models import User
from rubrics.documents.document import read
from rubrics.documents.document_report import examine
from rubrics.documents.yaml_lines import MOST_BYTES, DocumentError, in_yaml
from rubrics.models import RubricDraft
from tests.cases import cases
from tests.factories import NOW
from tests.made_rubrics import HIGH, LOW, document as made, tick
from tests.rubric_editor.editor_forms import fields_of
from tests.strange import Texts

SPEAKING = (
    *("document", "nodes", "wellformed", "misfits", "check_misfits", "rule_misfits"),
    *("proof", "advice", "yaml_lines"),
)
MARKS = {"_", "gettext", "pgettext"}
# The path of a whole document, and what PyYAML says.
APART = {"the document", "while scanning", "mapping values", "key in text", "no value"}
CLOSED = made([tick("a"), tick("b")], [LOW, HIGH])  # a and b leave no score


def texts_without_a_mark(tree: ast.Module) -> Iterator[str]:
    """Every text of two words or more that is no docstring, no key of a table and not marked."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) or getattr(getattr(node, "func", None), "id", "") in MARKS:
            continue
        keys = node.keys if isinstance(node, ast.Dict) else []
        for child in ast.iter_child_nodes(node):
            text = str(child.value) if isinstance(child, ast.Constant) else ""
            if child not in keys and re.search(r"[a-z]\S* +\S*[a-z]", text):
                yield text


@cases("name", SPEAKING)
def test_every_sentence_about_a_rubric_document_can_be_translated(name: str) -> None:
    tree = ast.parse(Path(settings.BASE_DIR, "rubrics/documents", f"{name}.py").read_text("utf-8"))
    assert set(texts_without_a_mark(tree)) <= APART


@pytest.fixture
def draft(ada: User) -> RubricDraft:
    return RubricDraft.objects.start(CLOSED, by=ada, now=NOW)


def test_the_foot_speaks_the_language_of_its_reader_also_after_another_reader(
    client: Client, ada: User, draft: RubricDraft
) -> None:
    client.force_login(ada)
    address = reverse("tasks:draft_part", args=[draft.pk, "quality.rules"])
    english, german = "no score is left", "bleibt keine Punktzahl übrig"
    for language, said, other in (("", english, german), ("de", german, english)) * 2:
        User.objects.filter(pk=ada.pk).update(language=language)
        page = Texts(client.get(address).content.decode())
        assert sum(said in text for text in page.found) == 2  # above the rules, and in the foot
        assert not any(other in text for text in (*page.found, *page.apart))


def test_entries_that_cannot_be_read_are_told_so_in_that_language_too(
    client: Client, ada: User, draft: RubricDraft
) -> None:
    User.objects.filter(pk=ada.pk).update(language="de")
    client.force_login(ada)
    address = reverse("tasks:draft_part", args=[draft.pk, "about"])
    page = client.post(address, fields_of(client, address) | {"more": "- a"}).content.decode()
    assert 'Zeile 1: Einträge schreiben, etwa "clauses: [A-01]"' in Texts(page).found


def test_paths_stay_as_they_are_in_every_language() -> None:
    with override("de"):
        (closed,) = examine(CLOSED).faults
        (none,) = examine([]).faults
    assert closed.path == ("dimensions", "quality", "rules")
    assert none.text == "the document: erwartet wird eine Zuordnung, hier steht []"


@cases(
    ("text", "said"),
    [
        ("a: 1\nb: [", "Zeile 2: einer Liste in [ ] oder einer Zuordnung in { } fehlt ein Komma"),
        ("#" * (MOST_BYTES + 1), "das Dokument hat mehr als 1.000.000 Bytes; kürzen"),
        ("[" * 30 + "]" * 30, "Listen und Zuordnungen sind mehr als 20 tief verschachtelt"),
        ("slug: x", 'the document: "title" fehlt'),
    ],
)
def test_a_document_that_is_refused_is_refused_in_the_readers_language(
    text: str, said: str
) -> None:
    with override("de"), pytest.raises(DocumentError) as refused:
        read(text)
    assert any(said in fault for fault in refused.value.faults)


def test_a_name_that_is_not_known_comes_with_the_nearest_one_in_that_language() -> None:
    content = made([tick("rude")], [LOW | {"when": {"all_of": ["rud"]}}])
    with override("fr"):
        (fault,) = examine(content).faults
    assert fault.text.partition(": ")[2] == (
        '"rud" n’est pas un constat de quality, il s’agit peut-être de "rude"\u202f;'
        " ses constats\u202f: rude"
    )


# --- in the terminal ---


def test_commands_speak_english_whatever_language_is_active(tmp_path: Path, db: None) -> None:
    closed, idle = tmp_path / "closed.yaml", tmp_path / "idle.yaml"
    closed.write_text(in_yaml(CLOSED), encoding="utf-8")
    idle.write_text(in_yaml(made([tick("a"), tick("b")], [LOW])), encoding="utf-8")
    with override("de"):
        for verb in ("load", "check"):
            with pytest.raises(CommandError, match="no score is left"):
                call_command("rubric", verb, str(closed))
            call_command("rubric", verb, str(idle), stdout=(out := StringIO()))
            assert 'checks: no rule and no condition names "b"' in out.getvalue()
        with pytest.raises(SystemExit):
            call_command("rubric", "judge", str(closed), "quality", stdout=(out := StringIO()))
    assert "no score is left" in out.getvalue()
