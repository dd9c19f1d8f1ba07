"""The settings of a project: what its leads choose about items, leases, texts and figures."""

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rubrics.judging import kinds
from rubrics.judging.disagreement import thresholds_of
from rubrics.judging.practice_rounds import LEAST, MOST, examples_of
from rubrics.models import Rubric
from tasks.answers.fact_checks import SEARCH

MOST_WANTED = 1_000  # ratings of one item
# Minutes. The desk reports every two minutes that its annotator is at work, and one report may be
# lost on the way.
LEAST_LEASE = 5
# Settings that a duplicate has too.
COPIED = (
    *("overlap_percent", "overlap_wanted", "order", "grouping", "view", "lease_minutes"),
    *("most_daily", "most_warned_daily", "search_address", "correction_hours"),
    *("names_annotators", "shows_own_agreement", "introduction", "introduced_at"),
    *("practice", "practice_examples", "practice_near", "practice_tries", "consequences"),
    *("chosen_thresholds", "disputed_checks", "decides_first"),
)
LONGEST_INTRODUCTION = 4_000  # characters
LONGEST_SEARCH = 500  # characters of an address


class TextView(models.TextChoices):
    """The ways to show the texts of an item."""

    TEXT = "text", _("as text")  # as written
    RENDERED = "rendered", _("rendered: Markdown, code and formulas")
    # As written, with marks where the responses differ.
    DIFFERENCE = "difference", _("as text, with the differences of the responses")


# An item is shown in one of these at first. The differences are for comparing, not for reading.
FIRST_VIEWS = [(view.value, view.label) for view in (TextView.RENDERED, TextView.TEXT)]


