"""The settings of the tests: those of the program, in an environment of their own, and what makes
tests quick.

Nothing of the developer's environment reaches the tests, and the tests reach nobody's data: DATA is
a temporary folder, made once and shared with the processes that pytest-xdist starts;
tests/conftest.py removes it.
"""

import os
import tempfile
from pathlib import Path

FOLDER = "EVENHAND_TESTS_FOLDER"

if FOLDER not in os.environ:
    made = Path(tempfile.mkdtemp(prefix="evenhand-tests-"))
    # Under root the database runs as another user, who has to pass through.
    made.chmod(0o711)
    os.environ[FOLDER] = str(made)
for name in [
    "ALLOWED_HOSTS",
    "API_CALLS_A_MINUTE",
    "BEHIND_PROXY",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_PASSWORD",
    "DATABASE_PASSWORD_FILE",
    "DATABASE_URL",
    "DATABASE_URL_FILE",
    "DEBUG",
    "EMAIL_FROM",
    "EMAIL_URL",
    "EMAIL_URL_FILE",
    "HOST",
    "HSTS_SUBDOMAINS",
    "HTTPS",
    "LOG_LEVEL",
    "OIDC_CLIENT",
    "OIDC_DOMAINS",
    "OIDC_ISSUER",
    "OIDC_LEAD_CLAIM",
    "OIDC_NAME",
    "OIDC_ORIGINS",
    "OIDC_SECOND_FACTOR",
    "OIDC_SECRET",
    "OIDC_SECRET_FILE",
    "PASSWORDS",
    "PORT",
    "SECRET_KEY",
    "SECRET_KEY_FILE",
    "SERVER_SIDE_CURSORS",
    "SESSION_HOURS",
    "SITE_URL",
    "THREADS",
    "TRUSTED_PROXIES",
    "WORKERS",
]:
    os.environ.pop(name, None)
os.environ["DATA"] = os.environ[FOLDER]
# As `tasks.agreement.results` has it: tests load numpy before it does.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.settings import *  # noqa: E402, F403 - only after the environment is clean
from config.settings import DATABASES  # noqa: E402

SECRET_KEY = "of the tests; it signs nothing that outlives them"
# A test's data is worth nothing after a power cut.
DATABASES["default"]["EMBEDDED"]["server"] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}
# A browser asks for more at once than an annotator does, and the test itself holds a connection.
DATABASES["default"]["OPTIONS"]["pool"]["max_size"] = 16
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.MD5PasswordHasher"
]  # quick; nothing here is worth cracking
# Limits on log-in attempts are counted here; a test empties it, and no query count sees it.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# Straight from the sources, so that no test depends on a collectstatic run before.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# A test says when calls are stored, so that none of another test come between.
API_USAGE_SECONDS = 0
