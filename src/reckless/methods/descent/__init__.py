"""A descent on the worst case that tracks its maximizers and learns one quadratic for each."""
