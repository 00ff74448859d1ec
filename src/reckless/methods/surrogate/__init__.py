"""Search on a model of f: few evaluations, each of them expensive."""
