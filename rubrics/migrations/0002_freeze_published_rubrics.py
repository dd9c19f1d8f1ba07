"""The database refuses every change to a published version: ratings refer to what it said."""

from django.db import migrations

FREEZE = """
CREATE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  published integer;
BEGIN
  IF TG_TABLE_NAME = 'rubrics_rubric' THEN
    IF OLD.status = 'published' THEN
      published := OLD.id;
    END IF;
  ELSIF TG_TABLE_NAME = 'rubrics_dimension' THEN
    SELECT id INTO published FROM rubrics_rubric
      WHERE status = 'published' AND id IN (
        CASE WHEN TG_OP <> 'INSERT' THEN OLD.rubric_id END,
        CASE WHEN TG_OP <> 'DELETE' THEN NEW.rubric_id END);
  ELSE
    SELECT rubric.id INTO published FROM rubrics_rubric rubric JOIN rubrics_dimension part ON part.rubric_id = rubric.id
      WHERE rubric.status = 'published' AND part.id IN (
        CASE WHEN TG_OP <> 'INSERT' THEN OLD.dimension_id END,
        CASE WHEN TG_OP <> 'DELETE' THEN NEW.dimension_id END);
  END IF;
  IF published IS NOT NULL THEN
    RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', published
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER a_published_rubric_stays BEFORE UPDATE OR DELETE ON rubrics_rubric
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
CREATE TRIGGER a_published_rubric_stays BEFORE INSERT OR UPDATE OR DELETE ON rubrics_dimension
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
CREATE TRIGGER a_published_rubric_stays BEFORE INSERT OR UPDATE OR DELETE ON rubrics_level
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
CREATE TRIGGER a_published_rubric_stays BEFORE INSERT OR UPDATE OR DELETE ON rubrics_check
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
CREATE TRIGGER a_published_rubric_stays BEFORE INSERT OR UPDATE OR DELETE ON rubrics_rule
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
"""

THAW = """
DROP TRIGGER a_published_rubric_stays ON rubrics_rubric;
DROP TRIGGER a_published_rubric_stays ON rubrics_dimension;
DROP TRIGGER a_published_rubric_stays ON rubrics_level;
DROP TRIGGER a_published_rubric_stays ON rubrics_check;
DROP TRIGGER a_published_rubric_stays ON rubrics_rule;
DROP FUNCTION refuse_change_of_published_rubric();
"""


class Migration(migrations.Migration):
    dependencies = [("rubrics", "0001_initial")]

    operations = [migrations.RunSQL(FREEZE, THAW)]
