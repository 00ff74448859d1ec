"""The climb: pure parts against naive twins, and whole climbs on functions with known tops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.probing import Lines, bounded_newton, next_steps, parabolas, probes, sides, tents


def start(f, z, h=0.05, **more):
    z = np.asarray(z, dtype=float)
    return Peak(z, float(f(z[None])[0]), np.full(z.size, h), **more)


def lines_at(f, z, h):
    up, down = np.minimum(h, 1.0 - z), np.minimum(h, z)
    points, has_up, has_down = probes(z, up, down)
    v_up, v_down = sides(f(points), has_up, has_down)
    return parabolas(float(f(z[None])[0]), h, up, down, v_up, v_down), v_up, v_down


def test_probes_go_as_far_as_there_is_room_and_skip_bounds():
    z, h = np.array([0.0, 0.5, 0.95]), np.full(3, 0.1)
    points, has_up, has_down = probes(z, np.minimum(h, 1.0 - z), np.minimum(h, z))
    assert has_up.tolist() == [True, True, True]
    assert has_down.tolist() == [False, True, True]
    np.testing.assert_allclose(points, [[0.1, 0.5, 0.95], [0, 0.6, 0.95], [0, 0.5, 1], [0, 0.4, 0.95], [0, 0.5, 0.85]])


@given(top=st.floats(0.2, 0.8), bend=st.floats(0.1, 50.0), z=st.floats(0.15, 0.85))
def test_a_parabola_is_recognized_even_from_uneven_probes(top, bend, z):
    def f(points):
        return 3.0 - bend * (points[:, 0] - top) ** 2

    up, down = np.array([0.1]), np.array([0.04])
    z = np.array([z])
    points, has_up, has_down = probes(z, up, down)
    v_up, v_down = sides(f(points), has_up, has_down)
    lines = parabolas(float(f(z[None])[0]), np.array([0.1]), up, down, v_up, v_down)
    assert lines.curvature[0] == pytest.approx(-2.0 * bend, rel=1e-6)
    assert z[0] + lines.unlimited[0] == pytest.approx(top, abs=1e-6)
    assert abs(lines.limited[0]) <= 0.5 + 1e-12


def test_where_there_is_no_parabola_the_step_goes_all_the_way_to_the_better_side():
    lines, _, _ = lines_at(lambda points: 2.0 * points[:, 0] - points[:, 1], np.array([0.5, 0.5]), np.full(2, 0.1))
    assert np.clip(0.5 + lines.unlimited, 0.0, 1.0).tolist() == [1.0, 0.0]


def test_tents_meet_where_the_lines_cross_and_promise_the_height_there():
    def f(points):
        return np.minimum(3.0 * points[:, 0], 2.0 - points[:, 0])  # a kink at 0.5, height 1.5

    z, h, at = np.array([0.47]), np.array([0.1]), np.array([0])
    lines, v_up, v_down = lines_at(f, z, h)
    outer = f(np.array([z + 2 * h, z - 2 * h]))
    step, gain = tents(lines, float(f(z[None])[0]), h, at, v_up, v_down, outer)
    assert step[0] == pytest.approx(0.03)
    assert gain == pytest.approx(1.5 - 3.0 * 0.47)


def test_a_kink_beyond_the_inner_points_promises_nothing():
    def f(points):
        return np.minimum(3.0 * points[:, 0], 2.0 - points[:, 0])

    z, h = np.array([0.35]), np.array([0.1])  # the kink lies between z + h and z + 2 h
    lines, v_up, v_down = lines_at(f, z, h)
    _, gain = tents(lines, float(f(z[None])[0]), h, np.array([0]), v_up, v_down, f(np.array([z + 2 * h, z - 2 * h])))
    assert gain == np.inf


@given(seed=st.integers(0, 2**32 - 1))
def test_bounded_newton_agrees_with_a_general_solver(seed):
    """A few rounds of stopping coordinates need not be exact; it must never be worse than staying, and free it is."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    R = rng.standard_normal((n, n))
    H, g, z = -(R @ R.T) - 0.1 * np.eye(n), 0.2 * rng.standard_normal(n), rng.random(n)
    step = bounded_newton(H, g, z, np.ones(n, dtype=bool))
    assert step is not None
    inside = ((z + step > 0.0) & (z + step < 1.0)).all()
    bounds = list(zip(-z, 1.0 - z, strict=True))
    naive = minimize(lambda d: -(g @ d + 0.5 * d @ H @ d), np.zeros(n), jac=lambda d: -(g + H @ d), bounds=bounds)
    if inside:
        assert g @ step + 0.5 * step @ H @ step == pytest.approx(-naive.fun, abs=1e-6)


