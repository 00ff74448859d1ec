"""A descent on means: quadratics fitted to samples, where differences of single values would tell nothing."""
