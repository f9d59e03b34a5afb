"""The penalty for any matrix: prox is firmly non-expansive, value convex, the certificate exact."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pulasso.penalties import PENALTIES, BlockPenalty, as_penalty
from support import groups as kinds

P, M = 6, 2
KINDS = (kinds.rows, kinds.entries, kinds.blocks, kinds.column_sets, kinds.weighted_column_sets)

matrices = arrays(float, (P, M), elements=st.floats(-1e3, 1e3, allow_subnormal=False))
steps = st.floats(1e-3, 1e3)
CONVEX = [name for name in PENALTIES if getattr(as_penalty(name), "concavity", 0.0) == 0]


def build(names):
    """Draw a penalty on a random partition of the matrix."""
    return st.builds(
        lambda name, kind, seed: BlockPenalty(
            as_penalty(name), kind(np.random.default_rng(seed), P, M).resolve(P, M)
        ),
        st.sampled_from(names),
        st.sampled_from(KINDS),
        st.integers(0, 50),
    )


penalties, convex = build(list(PENALTIES)), build(CONVEX)


def finite(penalty, theta):
    return np.where(penalty.blocks.is_excluded[penalty.blocks.index], 0.0, theta)


@given(convex, matrices, matrices, steps)
def test_prox_is_firmly_non_expansive(penalty, v, w, step):
    change = penalty.prox(v, step, 1.0) - penalty.prox(w, step, 1.0)
    scale = 1.0 + np.abs(v).max() ** 2 + np.abs(w).max() ** 2
    assert np.vdot(change, change) <= np.vdot(change, v - w) + 1e-12 * scale


@given(convex, matrices, matrices, st.floats(0.0, 1.0))
def test_value_is_convex(penalty, v, w, t):
    v, w = finite(penalty, v), finite(penalty, w)
    mixed = penalty.value(t * v + (1 - t) * w, 1.0)
    separate = t * penalty.value(v, 1.0) + (1 - t) * penalty.value(w, 1.0)
    assert mixed <= separate * (1 + 1e-12) + 1e-12


@given(penalties, matrices, steps)
def test_certificate_is_zero_at_the_prox(penalty, v, step):
    b = penalty.prox(v, step, 1.0)
    distances = step * penalty.subdiff_distance(b, (b - v) / step, 1.0)
    assert distances.max() <= 1e-11 * (1.0 + np.abs(v).max() + step)


@given(penalties, matrices, steps, matrices)
@settings(max_examples=60)
def test_prox_minimises(penalty, v, step, other):
    def model(b):
        return 0.5 * np.sum((b - v) ** 2) + step * penalty.value(b, 1.0)

    other = finite(penalty, other)
    assert model(penalty.prox(v, step, 1.0)) <= model(other) * (1 + 1e-12) + 1e-9


@given(penalties, matrices)
def test_at_lam_max_zero_is_the_answer_and_just_below_it_is_not(penalty, grad):
    lam_max = penalty.lam_max(grad)
    penalized = penalty.blocks.is_penalized
    zero = np.zeros((P, M))
    slack = 1e-12 * (1.0 + np.abs(grad).max())
    assert penalty.subdiff_distance(zero, grad, lam_max)[penalized].max(initial=0.0) <= slack
    if lam_max > 1e-6:
        assert penalty.subdiff_distance(zero, grad, 0.999 * lam_max)[penalized].max() > 0.0
