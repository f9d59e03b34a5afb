"""An estimator of either kind, and data for both."""

import pytest

from support.small_models import MODELS, SETTINGS, make_data


@pytest.fixture(params=MODELS)
def estimator(request):
    """An estimator that is not fitted yet, of either kind."""
    return MODELS[request.param](lam=0.02, **SETTINGS)


@pytest.fixture(scope="session")
def data():
    return make_data(2)
