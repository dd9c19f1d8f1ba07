"""The table of the minimal view."""

from __future__ import annotations

from django.db import models


class Note(models.Model):
    """A user's text, as long as the scores and comments of a rating."""

    owner = models.IntegerField(db_index=True)
    text = models.TextField()
    made_at = models.DateTimeField()

    class Meta:
        app_label = "minimal"  # the bench creates the table itself; there the app is not installed

    def __str__(self) -> str:
        return f"{self.owner}: {self.text[:40]}"
