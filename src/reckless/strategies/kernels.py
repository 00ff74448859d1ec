"""Compiled inner loops of the strategies; none draws random numbers, each has a naive twin in the tests.

Arguments are plain arrays and floats: a call then costs half a microsecond, a third of one with tuples of arrays.
"""

import math

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.core.compiling import compiled

MARGIN = 0.05  # width, in the unit cube, of the rim on which `fold` bends


@compiled
def fold(z: float) -> float:
    """Map the real line onto [0, 1]: identity inside, parabolic within MARGIN of a bound, mirrored beyond it.

    A linear function with its optimum on a bound becomes a parabola there, so that a Gaussian search converges
    to the bound as fast as to any inner point.
    """
    period = 2.0 + 4.0 * MARGIN
    z = (z + MARGIN) % period  # now 0 is the lower turning point
    if z > 0.5 * period:
        z = period - z
    if z < 2.0 * MARGIN:
        return z * z / (4.0 * MARGIN)
    from_above = 0.5 * period - z
    if from_above < 2.0 * MARGIN:
        return 1.0 - from_above * from_above / (4.0 * MARGIN)
    return z - MARGIN


@compiled
def unfold(u: float) -> float:
    """Return the preimage of u under `fold` between the two turning points."""
    if u < MARGIN:
        return math.sqrt(4.0 * MARGIN * u) - MARGIN
    if u > 1.0 - MARGIN:
        return 1.0 + MARGIN - math.sqrt(4.0 * MARGIN * (1.0 - u))
    return u


@compiled
def cma_sample(
    normals: Array, mean: Array, sigma: float, axes: Array, scales: Array, steps: Array, points: Array
) -> None:
    """Turn standard normals (m, n) into `steps` ~ N(0, C) and `points` in the unit cube."""
    m, n = normals.shape
    for k in range(m):
        for i in range(n):
            steps[k, i] = 0.0
        for j in range(n):
            length = normals[k, j] * scales[j]
            for i in range(n):
                steps[k, i] += length * axes[j, i]
        for i in range(n):
            points[k, i] = fold(mean[i] + sigma * steps[k, i])


@compiled
def cma_update(
    order: Indices,
    normals: Array,
    steps: Array,
    mean: Array,
    sigma: float,
    C: Array,
    axes: Array,
    p_sigma: Array,
    p_c: Array,
    generation: int,
    weights: Array,
    mu_eff: float,
    c_sigma: float,
    d_sigma: float,
    c_c: float,
    c_1: float,
    c_mu: float,
    chi_n: float,
) -> float:
    """Move mean, paths and covariance in place after one generation and return the new sigma.

    `order` lists the rows of `normals` and `steps`, best first; the rows of `axes` are the eigenvectors of C. Equation
    numbers are those of Hansen's tutorial.
    """
    n = mean.size
    mean_step = np.zeros(n)  # <y>_w, Eq. 41
    mean_normal = np.zeros(n)  # the same in the coordinates of the standard normals
    for rank in range(order.size):
        if weights[rank] > 0.0:
            k = order[rank]
            for i in range(n):
                mean_step[i] += weights[rank] * steps[k, i]
                mean_normal[i] += weights[rank] * normals[k, i]

    gain = np.sqrt(c_sigma * (2.0 - c_sigma) * mu_eff)
    for i in range(n):
        mean[i] += sigma * mean_step[i]  # Eq. 42
        p_sigma[i] *= 1.0 - c_sigma
    for j in range(n):
        for i in range(n):
            p_sigma[i] += gain * mean_normal[j] * axes[j, i]  # Eq. 43: C^(-1/2) <y>_w = B <z>_w
    length = np.sqrt(np.sum(p_sigma**2))
    sigma *= np.exp(min(1.0, c_sigma / d_sigma * (length / chi_n - 1.0)))  # Eq. 44

    unbiased = length / np.sqrt(1.0 - (1.0 - c_sigma) ** (2 * (generation + 1)))
    is_calm = unbiased < (1.4 + 2.0 / (n + 1.0)) * chi_n  # h_sigma
    gain = np.sqrt(c_c * (2.0 - c_c) * mu_eff) if is_calm else 0.0
    for i in range(n):
        p_c[i] = (1.0 - c_c) * p_c[i] + gain * mean_step[i]  # Eq. 45

    lost = 0.0 if is_calm else c_1 * c_c * (2.0 - c_c)  # delta(h_sigma)
    decay = 1.0 + lost - c_1 - c_mu * np.sum(weights)
    for i in range(n):
        for j in range(n):
            C[i, j] = decay * C[i, j] + c_1 * p_c[i] * p_c[j]  # Eq. 47, rank one
    for rank in range(order.size):
        k = order[rank]
        weight = c_mu * weights[rank]
        if weight < 0.0:  # Eq. 46: a long bad step must not make C indefinite
            square = 1e-300
            for i in range(n):
                square += normals[k, i] ** 2
            weight *= n / square
        if weight != 0.0:
            for i in range(n):
                weighted = weight * steps[k, i]
                for j in range(n):
                    C[i, j] += weighted * steps[k, j]  # Eq. 47, rank mu
    return sigma


