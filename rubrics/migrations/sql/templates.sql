-- A rubric version never changes and is never deleted, but its lead may offer it as a template or not.

CREATE OR REPLACE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(OLD) - 'is_template' = to_jsonb(NEW) - 'is_template' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
