"""Worst cases that are sums over the coordinates of y."""
