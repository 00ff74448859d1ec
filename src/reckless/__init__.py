"""Black-box minimax optimization: find the x whose worst case over y is smallest, when f can only be called.

>>> import reckless
>>> result = reckless.minimax(lambda x, y: (x[0] - y[0]) ** 2, [(0, 4)], [(1, 3)], maxfev=2000, rng=7)
>>> round(result.x.item(), 2)
2.0
"""

from lazy_loader import attach_stub

# What is public stands in the stub `__init__.pyi`; a name is imported when it is first asked for.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
