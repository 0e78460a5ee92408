"""What the Dashboard shows: click metrics with n and intervals, over time, by rank and by group.

counting    what is counted once and kept: the log's days, models and tags; metrics of a choice
filters     which events are meant, from the page's address
fresh       new events appear without a reload
figures     the metrics of all that was asked for, as tiles
meanings    what each of these numbers is
groups      the same by model version, tag and query class, and clicks by rank
times       one metric by day or hour
queries     which queries do well and badly
"""
