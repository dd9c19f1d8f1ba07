"""A client of Evenhand's API, in one file on the standard library of Python 3.9 or newer.

    client = Client()  # with the token in EVENHAND_TOKEN
    client.push("my-project", items, batch="2026-11-30", complete=True)
    scores = client.scores("my-project").frame()

Copy it into your own code. The page /api/ of the site has all operations; `get` and `post` call
those that have no method here.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from email.utils import mktime_tz, parsedate_tz
from http.client import HTTPException
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

SITE = "http://127.0.0.1:8000"
ITEMS_A_CALL = 1_000
BYTES_A_CALL = 8_000_000
ROWS_A_PAGE = 1_000
SECONDS_A_CALL = 120
AGAIN = "5"  # seconds, unless the answer says when

Row = dict[str, Any]


class ApiError(Exception):
    """A failure that the API explains: its status and its problem document (RFC 9457)."""

    def __init__(self, status: int, document: Row) -> None:
        self.status, self.document = status, document
        errors = document.get("errors", [])
        lines = [f"{status}: {document.get('title' if errors else 'detail')}"]
        for error in errors:
            place = error.get("pointer") or error.get("parameter") or ""
            lines.append(f"{place} {error['value']!r}: {error['allowed']}. {error['advice']}")
        super().__init__("\n".join(lines))


class RowList:
    """Rows of a list, read page by page.

    `cursor` says where they ended; a later list begins there. `removed` names batches and files
    that are gone; it is complete as soon as the first row comes.
    """

    def __init__(self, client: Client, path: str, since: str | None) -> None:
        self.client, self.path = client, path
        self.cursor = since
        self.removed: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        page: Row = {"next": ""}
        while page["next"] is not None:
            page = self.client.get(self.path, limit=ROWS_A_PAGE, since=self.cursor)
            self.removed += page["removed"]
            yield from page["data"]
            self.cursor = page["cursor"]

    def frame(self) -> Any:
        """Return the rows as a pandas frame. pandas has to be installed."""
        import pandas

        return pandas.DataFrame(list(self))


class Client:
    """A program with a token.

    `patience`: for how many seconds a call is made again while the site is busy or away.
    """

    def __init__(self, token: str | None = None, site: str = SITE, patience: float = 300) -> None:
        self.token = token or os.environ["EVENHAND_TOKEN"]
        self.site, self.patience = site.rstrip("/"), patience

    def get(self, path: str, **parameters: Any) -> Any:
        """Return the answer of an operation that reads, such as `get("projects")`."""
        query = urlencode({key: value for key, value in parameters.items() if value is not None})
        return self._call(f"{path}?{query}" if query else path)

    def post(self, path: str, body: Any, key: str = "") -> Any:
        """Return the answer of an operation that stores. With one key it is done once."""
        return self._call(path, json.dumps(body).encode(), "application/json", key)

    def push(
        self,
        project: str,
        items: Iterable[Row] | str | Path,
        batch: str,
        complete: bool = False,
        existing: str = "refuse",
    ) -> int:
        """Add items to a batch, and return how many came in. Raise ApiError if one is refused.

        `items`: dicts, or the path of a JSONL file; rows of one item are next to each other. A
        thousand go into a call; those of earlier calls stay. `existing="skip"` leaves out
        what the project has, so that a list may be sent again. `complete`: no more items come.
        """
        rows = _read_lines(items) if isinstance(items, (str, Path)) else items
        path, added, sent = f"projects/{quote(project)}", 0, 0
        for call_items in _calls(rows):
            body = {"batch": batch, "items": call_items, "existing": existing}
            try:
                added += self.post(f"{path}/items", body)["added"]
            except ApiError as problem:
                title = f"{problem.document.get('title')}, from item {sent} of the list on"
                raise ApiError(problem.status, {**problem.document, "title": title}) from None
            sent += len(call_items)
        if complete and sent:
            self.post(f"{path}/batches/{quote(batch)}/complete", {})
        return added

    def send_file(self, project: str, path: str | Path, **options: str) -> Row:
        """Send a file of items or ratings, and return its job. The options are form fields."""
        boundary = uuid.uuid4().hex
        head = f"--{boundary}\r\nContent-Disposition: form-data; name="
        fields = "".join(f'{head}"{name}"\r\n\r\n{options[name]}\r\n' for name in options)
        name = Path(path).name.replace('"', "%22")
        begin = f'{fields}{head}"file"; filename="{name}"\r\n\r\n'.encode()
        body = begin + Path(path).read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        kind = f"multipart/form-data; boundary={boundary}"
        job: Row = self._call(f"projects/{quote(project)}/files", body, kind)
        return job

    def wait(self, job: Row, every: float = 2) -> Row:
        """Wait until a job is done, and return it. Raise ApiError if nothing was imported."""
        while job["state"] in ("waiting", "working"):
            time.sleep(every)
            job = self.get(job["url"])
        if job["state"] != "done":
            reasons = job["refused_because"] or [f"The file is {job['state']}."]
            raise ApiError(422, {"detail": " ".join(reasons), "job": job})
        return job

    def scores(self, project: str, since: str | None = None) -> RowList:
        """Return the scores of a project; with a cursor, what is new or revised since."""
        return RowList(self, f"projects/{quote(project)}/scores", since)

    def _call(self, path: str, body: bytes | None = None, kind: str = "", key: str = "") -> Any:
        """Make a call until it is answered. Raise ApiError if the answer is a failure."""
        request = Request(path if "://" in path else f"{self.site}/api/v1/{path}", body)
        if body is not None:
            request.add_header("Content-Type", kind)
            request.add_header("Idempotency-Key", key or str(uuid.uuid4()))
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        end = time.monotonic() + self.patience
        while True:
            try:
                with urlopen(request, timeout=SECONDS_A_CALL) as response:
                    return json.load(response)
            except HTTPError as error:
                failure: Exception = _api_error(error)
                once_more = AGAIN if error.code in (502, 503, 504) else "inf"  # a proxy’s too
                wait = error.headers.get("Retry-After", once_more)
            except (OSError, HTTPException) as error:  # the answer is lost
                failure, wait = error, AGAIN
            date = parsedate_tz(wait)
            seconds = max(0.0, mktime_tz(date) - time.time()) if date else float(wait)
            if time.monotonic() + seconds > end:
                raise failure
            time.sleep(seconds)


def _api_error(failure: HTTPError) -> ApiError:
    """Return a failure with its document, or with the beginning of what stands in its place."""
    text = failure.read().decode(errors="replace")
    try:
        return ApiError(failure.code, json.loads(text))
    except ValueError:
        return ApiError(failure.code, {"detail": text[:200]})


def _read_lines(path: str | Path) -> Iterator[Row]:
    with open(path, encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _calls(items: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in lists that fit into a call. Rows of one item stay in one."""
    call_items, size = list[Row](), 0
    for _id, group in groupby(items, lambda row: row.get("id") or object()):
        rows = list(group)  # of one item
        size += len(json.dumps(rows))
        if call_items and (len(call_items + rows) > ITEMS_A_CALL or size > BYTES_A_CALL):
            yield call_items
            call_items, size = [], len(json.dumps(rows))
        call_items += rows
    if call_items:
        yield call_items
