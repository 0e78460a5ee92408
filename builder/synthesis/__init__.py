"""Queries that a language model writes: asked for, filtered, paid for once, validated by people."""
