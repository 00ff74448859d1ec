"""Surfaces with exact derivatives, which stand in for a fitted model of f."""

import numpy as np

from reckless.methods.surrogate.form import Jet


class Surface:
    """offset + slope q + q' curvature q / 2 + heights cos(waves q + phases), of the first columns of pairs."""

    def __init__(self, slope, curvature=None, waves=(), heights=(), phases=(), offset=0.0):
        self.slope = np.asarray(slope, dtype=float)
        n = self.slope.size
        self.curvature = np.zeros((n, n)) if curvature is None else np.asarray(curvature, dtype=float)
        self.waves = np.asarray(waves, dtype=float).reshape(-1, n)
        self.heights, self.phases = np.asarray(heights, dtype=float), np.asarray(phases, dtype=float)
        self.offset = offset

    @classmethod
    def around(cls, center, curvature, slope=None, level=0.0):
        """Return the quadratic with this level, slope and curvature at a center."""
        center, curvature = np.asarray(center, dtype=float), np.asarray(curvature, dtype=float)
        slope = np.zeros(center.size) if slope is None else np.asarray(slope, dtype=float)
        offset = level - slope @ center + 0.5 * center @ curvature @ center
        return cls(slope - curvature @ center, curvature, offset=offset)

    def mean(self, Q):
        Q = Q[:, : self.slope.size]
        quadratic = self.offset + Q @ self.slope + 0.5 * np.einsum("ij,ij->i", Q @ self.curvature, Q)
        return quadratic + np.cos(Q @ self.waves.T + self.phases) @ self.heights if self.heights.size else quadratic

    def jet(self, Q):
        Q = Q[:, : self.slope.size]
        angles = Q @ self.waves.T + self.phases
        cosines, sines = self.heights * np.cos(angles), self.heights * np.sin(angles)
        slope = self.slope + Q @ self.curvature - sines @ self.waves
        bend = self.curvature - np.einsum("mk,ki,kj->mij", cosines, self.waves, self.waves)
        return Jet(self.mean(Q), slope, bend)


class Believed(Surface):
    """A surface that is not certain: its standard deviation is another one. Levels are values."""

    def __init__(self, mean, doubt):
        super().__init__(mean.slope, mean.curvature, mean.waves, mean.heights, mean.phases, mean.offset)
        self.doubt = doubt

    def sd(self, Q):
        return self.doubt.mean(Q)

    def mean_and_sd(self, Q):
        return self.mean(Q), self.sd(Q)

    def bound(self, Q, c):
        level, slope, _ = self.jet(Q)
        sd, sd_slope, _ = self.doubt.jet(Q)
        return level + c * sd, slope + c * sd_slope


def differences(function, Q, h=1e-5):
    """Return central differences of a function of rows, by each coordinate: (m, n), or (m, k, n) of vectors."""
    steps = h * np.eye(Q.shape[1])
    return np.stack([(function(Q + step) - function(Q - step)) / (2.0 * h) for step in steps], axis=-1)
