"""What speaks against a query that a model wrote: one small module for each reason, all pure.

Each says why in a sentence with numbers, since nothing is thrown away: what is rejected stays
visible, and a reviewer may rescue it.
"""
