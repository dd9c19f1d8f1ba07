"""Entries of items in the list, which a trigger makes with an item, and the words of their texts.

The entries of items that are rated already, and all words, are made by `manage.py index_items`, or when a lead looks.
"""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

STATE = """
CREATE FUNCTION tasks_item_state(counted int, wanted int, dropped boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN dropped THEN 'dropped' WHEN counted >= wanted THEN 'finished' WHEN counted > 0 THEN 'begun'
    ELSE 'untouched' END
$$;
"""
WORDS = """
CREATE FUNCTION tasks_words_of(said text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  LOOP
    BEGIN
      RETURN strip(to_tsvector('simple', said));
    EXCEPTION WHEN program_limit_exceeded THEN
      said := left(said, length(said) / 2);
    END;
  END LOOP;
END $$;
"""
LIST = """
CREATE FUNCTION tasks_list_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tasks_itementry (item_id, project_id, batch_id, external_id, latest, spread, state, traits)
  SELECT id, project_id, batch_id, external_id, 0, -1, tasks_item_state(counted, wanted, dropped), '{}' FROM fresh;
  RETURN NULL;
END $$;
CREATE TRIGGER an_item_is_listed AFTER INSERT ON tasks_item REFERENCING NEW TABLE AS fresh
FOR EACH STATEMENT EXECUTE FUNCTION tasks_list_items();
"""
KEEP = """
CREATE FUNCTION tasks_keep_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks_itementry SET state = tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped) WHERE item_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER an_item_keeps_its_state AFTER UPDATE OF wanted, dropped ON tasks_item FOR EACH ROW
WHEN (tasks_item_state(OLD.counted, OLD.wanted, OLD.dropped) <> tasks_item_state(NEW.counted, NEW.wanted, NEW.dropped))
EXECUTE FUNCTION tasks_keep_state();
"""
FILL = """
INSERT INTO tasks_itementry (item_id, project_id, batch_id, external_id, latest, spread, state, traits)
SELECT id, project_id, batch_id, external_id, 0, -1, tasks_item_state(counted, wanted, dropped), '{}' FROM tasks_item;
"""
UNDO = """
DROP TRIGGER an_item_is_listed ON tasks_item;
DROP TRIGGER an_item_keeps_its_state ON tasks_item;
DROP FUNCTION tasks_list_items(), tasks_keep_state(), tasks_words_of(text), tasks_item_state(int, int, boolean);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0037_leads_may_see_pseudonyms"),
    ]

    operations = [
        migrations.CreateModel(
            name="ItemList",
            fields=[
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.project",
                    ),
                ),
                ("upto", models.BigIntegerField(default=0)),
                ("indexed", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ItemEntry",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="entry",
                        serialize=False,
                        to="tasks.item",
                    ),
                ),
                ("external_id", models.TextField()),
                ("latest", models.BigIntegerField(default=0)),
                ("spread", models.SmallIntegerField(default=-1)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("untouched", "not rated"),
                            ("begun", "begun"),
                            ("finished", "finished"),
                            ("dropped", "dropped"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "traits",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.batch",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["traits"], name="items_with_a_trait"
                    ),
                    models.Index(fields=["project", "item"], name="items_by_key"),
                    models.Index(fields=["project", "batch"], name="items_of_a_batch"),
                    models.Index(fields=["project", "state"], name="items_in_a_state"),
                    models.Index(fields=["project", "external_id"], name="items_by_id"),
                    models.Index(
                        fields=["project", "latest", "item"], name="items_by_latest_rating"
                    ),
                    models.Index(fields=["project", "spread", "item"], name="items_by_spread"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ItemWords",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tasks.item",
                    ),
                ),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tasks.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["words"], name="items_with_a_word"
                    ),
                ],
            },
        ),
        migrations.RunSQL(STATE + WORDS + LIST + KEEP, UNDO),
        migrations.RunSQL(FILL, migrations.RunSQL.noop, elidable=True),
    ]
