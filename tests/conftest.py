"""Settings of the whole suite: hypothesis draws the same examples everywhere."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None, max_examples=25)
settings.load_profile("fixed")
