"""An upload handler that drops files that are too large while they arrive."""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest


class UploadLimit(FileUploadHandler):
    """Drops a file larger than UPLOAD_LIMIT before the handlers that store it.

    It notes this on the request, and the form reports it. A view can't refuse the upload, because
    the CSRF check reads the whole body before any view runs.
    """

    size = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.size = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.size += len(raw_data)
        if self.size > settings.UPLOAD_LIMIT:
            self.request.upload_too_large = True  # type: ignore[union-attr]  # noted on the request
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> UploadedFile | None:
        return None


def was_too_large(request: HttpRequest) -> bool:
    """Return True if a file of this request was dropped."""
    return getattr(request, "upload_too_large", False)
