"""An upload needs no project until it is imported, and an import of ratings can be taken back."""

import django.db.models.deletion
from django.db import migrations, models

# A rubric that was made from the columns of a file and is no template goes with the import, unless
# something refers to it.
TRIGGER = """
CREATE OR REPLACE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - 'is_template' = to_jsonb(NEW) - 'is_template' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND NOT OLD.is_template THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
    USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rubrics", "0005_sources"),
        ("tasks", "0018_consequences_and_sources"),
    ]

    operations = [
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="upload",
            name="project",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tasks.project",
            ),
        ),
        migrations.AlterField(
            model_name="upload",
            name="asked",
            field=models.CharField(
                blank=True,
                choices=[("", "Nothing"), ("read", "Read"), ("import", "Import")],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="uploadprogress", name="asked_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="ratingfile",
            name="rubric",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="rubrics.rubric",
            ),
        ),
        migrations.AddField(
            model_name="ratingfile",
            name="before",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.RunSQL(
            # Reports of the form before: their files are read again.
            "UPDATE tasks_upload SET asked = 'read', report = '{}' WHERE batch_id IS NULL;"
            "UPDATE tasks_upload SET report = '{}' WHERE batch_id IS NOT NULL",
            migrations.RunSQL.noop,
        ),
    ]
