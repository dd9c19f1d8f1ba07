"""House rules: what keeps the building simple, held by tests because nobody remembers all of it."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from html.parser import HTMLParser
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path

import config.urls
from annotators.keyboard import Keys
from annotators.models import User
from config.headers import CONTENT_SECURITY_POLICY
from rubrics.judging.parts import RESERVED_KEYS
from tasks.models.roles import Role
from tests.addresses import API, addresses
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[2]
APPS = ("annotators", "tasks", "rubrics")
# Left may import right, never back. Every app may import config.web, and commands the rest of
# config.
ROOMS = ("config.urls", *APPS)
# The packages that decide, and their modules that know Django. All others are pure: values in,
# values out, and of Django nothing but its translations.
WITH_DJANGO = {
    "rubrics.judging": set(),
    "rubrics.documents": set(),
    "rubrics.editor": set(),
    "rubrics.pages": {
        *("by_clause", "fact_effects", "language_marks", "readable_document"),
        *("rubric_page", "rule_groups", "rule_sentences", "score_tables", "word_lists"),
    },
    "tasks.agreement": {
        *("drawing", "forms", "making", "own", "page_result", "results", "study", "tables"),
        *("urls", "views"),
    },
    "tasks.answers": set(),
    "tasks.importing": {
        *("after_import", "column_fields", "examination", "first_look", "forms", "items_report"),
        *("new_uploads", "scoring_fields", "upload_choices", "upload_worker", "uploading", "urls"),
        "views",
    },
    "tasks.importing.batches": {
        *("loading", "row_faults", "row_places", "sent_items", "staging", "tables"),
    },
    "tasks.importing.columns": set(),
    "tasks.importing.files": set(),
    "tasks.importing.ratings": {
        *("made_rubric", "own_cells", "raters", "rating_loading", "rating_rows"),
        "rating_writer",
    },
}
# The pure ones among the modules of a package that knows Django.
PURE_APART = (
    *("tasks.api_pages.client", "tasks.exporting.options", "tasks.overview.speed"),
    *("tasks.text.diff", "tasks.text.excerpt", "tasks.text.formulas", "tasks.text.highlighting"),
    *("tasks.text.markdown", "tasks.text.render"),
)
PURE = sorted(
    [
        *PURE_APART,
        *(
            f"{package}.{file.stem}"
            for package, rest in WITH_DJANGO.items()
            for file in (ROOT / package.replace(".", "/")).glob("*.py")
            if file.stem not in rest and file.stem != "__init__"
        ),
    ]
)
TRANSLATIONS = ("django.utils.formats", "django.utils.translation")
# Django's own template for a field does the same: help texts are the program's, never a user's.
MARKED_SAFE = {"templates/django/forms/field.html": "field.help_text|safe"}
PRONOUNS = {
    *("it", "its", "one", "our", "she", "so", "that", "their", "these", "they", "this", "those"),
    *("what", "whatever", "which", "whichever", "who", "whoever", "whom", "whose", "however"),
}
# Addresses that answer without a log-in, each with its reason.
PUBLIC = {
    "accounts/login/": "where one logs in",
    "accounts/logout/": "logs out whoever is in; allauth sends all others to the log-in",
    "accounts/inactive/": "tells someone whose account was closed",
    "accounts/lab/": "leads to the provider where one logs in",
    "accounts/lab/callback/": "the provider leads back to it, and one is in",
    "accounts/password/reset/": "one who forgot it can't log in",
    "accounts/password/reset/done/": "the same",
    "accounts/password/reset/key/<base36:uidb36>-<key>/": "the link of the e-mail",
    "accounts/password/reset/key/done/": "the same",
    "join/<str:token>/": "one who is invited may have no account yet",
    f"{API}openapi.json": "says what the API is, and nothing of what is in it",
}


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def imports(file: Path) -> set[str]:
    """Every module that a file imports when it runs; what only the type checker sees doesn't
    count."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    unseen = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    found = set()
    package = file.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree):
        if node in unseen:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, (base, node.module)))
            found |= {name, *(f"{name}.{alias.name}" for alias in node.names)}
    return found


def room(module: str) -> str | None:
    """Which of the rooms a module is in."""
    return next((each for each in ROOMS if module == each or module.startswith(f"{each}.")), None)


# --- which way imports go ---


@cases("app", APPS)
def test_an_app_imports_only_what_lies_to_its_right(app: str) -> None:
    left = ROOMS[: ROOMS.index(app)]
    wrong = [
        f"{file.relative_to(ROOT)} imports {module}"
        for file in modules(app)
        for module in sorted(imports(file))
        if room(module) in left
    ]
    assert wrong == []


