-- A published rubric version never changes and is never deleted, because ratings refer to its text. Its lead may offer
-- it as a template or not. One that was made from the columns of a file and is no template goes with the import, unless
-- something refers to it.

CREATE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - 'is_template' = to_jsonb(NEW) - 'is_template' THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND NOT OLD.is_template THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER a_published_rubric_stays BEFORE UPDATE OR DELETE ON rubrics_rubric
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
