"""The program's settings, with only sessions and CSRF protection as middleware."""

from config.settings import *  # noqa: F403 - the same database, pool and keys

INSTALLED_APPS = ["benchmarks.minimal", "django.contrib.sessions"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
SESSION_ENGINE = "django.contrib.sessions.backends.db"
ROOT_URLCONF = "benchmarks.minimal.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
