"""The project of a command line, which may be made for the file that it brings."""

import re
from datetime import datetime

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError

from rubrics.models import Rubric
from tasks.models import Membership, Project
from tasks.models.new_projects import RESERVED_SLUGS, start_project
from tasks.models.project_settings import MOST_WANTED

SLUG = re.compile(r"[A-Za-z0-9_-]{1,80}")
WANTED = 3  # ratings for each item of a new project


def find_project(
    slug: str,
    *,
    create: bool,
    rubric: str | None,
    wanted: int | None,
    lead: str | None,
    now: datetime,
) -> Project:
    """Return the project with this slug; with `create` make it if it is missing."""
    if not create and (rubric, wanted, lead) != (None, None, None):
        raise CommandError("--rubric, --wanted and --lead are of use with --create only.")
    project = Project.objects.filter(slug=slug).select_related("rubric").first()
    if project is None and not create:
        raise CommandError(f'There is no project "{slug}"; --create --rubric SLUG makes it.')
    if project is None:
        number = WANTED if wanted is None else wanted
        return _new_project(slug, rubric, number, lead, now)
    memberships = project.memberships.filter(role=Membership.Role.LEAD)
    leads = [*memberships.values_list("user__username", flat=True)]
    has_rubric = rubric in (None, project.rubric.slug)
    has_wanted = wanted in (None, project.wanted)
    has_lead = lead in (None, *leads)
    if not (has_rubric and has_wanted and has_lead):
        names = ", ".join(leads) or "nobody"
        raise CommandError(
            f'Project "{project.slug}" is there already, with rubric "{project.rubric.slug}", '
            f"{project.wanted} wanted and {names} as lead; leave out --create."
        )
    return project


def _new_project(
    slug: str, rubric_slug: str | None, wanted: int, lead: str | None, now: datetime
) -> Project:
    rubrics = Rubric.objects.newest_versions()
    slugs = ", ".join(rubrics.values_list("slug", flat=True))
    slugs = slugs or "none; manage.py rubric load FILE loads one"
    if not rubric_slug:
        raise CommandError(f"--create needs --rubric; there are: {slugs}.")
    if not SLUG.fullmatch(slug) or slug in RESERVED_SLUGS:
        raise CommandError(
            f'A project cannot be named "{slug}"; use letters, digits, - and _, 80 at most.'
        )
    if not 1 <= wanted <= MOST_WANTED:
        raise CommandError(f"--wanted is {wanted}; it goes from 1 to {MOST_WANTED:,}.")
    rubric = rubrics.filter(slug=rubric_slug).first()
    if rubric is None:
        raise CommandError(f'There is no rubric "{rubric_slug}"; there are: {slugs}.')
    by = get_user_model().objects.filter(username=lead).first()
    if by is None and lead is not None:
        raise CommandError(f'There is no account named "{lead}"; an admin makes one.')
    return start_project(slug=slug, title=slug, rubric=rubric, wanted=wanted, by=by, now=now)
