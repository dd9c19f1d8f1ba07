"""Who dropped an item, when and why; and the response for which a rating came back."""

from django.conf import settings
from django.db import migrations, models
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0007_sound_agreement"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="item",
            name="dropped_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="item",
            name="dropped_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="item",
            name="dropped_why",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="returnedrating",
            name="place",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="concern",
            name="decision",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "not decided"),
                    ("answered", "answer only"),
                    ("again", "ask the same person again"),
                    ("someone_else", "give it to someone else"),
                    ("drop", "drop the item"),
                ],
                default="",
                max_length=12,
            ),
        ),
    ]
