"""Programs that call the API: a token of a person, and the calls that it makes."""

from __future__ import annotations

import json
import time
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotators.models import User
from config.web.raw_sql import one_row
from tasks.models import ApiToken, Project


def make_token(
    *,
    owner: User,
    project: Project | None = None,
    name: str = "",
    may_write: bool = False,
    days: int = 90,
    names_people: bool = False,
    names_models: bool = False,
    now: datetime | None = None,
) -> tuple[ApiToken, str]:
    """A token for a project or, without one, for all that its owner leads; and its secret."""
    return ApiToken.objects.make(
        owner=owner,
        project=project,
        name=name or f"token-{ApiToken.objects.count() + 1}",
        may_write=may_write,
        days=days,
        names_people=names_people,
        names_models=names_models,
        now=now or timezone.now(),
    )


def wait_for_others() -> None:
    """Wait until every transaction is through that is open now.

    Those of other tests count too: their databases are of the same server. Within a transaction of
    its own a test would wait for itself.
    """
    if connection.in_atomic_block:
        return
    [open_now] = one_row("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint", []) or (0,)
    for _number in range(6_000):
        oldest = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= %s"
        if one_row(oldest, [open_now]) == (True,):
            return
        time.sleep(0.01)
    raise AssertionError("a transaction is open for a minute")


class Form(dict[str, "str | tuple[str, str]"]):
    """The fields of a form, in place of JSON; a file is its name and its text."""

    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for name, value in self.items():
            if isinstance(value, tuple):
                file_name, text = value
                fields[name] = SimpleUploadedFile(file_name, text.encode())
            else:
                fields[name] = value
        return fields


class Caller:
    """A program with a token, or with none."""

    def __init__(self, secret: str = "", token: ApiToken | None = None) -> None:
        self.secret = secret
        self.token = token
        self.client = Client(raise_request_exception=False)

    def call(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        """The response to a call; `address` is below /api/v1/ unless it is a whole one."""
        sent = {"Authorization": f"Bearer {self.secret}"} if self.secret else {}
        path = address if "/api/" in address else f"/api/v1/{address}"
        options: dict[str, Any] = {"headers": sent | headers}
        if isinstance(body, Form):
            options["data"] = body.fields()
        elif body is not None:
            options |= {"data": json.dumps(body), "content_type": "application/json"}
        return getattr(self.client, method.lower())(path, **options)

    def get(self, address: str, **headers: str) -> Any:
        return self.call("GET", address, **headers)

    def post(self, address: str, body: Any, **headers: str) -> Any:
        return self.call("POST", address, body, **headers)

    def value(self, address: str, *, waits: bool = True) -> Any:
        """What a GET says, which has to be well, once others are through."""
        if waits:
            wait_for_others()
        response = self.get(address)
        assert response.status_code == 200, response.content
        return response.json()

    def rows(self, address: str) -> list[Any]:
        """All rows of a list, page by page."""
        rows: list[Any] = []
        following: str | None = address
        while following:
            page = self.value(following)
            rows += page["data"]
            following = page["next"]
        return rows


def api_client(owner: User, project: Project | None = None, **options: Any) -> Caller:
    """A program that calls with a new token of a person."""
    token, secret = make_token(owner=owner, project=project, **options)
    return Caller(secret, token)
