"""
When the prevalence is not known
================================

Case-control data, and nobody can say which share of the population belongs to each class. What can be
concluded all the same?
"""

# %%
# Data
# ----
#
# Two classes beside class 0. The true shares are printed, and then forgotten.
import matplotlib.pyplot as plt

from pulasso import MultinomialPULasso
from pulasso.datasets import simulate_multinomial
from pulasso.plots import PrevalenceDisplay
from pulasso.prevalence import best_bin, profile_likelihood, sensitivity_sweep

data = simulate_multinomial(
    1500, 30, n_active=4, signal=(1.5, 2.5), null_proba=[0.6, 0.2, 0.2], random_state=2
)
print("true shares:", data.prevalence.round(3))

# %%
# Try several
# -----------
#
# The same model under five assumptions, over the range that we think possible. Which features, which
# predictions, which scores depend on it?
model = MultinomialPULasso(lam=0.02, scenario="case-control", prevalence=0.25)
sweep = sensitivity_sweep(model, data.X, data.z, grid=[0.1, 0.15, 0.2, 0.25, 0.35])
print(sweep)

# %%
sweep.plot()
plt.show()

# %%
# The features that are selected under every assumption can be reported without knowing the shares:
print("selected always:", sweep.always_selected)

# %%
# Estimate it
# -----------
#
# Where features tell classes apart clearly, the likelihood has a maximum in the prevalence. The curve is the
# profile: the best likelihood for every value. A flat curve would mean that the data leave the number open.
estimate = profile_likelihood(data.X, data.z, scenario="case-control")
print(estimate)
PrevalenceDisplay.from_estimate(estimate)
plt.show()

# %%
# A second opinion that rests on other assumptions: no model, but some region that a class has to itself.
# Where there is none, it is a bound.
print(best_bin(data.X, data.z, scenario="case-control", random_state=0))

# sphinx_gallery_thumbnail_number = 2
