"""Statistics on numbers small enough to work out by hand, or published."""

import math

import numpy as np
import pytest
from scipy import stats

from exam2bench.grade.statistics import (
    holm,
    mcnemar_p,
    mean_interval,
    paired_difference,
    sign_flip_p,
    smallest_detectable,
    tied_groups,
    variance_parts,
)


def test_unclustered_equal_points_is_wilson_with_the_textbook_error():
    """Jackknife of a plain mean is s / sqrt(n) = sqrt(pq / 7); the ends are where the score test turns:
    (p - x)² = t² x (1 - x) / 7."""
    scores = [1, 0, 1, 1, 0, 1, 0, 1]
    interval = mean_interval(scores, [1] * 8)
    assert interval.estimate == 0.625
    assert interval.standard_error == pytest.approx(np.std(scores, ddof=1) / math.sqrt(8))
    quantile = stats.t.ppf(0.975, 7)
    for end in (interval.low, interval.high):
        assert end is not None and (0.625 - end) ** 2 == pytest.approx(quantile**2 * end * (1 - end) / 7)
    assert interval.small


def test_negative_points_have_the_plain_t_interval():
    points = [2.0, -1.0, 2.0, 0.0]
    interval = mean_interval(points, [2] * 4)
    error = np.std([1, -0.5, 1, 0], ddof=1) / 2
    assert interval.low == pytest.approx(0.375 - stats.t.ppf(0.975, 3) * error)
    assert interval.high == 1.0


def test_questions_of_one_passage_count_as_one_observation():
    """Ten copies of each question in its own cluster add nothing to what two clusters say."""
    single = mean_interval([1, 0], [1, 1])
    copied = mean_interval([1] * 10 + [0] * 10, [1] * 20, ["p"] * 10 + ["q"] * 10)
    assert copied.clusters == 2 and copied.observations == 20
    assert copied.standard_error == pytest.approx(single.standard_error)


def test_one_cluster_has_no_interval():
    interval = mean_interval([3, 1], [4, 4], ["p", "p"])
    assert interval.estimate == 0.5
    assert interval.low is None and interval.standard_error is None


def test_points_weigh():
    assert mean_interval([0, 10], [10, 10]).estimate == 0.5
    assert mean_interval([2, 0], [2, 8]).estimate == 0.2


@pytest.mark.parametrize("earned, possible", [([], []), ([1.0], [0.0]), ([math.nan], [1.0]), ([1.0, 2.0], [1.0])])
def test_nothing_to_average_is_refused(earned, possible):
    with pytest.raises(ValueError):
        mean_interval(earned, possible)


def test_sign_flip_counts_all_patterns():
    """Three differences of 1: 2 of 8 patterns are as extreme (+++ and ---), none more: mid-p = 1/8."""
    assert sign_flip_p(np.array([1.0, 1.0, 1.0])) == 0.125
    assert sign_flip_p(np.array([1.0, -1.0])) == 0.75  # observed 0: 2 patterns more extreme, 2 equal
    assert sign_flip_p(np.zeros(5)) == 1.0


def test_mcnemar_is_the_binomial_on_discordant_pairs():
    assert mcnemar_p(0, 5) == pytest.approx(2 / 32)
    assert mcnemar_p(0, 0) == 1.0


def test_paired_difference_uses_the_pairs():
    """B is always one question better than A: unpaired noise is large, the paired difference is certain."""
    a = [1, 0, 1, 0, 0, 1, 0, 0]
    b = [1, 0, 1, 0, 1, 1, 1, 1]
    result = paired_difference(a, b, [1] * 8)
    assert result.difference.estimate == -0.375
    assert (result.a_only, result.b_only) == (0, 3)
    assert result.mcnemar_p == 0.25
    assert result.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert result.permutation_p == 0.125


def test_graded_points_have_no_mcnemar():
    assert paired_difference([1.5, 0], [1, 2], [2, 2]).mcnemar_p is None


