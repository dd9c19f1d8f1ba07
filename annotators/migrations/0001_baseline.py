"""The tables of people and their sessions, before the first release."""

from django.conf import settings
from django.contrib.auth.models import UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                (
                    "last_login",
                    models.DateTimeField(blank=True, null=True, verbose_name="last login"),
                ),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                (
                    "first_name",
                    models.CharField(blank=True, max_length=150, verbose_name="first name"),
                ),
                (
                    "last_name",
                    models.CharField(blank=True, max_length=150, verbose_name="last name"),
                ),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=timezone.now, verbose_name="date joined"),
                ),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="E-mail")),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Same as the browser"),
                            ("en", "English"),
                            ("de", "Deutsch"),
                            ("fr", "Français"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        choices=[
                            ("system", "same as the system"),
                            ("light", "light"),
                            ("dark", "dark"),
                            ("contrast-light", "high contrast, light"),
                            ("contrast-dark", "high contrast, dark"),
                        ],
                        default="system",
                        max_length=16,
                    ),
                ),
                (
                    "text_size",
                    models.CharField(
                        choices=[
                            ("normal", "normal"),
                            ("large", "large"),
                            ("larger", "larger"),
                            ("largest", "largest"),
                        ],
                        default="normal",
                        max_length=16,
                    ),
                ),
                (
                    "reading_width",
                    models.CharField(
                        choices=[("narrow", "narrow"), ("normal", "normal"), ("wide", "wide")],
                        default="normal",
                        max_length=16,
                    ),
                ),
                ("single_keys", models.BooleanField(default=True)),
                ("moves_on", models.BooleanField(db_default=True, default=True)),
                ("own_keys", models.JSONField(blank=True, default=dict)),
                (
                    "must_change_password",
                    models.BooleanField(db_default=False, default=False, editable=False),
                ),
                (
                    "time_zone",
                    models.CharField(blank=True, db_default="", default="", max_length=64),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        Lower("username"), name="a_name_is_taken_whatever_its_case"
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            theme__in=("system", "light", "dark", "contrast-light", "contrast-dark")
                        ),
                        name="a_theme_is_one_that_there_is",
                    ),
                    models.CheckConstraint(
                        condition=Q(text_size__in=("normal", "large", "larger", "largest")),
                        name="a_text_size_is_one_that_there_is",
                    ),
                    models.CheckConstraint(
                        condition=Q(reading_width__in=("narrow", "normal", "wide")),
                        name="a_reading_width_is_one_that_there_is",
                    ),
                    models.CheckConstraint(
                        condition=Q(language__in=("", "en", "de", "fr")),
                        name="a_language_is_one_that_there_is",
                    ),
                    models.UniqueConstraint(
                        Lower("email"),
                        condition=~Q(email=""),
                        name="an_address_has_one_account",
                        violation_error_message="Another account has this address.",
                    ),
                ],
            },
            managers=[
                ("objects", UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(
                        max_length=40, primary_key=True, serialize=False, verbose_name="session key"
                    ),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("last_used", models.DateTimeField(default=timezone.now)),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
    ]
