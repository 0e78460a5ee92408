"""Measures models on task folders; knows nothing of builder or online."""
