-- A published rubric version never changes and is never deleted, because ratings refer to its text.

CREATE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'published' THEN
    RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TRIGGER a_published_rubric_stays BEFORE UPDATE OR DELETE ON rubrics_rubric
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_published_rubric();
