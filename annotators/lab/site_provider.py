"""The provider of this site."""

from django.conf import settings
from django.http import Http404

from config.lab_provider import LabProvider


def site_provider() -> LabProvider:
    """Return the provider that the settings name; without one its pages do not exist."""
    provider: LabProvider | None = settings.LAB_PROVIDER
    if provider is None:
        raise Http404
    return provider
