"""Settings, from the environment only. README lists the variables; a value that is not understood
is an error.

Nothing here reads or writes a file or opens a connection: the secret key is looked up when first
used, and the embedded database is started by the first connection (config/embedded_postgres).
"""

from email.utils import parseaddr
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import SimpleLazyObject

from config import environment
from config.database import database_settings
from config.secret import checked_secret, kept_secret

BASE_DIR = Path(__file__).resolve().parent.parent
DATA = Path(environment.text("DATA", str(BASE_DIR / "var"))).absolute()
DATABASE_URL = environment.text("DATABASE_URL")
EMBEDDED = not DATABASE_URL
THREADS = environment.number("THREADS", default=4, least=1, most=64)

DEBUG = environment.flag("DEBUG", default=False)
SECRET_KEY = environment.text("SECRET_KEY")
if not EMBEDDED:
    SECRET_KEY = checked_secret(SECRET_KEY)
elif not SECRET_KEY:
    SECRET_KEY = SimpleLazyObject(lambda: kept_secret(DATA))  # type: ignore[assignment]  # a str when read

LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", default=LOOPBACK)
CSRF_TRUSTED_ORIGINS = environment.words("CSRF_TRUSTED_ORIGINS")
INTERNAL_IPS: list[str] = []

INSTALLED_APPS = [
    "annotators",
    "tasks",
    "rubrics",
    "allauth",
    "allauth.account",
    "django_htmx",
    "template_partials",
    "config.administration.AdminApp",  # django.contrib.admin, with a site of ours
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",  # for its command clearsessions; the table is ours
    "django.contrib.staticfiles",
    "django.forms",
]

MIDDLEWARE = [
    "config.middleware.SecurityHeaders",  # first, so that static files and errors carry the headers too
    "config.middleware.PlainRequests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.outage.Outage",  # before whatever asks the database
    "config.middleware.Gzip",  # pages only: whitenoise, above, sends files compressed already
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotators.accounts.sessions.Authentication",
    "config.middleware.LoginRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["template_partials.templatetags.partials"],
        },
    },
]
# Fields are drawn by templates/django/forms/, which may be overridden beside ours.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {"default": database_settings(DATABASE_URL, data=DATA, threads=THREADS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# In the database, so that limits on log-in attempts count across workers and hosts: web hosts share
# nothing else.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"}
}
SESSION_ENGINE = "annotators.accounts.sessions"
# Without use, that is.
SESSION_COOKIE_AGE = environment.number("SESSION_HOURS", default=12, least=1, most=24 * 365) * 3600

AUTH_USER_MODEL = "annotators.User"
AUTHENTICATION_BACKENDS = ["annotators.backends.PlainBackend"]
PASSWORD_HASHERS = [
    "annotators.accounts.passwords.Argon2Hasher",
    # How they were kept before. Whoever logs in has theirs hashed anew.
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "annotators.accounts.passwords.LengthValidator"},
    {"NAME": "annotators.accounts.passwords.GuessableValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "account_login"

ACCOUNT_ADAPTER = "annotators.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "annotators.accounts.login.LoginForm",
    "change_password": "annotators.accounts.password_forms.ChangePasswordForm",
    "reauthenticate": "annotators.accounts.password_forms.ReauthenticateForm",
    "reset_password": "annotators.accounts.password_forms.ResetPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
# An account is made by a lead or an admin, who know the address; nobody waits for a letter before
# the first log-in.
ACCOUNT_EMAIL_VERIFICATION = "none"
# A reset asked for an address that has no account is answered like any other, and no letter goes
# out.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Evenhand] "
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
GUESSES_BEFORE_LETTER = 20  # in a day, from anywhere
# A whole office may share one address, and a class logs in within a minute: generous per address,
# strict for one account from one address. From elsewhere the account's owner gets in all the same,
# and a letter.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    "login_failed": "60/m/ip,10/5m/key",  # the key: AccountAdapter._get_login_attempts_cache_key
    "guesses_of_account": f"{GUESSES_BEFORE_LETTER}/d/key",
    "letter_about_guesses": "1/d/key",
}
ALLAUTH_TRUSTED_PROXY_COUNT = environment.number("TRUSTED_PROXIES", default=0, least=0, most=9)

# Fifty responses of three dimensions each, with every check and three claims looked up.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

LANGUAGE_CODE = "en"
# Each by its own name, for whoever looks for theirs. Messages are in locale/, and tests hold them
# whole.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_USE_FINDERS = DEBUG

# Encrypted unless it is the embedded demonstration on the loopback address.
HTTPS = environment.flag("HTTPS", default=not EMBEDDED)
SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if environment.flag("BEHIND_PROXY", default=False):
    # Only where a proxy sets this header on every request: otherwise a client could claim to be
    # encrypted.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True  # the token travels in the page, so no script needs the cookie
CSRF_COOKIE_SAMESITE = "Lax"


def mail_settings(address: str) -> dict[str, object]:
    """Django's mail settings for smtp://USER:PASSWORD@HOST:PORT (smtps:// is encrypted from the
    start)."""
    if not address:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    parts = urlsplit(address)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ImproperlyConfigured(
            f"EMAIL_URL begins with {parts.scheme!r}; it must look like smtp://USER:PASSWORD@HOST:PORT or smtps://…"
        )
    encrypted = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if encrypted else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": encrypted,
        # Without a user it is a relay on the same host or network, which seldom speaks TLS.
        "EMAIL_USE_TLS": not encrypted and bool(parts.username),
        "EMAIL_TIMEOUT": 10,
    }


EMAIL_URL = environment.text("EMAIL_URL")
globals().update(mail_settings(EMAIL_URL))
if EMAIL_URL and not EMBEDDED and not environment.text("SITE_URL"):
    raise ImproperlyConfigured(
        "SITE_URL is unset; letters link to it, so it must be given beside EMAIL_URL and DATABASE_URL: "
        "https://evenhand.example, say."
    )
# Never the host that a request asks for: whoever sends one could have a letter lead to their own
# site.
SITE_URL = environment.origin(
    "SITE_URL", default=f"http://127.0.0.1:{environment.text('PORT', '8000')}"
)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.text("EMAIL_FROM", "evenhand@localhost")
if "@" not in parseaddr(DEFAULT_FROM_EMAIL)[1]:
    raise ImproperlyConfigured(
        f"EMAIL_FROM is {DEFAULT_FROM_EMAIL!r}; it must be an e-mail address."
    )

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"outage": {"()": "config.outage.WithoutTraceback"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["outage"]}
    },
    # Django answers HEAD like GET and leaves it to the server to drop the body; the server says so
    # each time.
    "loggers": {
        "gunicorn.http.wsgi": {"level": "ERROR"},
        # Who logged in, and who did not: told whatever LOG_LEVEL says, but for the demonstration's
        # people.
        "evenhand.access": {"level": "WARNING" if EMBEDDED else "INFO"},
    },
    "root": {
        "handlers": ["stderr"],
        "level": environment.choice(
            "LOG_LEVEL", default="WARNING", among=("DEBUG", "INFO", "WARNING", "ERROR")
        ),
    },
}

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
FILE_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
# Bytes; a rating of fifty responses with a comment on each is far smaller. An upload streams to
# disk.
LARGEST_FORM = DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 2**20
# A file larger than this is dropped as it arrives; `manage.py import_batch` takes it.
UPLOAD_LIMIT = environment.number("UPLOAD_LIMIT_MB", default=200, least=1, most=100_000) * 2**20
FILE_UPLOAD_HANDLERS = [
    "tasks.importing.uploads.UploadLimit",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
