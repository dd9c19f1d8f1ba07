"""The minimal view as gunicorn loads it; the environment names its settings."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