@compiled
def cma_factorize(C: Array, axes: Array, scales: Array) -> None:
    """Write the eigenvectors of C into the rows of `axes`, the roots of its eigenvalues into `scales`."""
    eigenvalues, vectors = np.linalg.eigh(C)
    for j in range(scales.size):
        scales[j] = np.sqrt(max(eigenvalues[j], 1e-300))
        for i in range(scales.size):
            axes[j, i] = vectors[i, j]


@compiled
def nes_sample(epsilon: Array, mean: Array, sigma: float, points: Array) -> None:
    """Perturb the mean by every row of `epsilon`, and then by its mirror image if there is room in `points`."""
    n_draws, n = epsilon.shape
    for k in range(points.shape[0]):
        sign = sigma if k < n_draws else -sigma
        for i in range(n):
            points[k, i] = min(max(mean[i] + sign * epsilon[k % n_draws, i], 0.0), 1.0)


@compiled
def nes_update(values: Array, epsilon: Array, mean: Array, rate: float) -> None:
    """Move the mean, in place, down the Monte Carlo gradient of the standardized values.

    Twice as many values as rows in `epsilon` are those of mirrored pairs: each pair counts as (f+ - f-)/2. A failure,
    +inf, counts as the worst finite value.
    """
    worst, total = -np.inf, 0.0
    for value in values:
        if np.isfinite(value):
            worst = max(worst, value)
    for value in values:
        total += min(value, worst)
    center = total / values.size
    variance = 0.0
    for value in values:
        variance += (min(value, worst) - center) ** 2 / values.size
    if not 0.0 < variance < np.inf:
        return
    n_draws, n = epsilon.shape
    is_mirrored = values.size > n_draws
    factor = rate / (n_draws * np.sqrt(variance))
    for k in range(n_draws):
        value = min(values[k], worst)
        score = 0.5 * (value - min(values[k + n_draws], worst)) if is_mirrored else value - center
        for i in range(n):
            mean[i] -= factor * score * epsilon[k, i]
    for i in range(n):
        mean[i] = min(max(mean[i], 0.0), 1.0)


@compiled
def differential_trials(
    population: Array, target: int, donors: Indices, takes: Flags, scale: float, first: int, last: int, trials: Array
) -> None:
    """Fill trials first, ..., last - 1 by DE/rand/1: mutate from three donors, then cross over with the target.

    Each row of `donors` has four distinct indices; the fourth is used in place of one that is the target.
    """
    for k in range(first, last):
        spare = donors[k, 3]
        a = spare if donors[k, 0] == target else donors[k, 0]
        b = spare if donors[k, 1] == target else donors[k, 1]
        c = spare if donors[k, 2] == target else donors[k, 2]
        for i in range(population.shape[1]):
            if takes[k, i]:
                mutant = population[a, i] + scale * (population[b, i] - population[c, i])
                trials[k, i] = min(max(mutant, 0.0), 1.0)
            else:
                trials[k, i] = population[target, i]


@compiled
def step_over_taken(rows: Indices) -> None:
    """Turn column j, drawn from all but j values, into indices that differ from those before it, in place.

    A number counts those that are free: it moves up by one for every taken index below it, smallest first.
    """
    m, k = rows.shape
    taken = np.empty(k, rows.dtype)
    for row in range(m):
        for column in range(k):
            index = rows[row, column]
            place = 0
            while place < column and index >= taken[place]:
                index += 1
                place += 1
            for j in range(column, place, -1):
                taken[j] = taken[j - 1]
            taken[place] = index
            rows[row, column] = index
