"""Pairs to raters and grades to qrels: the queue, double presses, agreement, aggregation."""
