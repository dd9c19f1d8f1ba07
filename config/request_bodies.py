"""Protection against truncated request bodies.

If a connection breaks in the middle of a form, the server passes on the part that arrived, and
Django takes it for the whole form. Half a comment would be stored as if the annotator had written
it. The whole form, sent again, would then find a rating already stored.
"""

from collections.abc import Callable, Iterable
from typing import IO, Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WholeBodies:
    """WSGI middleware that refuses a body shorter than its Content-Length.

    Reading a truncated body raises OSError, as reading from a broken connection does. Django
    handles that error, and nothing is stored.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Call the application with a body that raises OSError if it is too short."""
        environ["wsgi.input"] = Body(environ["wsgi.input"])
        return self.application(environ, start_response)


class Body:
    """A stream that has all the bytes it is asked for. Django asks for those announced."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def read(self, size: int) -> bytes:
        """Read `size` bytes. Raises OSError if the stream ends too early."""
        return _whole(self.stream.read(size), size)

    def readline(self, size: int) -> bytes:
        """Read to the end of the line, or `size` bytes. Raises OSError like `read`."""
        line = self.stream.readline(size)
        return line if line.endswith(b"\n") else _whole(line, size)


def _whole(content: bytes, wanted: int) -> bytes:
    if len(content) < wanted:
        raise OSError(f"the connection ended {wanted - len(content)} bytes too early")
    return content
