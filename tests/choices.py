"""The form of the profile, filled in."""

from __future__ import annotations

from annotators.keyboard import USUAL

CHOICES = {
    "theme": "dark",
    "text_size": "larger",
    "reading_width": "wide",
    "single_keys": "on",
    **{f"key_{command}": key for command, key in USUAL.items()},
}
