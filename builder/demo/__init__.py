"""The demo: search over the documentation of the standard library of the Python that runs it.

recipe          the whole loop, step by step, as `goldsmith demo` and the browser run it
premises        in which workspace it may work, and that one demo at a time does
corpus          what there is to find: one document per module, class, function and method
module_choice   which modules, and under which name a programmer knows what lies in them
source_docs     documents read out of Python sources, which are parsed and never imported
native_docs     documents of what is written in C
log_queries     what else people look for: made of names in the corpus, graded by nobody
search_log      the log: what each model finds for all of these queries, clicked
clicks          a search log, simulated from real rankings by a position-based click model
"""
