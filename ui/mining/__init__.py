"""The page Logs to queries: which queries are drawn from the log, and what clicks tell.

options         how to draw: the address keeps it
words           methods, strata, reasons and kinds of personal data, as a person reads them
views           queries to draw, and what clicks tell: the two sides of the page
report          what a drawing came to: strata, what is left out, personal data, the queries
strata_chart    how strata, searches and the drawn queries are made up
drawing         the preview, the button that adds, and what came of it
drawings        the drawings so far: repeat one, take one back
clicks          what the log tells of pairs: figures, clicks by rank, the table
pairs           the table of pairs
weak            how a weak grade is made
meanings        what all of these words are
"""
