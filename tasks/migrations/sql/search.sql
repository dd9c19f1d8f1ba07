-- Search in texts. PostgreSQL's parser finds words between spaces and marks. Chinese, Japanese, Thai, Lao, Khmer and
-- Burmese are written without spaces: a sentence is one long run of letters. So each run is stored as its overlapping
-- pairs of letters, and its last letter alone. A search for a run asks for all its pairs; a search for a single letter
-- asks for what begins with it. A run of three letters or more is also compared with the runs of the text, because a
-- text may have all its pairs in different places.

-- The letters of these scripts, for a class of a regular expression. Thai, Lao, Burmese, Khmer; then radicals,
-- iteration marks, kana, bopomofo, ideographs, half-width katakana, and the letters beyond the first 65,536 characters.
-- The digits of a script are among its letters.
CREATE FUNCTION tasks_unspaced_letters() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '\u0E01-\u0E3A\u0E40-\u0E5B\u0E81-\u0EDF\u1000-\u109F\uA9E0-\uA9FE\uAA60-\uAA7F'
    '\u1780-\u17D3\u17D7\u17DC\u17DD\u17E0-\u17E9'
    '\u2E80-\u2FDF\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303C\u3041-\u309F\u30A1-\u30FA\u30FC-\u30FF'
    '\u3100-\u312F\u31A0-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F'
    '\U0001AFF0-\U0001B16F\U00020000-\U0003FFFD'
$$;

-- The runs of such letters in a text, one on each line. Letters that are the same to a reader are the same here
-- (NFKC: half-width katakana and usual ones), and spaces without width, which some writers put between words, are left
-- out.
CREATE FUNCTION tasks_runs_of(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN said ~ ('[' || tasks_unspaced_letters() || ']') THEN
    btrim(regexp_replace(normalize(translate(said, U&'\200B\200C\200D\2060\FEFF', ''), NFKC),
      '[^' || tasks_unspaced_letters() || ']+', E'\n', 'g'), E'\n')
  ELSE '' END
$$;

-- A text without such letters, and without the spaces of no width among them.
CREATE FUNCTION tasks_without_runs(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(said,
    '[' || tasks_unspaced_letters() || '][\u200B-\u200D\u2060\uFEFF' || tasks_unspaced_letters() || ']*', ' ', 'g')
$$;

-- The pairs of letters in such runs, and the last letter of each.
CREATE FUNCTION tasks_pairs_of(runs text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(letter || coalesce(nullif(next, E'\n'), '')), '{}')
  FROM (SELECT string_to_array(runs, NULL) AS letters) AS run, unnest(letters, letters[2:]) AS pair (letter, next)
  WHERE letter <> E'\n'
$$;

-- The words of a text, for search. PostgreSQL refuses a text with too many different words; half of it is indexed then,
-- or half of that.
CREATE FUNCTION tasks_words_of(said text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  runs text;
BEGIN
  LOOP
    BEGIN
      runs := tasks_runs_of(said);
      IF runs = '' THEN
        RETURN strip(to_tsvector('simple', said));
      END IF;
      RETURN strip(to_tsvector('simple', tasks_without_runs(said))) || array_to_tsvector(tasks_pairs_of(runs));
    EXCEPTION WHEN program_limit_exceeded THEN
      said := left(said, length(said) / 2);
    END;
  END LOOP;
END $$;

-- The words that a text must have to be found.
CREATE FUNCTION tasks_query_of(asked text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT plainto_tsquery('simple', tasks_without_runs(asked)) && coalesce(string_agg(
    CASE WHEN length(run) = 1 THEN quote_literal(run) || ':*'
    ELSE (SELECT string_agg(quote_literal(pair), ' & ') FROM unnest(tasks_pairs_of(run)) AS pair
      WHERE length(pair) = 2) END, ' & '), '')::tsquery
  FROM string_to_table(tasks_runs_of(asked), E'\n') AS run WHERE run <> ''
$$;

-- Patterns that the runs of a text must be like to be found, since its pairs alone do not tell.
CREATE FUNCTION tasks_patterns_of(asked text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg('%' || run || '%'), '{}')
  FROM string_to_table(tasks_runs_of(asked), E'\n') AS run WHERE length(run) > 2
$$;
