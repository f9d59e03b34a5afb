r"""Scores of the *true* classes, estimated from predictions and observed labels alone.

Nobody has seen the true class y of an unlabeled row, so accuracy cannot be counted. It can be estimated,
because labels are lost (or collected) by class: the rows labelled k are a fair sample of class k.

**Means.** For any function f of features and true class,

.. math::

   E[f(X, Y)] = \sum_{k \ge 1} \pi_k\, E[f(X, k) \mid Y = k] + \pi_0\, E[f(X, 0) \mid Y = 0] ,

with :math:`\pi_k = P(Y = k)`. Labelled rows give the terms k >= 1. Class 0 is everybody but the positives:

- *case-control*: unlabeled rows are a sample of the population, and :math:`\pi_k` is known, so that
  :math:`\pi_0 E[f(X,0) \mid Y=0] = E_{unlabeled}[f(X,0)] - \sum_k \pi_k E_{labelled\ k}[f(X,0)]`;
- *single training set*: all n rows are the population, and one row labelled k stands for
  :math:`1 / q_k` members of its class, :math:`q_k` being the label frequency:
  :math:`\frac1n \left[ \sum_{i\ labelled\ k} \frac{f(x_i,k) - f(x_i,0)}{q_k} + \sum_{all\ i} f(x_i,0) \right]`;
- *fully observed*: the plain mean, unlabeled rows being class 0.

**Signed weights.** All of this is one formula in the two vectors a, c of the scenario: a row with label z has
the weight :math:`m_{zj}` in the mean over true class j (times its sample weight),

.. math::

   m_{kk} = 1/a_k, \quad m_{k0} = -t\, c_k/a_k, \quad m_{unlabeled,0} = t, \quad
   m_{negative,0} = (1 - t\, c_0)/a_0,

and :math:`E[f] \approx \sum_i \sum_j m_{z_i j} f(x_i, j) / \sum_i \sum_j m_{z_i j}`. Proof: a row of true class
y is labelled or unlabeled with odds :math:`a_y : c_y`, and :math:`a_y m_{yj} + c_y m_{unlabeled,j} = 1\{y = j\}`.
Without confirmed negatives :math:`t = 1/c_0 = 1` and the denominator is a constant, so that means are unbiased.
With them class 0 is also seen directly, and t mixes the two views where
:math:`\sum_z n_z m_{z0}^2` is least. Classes that are always labelled have :math:`c_k = 0`.

**Metrics.** Accuracy, log-loss, Brier score, ranked probability score and the errors of ordered classes are such
means; recall, precision, confusion matrix and calibration are ratios of two of them, hence consistent; the area under
the ROC curve is a ratio whose numerator is a mean over pairs of rows.

**Standard errors.** Each estimate is, to first order, a mean over rows of its influence function: for a ratio R of
means N / D this is :math:`(h_N - R\, h_D) / D` (delta method), for a mean over pairs its projection on one
row (DeLong). The variance is that of the influence over rows, taken within each observed label in
the case-control scenario, where the numbers :math:`n_k` are fixed, else over all rows. It is a sum of squares
and cannot be negative. Sample weights are counts: a weight of 2 is the row twice, here too.

**What to keep in mind.** Estimates may lie outside [0, 1]; they are reported as they are. Intervals are normal
approximations: where a handful of rows decides, as for rare cells of a confusion matrix, they are a little short,
and a share of exactly 0 or 1 among labelled rows has the standard error 0. They take prevalence and label
frequency for known, so try several values if they are not. Scores on the rows of the fit are as optimistic as
anywhere: keep rows apart. And everything rests on the scenario: if a label depends on the features beyond the
class, scores by a constant label frequency are as wrong as the model.

**Labelling that depends on the row.** With :class:`pulasso.SelectedLabelling` a and c are those of the row, so that a
labelled row counts by the inverse of its own chance of a label; all of the above holds. :func:`pu_scores`, scorers and
displays see the features; :func:`at_rows` shows them to the others. Where the propensity was fitted, :func:`pu_scores`
adds its variance (delta method: the curvature of the likelihood at the fit) to that of the rows, as if the two were
independent, which they are if the rows are not those of the fit. Taken as known: the logistic form, and which columns
have no effect. Where the data do not identify the labelling there are no scores.

Every metric says how labels came to be by the same keywords, which mean the same as for
:class:`pulasso.MultinomialPULasso`: see :func:`pu_accuracy`.
"""

from pulasso.metrics._at_rows import at_rows
from pulasso.metrics._classification import (
    pu_accuracy,
    pu_confusion_matrix,
    pu_mean_absolute_error,
    pu_mean_squared_error,
    pu_precision,
    pu_recall,
)
from pulasso.metrics._estimate import Estimate
from pulasso.metrics._probability import (
    CalibrationCurve,
    pu_brier_score,
    pu_calibration_curve,
    pu_log_loss,
    pu_log_loss_difference,
    pu_ranked_probability_score,
    pu_roc_auc,
)
from pulasso.metrics._score_table import Scores, pu_scores
from pulasso.metrics._scorers import (
    SCORERS,
    PUScorer,
    make_pu_scorer,
    observed_log_likelihood_scorer,
    pu_accuracy_scorer,
    pu_balanced_accuracy_scorer,
    pu_brier_score_scorer,
    pu_log_loss_scorer,
    pu_mean_absolute_error_scorer,
    pu_mean_squared_error_scorer,
    pu_roc_auc_scorer,
)

__all__ = [
    "SCORERS",
    "CalibrationCurve",
    "Estimate",
    "PUScorer",
    "Scores",
    "at_rows",
    "make_pu_scorer",
    "observed_log_likelihood_scorer",
    "pu_accuracy",
    "pu_accuracy_scorer",
    "pu_balanced_accuracy_scorer",
    "pu_brier_score",
    "pu_brier_score_scorer",
    "pu_calibration_curve",
    "pu_confusion_matrix",
    "pu_log_loss",
    "pu_log_loss_difference",
    "pu_log_loss_scorer",
    "pu_mean_absolute_error",
    "pu_mean_absolute_error_scorer",
    "pu_mean_squared_error",
    "pu_mean_squared_error_scorer",
    "pu_precision",
    "pu_ranked_probability_score",
    "pu_recall",
    "pu_roc_auc",
    "pu_roc_auc_scorer",
    "pu_scores",
]
