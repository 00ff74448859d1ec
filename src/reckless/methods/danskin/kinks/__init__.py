"""Kinks of f in x and in y: a level bundle, the descent past kinks, and tops that are kinks."""