def test_bounded_newton_refuses_a_quadratic_that_is_not_concave():
    assert bounded_newton(np.diag([-1.0, 1.0]), np.ones(2), np.full(2, 0.5), np.ones(2, dtype=bool)) is None


def test_steps_follow_the_last_move_and_shrink_without_gain():
    h = np.array([0.1, 0.1, 0.1])
    np.testing.assert_allclose(next_steps(h, np.array([0.001, 0.1, 0.9]), 1.0, False), [0.01, 0.2, 0.3])
    np.testing.assert_allclose(next_steps(h, np.zeros(3), 0.0, False), 0.025)
    assert next_steps(np.array([1e-5]), np.zeros(1), 0.0, False)[0] == 1e-5
    assert next_steps(np.array([1e-9]), np.zeros(1), 0.0, True)[0] == 1e-9


def test_a_separable_parabola_takes_one_round(climb_on):
    top = np.array([0.3, 0.6, 0.45])

    def f(points):
        return 7.0 - 4.0 * ((points - top) ** 2).sum(axis=1)

    peak, n_asked = climb_on(climb(start(f, [0.4, 0.5, 0.5]), 12), f)
    np.testing.assert_allclose(peak.z, top, atol=1e-9)
    assert n_asked <= 8
    assert not peak.is_kinked


def test_a_rotated_parabola_needs_its_cross_terms_and_gets_them(climb_on):
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    H, top = Q @ np.diag([1.0, 5.0, 30.0, 100.0]) @ Q.T, np.array([0.4, 0.55, 0.5, 0.6])

    def f(points):
        return -np.einsum("ij,jk,ik->i", points - top, H, points - top)

    with_cross, _ = climb_on(climb(start(f, [0.5, 0.5, 0.5, 0.5]), 12, is_joint=True), f)
    np.testing.assert_allclose(with_cross.z, top, atol=1e-6)
    assert with_cross.hessian is not None
    np.testing.assert_allclose(with_cross.hessian, -2.0 * H, rtol=1e-4, atol=1e-4)


def test_a_maximum_at_a_vertex_is_reached_exactly(climb_on):
    peak, _ = climb_on(climb(start(lambda p: p @ [1.0, -2.0], [0.3, 0.3]), 12), lambda p: p @ [1.0, -2.0])
    assert peak.z.tolist() == [1.0, 0.0]


def test_a_kink_is_noticed_and_then_found_to_full_precision(climb_on):
    target = np.array([0.371, 0.64, 0.222])

    def f(points):
        return np.minimum(3.0 * (points - target), target - points).sum(axis=1)

    first, _ = climb_on(climb(start(f, [0.5, 0.5, 0.5]), 12), f)
    assert first.is_kinked
    second, n_asked = climb_on(climb(first._replace(h=np.full(3, 0.01)), 12), f)
    np.testing.assert_allclose(second.z, target, atol=1e-9)
    assert second.is_kinked
    assert n_asked < 150


def test_a_climb_never_returns_less_than_it_was_given(climb_on):
    rng = np.random.default_rng(4)
    for _ in range(50):
        w, phase = 20.0 * rng.standard_normal((3, 3)), 6.0 * rng.random(3)

        def f(points, w=w, phase=phase):
            return np.sin(points @ w + phase).sum(axis=1)

        begin = start(f, rng.random(3))
        peak, _ = climb_on(climb(begin, int(rng.integers(1, 12)), is_joint=True), f)
        assert peak.value >= begin.value
        assert peak.value == pytest.approx(float(f(peak.z[None])[0]), abs=1e-12)
        assert ((peak.z >= 0.0) & (peak.z <= 1.0)).all()


def test_a_constant_function_ends_the_climb_at_once(climb_on):
    peak, n_asked = climb_on(climb(Peak(np.full(2, 0.5), 1.0, np.full(2, 0.1)), 12), lambda p: np.ones(len(p)))
    assert peak.value == 1.0
    assert n_asked <= 4


def test_lines_is_a_plain_record():
    assert Lines._fields[0] == "slope"
