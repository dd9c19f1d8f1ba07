"""Settings, read from environment variables only.

docs/admins.md lists the variables. An invalid value raises ImproperlyConfigured.

This module writes no file, reads none but those of secrets, and opens no connection. The
demonstration's secret key is loaded on first use; the first connection starts the embedded database
(config/embedded_postgres).
"""

from email.utils import parseaddr
from pathlib import Path
from urllib.parse import unquote

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import SimpleLazyObject

from config import environment
from config.data_folder import stored_secret
from config.database import database_settings
from config.lab_provider import lab_provider, passwords

BASE_DIR = Path(__file__).resolve().parent.parent
DATA = Path(environment.string("DATA", str(BASE_DIR / "var"))).absolute()
DATABASE_URL = environment.database_url()
EMBEDDED = not DATABASE_URL
THREADS = environment.number("THREADS", default=4, least=1, most=64)

DEBUG = environment.flag("DEBUG", default=False)
SECRET_KEY = environment.secret("SECRET_KEY")
if not EMBEDDED:
    SECRET_KEY = environment.checked_secret(SECRET_KEY)
elif not SECRET_KEY:
    SECRET_KEY = SimpleLazyObject(lambda: stored_secret(DATA))  # type: ignore[assignment]  # a str when read

ALLOWED_HOSTS = environment.strings("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = environment.strings("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "annotators",
    "tasks",
    "rubrics",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "django_htmx",
    "template_partials",
    "config.administration.AdminApp",  # django.contrib.admin, with our AdminSite
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",  # only for `clearsessions`; the session table is ours
    "django.contrib.staticfiles",
    "django.forms",
]

