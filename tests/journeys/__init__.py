"""Tasks of a newcomer, done in a browser as a person would: `make journeys`."""

import os

import django

# The rubrics of the gallery come with messages, which are translated; helpers of tests know models.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
