"""Protection against request bodies that are cut off, or that never end.

If a connection breaks in the middle of a form, the server passes on the part that arrived, and
Django takes it for the whole form. Half a comment would be stored as if the annotator had written
it. The whole form, sent again, would then find a rating already stored.
"""

from collections.abc import Callable, Iterable
from socket import socket
from typing import IO, Any
from wsgiref.types import WSGIEnvironment

Application = Callable[[WSGIEnvironment, Callable[..., Any]], Iterable[bytes]]
# A client that sends nothing of its body for so long is cut off. It holds a thread meanwhile.
SILENT_SECONDS = 30.0


class WholeBodies:
    """WSGI middleware that refuses a body shorter than its Content-Length.

    Reading a truncated body raises OSError, as reading from a broken connection does. Django
    handles that error, and nothing is stored.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(
        self, environ: WSGIEnvironment, start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Call the application with a body that raises OSError if it is too short."""
        environ["wsgi.input"] = Body(environ["wsgi.input"], environ.get("gunicorn.socket"))
        return self.application(environ, start_response)


class Body:
    """A stream that has all the bytes it is asked for. Django asks for those announced."""

    def __init__(self, stream: IO[bytes], client: socket | None = None) -> None:
        self.stream, self.client = stream, client

    def read(self, size: int) -> bytes:
        """Read `size` bytes. Raises OSError if the stream ends too early, or is silent."""
        return _whole(self._patiently(self.stream.read, size), size)

    def readline(self, size: int) -> bytes:
        """Read to the end of the line, or `size` bytes. Raises OSError like `read`."""
        line = self._patiently(self.stream.readline, size)
        return line if line.endswith(b"\n") else _whole(line, size)

    def _patiently(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Read, with a limit on the silence; none on the answer, which may be read slowly."""
        if self.client is None:
            return read(size)
        self.client.settimeout(SILENT_SECONDS)
        try:
            return read(size)
        finally:
            self.client.settimeout(None)


def _whole(content: bytes, wanted: int) -> bytes:
    if len(content) < wanted:
        raise OSError(f"the connection ended {wanted - len(content)} bytes too early")
    return content
