"""Notices: the lines of a user's inbox, one for each thing that happened in a project.

A notice is written in the transaction of its event, by the `tell…` methods of `Notice.objects`. A
user has one notice of a kind about a thing. Another event of that kind renews it: it is unread
again, and its `words` follow those that were not read yet. So three people who joined one after the
other are one notice:

    Notice(user=lead, kind="joined", project=moons, words="anna, ben, cleo")
"""

from collections.abc import Collection
from datetime import datetime
from typing import Self

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q
from psycopg import sql

from config.web.people import User
from config.web.raw_sql import one_row, run

from .roles import Role

# The beginning of `tell_leads`; one of the two clauses below follows. It tells the leads of a
# project, and of the askers those who may still settle cases there: adjudicators, and admins, who
# lead every project. It does not tell whoever acts.
TELL_LEADS = """
INSERT INTO tasks_notice (user_id, kind, project_id, concern_id, returned_id, words, created_at)
SELECT user_id, %(kind)s, %(project)s, %(concern)s::bigint, %(returned)s::bigint, %(words)s, %(now)s
FROM (
  SELECT user_id FROM tasks_membership
  WHERE project_id = %(project)s
    AND (role = %(lead)s OR role = %(adjudicator)s AND user_id = ANY(%(askers)s::bigint[]))
  UNION
  SELECT id FROM {users} WHERE id = ANY(%(askers)s::bigint[]) AND is_superuser AND is_active
) AS reader
WHERE user_id <> %(by)s
ORDER BY user_id
"""
# Renews the notice about the same thing: words that were not read stay before the new ones.
RENEW = """
ON CONFLICT (user_id, kind, project_id, concern_id, returned_id, batch_id)
DO UPDATE SET created_at = excluded.created_at, read_at = NULL,
  words = concat_ws(', ', CASE WHEN tasks_notice.read_at IS NULL
    THEN nullif(tasks_notice.words, '') END, nullif(excluded.words, ''))
"""
# Renews a lead's notice of all flags in a project: it is about the last of them.
RENEW_FLAGS = """
ON CONFLICT (user_id, project_id) WHERE kind = 'raised'
DO UPDATE SET concern_id = excluded.concern_id, created_at = excluded.created_at, read_at = NULL
"""
# Tells annotators of the open batches that they may rate in, once. A batch that someone has begun
# is no news, so a pause and its end tell nobody again. If a batch is assigned to people, only they
# are told. Without %(batch)s: all batches of the project.
TELL_OF_BATCHES = """
INSERT INTO tasks_notice (user_id, kind, project_id, batch_id, words, created_at)
SELECT member.user_id, 'batch', project.id, batch.id, '', %(now)s
FROM tasks_project AS project
  JOIN tasks_batch AS batch ON batch.project_id = project.id
  JOIN tasks_membership AS member ON member.project_id = project.id
WHERE project.id = %(project)s AND project.status = 'open' AND batch.status = 'open'
  AND batch.size > batch.dropped AND member.role = %(role)s
  AND batch.id = coalesce(%(batch)s::bigint, batch.id)
  AND NOT EXISTS (SELECT FROM tasks_batchprogress WHERE batch_id = batch.id)
  AND (NOT EXISTS (SELECT FROM tasks_assignment WHERE batch_id = batch.id)
    OR EXISTS (SELECT FROM tasks_assignment
      WHERE batch_id = batch.id AND annotator_id = member.user_id))
ON CONFLICT DO NOTHING
"""
# Counts with the index `notices_not_read`.
COUNT_UNREAD = "SELECT count(*) FROM tasks_notice WHERE user_id = %s AND read_at IS NULL"
# The row that a notice of each kind points to: a constraint of the table.
ABOUT_A_PROJECT = Q(
    kind__in=("added", "invitation", "upload", "joined", "practice"),
    concern=None,
    returned=None,
    batch=None,
)
ABOUT_A_CONCERN = Q(kind__in=("decision", "raised"), concern__isnull=False)
ABOUT_A_RETURNED_RATING = Q(kind__in=("returned", "revised"), returned__isnull=False)
ABOUT_A_BATCH = Q(kind__in=("batch", "finished"), batch__isnull=False)


