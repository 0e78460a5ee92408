"""The demo: search over the documentation of the standard library of the Python that runs it.

corpus          what there is to find: one document per module, class, function and method
module_choice   which modules, and under which name a programmer knows what lies in them
source_docs     documents read out of Python sources, which are parsed and never imported
native_docs     documents of what is written in C
"""
