-- `units` with the places that were clicked as a list. A document that stands twice in a list was shown
-- at the upper of both places, and clicked there.
SELECT group_id, before, visit, searches,
    searches * (len(listed) - list_count(listed)) AS unknown_slots,
    CASE WHEN len(list_distinct(listed)) < list_count(listed)
        THEN list_transform(listed, lambda doc_id, place:
            CASE WHEN list_position(listed, doc_id) = place THEN doc_id END)
        ELSE listed END AS listed,
    list_distinct(list_transform(CAST(string_split(places, ',') AS INTEGER[]), lambda place:
        CAST(list_position(listed, listed[place]) AS INTEGER))) AS clicked
FROM units
