"""A version's dimensions move from four tables into one column, in the form of a document.

There is no way back to the tables.
"""

from django.db import migrations, models

# A row as an entry of a document has no keys, and nothing that was left out.
FILL = """
CREATE FUNCTION pg_temp.entry_of(of_row jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_object_agg(key, value) FROM jsonb_each(of_row)
  WHERE key NOT IN ('id', 'rubric_id', 'dimension_id', 'position')
    AND value NOT IN ('null', '""', '[]', '{}')
$$;
ALTER TABLE rubrics_rubric DISABLE TRIGGER a_published_rubric_stays;
UPDATE rubrics_rubric SET dimensions = coalesce((
  SELECT jsonb_agg(pg_temp.entry_of(to_jsonb(dimension)) || jsonb_build_object(
    'levels', (SELECT coalesce(jsonb_agg(pg_temp.entry_of(to_jsonb(level)) ORDER BY level.id), '[]')
      FROM rubrics_level AS level WHERE level.dimension_id = dimension.id),
    'checks', (SELECT coalesce(jsonb_agg(pg_temp.entry_of(to_jsonb(asked)) ORDER BY asked.position), '[]')
      FROM rubrics_check AS asked WHERE asked.dimension_id = dimension.id),
    'rules', (SELECT coalesce(jsonb_agg(pg_temp.entry_of(to_jsonb(rule)) ORDER BY rule.position), '[]')
      FROM rubrics_rule AS rule WHERE rule.dimension_id = dimension.id)
  ) ORDER BY dimension.position)
  FROM rubrics_dimension AS dimension WHERE dimension.rubric_id = rubrics_rubric.id), '[]');
ALTER TABLE rubrics_rubric ENABLE TRIGGER a_published_rubric_stays;
DROP FUNCTION pg_temp.entry_of(jsonb);
"""

FREEZE = """
CREATE OR REPLACE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'published' THEN
    RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0003_names_in_every_language")]

    operations = [
        migrations.AddField("rubric", "dimensions", models.JSONField(default=list)),
        migrations.RunSQL(FILL, elidable=True),
        migrations.DeleteModel("Rule"),
        migrations.DeleteModel("Check"),
        migrations.DeleteModel("Level"),
        migrations.DeleteModel("Dimension"),
        migrations.RunSQL(FREEZE),
    ]
