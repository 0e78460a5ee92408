"""Everything that knows click: the commands of `goldsmith`, and what they print.

Thin: parse, call one function, print. Rooms are imported inside the commands, so that
`goldsmith --help` answers at once.
"""
