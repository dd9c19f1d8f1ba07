"""How the containers are run: what is served, what is closed, and where the secrets are."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

from config import settings
from tests.cases import cases
from tests.slow_clients import snippet

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
# A version in all its numbers; behind it, perhaps, the kind of system and a digest.
PINNED = re.compile(r"[a-z]+:\d+\.\d+(\.\d+)?(-[a-z-]+)?(@sha256:[0-9a-f]{64})?")
# A version has three numbers; of PostgreSQL, two.
NUMBERS = {"caddy": 3, "postgres": 2, "python": 3}


def test_only_the_proxy_is_reached_from_outside_and_it_waits_for_a_program_that_answers() -> None:
    assert set(SERVICES) == {"proxy", "app", "worker", "database"}
    published = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert published == {"proxy": ["80:80", "443:443"], "app": [], "worker": [], "database": []}
    assert SERVICES["proxy"]["depends_on"] == {"app": {"condition": "service_healthy"}}
    assert SERVICES["app"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    worker = SERVICES["worker"]
    assert worker["command"] == ["python", "manage.py", "work"]
    assert worker["depends_on"] == {"app": {"condition": "service_healthy"}}  # it makes the tables
    assert worker["environment"] == SERVICES["app"]["environment"]
    assert "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro" in SERVICES["proxy"]["volumes"]
    assert SERVICES["proxy"]["environment"]["APP"] == "app:8000"
    app = SERVICES["app"]["environment"]
    assert (app["BEHIND_PROXY"], app["TRUSTED_PROXIES"]) == ("yes", "1")


def test_nothing_can_be_written_but_named_places_and_no_right_can_be_gained() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not service.get("privileged"), name
    writable = {
        name: {place.partition(":")[2] for place in service["volumes"] if place[0] != "."}
        | set(service["tmpfs"])
        for name, service in SERVICES.items()
    }
    assert writable == {
        "proxy": {"/data", "/config"},
        "app": {"/app/var/emails", "/tmp"},
        "worker": {"/app/var/emails", "/tmp"},
        "database": {"/var/lib/postgresql", "/tmp", "/var/run/postgresql"},
    }
    added = {name: service.get("cap_add", []) for name, service in SERVICES.items()}
    assert added == {"proxy": ["NET_BIND_SERVICE"], "app": [], "worker": [], "database": []}
    # Neither of these begins as root, so neither needs the right to change its user.
    assert "\nUSER evenhand\n" in DOCKERFILE
    assert SERVICES["database"]["user"] == "postgres"


def test_every_image_is_pinned_by_its_full_version() -> None:
    images = [service["image"] for service in SERVICES.values() if "image" in service]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(images) == 3
    for image in images:
        assert PINNED.fullmatch(image), image
        name, _, version = image.partition(":")
        assert version.partition("-")[0].partition("@")[0].count(".") + 1 == NUMBERS[name], image
    assert re.search(r"pip install \S+ uv==\d+\.\d+\.\d+ ", DOCKERFILE)


def test_secrets_are_files_that_only_those_who_need_them_get() -> None:
    files = {name: secret["file"] for name, secret in COMPOSE["secrets"].items()}
    assert files == {
        "secret_key": "./deploy/secrets/secret_key",
        "database_password": "./deploy/secrets/database_password",
    }
    got = {name: service.get("secrets", []) for name, service in SERVICES.items()}
    assert got == {
        "proxy": [],
        "app": ["secret_key", "database_password"],
        "worker": ["secret_key", "database_password"],
        "database": ["database_password"],
    }
    for name, service in SERVICES.items():
        for variable, value in service["environment"].items():
            if re.search("KEY|PASSWORD", variable):
                assert variable.endswith("_FILE"), (name, variable)
                assert value.removeprefix("/run/secrets/") in service["secrets"], (name, variable)
    # They reach neither the repository nor the image.
    for ignored, lines in {
        ".gitignore": {".env", "deploy/secrets/"},
        ".dockerignore": {".env", "deploy"},
    }.items():
        assert lines <= set((ROOT / ignored).read_text().splitlines()), ignored


class Answer(BaseHTTPRequestHandler):
    """A server whose /healthz has a status of one's choice."""

    status = 200
    asked: list[str]

    def do_GET(self) -> None:
        Answer.asked.append(self.path)
        self.send_response(self.status)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        pass


