"""Tests of the filters of what a model wrote."""
