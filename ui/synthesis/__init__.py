"""What the page Generate is made of: queries that a language model writes."""
