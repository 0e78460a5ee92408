-- Per query of `spellings`: the tag that most of its searches in `selected` carry, of equal ones the
-- first in the order of characters. Queries without any tag have no row.
SELECT group_key, tag
FROM (
    SELECT
        spellings.group_key,
        tagged.tag,
        ROW_NUMBER() OVER (
            PARTITION BY spellings.group_key ORDER BY SUM(tagged.searches) DESC, tagged.tag
        ) AS place
    FROM (
        SELECT query, tag, COUNT(*) AS searches
        FROM (SELECT query, unnest(list_distinct(tags)) AS tag FROM selected)
        GROUP BY query, tag
    ) AS tagged
    INNER JOIN spellings ON tagged.query = spellings.query
    GROUP BY spellings.group_key, tagged.tag
) AS counted
WHERE place = 1
