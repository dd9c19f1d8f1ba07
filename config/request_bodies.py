"""Requests that came whole, or not at all.

Where a connection breaks in the middle of a form, the server hands on what came until then, and
Django takes that for all of it: half a comment would be stored as if its annotator had written it,
and the whole one, sent again, would find its rating there already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Input(Protocol):
    """What a server hands on as `wsgi.input`."""

    def read(self, size: int = ..., /) -> bytes: ...

    def readline(self, size: int = ..., /) -> bytes: ...


class WholeBodies:
    """A WSGI application whose requests have all the bytes that they announced. Reading one that is
    cut off fails with an OSError, as reading from a broken connection does; Django knows that one,
    and stores nothing."""

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Hand on, with a body that tells when it is short."""
        announced = environ.get("CONTENT_LENGTH") or ""
        if announced.isdigit() and int(announced):
            environ["wsgi.input"] = Body(environ["wsgi.input"], int(announced))
        return self.application(environ, start_response)


class Body:
    """A stream of so many bytes."""

    def __init__(self, stream: Input, announced: int) -> None:
        self.stream = stream
        self.announced = announced
        self.came = 0

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, or all. Raises OSError where the stream ends before it should."""
        left = self.announced - self.came
        wanted = left if size < 0 else min(size, left)
        content = self.stream.read(wanted) if wanted else b""
        self.came += len(content)
        return self._whole(content, len(content) < wanted)

    def readline(self, size: int = -1) -> bytes:
        """The same, up to the end of a line."""
        left = self.announced - self.came
        wanted = left if size < 0 else min(size, left)
        line = self.stream.readline(wanted) if wanted else b""
        self.came += len(line)
        return self._whole(line, len(line) < wanted and not line.endswith(b"\n"))

    def _whole(self, content: bytes, ended: bool) -> bytes:
        if ended:
            raise OSError(f"the connection ended after {self.came} of {self.announced} bytes")
        return content