MIDDLEWARE = [
    # First, so that static files and error pages carry the headers too.
    "config.middleware.SecurityHeaders",
    "config.middleware.PlainRequests",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.outage.Outage",  # before any middleware that queries the database
    "django.middleware.gzip.GZipMiddleware",  # pages only: whitenoise serves files compressed
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotators.accounts.sessions.Authentication",
    "config.middleware.Bodies",  # knows who asks, and comes before the first that reads a body
    "config.middleware.LoginRequired",
    "annotators.accounts.passwords.ChangeFirst",
    "django.contrib.messages.middleware.MessageMiddleware",
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
                "annotators.inbox.unread_notices",
            ],
            "builtins": ["template_partials.templatetags.partials"],
        },
    },
]
# Renders form fields with our templates/django/forms/ where they override Django's.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {
    "default": database_settings(
        DATABASE_URL,
        data=DATA,
        threads=THREADS,
        cursors=environment.flag("SERVER_SIDE_CURSORS", default=False),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# In the database, so that limits on log-in attempts count across workers and hosts. Web hosts share
# nothing else.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Django's 300 would let anybody push the counters of log-ins out.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
SESSION_ENGINE = "annotators.accounts.sessions"
# Seconds without a request until the session expires.
SESSION_COOKIE_AGE = environment.number("SESSION_HOURS", default=12, least=1, most=24 * 365) * 3600

AUTH_USER_MODEL = "annotators.User"
AUTHENTICATION_BACKENDS = ["annotators.backends.PlainBackend"]
PASSWORD_HASHERS = [
    "annotators.accounts.passwords.Argon2Hasher",
    # The former hasher. A password is rehashed when its owner logs in.
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [{"NAME": "annotators.accounts.passwords.PasswordValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "account_login"

ACCOUNT_ADAPTER = "annotators.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "annotators.accounts.passwords.LoginForm",
    "change_password": "annotators.accounts.passwords.ChangePasswordForm",
    "reauthenticate": "annotators.accounts.passwords.ReauthenticateForm",
    "reset_password": "annotators.accounts.passwords.ResetPasswordForm",
    "reset_password_from_key": "annotators.accounts.passwords.ResetPasswordKeyForm",
    "set_password": "annotators.accounts.passwords.SetPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
# Leads and admins create the accounts and know the addresses, so nobody has to confirm theirs
# before the first log-in.
ACCOUNT_EMAIL_VERIFICATION = "none"
# A password reset for an unknown address gets the same answer, but no e-mail is sent.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Evenhand] "
ACCOUNT_SESSION_REMEMBER = True
# What the worker does for accounts: a name for the log, and the function.
WORK_OF_ACCOUNTS = {"password resets": "annotators.accounts.reset_emails.answer_resets"}
GUESSES_BEFORE_EMAIL = 20  # a day, from all addresses together
# The limit per IP address is generous: an office may share one, and a class logs in within a
# minute. The limit for one name or e-mail from one address is strict. The owner can still log in
# from another address, and gets an e-mail about the attempts.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    "login_failed": "60/m/ip,10/5m/key",  # the key: AccountAdapter._get_login_attempts_cache_key
    "guesses_of_account": f"{GUESSES_BEFORE_EMAIL}/d/key",
    "email_about_guesses": "1/d/key",
    "lab_sign_in": "120/m/ip",  # each asks the provider
    "join": "120/m/ip",  # a class may join within a minute, too
    "invitation": "200/d/user",  # by e-mail
    "wrong_tokens": "10/m/ip",  # of the API
}
ALLAUTH_TRUSTED_PROXY_COUNT = environment.number("TRUSTED_PROXIES", default=0, least=0, most=9)

# Of one token.
API_CALLS_A_MINUTE = environment.number("API_CALLS_A_MINUTE", default=300, least=1, most=100_000)

# After so many seconds, and at its end, a process stores the calls that it has counted; 0: never.
API_USAGE_SECONDS = 60

# Enough for fifty responses with three dimensions each, every check and three claims looked up.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

LANGUAGE_CODE = "en"
# Each language by its own name, so that users recognise theirs. Messages are in locale/; tests
# check that the catalogues are complete.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
# Dates and times look alike on all pages: templates and code name one of these formats.
FORMAT_MODULE_PATH = "config.formats"

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

WHITENOISE_ALLOW_ALL_ORIGINS = False  # only our own pages use our files
WHITENOISE_KEEP_ONLY_HASHED_FILES = True  # pages name no others

# On by default, except for the embedded demonstration on the loopback address.
HTTPS = environment.flag("HTTPS", default=not EMBEDDED)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
# Not by default: it would lock out the other sites of a domain that are not encrypted.
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = environment.flag(
    "HSTS_SUBDOMAINS", default=False
)
if environment.flag("BEHIND_PROXY", default=False):
    # Only behind a proxy that sets this header on every request. Otherwise a client could claim
    # that its request is encrypted.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# X-Frame-Options is in config.headers, subdomains and preloading are a choice.
SILENCED_SYSTEM_CHECKS = ["security.W002", "security.W005", "security.W021"]
# Django's defaults are right for the cookies: Lax.
CSRF_COOKIE_HTTPONLY = True  # the token is in the page, so no script needs the cookie


EMAILS = DATA / "emails"  # the folder of e-mails that are files
EMAIL_URL = environment.secret_url("EMAIL_URL")
EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend" if EMAIL_URL else "config.emails.EmailFiles"
)
_mail = environment.mail_url(EMAIL_URL)
EMAIL_HOST = _mail.hostname or ""
EMAIL_USE_SSL = _mail.scheme == "smtps"  # encrypted from the start
EMAIL_PORT = _mail.port or (465 if EMAIL_USE_SSL else 587)
EMAIL_HOST_USER = unquote(_mail.username or "")
EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
# A server without a user is a relay on the same host or network, which seldom supports TLS.
EMAIL_USE_TLS = not EMAIL_USE_SSL and bool(EMAIL_HOST_USER)
EMAIL_TIMEOUT = 10
if EMAIL_URL and not EMBEDDED and not environment.string("SITE_URL"):
    raise ImproperlyConfigured(
        "SITE_URL is unset; e-mails link to it, so it must be given beside EMAIL_URL and "
        "DATABASE_URL: https://evenhand.example, say."
    )
# Never the request's Host header: a forged one would make our e-mails link to another site.
SITE_URL = environment.origin(
    "SITE_URL", default=f"http://127.0.0.1:{environment.string('PORT', '8000')}"
)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = environment.string(
    "EMAIL_FROM", "Evenhand <evenhand@localhost>"
)
if "@" not in parseaddr(DEFAULT_FROM_EMAIL)[1]:
    raise ImproperlyConfigured(
        f"EMAIL_FROM is {DEFAULT_FROM_EMAIL!r}; it must be an e-mail address."
    )

# --- the lab's own sign-in, by OpenID Connect (annotators.lab) ---

LAB_PROVIDER = lab_provider()
PASSWORDS = passwords(LAB_PROVIDER)
if LAB_PROVIDER and not EMBEDDED and not environment.string("SITE_URL"):
    raise ImproperlyConfigured(
        "SITE_URL is unset; the provider leads back to it, so it must be given beside OIDC_ISSUER "
        "and DATABASE_URL: https://evenhand.example, say."
    )
SOCIALACCOUNT_ADAPTER = "annotators.lab.adapter.LabAdapter"
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5  # seconds; a thread waits so long for the provider

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {
        "outage": {"()": "config.outage.WithoutTraceback"},
        "tokens": {"()": "config.log_filters.WithoutTokens"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["outage", "tokens"],
        }
    },
    # Django answers HEAD like GET and lets the server drop the body; gunicorn would log that each
    # time.
    "loggers": {
        "gunicorn.http.wsgi": {"level": "ERROR"},
        # Log every log-in and failed log-in at any LOG_LEVEL; in the demonstration only warnings.
        "evenhand.access": {"level": "WARNING" if EMBEDDED else "INFO"},
    },
    "root": {
        "handlers": ["stderr"],
        "level": environment.choice(
            "LOG_LEVEL", default="WARNING", among=("DEBUG", "INFO", "WARNING", "ERROR")
        ),
    },
}

# A larger file is dropped, unless config.middleware.Bodies adds a handler that writes to disk.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
# Bytes. A rating of fifty responses with a comment on each is far smaller. Files are not counted.
LARGEST_FORM = DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 2**20
# Bytes. `manage.py import_batch` can load a larger file.
UPLOAD_LIMIT = environment.number("UPLOAD_LIMIT_MB", default=200, least=1, most=100_000) * 2**20
