"""The application as a WSGI server loads it."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.request_bodies import WholeBodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = WholeBodies(get_wsgi_application())
_ = get_resolver().url_patterns  # imports every page now, not at the first request
