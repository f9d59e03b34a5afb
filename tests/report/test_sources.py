"""Reports of models whose labelling differs by source."""

import numpy as np
import pandas as pd
import pytest

from pulasso import FullyObserved, MultinomialPULasso, PUBoostingClassifier, SingleTrainingSet, Sources
from pulasso.exceptions import ScenarioError
from pulasso.inference import bootstrap
from pulasso.metrics import at_rows, pu_scores
from support.pages import words_of


@pytest.fixture(scope="module")
def of_two_sources():
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    y = np.where(x["a"] + rng.logistic(size=400) > 0, "oak", "none")
    source = np.repeat(["records", "survey"], 200)
    z = np.where((source == "records") & (rng.random(400) < 0.5), "none", y)
    both = Sources({"records": SingleTrainingSet(0.5), "survey": FullyObserved()})
    return x, z, source, both, MultinomialPULasso(lam=0.01, scenario=both).fit(x, z, source=source)


def test_the_page_tells_rows_and_shares_of_each_source(of_two_sources, tmp_path):
    pytest.importorskip("jinja2")
    x, z, source, both, model = of_two_sources
    words = words_of(model.report(tmp_path / "page.html"))
    assert "records: 200 rows, survey: 200 rows" in words and "shares told" in words
    assert "depends on the source of the row" in words and "may belong to any class." not in words


def test_scores_of_one_source_stand_on_the_page(of_two_sources, tmp_path):
    pytest.importorskip("jinja2")
    x, z, source, both, model = of_two_sources
    records = source == "records"
    scores = pu_scores(model, x[records], z[records], scenario=both.scenarios["records"])
    words = words_of(model.report(tmp_path / "page.html", X=x[records], z=z[records], scores=scores))
    assert f"{scores['accuracy'].value:.3f}" in words


def test_what_cannot_be_is_refused(of_two_sources):
    x, z, _, both, model = of_two_sources
    with pytest.raises(ScenarioError, match="one source at a time"):
        at_rows(model.scenario_, x)
    with pytest.raises(ScenarioError, match="where it comes from"):
        PUBoostingClassifier(scenario=both).fit(x, z)
    with pytest.raises(ScenarioError, match="bootstrap knows no rows of several sources"):
        bootstrap(model, x, z)
