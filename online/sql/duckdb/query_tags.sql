-- Per query of `spellings` with any tag: how many different tags its searches in `selected` carry,
-- and the tag that most of them carry, of equal ones the first in the order of characters; null
-- unless at least half of its searches carry any.
SELECT
    counted.group_key,
    CASE WHEN 2 * tagged_searches.searches >= totals.searches THEN counted.tag END AS tag,
    counted.tag_counts
FROM (
    SELECT
        spellings.group_key,
        tagged.tag,
        ROW_NUMBER() OVER (
            PARTITION BY spellings.group_key ORDER BY SUM(tagged.searches) DESC, tagged.tag
        ) AS place,
        COUNT(*) OVER (PARTITION BY spellings.group_key) AS tag_counts
    FROM (
        SELECT query, tag, COUNT(*) AS searches
        FROM (SELECT query, unnest(list_distinct(tags)) AS tag FROM selected)
        GROUP BY query, tag
    ) AS tagged
    INNER JOIN spellings ON tagged.query = spellings.query
    GROUP BY spellings.group_key, tagged.tag
) AS counted
INNER JOIN (
    SELECT spellings.group_key, COUNT(*) AS searches
    FROM (SELECT query FROM selected WHERE len(list_distinct(tags)) > 0) AS carrying
    INNER JOIN spellings ON carrying.query = spellings.query
    GROUP BY spellings.group_key
) AS tagged_searches ON counted.group_key = tagged_searches.group_key
INNER JOIN queries AS totals ON counted.group_key = totals.group_key
WHERE counted.place = 1
