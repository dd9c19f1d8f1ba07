"""Templates of projects: a rubric with the settings that suit it.

They are the rubrics that ship with the program, loaded or not, and every other published rubric.
"""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from config.web.people import User
from rubrics import schema
from rubrics.models import Rubric
from rubrics.outline import Outline, outline
from rubrics.shipped import SLUGS, shipped

from .models import TextView
from .models.projects import Project

# By the rubric's slug; all other settings are the usual ones. Long answers with Markdown and code
# are read rendered, and take their time. Replies in a chat are read as they were sent.
SETTINGS: dict[str, dict[str, object]] = {
    "response-quality": {"view": TextView.RENDERED, "lease_minutes": 45},
    "dialogue": {"view": TextView.TEXT, "lease_minutes": 30},
}


@dataclass(frozen=True, slots=True)
class ProjectTemplate:
    """A rubric to start a project with, and its settings."""

    key: str  # the primary key of a stored rubric, or the slug of a shipped one
    rubric: schema.Rubric
    stored: Rubric | None  # None until the first project loads it
    settings: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return str(self.stored or self.rubric.title)

    @property
    def outline(self) -> Outline:
        return outline(self.rubric)

    @property
    def settings_in_words(self) -> str:
        usual = Project(**self.settings)
        return _("Texts are shown %(view)s. An item is reserved for %(minutes)s minutes.") % {
            "view": usual.get_view_display(),
            "minutes": usual.lease_minutes,
        }

    def load(self, *, by: User, now: datetime) -> Rubric:
        """Return the stored rubric; store a shipped one first."""
        return self.stored or Rubric.objects.load(self.rubric, by=by, now=now)[0]


def project_templates() -> list[ProjectTemplate]:
    """Return all templates: those of the shipped rubrics first, then by title."""
    stored = {rubric.slug: rubric for rubric in Rubric.objects.newest_published()}
    others = sorted(set(stored) - set(SLUGS), key=lambda slug: stored[slug].title)
    found = []
    for slug in (*SLUGS, *others):
        rubric = stored.get(slug)
        written = rubric.schema if rubric else shipped(slug)
        key = str(rubric.pk) if rubric else slug
        found.append(ProjectTemplate(key, written, rubric, SETTINGS.get(slug, {})))
    return found