def test_equal_takers():
    result = paired_difference([1, 0, 1], [1, 0, 1], [1, 1, 1])
    assert result.p_value == 1.0 and result.permutation_p == 1.0 and result.difference.estimate == 0


def test_all_right_is_not_certainty():
    """Twenty of twenty: the exact binomial interval of Clopper and Pearson, published as 0.832 to 1."""
    interval = mean_interval([1] * 20, [1] * 20)
    assert (round(interval.low or 0, 3), interval.high) == (0.832, 1.0)
    nothing = mean_interval([0] * 20, [1] * 20)
    assert (nothing.low, round(nothing.high or 0, 3)) == (0.0, 0.168)
    same = paired_difference([1, 0] * 10, [1, 0] * 10, [1] * 20)
    assert round(same.difference.high or 0, 3) == 0.168 and same.detectable is None


def test_groups_that_all_score_the_same_are_not_certainty():
    """Six groups at one half: Wilson for six answers with t at 5 degrees, (p - x)² = t² x (1 - x) / 6."""
    interval = mean_interval([1, 0] * 6, [1] * 12, [n // 2 for n in range(12)])
    low, high = interval.low or 0, interval.high or 0
    assert interval.standard_error == 0 and low + high == pytest.approx(1)
    assert (0.5 - low) ** 2 == pytest.approx(stats.t.ppf(0.975, 5) ** 2 * low * (1 - low) / 6)
    ahead = paired_difference([1, 0] * 6, [0, 0] * 6, [1] * 12, [n // 2 for n in range(12)])
    assert ahead.difference.estimate == 0.5 and (ahead.difference.low or 0) < 0.5 < (ahead.difference.high or 0)
    assert ahead.p_value == 1 / 64  # all six signs the same: 2 patterns of 64, half of each by mid-p


def test_the_cluster_bootstrap_draws_clusters():
    """Copies of a question within its cluster change nothing, and ten clusters give nearly the t interval."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 60).tolist(), rng.integers(0, 2, 60).tolist()
    plain = paired_difference(a, b, [1] * 60)
    copied = paired_difference(np.repeat(a, 4).tolist(), np.repeat(b, 4).tolist(), [1] * 240, np.repeat(range(60), 4))
    assert plain.bootstrap and copied.bootstrap == pytest.approx(plain.bootstrap)
    assert plain.bootstrap == pytest.approx((plain.difference.low, plain.difference.high), abs=0.02)
    assert paired_difference([1, 0], [1, 0], [1, 1]).bootstrap is None


def test_many_clusters_need_no_more_memory():
    """A normal deviate of 2: the permutation of thousands of clusters agrees with the t test."""
    differences = np.concatenate([np.ones(1_050), -np.ones(950)])
    p = sign_flip_p(differences)
    assert p == pytest.approx(2 * stats.norm.sf(100 / math.sqrt(2_000)), abs=0.01)


def test_holm():
    """The worked example of Holm's procedure: sorted p times 4, 3, 2, 1, made monotone."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_smallest_detectable_matches_its_formula():
    assert smallest_detectable(0.02, 41) == pytest.approx(0.02 * (stats.t.ppf(0.975, 40) + stats.t.ppf(0.8, 40)))
    assert smallest_detectable(None, 41) is None


def test_variance_parts():
    """Questions at 0 and 1 without noise: all variance is between; the same within: all of it is runs."""
    parts = variance_parts([[0, 0], [1, 1]])
    assert parts is not None and (parts.question, parts.run) == (0.5, 0.0)
    parts = variance_parts([[0, 1], [0, 1]])
    assert parts is not None and (parts.question, parts.run) == (0.0, 0.5)
    assert variance_parts([[0, 1]]) is None


def test_ties_are_grouped_by_the_leader():
    p = {("x", "y"): 0.4, ("x", "z"): 0.01, ("y", "z"): 0.2}
    assert tied_groups(["x", "y", "z"], p) == [["x", "y"], ["z"]]
