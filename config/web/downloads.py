"""Files that a view generates while it sends them."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from config.web.requests import Request


def download(
    request: Request, name: str, content_type: str, blocks: Iterator[bytes]
) -> StreamingHttpResponse:
    """Return a file as an attachment; on HEAD, only its headers, without generating the file."""
    return StreamingHttpResponse(
        () if request.method == "HEAD" else blocks,
        content_type=content_type,
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "",
            "Cache-Control": "no-store",
        },
    )
