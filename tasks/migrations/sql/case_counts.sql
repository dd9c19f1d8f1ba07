-- Entries of cases that come, change or go add rows to the counts of their kinds. A row that is never changed makes
-- nobody wait. The table's rules are in tasks/models/case_counts.py.
CREATE FUNCTION tasks_count_cases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO tasks_casecount (project_id, batch_id, model, dimension, spread, first_spread, is_mixed, was_mixed,
      is_forced_apart, is_complete, decision, is_seen, check_name, number)
    SELECT project_id, batch_id, model, dimension, spread, first_spread, is_mixed, was_mixed, is_forced_apart,
      is_complete, decision, is_seen, name, count(*)
    FROM came AS entry,
      LATERAL (SELECT '' AS name UNION ALL SELECT jsonb_array_elements_text(entry.checks)) AS differing
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO tasks_casecount (project_id, batch_id, model, dimension, spread, first_spread, is_mixed, was_mixed,
      is_forced_apart, is_complete, decision, is_seen, check_name, number)
    SELECT project_id, batch_id, model, dimension, spread, first_spread, is_mixed, was_mixed, is_forced_apart,
      is_complete, decision, is_seen, name, -count(*)
    FROM went AS entry,
      LATERAL (SELECT '' AS name UNION ALL SELECT jsonb_array_elements_text(entry.checks)) AS differing
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER cases_that_come_are_counted AFTER INSERT ON tasks_caseentry
  REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tasks_count_cases();
CREATE TRIGGER cases_that_go_are_counted AFTER DELETE ON tasks_caseentry
  REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION tasks_count_cases();
CREATE TRIGGER cases_that_change_are_counted AFTER UPDATE ON tasks_caseentry
  REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION tasks_count_cases();
