"""Protection against truncated request bodies.

If a connection breaks in the middle of a form, the server passes on the part that arrived, and
Django takes it for the whole form. Half a comment would be stored as if the annotator had written
it. The whole form, sent again, would then find a rating already stored.
"""

from collections.abc import Callable, Iterable
from typing import IO, Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WholeBodies:
    """WSGI middleware that checks each request body against its Content-Length.

    Reading a truncated body raises OSError, as reading from a broken connection does. Django
    handles that error, and nothing is stored.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Call the application with a body that raises OSError if it is too short."""
        announced = environ.get("CONTENT_LENGTH") or ""
        if announced.isdigit() and int(announced):
            environ["wsgi.input"] = Body(environ["wsgi.input"], int(announced))
        return self.application(environ, start_response)


class Body:
    """A stream that must have `announced` bytes."""

    def __init__(self, stream: IO[bytes], announced: int) -> None:
        self.stream = stream
        self.announced = announced
        self.came = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes, or all. Raises OSError if the stream ends too early."""
        wanted = self._wanted(size)
        return self._whole(self.stream.read(wanted), wanted)

    def readline(self, size: int = -1) -> bytes:
        """Read up to `size` bytes, or to the end of the line. Raises OSError like `read`."""
        wanted = self._wanted(size)
        line = self.stream.readline(wanted)
        return self._whole(line, 0 if line.endswith(b"\n") else wanted)

    def _wanted(self, size: int) -> int:
        left = self.announced - self.came
        return left if size < 0 else min(size, left)

    def _whole(self, content: bytes, wanted: int) -> bytes:
        self.came += len(content)
        if len(content) < wanted:
            raise OSError(f"the connection ended after {self.came} of {self.announced} bytes")
        return content
