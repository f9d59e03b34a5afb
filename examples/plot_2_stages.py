"""
Ordered stages with many more features than patients
====================================================

Four stages of a disease, 200 patients, 1,000 measurements, of which six matter. Stages 1 to 3 are only on
file for a part of the patients who have them; everybody else, ill or healthy, is unlabeled.
"""

# %%
# The data
# --------
#
# A single training set in which later stages are found more often: 50 %, 60 % and 80 % of them are on file.
import matplotlib.pyplot as plt
import numpy as np

from pulasso import OrdinalPULasso, OrdinalPULassoCV
from pulasso.datasets import simulate_ordinal
from pulasso.inference import stability_selection
from pulasso.plots import CoefficientPathDisplay, StabilityPathDisplay, ThresholdsDisplay

found = {1: 0.5, 2: 0.6, 3: 0.8}
data = simulate_ordinal(
    200,
    1000,
    n_active=6,
    n_positive=3,
    signal=(1.0, 1.6),
    scenario="single-training-set",
    label_frequency=found,
    random_state=4,
)
print(f"{np.sum(data.z > 0)} of {np.sum(data.y > 0)} ill patients are on file")
print("what matters, in truth:", np.flatnonzero(data.coef))

# %%
# One coefficient per measurement
# -------------------------------
#
# The ordinal model has a single direction: a coefficient moves a patient up or down the stages.
model = OrdinalPULassoCV(
    scenario="single-training-set", label_frequency=found, n_lams=30, lam_min_ratio=0.2, cv=4, random_state=0
)
model.fit(data.X, data.z)
CoefficientPathDisplay.from_estimator(model, by="coefficient")
plt.show()

# %%
# The thresholds cut the direction into stages; marks below are the patients.
ThresholdsDisplay.from_estimator(model, data.X)
plt.show()

# %%
# Against the naive reading
# -------------------------
#
# New patients, whose stage we know. What counts for stages is how far off one is.
X_new, y_new = data.truth.draw(2000, random_state=1)
naive = OrdinalPULasso(lam=model.lam_, scenario="fully-observed").fit(data.X, data.z)
for name, each in (("naive", naive), ("pulasso", model)):
    off = np.abs(each.predict(X_new) - y_new)
    print(f"{name}: right {np.mean(off == 0):.0%}, off by {off.mean():.2f} stages on average")

# %%
# Which measurements would be selected again?
# -------------------------------------------
#
# With 1,000 candidates some are selected by luck. Stability selection fits many random subsamples, and bounds how
# many false ones to expect. (Thirty of them make a short example; take 100 or more.)
plain = OrdinalPULasso(scenario="single-training-set", label_frequency=found)
selection = stability_selection(
    plain, data.X, data.z, n_subsamples=30, n_lams=40, lam_min_ratio=0.3, random_state=0
)
print("stable:", selection.stable, f"- at most {selection.bound:.1f} false selections expected")
StabilityPathDisplay.from_result(selection)
plt.show()

# sphinx_gallery_thumbnail_number = 2
