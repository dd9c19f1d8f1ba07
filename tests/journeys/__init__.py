"""Tasks of a newcomer, done in a browser as a person would: `make journeys`."""

import os

# The rubrics of the gallery come with messages, which are translated.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
