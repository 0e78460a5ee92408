-- What rows say of the user in the variable `user`. Lakes of before the column have it in `extra`.
CREATE OR REPLACE TEMP MACRO names_user(user_id, extra) AS coalesce(
    user_id = getvariable('user')
    OR json_extract_string(extra, '$.user_id') = getvariable('user')
    OR json_extract_string(extra, '$.client_id') = getvariable('user'), FALSE);

-- Whether another user is named, and this one is not.
CREATE OR REPLACE TEMP MACRO names_another(user_id, extra) AS NOT names_user(user_id, extra)
    AND coalesce(nullif(user_id, ''), nullif(json_extract_string(extra, '$.user_id'), ''),
        nullif(json_extract_string(extra, '$.client_id'), '')) IS NOT NULL;

-- Whether a text of `extra`, under any key and at any depth, is the user's id; a number is none, as
-- pages, prices and ranks are numbers. To unfold takes the square of the depth: long ones are not.
CREATE OR REPLACE TEMP MACRO holds_user(extra) AS coalesce(CASE
    WHEN NOT contains(extra, getvariable('user')) AND NOT contains(extra, chr(92)) THEN FALSE
    WHEN length(extra) > 20000 THEN contains(extra, CAST(to_json(getvariable('user')) AS VARCHAR))
    ELSE len(list_filter(json_extract(extra, '$..*'), lambda part:
        json_type(part) = 'VARCHAR' AND json_extract_string(part, '$') = getvariable('user'))) > 0
    END, FALSE);
