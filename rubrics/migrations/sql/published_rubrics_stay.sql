-- A rubric version never changes and is never deleted, because ratings refer to its text.

CREATE OR REPLACE FUNCTION refuse_change_of_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rubric version % is published and cannot be changed; load a new version', OLD.id
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