def test_the_packages_import_one_another_in_no_circle() -> None:
    """A package is a folder of an app, or a module that lies in the app itself. Imports inside
    functions count."""
    files = {
        file.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): file
        for file in modules(*APPS, "config")
        if "migrations" not in file.parts
    }
    files = {name.removesuffix(".__init__"): file for name, file in files.items()}

    def package(name: str) -> str:
        folder = name if files[name].name == "__init__.py" else name.rpartition(".")[0]
        return folder if "." in folder else name

    above: dict[str, set[str]] = {}
    for name, file in files.items():
        found = {package(each) for each in imports(file) if each in files and "." in each}
        above.setdefault(package(name), set()).update(found - {package(name)})
    TopologicalSorter(above).prepare()  # raises a CycleError that names the circle


def test_the_type_of_a_person_alone_is_imported_for_the_type_checker() -> None:
    """Django finds the model of people when it runs: `tasks` and `rubrics` name it by a setting."""
    hidden = [
        (file.relative_to(ROOT).as_posix(), ast.unparse(line))
        for file in modules(*APPS, "config")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for line in node.body
        if isinstance(line, ast.ImportFrom) and (line.level or room(line.module or ""))
    ]
    assert hidden == [("config/web/people.py", "from annotators.models import User")]


def test_config_is_below_the_apps_but_for_its_urls() -> None:
    files = [file for file in modules("config") if file.name != "urls.py"]
    wrong = [
        f"{file.name} imports {module}"
        for file in files
        for module in imports(file)
        if room(module)
    ]
    assert wrong == []


@cases("name", PURE)
def test_a_pure_module_knows_no_django_but_its_translations(name: str) -> None:
    wrong = [
        module
        for module in imports(ROOT / f"{name.replace('.', '/')}.py")
        if module.partition(".")[0] in ("django", "config", *APPS)
        and not any(
            module == each or module.startswith(f"{each}.") for each in (*PURE, *TRANSLATIONS)
        )
        and module not in WITH_DJANGO
    ]
    assert wrong == []


def test_the_modules_that_decide_are_among_the_pure_ones() -> None:
    deciding = {
        "rubrics.judging.parts",
        "rubrics.judging.dimension",
        "rubrics.judging.schema",
        "rubrics.judging.rules",
    }
    deciding |= {"rubrics.judging.detectors", "rubrics.documents.document"}
    assert deciding | {"tasks.importing.columns.items"} <= set(PURE)


def test_every_pure_module_is_type_checked_strictly() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"][
        "overrides"
    ]
    [strict] = [each["module"] for each in told if each.get("disallow_untyped_defs")]
    assert strict == PURE


def test_each_folder_of_tests_is_a_package_and_none_hides_an_app() -> None:
    """A folder without `__init__.py` would be searched for modules before the apps are."""
    tests = ROOT / "tests"
    folders = {file.parent for file in tests.rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []
    assert (tests / "__init__.py").exists()  # else pytest would put `tests` before the apps
    found = {name: PathFinder.find_spec(name, sys.path) for name in (*APPS, "config")}
    assert {name: spec and spec.origin for name, spec in found.items()} == {
        name: str(ROOT / name / "__init__.py") for name in found
    }


def test_no_module_imports_tests() -> None:
    """What tests share is in modules of its own, so that a test can be moved or renamed."""
    files = set(modules("tests"))
    tests = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in files
        if file.name.startswith("test_")
    }
    assert "tests.house.test_house" in tests
    wrong = [
        f"{file.name} imports {module}"
        for file in sorted(files)
        for module in imports(file) & tests
    ]
    assert wrong == []


# --- headers ---


def works(request: HttpRequest) -> HttpResponse:
    return HttpResponse("fine")


