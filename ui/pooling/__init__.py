"""The page Pool: who names documents for which queries, and how much of it the team can grade.

choosing    sources, queries, budget and balance, as the page asks for them
run_files   rankings of other systems that somebody hands over
preview     what would join the pool, before anything is written; the button that pools
sanity      what is odd about the corpus
fillings    the fillings so far: repeat one, take one back
standing    what the pool holds, by source
words       sources, plans and reasons, as a person reads them
"""