@cases(("status", "code"), [(200, 0), (503, 1)])
def test_the_program_is_healthy_while_healthz_answers(status: int, code: int) -> None:
    kind, *command = SERVICES["app"]["healthcheck"]["test"]
    assert (kind, command[0]) == ("CMD", "python")
    Answer.status, Answer.asked = status, []
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = f"127.0.0.1:{server.server_port}"
        script = command[2].replace("127.0.0.1:8000", here)
        assert here in script
        done = subprocess.run(["python3", command[1], script], capture_output=True, check=False)
        server.shutdown()
    assert (done.returncode, Answer.asked) == (code, ["/healthz"])


def test_the_proxy_keeps_a_form_until_it_is_whole_however_large_it_may_be() -> None:
    caddyfile = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
    sizes = re.findall(r"^\t(max_buffer_size|request_buffers) (\d+)MiB$", caddyfile, re.MULTILINE)
    assert [word for word, _ in sizes] == ["max_buffer_size", "request_buffers"]
    assert {int(mebibytes) * 2**20 for _, mebibytes in sizes} == {settings.LARGEST_FORM}


@cases(
    ("version", "found"),
    [
        ("2.6.2\n", "2.6"),
        ("v2.7.6 h1:w0N=\n", "2.7"),
        ("v2.10.2 h1:g=\n", "2.7"),
        ("v3.0.1", "2.7"),
    ],
)
def test_the_proof_takes_the_words_of_the_caddy_that_is_there(version: str, found: str) -> None:
    assert snippet(version) == found
    assert f"(buffer_{found})" in (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")


# A registry that knows each image by another number.
DOCKER = """#!/bin/sh
[ "$1 $2 $3 $4 $5" = "buildx imagetools inspect --format {{.Manifest.Digest}}" ] || exit 9
echo "$6" >> ASKED
printf 'sha256:%064d\\n' "$(wc -l < ASKED)"
"""


def test_digests_are_written_behind_the_versions_and_anew(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    for name in ("compose.yaml", "Dockerfile", "deploy/digests"):
        shutil.copy(ROOT / name, tmp_path / name)
    asked = tmp_path / "asked"
    (tmp_path / "docker").write_text(DOCKER.replace("ASKED", shlex.quote(str(asked))))
    (tmp_path / "docker").chmod(0o755)
    told = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for _ in range(2):
        subprocess.run(["sh", tmp_path / "deploy/digests"], env=told, check=True)
    images = [
        re.sub("@.*", "", image)
        for image in (
            SERVICES["proxy"]["image"],
            SERVICES["database"]["image"],
            re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)[0],
        )
    ]
    assert asked.read_text().split() == images * 2  # without the digests that are there already
    written = (tmp_path / "compose.yaml").read_text() + (tmp_path / "Dockerfile").read_text()
    assert re.findall(r"\S+@sha256:\S+", written) == [
        f"{image}@sha256:{number:064d}" for number, image in enumerate(images, 4)
    ]
    assert len(yaml.safe_load((tmp_path / "compose.yaml").read_text())["services"]) == 4


def test_digests_are_left_alone_if_the_registry_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    for name in ("compose.yaml", "Dockerfile", "deploy/digests"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docker").write_text("#!/bin/sh\necho no digest\n")
    (tmp_path / "docker").chmod(0o755)
    told = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", tmp_path / "deploy/digests"], env=told, capture_output=True)
    assert done.returncode == 1
    assert b"is no digest: no digest" in done.stderr
    assert (tmp_path / "compose.yaml").read_text() == (ROOT / "compose.yaml").read_text()
