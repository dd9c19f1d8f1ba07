"""New projects: from settings, or as a copy of another one."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import count

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from config.web.people import User
from rubrics.models import Rubric

from .project_settings import COPIED
from .projects import Project
from .roles import Role

# A project's URL is /projects/SLUG/. Other pages have these URLs.
RESERVED_SLUGS = frozenset({"new"})


def start_project(
    *,
    title: str,
    rubric: Rubric,
    wanted: int,
    slug: str = "",
    settings: Mapping[str, object] | None = None,
    form_key: str = "",
    by: User | None,
    now: datetime,
) -> Project:
    """Create a project, with `by` as its lead.

    Without a slug, make one from the title. The form with this key that was sent before has
    made the project already; return that one.
    """
    project = Project(
        title=title,
        rubric=rubric,
        wanted=wanted,
        form_key=form_key,
        created_by=by,
        created_at=now,
        **(settings or {}),
    )
    with transaction.atomic():
        # A slug that was free may be used by now, by a button that was pressed twice.
        for free_slug in [slug] if slug else _free_slugs(title):
            project.slug = free_slug
            try:
                with transaction.atomic():
                    project.save(force_insert=True)
                break
            except IntegrityError:
                twin = _made_by_form(by, form_key)
                if twin:
                    return twin
                if slug or not Project.objects.filter(slug=free_slug).exists():
                    raise
        if by is not None:
            project.admit(by, role=Role.LEAD, by=by, now=now)
        return project


def _made_by_form(user: User | None, form_key: str) -> Project | None:
    if not form_key:
        return None
    return Project.objects.filter(created_by=user, form_key=form_key).first()


def _free_slugs(title: str) -> Iterator[str]:
    base = slugify(title)[:70].strip("-_") or "project"
    used = {
        *Project.objects.filter(slug__startswith=base).values_list("slug", flat=True),
        *RESERVED_SLUGS,
    }
    if base not in used:
        yield base
    for number in count(2):
        slug = f"{base}-{number}"
        if slug not in used:
            yield slug


def duplicate_project(
    project: Project, *, title: str, form_key: str = "", by: User, now: datetime
) -> Project:
    """Create a project with the same rubric, settings and people, and without items."""
    with transaction.atomic():
        copy = start_project(
            title=title,
            rubric=project.rubric,
            wanted=project.wanted,
            settings={name: getattr(project, name) for name in COPIED},
            form_key=form_key,
            by=by,
            now=now,
        )
        if copy.created_at != now:  # the form was sent before
            return copy
        for text in project.clause_texts.all():
            copy.write_clause(text.clause, text.text, by=by, now=now)
        for membership in project.memberships.select_related("user"):
            copy.admit(membership.user, role=membership.role, by=by, now=now)
        return copy
