"""The page Generate: queries that a language model writes, reviewed and validated by people.

setup           server and model, or what to write into the settings where there is none
choosing        what is asked of the model: the plan
cost            what it would cost, and the button that sends
outcome         what a run brought, by reason
runs            the runs so far: resume one, take one back
rejected        what the filters rejected, with reasons
review          review by keyboard
validation      the drawing for the experts, and what they say
words           types, reasons, flags, outcomes and states, as a person reads them
"""
