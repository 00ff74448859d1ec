"""Tune a shock absorber whose load is uncertain, from the first call to the verification.

A mass on a spring is shaken at frequency w. We choose the damping c and the stiffness k; the mass m and the frequency w
are not ours. The force that reaches the passenger should be small whatever they are, and soft springs sag: that costs.
"""

import numpy as np

import reckless

X_BOUNDS = [(0.05, 3.0), (0.5, 8.0)]  # damping c, stiffness k
Y_BOUNDS = [(0.8, 1.5), (0.1, 4.0)]  # mass m, frequency w


def transmitted(X, Y):
    """Force on the passenger per unit of shaking, plus the sag; one value per row."""
    c, k = X.T
    m, w = Y.T
    force = np.sqrt((k**2 + (c * w) ** 2) / ((k - m * w**2) ** 2 + (c * w) ** 2))
    return force + 0.5 * m / k


def main():
    result = reckless.minimax(transmitted, X_BOUNDS, Y_BOUNDS, maxfev=20_000, rng=7, vectorized=True)
    check = reckless.worst_case(transmitted, result.x, Y_BOUNDS, maxfev=10_000, rng=1, vectorized=True)
    print(f"damping {result.x[0]:.4f}, stiffness {result.x[1]:.4f}")
    print(f"estimate of its worst case {result.fun:.6f}, verification {check.fun:.6f}")
    print(f"worst mass {check.y[0]:.4f}, worst frequency {check.y[1]:.4f}")
    print(check.message)


if __name__ == "__main__":
    main()
