"""E-mails as files, for a site without a mail server."""

from typing import Any

from django.conf import settings
from django.core.mail.backends.filebased import EmailBackend


class EmailFiles(EmailBackend):
    """Django's backend, with a folder for its owner only: e-mails have links that log in."""

    def __init__(self, **options: Any) -> None:
        settings.EMAILS.mkdir(parents=True, mode=0o700, exist_ok=True)
        super().__init__(file_path=str(settings.EMAILS), **options)