class ProjectSettings(models.Model):
    """The fields of a project that its leads can set."""

    class Order(models.TextChoices):
        UPLOADED = "uploaded", _("as uploaded")  # by batch and position
        PRIORITY = "priority", _("by the batches’ priority")  # higher first, then as uploaded
        SHUFFLED = "shuffled", _("shuffled, for each annotator differently")  # drawn by the seed

    class Grouping(models.TextChoices):
        """The rules for items with the same conversation, persona, system prompt and context."""

        FREE = "free", _("no rule")
        SPREAD = "spread", _("at most one of a group for each annotator")
        TOGETHER = "together", _("all of a group to the same annotators")

    class Practice(models.TextChoices):
        """The ways in which annotators practise on the rubric's examples."""

        OFF = "off", _("off")
        OFFERED = "offered", _("offered")
        REQUIRED = "required", _("required before the first item")

    class Consequences(models.TextChoices):
        """The times from which annotators see which scores their answers leave open."""

        ALWAYS = kinds.Consequences.ALWAYS.value, _("always")
        AFTER = kinds.Consequences.AFTER.value, _("after answering")
        NEVER = kinds.Consequences.NEVER.value, _("never")

    class Imported(models.TextChoices):
        """The ways in which ratings from files can count."""

        APART = "apart", _("Shown, and counted nowhere")
        COUNTED = "counted", _("Counted in all figures and exports")
        # The project is made of them: they fill the places that their items want.
        PLACES = "places", _("Counted, and an item that has some wants no others")

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="projects")
    # Counted ratings for each item. A share of the items, drawn by the seed, gets `overlap_wanted`
    # instead. `Item.wanted` stores the result, which may be higher for other reasons.
    wanted = models.PositiveSmallIntegerField(_("Ratings wanted of each item"), default=3)
    overlap_percent = models.PositiveSmallIntegerField(
        _("Overlap, in percent of the items"), default=0, db_default=0
    )
    overlap_wanted = models.PositiveSmallIntegerField(
        _("Ratings wanted of items in the overlap"), default=3, db_default=3
    )
    order = models.CharField(
        _("Order of the items"),
        max_length=12,
        choices=Order,
        default=Order.UPLOADED,
        db_default="uploaded",
    )
    grouping = models.CharField(
        _("Items with the same conversation"),
        max_length=12,
        choices=Grouping,
        default=Grouping.FREE,
        db_default="free",
    )
    # Annotators can switch it; the membership remembers to what.
    view = models.CharField(
        _("Default text view"),
        max_length=12,
        choices=FIRST_VIEWS,
        default=TextView.RENDERED,
        db_default="rendered",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        _("Minutes for which an item is reserved"),
        default=30,
        validators=[MinValueValidator(LEAST_LEASE)],
    )
    # What the rules decide is the same in all three.
    consequences = models.CharField(
        _("Consequences"),
        max_length=12,
        choices=Consequences,
        default=Consequences.ALWAYS,
        db_default="always",
    )
    # The daily limits count the annotator's own days, by their time zone. None: no limit.
    most_daily = models.PositiveSmallIntegerField(
        _("Items per person and day"), null=True, blank=True
    )
    most_warned_daily = models.PositiveSmallIntegerField(
        _("Items with a warning per person and day"), null=True, blank=True
    )
    # What annotators read before their next item, once per change. The desk does not load it.
    introduction = models.TextField(
        _("Introduction"), max_length=LONGEST_INTRODUCTION, blank=True, default="", db_default=""
    )
    introduced_at = models.DateTimeField(null=True, blank=True, editable=False)  # the last change
    practice = models.CharField(
        _("Practice on the rubric’s examples"),
        max_length=12,
        choices=Practice,
        default=Practice.OFF,
        db_default="off",
    )
    practice_examples = models.PositiveSmallIntegerField(
        _("Examples in a round"), default=8, db_default=8
    )
    # A round admits to a project that requires practice with so many scores within one.
    practice_near = models.PositiveSmallIntegerField(
        _("How many scores must be within one"), default=6, db_default=6
    )
    practice_tries = models.PositiveSmallIntegerField(
        _("Rounds in which one can pass"), default=2, db_default=2
    )
    # A URL with {claim} in place of the claim.
    search_address = models.CharField(
        _("Search address for claims"), max_length=LONGEST_SEARCH, default=SEARCH, db_default=SEARCH
    )
    imported = models.CharField(
        _("Ratings from files"),
        max_length=12,
        choices=Imported,
        default=Imported.APART,
        db_default="apart",
    )
    # On the page on agreement. Exports have a choice of their own.
    names_annotators = models.BooleanField(
        _("Name annotators on the agreement page"), default=True, db_default=True
    )
    # To themselves, in `agreement.own`.
    shows_own_agreement = models.BooleanField(
        _("Show annotators how far they agree with the others"), default=False, db_default=False
    )
    # Counted from the first submission. None: as long as the batch is open. 0: no corrections.
    # `Rating.why_read_only` checks this and all other conditions.
    correction_hours = models.PositiveSmallIntegerField(
        _("Hours in which a rating can be corrected"), null=True, blank=True
    )
    # The spread from which scores differ, by the code of the dimension. Others have the usual one.
    chosen_thresholds = models.JSONField(
        _("From which distance scores differ"), default=dict, blank=True, db_default={}
    )

    # Checks on which a difference alone is a case, each with its dimension in front, as
    # "quality:language_error".
    disputed_checks = models.JSONField(
        _("Checks on which a difference is to be settled"),
        default=list,
        blank=True,
        db_default=[],
    )
    # Whoever decides a case sees the answers after a score of their own.
    decides_first = models.BooleanField(
        _("Decide before seeing the answers"), default=False, db_default=False
    )

    class Meta:
        abstract = True
        constraints: ClassVar[tuple[models.BaseConstraint, ...]] = (
            models.CheckConstraint(
                condition=Q(wanted__gte=1), name="an_item_wants_a_rating_at_least"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=LEAST_LEASE),
                name="a_lease_lasts_five_minutes_at_least",
            ),
            models.CheckConstraint(
                condition=Q(overlap_percent__lte=100, overlap_wanted__gte=1),
                name="an_overlap_is_of_a_hundred_at_most",
            ),
            models.CheckConstraint(
                condition=Q(practice_examples__range=(LEAST, MOST)),
                name="a_round_has_four_to_twenty_examples",
            ),
            models.CheckConstraint(
                condition=Q(search_address__regex=r"^https?://.*\{claim\}"),
                name="claims_are_looked_up_at_an_address",
            ),
            models.CheckConstraint(
                condition=Q(view__in=("text", "rendered")),
                name="texts_are_shown_as_text_or_rendered",
            ),
            models.CheckConstraint(
                condition=Q(consequences__in=("always", "after", "never")),
                name="consequences_show_always_after_or_never",
            ),
        )

    @property
    def thresholds(self) -> dict[str, int]:
        """The spread from which scores differ, by the code of each dimension with scores."""
        return thresholds_of(self.rubric.schema, self.chosen_thresholds)

    @property
    def practice_size(self) -> int:
        """The number of examples in a round; 0 if nobody practises, for want of examples too."""
        if self.practice == self.Practice.OFF:
            return 0
        available = len(examples_of(self.rubric.schema))
        return min(self.practice_examples, available) if available >= LEAST else 0

    @property
    def practice_wanted(self) -> int:
        """The number of scores that have to be within one, to pass."""
        return min(self.practice_near, self.practice_size)

    @property
    def offers_practice(self) -> bool:
        """True if annotators can practise."""
        return self.practice_size > 0

    @property
    def asks_practice(self) -> bool:
        """True if annotators practise before their first item."""
        return self.practice == self.Practice.REQUIRED and self.offers_practice
