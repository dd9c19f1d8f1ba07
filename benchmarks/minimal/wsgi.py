"""The WSGI application of the minimal view. The environment names its settings."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