def fails(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("on purpose")


class Broken:
    """A URLconf with one address that fails."""

    urlpatterns = [path("fails/", fails), path("", include(config.urls))]


HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@cases(
    ("address", "status"),
    [
        ("/accounts/login/", 200),
        ("/", 302),
        ("/no/such/page/", 404),
        ("/static/css/site.css", 200),
        ("/static/no/such.css", 404),
        ("/admin/login/", 302),
        ("/accounts/login", 301),
        ("/accounts/login/?next=%00", 400),
        ("/healthz", 200),
    ],
)
@pytest.mark.django_db
def test_every_kind_of_response_carries_the_headers(
    client: Client, address: str, status: int
) -> None:
    response = client.get(address)
    response.close()
    assert response.status_code == status
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS
    assert "Access-Control-Allow-Origin" not in response.headers
    # A page is one person's, at one time; a file is everybody's.
    is_file = address.startswith("/static/") and status == 200
    assert ("no-store" in response.headers["Cache-Control"]) is not is_file


@pytest.mark.django_db
def test_an_error_carries_the_headers_too() -> None:
    user = User.objects.create_user("ada")
    client = Client(raise_request_exception=False)
    client.force_login(user)
    with override_settings(ROOT_URLCONF=Broken):
        response = client.get("/fails/")
    assert response.status_code == 500
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


@pytest.mark.django_db
def test_a_refused_form_carries_the_headers_too() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/")
    assert response.status_code == 403
    assert {name: response.headers.get(name) for name in HEADERS} == HEADERS


def test_the_policy_is_the_strict_one() -> None:
    assert CONTENT_SECURITY_POLICY.split("; ") == [
        "default-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
    ]


# --- templates ---


class Inline(HTMLParser):
    """Finds what the policy would block, and htmx attributes that aren't valid HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _value in attrs}
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(f"<{tag}> without a file of its own")
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.found.append(f"{name}= on <{tag}>")
            if name.startswith("hx-"):
                self.found.append(f"{name}= on <{tag}>; write data-{name}")
            if name.startswith("data-hx-on") or (
                name.startswith("data-hx-") and "js:" in (value or "")
            ):
                self.found.append(f"{name}= on <{tag}> is code")
            if name == "data-hx-trigger" and "[" in (value or ""):
                self.found.append(f"a trigger filter on <{tag}> is code")
            if (value or "").strip().lower().startswith("javascript:"):
                self.found.append(f"{name}= on <{tag}> is code")


def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


@cases("file", templates())
def test_a_template_has_nothing_inline(file: Path) -> None:
    parser = Inline()
    # Template tags may stand inside HTML tags, with quotes of their own.
    parser.feed(
        re.sub(
            r"\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}", " ", file.read_text(encoding="utf-8"), flags=re.S
        )
    )
    assert parser.found == []


def test_no_change_in_the_form_has_all_of_the_page_styled_anew() -> None:
    """By `:has()` the form, and what is around it, style themselves alone, and ask from child to
    child: every change in the form is one in them, and what they style by it is styled anew before
    that is painted."""
    rules = re.sub(r"/\*.*?\*/", "", (ROOT / "static/css/desk.css").read_text(), flags=re.DOTALL)
    rules = re.sub(r"\s+", " ", rules).replace("( ", "(").replace(" )", ")")
    selectors = re.findall(
        r"(?:^|[{};])\s*((?::root|body[^ ]*|\.at-desk|\.desk|\.rating|\.rubric-side)"
        r":has\([^{]*?)\s*{",
        rules,
    )
    assert selectors
    assert [each for each in selectors if ":has(> " not in each or not each.endswith(")")] == []


def test_all_layers_are_declared_in_one_place() -> None:
    """A layer that is not declared there gets its strength from the order of loading."""
    declared: list[str] = []
    used: set[str] = set()
    for file in (ROOT / "static" / "css").glob("*.css"):
        text = file.read_text(encoding="utf-8")
        declared += re.findall(r"@layer ([^{;]+);", text)
        used |= set(re.findall(r"@layer ([\w-]+) {", text))
    [names] = declared
    assert used == set(names.split(", "))


def test_a_text_of_a_user_is_never_marked_safe() -> None:
    marks = r"[\w.]+\s*\|\s*safe\b|\{%\s*autoescape\s+off"
    found = {
        str(file.relative_to(ROOT)): mark
        for file in templates()
        for mark in re.findall(marks, file.read_text(encoding="utf-8"))
    }
    assert found == MARKED_SAFE


# --- addresses ---


@pytest.mark.django_db
@cases("method", ["get", "post"])
@cases(("written", "example"), list(addresses()))
def test_an_address_is_public_by_name_or_behind_the_log_in(
    db: None, written: str, example: str, method: str
) -> None:
    response = getattr(Client(), method)(f"/{example}")
    if written.startswith(API) and written not in PUBLIC:
        assert response.status_code in (401, 405), f"/{written} answers without a token"
        return
    sent_to_log_in = response.status_code == 302 and "/login/" in response.headers["Location"]
    if written in PUBLIC:
        assert not sent_to_log_in or written == "accounts/logout/"
    else:
        assert sent_to_log_in, f"/{written} answers {response.status_code} without a log-in"


@pytest.mark.django_db
@cases(
    ("written", "example"),
    [each for each in addresses() if each[0].startswith(API) and each[0] not in PUBLIC],
)
def test_an_operation_of_the_api_knows_no_session(
    client: Client, ada: User, written: str, example: str
) -> None:
    """Not even an admin's."""
    User.objects.filter(pk=ada.pk).update(is_superuser=True)
    client.force_login(ada)
    statuses = {client.get(f"/{example}").status_code, client.post(f"/{example}").status_code}
    assert 401 in statuses
    assert statuses <= {401, 405}


def test_no_public_address_is_listed_that_is_gone() -> None:
    assert set(PUBLIC) <= {written for written, _example in addresses()}


def test_a_role_is_a_parameter_of_every_statement() -> None:
    """But where a trigger is made, which gives its function the role."""
    quoted = re.compile("|".join(rf"'{role}'" for role in Role.values))
    texts = [
        (file.name, node.value)
        for app in APPS
        for file in modules(app)
        if "migrations" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    statements = [
        (file.name, line)
        for file in (ROOT / "tasks").rglob("*.sql")
        for line in file.read_text(encoding="utf-8").splitlines()
        if "EXECUTE FUNCTION" not in line
    ]
    assert len(texts) > 1000
    assert len(statements) > 100
    assert [(name, text) for name, text in texts + statements if quoted.search(text)] == []


def test_the_name_of_a_test_begins_with_its_subject() -> None:
    """A list of failures is read without the files."""
    names: list[str] = []
    for file in (ROOT / "tests").rglob("test_*.py"):
        names += re.findall(r"^def test_(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) > 3000
    assert [name for name in names if name.partition("_")[0] in PRONOUNS] == []


# --- migrations and files ---


def test_migrations_are_named_by_hand() -> None:
    files = [file for app in APPS for file in (ROOT / app / "migrations").glob("[0-9]*.py")]
    assert files
    for file in files:
        assert re.fullmatch(r"\d{4}_[a-z][a-z0-9_]*", file.stem)
        assert "_auto_" not in file.stem


def test_no_file_pins_a_python_that_a_machine_may_not_have() -> None:
    assert not (ROOT / ".python-version").exists()


def test_every_dependency_says_what_it_is_for() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    asked = [line for line in lines if re.match(r'\s+"[a-z][a-z0-9-]+(\[[a-z0-9,]+\])?>=', line)]
    assert len(asked) > 10
    assert [line for line in asked if not re.search(r"#\s\w.{10}", line)] == []


def test_settings_put_the_headers_first_and_ask_for_a_log_in() -> None:
    assert settings.MIDDLEWARE[0] == "config.middleware.SecurityHeaders"
    assert "config.middleware.LoginRequired" in settings.MIDDLEWARE


# --- names and prose ---

PRODUCT = ("config", *APPS)
# Django asks for the first two; the client of the API stands alone.
SHARED_NAMES = {"Command", "Migration"}
BAD_STARTS = re.compile(r"(Of|What|Whether|Where|Who|As)\b")
MOST_WORDS = 30


def product_modules() -> Iterator[Path]:
    return (file for file in modules(*PRODUCT) if "migrations" not in file.parts)


def test_a_public_name_stands_for_one_thing() -> None:
    """Rubrics are values and tables: schema and models share names. Views are named after pages."""
    found: dict[str, list[str]] = {}
    for file in product_modules():
        if file.name in ("views.py", "urls.py", "order_views.py", "document_views.py"):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    twice = {name: files for name, files in found.items() if len(files) > 1}
    parts_of_a_rubric = ["rubrics/judging/schema.py", "rubrics/models/published_rubrics.py"]
    wrong = {
        name: files
        for name, files in twice.items()
        if name not in SHARED_NAMES and files != parts_of_a_rubric
    }
    assert wrong == {}


def test_a_sentence_of_a_docstring_is_short_and_begins_with_its_subject_or_verb() -> None:
    wrong = []
    for file in product_modules():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                for sentence in re.split(r"(?<=[.;:])\s+", " ".join(paragraph.split())):
                    if BAD_STARTS.match(sentence) or len(sentence.split()) > MOST_WORDS:
                        wrong.append(f"{file.relative_to(ROOT)}: {sentence[:80]}")
    assert wrong == []


@cases("file", sorted((ROOT / "static").rglob("*.[cj]s*")))
def test_a_line_of_a_script_or_style_sheet_fits_120_characters(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120] == []


def test_all_scripts_come_to_at_most_1300_lines_without_comments() -> None:
    lines = 0
    for file in (ROOT / "static" / "js").rglob("*.js"):
        code = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        lines += sum(1 for line in code.splitlines() if line.strip())
    assert lines <= 1_300


def test_a_line_of_a_template_fits_120_characters() -> None:
    long = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []


def test_no_check_of_a_rubric_takes_a_key_of_the_desk() -> None:
    usual = {each.default for each in fields(Keys) if isinstance(each.default, str)}
    assert frozenset("-0123456789") | usual == RESERVED_KEYS
