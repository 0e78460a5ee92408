-- What bots.sql found (table `met`) -> rows of the table `bots`.
SELECT session_id, rule, searches, user_id, given = 1 AS session_given,
    make_timestamptz(began) AS began, make_timestamptz(ended) AS ended
FROM met