class NoticeQuerySet(models.QuerySet["Notice"]):
    """Notices; `project`, `batch` and the like are primary keys."""

    def of(self, user: User) -> Self:
        """Return a user's notices, newest first."""
        return self.filter(user=user).order_by("-created_at", "-pk")

    def unread(self) -> Self:
        """Return those that their user has not read."""
        return self.filter(read_at=None)

    def unread_number(self, user: User) -> int:
        """Return how many notices a user has not read. Every page asks, and the ORM is slow."""
        row = one_row(COUNT_UNREAD, [user.pk])
        return int(row[0]) if row else 0

    def older_than(self, notice: "Notice") -> Self:
        """Return the notices that come after this one in the order of the inbox."""
        is_earlier = Q(created_at__lt=notice.created_at)
        is_next_of_same_time = Q(created_at=notice.created_at, pk__lt=notice.pk)
        return self.filter(is_earlier | is_next_of_same_time)

    def tell(self, *notices: "Notice") -> None:
        """Store notices, each for one user. One about the same thing is renewed."""
        Notice.objects.bulk_create(
            notices,
            update_conflicts=True,
            unique_fields=["user", "kind", "project", "concern", "returned", "batch"],
            update_fields=["words", "invitation", "upload", "created_at", "read_at"],
        )

    def tell_leads(
        self,
        project: int,
        notice_kind: "Notice.Kind",
        *,
        concern: int | None = None,
        returned: int | None = None,
        words: str = "",
        askers: Collection[int] = (),
        by: int,
        now: datetime,
    ) -> None:
        """Tell the leads of a project, except the one who acts, and the askers of questions.

        `concern` or `returned`: the key of the row that the notice is about. `askers`, `by`: the
        keys of users.
        """
        renewal = RENEW_FLAGS if notice_kind == Notice.Kind.RAISED else RENEW
        values = {
            "kind": str(notice_kind),
            "project": project,
            "lead": Role.LEAD.value,
            "adjudicator": Role.ADJUDICATOR.value,
            "askers": list(askers),
            "concern": concern,
            "returned": returned,
            "words": words,
            "by": by,
            "now": now,
        }
        users = sql.Identifier(get_user_model()._meta.db_table)
        run(sql.SQL(TELL_LEADS + renewal).format(users=users), values)

    def mark_begun(self, user: User, project: int, *, now: datetime) -> None:
        """Mark as read that there are new items: the user begins to rate them."""
        notices = self.unread().filter(user=user, project=project, kind=Notice.Kind.BATCH)
        notices.update(read_at=now)

    def mark_decided(self, project: int, *, now: datetime) -> None:
        """Mark as read that flags were raised, for every lead of their project."""
        leads = get_user_model().objects.filter(
            memberships__project=project, memberships__role=Role.LEAD
        )
        # The unique index, which begins with the user, finds them.
        notices = self.unread().filter(user__in=leads, kind=Notice.Kind.RAISED, project=project)
        notices.update(read_at=now)

    def tell_of_batches(self, project: int, *, batch: int | None = None, now: datetime) -> None:
        """Tell a project's annotators of its batches that became ready, or of one of them."""
        values = {"project": project, "batch": batch, "role": Role.ANNOTATOR.value, "now": now}
        run(TELL_OF_BATCHES, values)

    def tell_if_finished(self, project: int, batch: int) -> None:
        """Tell a project's leads that a batch is finished, if it is."""
        run("SELECT tasks_tell_if_finished(%s, %s, %s)", [project, batch, Role.LEAD.value])


class Notice(models.Model):
    """A line of a user's inbox: what happened, in which project, and to what.

    The page reads concern, returned rating and batch as they are now, so it says nothing outdated.
    """

    class Kind(models.TextChoices):
        """The event, with its `words` if it has any."""

        # To an annotator, or whoever is invited.
        ADDED = "added"  # to a project; `words`: the role
        INVITATION = "invitation"
        DECISION = "decision"  # a lead's reply to their flag or skip
        RETURNED = "returned"  # a rating came back
        BATCH = "batch"  # there are new items
        # To leads.
        RAISED = "raised"  # a flag
        REVISED = "revised"  # a returned rating; to the adjudicator who asked, too
        # Stored by the trigger `a_finished_batch_is_told`, about the last of a project's batches.
        # `words`: the primary keys of those unread so far, with commas between them.
        FINISHED = "finished"
        UPLOAD = "upload"  # a worker is done with a file; about the last of them
        PRACTICE = "practice"  # `words`: the examples that people see otherwise, unread so far
        JOINED = "joined"  # by an invitation; `words`: the names of those who did, unread so far

    # The first columns of the constraint serve as their index; the others need none, since what a
    # notice points to is deleted seldom.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    kind = models.CharField(max_length=12, choices=Kind)
    project = models.ForeignKey("tasks.Project", on_delete=models.CASCADE, related_name="notices")
    concern = models.ForeignKey(
        "tasks.Concern", on_delete=models.CASCADE, null=True, related_name="+", db_index=False
    )
    returned = models.ForeignKey(
        "tasks.ReturnedRating",
        on_delete=models.CASCADE,
        null=True,
        related_name="notices",
        db_index=False,
    )
    batch = models.ForeignKey(
        "tasks.Batch", on_delete=models.CASCADE, null=True, related_name="+", db_index=False
    )
    words = models.TextField(blank=True)
    invitation = models.ForeignKey(
        "tasks.Invitation", on_delete=models.CASCADE, null=True, related_name="+", db_index=False
    )
    upload = models.ForeignKey(
        "tasks.Upload", on_delete=models.CASCADE, null=True, related_name="+"
    )
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("user", "kind", "project", "concern", "returned", "batch"),
                nulls_distinct=False,
                name="a_user_has_one_notice_of_a_thing",
            ),
            models.UniqueConstraint(
                fields=("user", "project"),
                condition=Q(kind="raised"),
                name="a_lead_has_one_notice_of_flags_in_a_project",
            ),
            models.UniqueConstraint(
                fields=("user", "project"),
                condition=Q(kind="finished"),
                name="a_lead_has_one_notice_of_finished_batches_in_a_project",
            ),
            models.CheckConstraint(
                condition=(
                    ABOUT_A_PROJECT | ABOUT_A_CONCERN | ABOUT_A_RETURNED_RATING | ABOUT_A_BATCH
                ),
                name="a_notice_points_to_what_it_is_about",
            ),
        )
        indexes = (
            models.Index(fields=("user", "-created_at", "-id"), name="notices_of_a_user"),
            # The count in the bar of every page.
            models.Index(fields=("user",), condition=Q(read_at=None), name="notices_not_read"),
        )

    def mark_read(self, *, now: datetime) -> None:
        """Store when its user read it first."""
        if self.read_at is None:
            self.read_at = now
            self.save(update_fields=["read_at"])
