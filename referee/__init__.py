"""A referee for card games between programs."""

__version__ = "0.1.0"
