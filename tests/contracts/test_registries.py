"""A scenario, response or solver that joins a registry must also join the tests; this file says how."""

import inspect

import pytest

from pulasso.responses import RESPONSES
from pulasso.scenarios import SCENARIOS
from pulasso.solvers import SOLVERS
from support.brute_force import INTENSITIES
from support.cases import BY_SCENARIO, CASES
from support.problems import make_response


@pytest.mark.parametrize("cls", SCENARIOS)
def test_every_scenario_has_examples_and_a_brute_force_twin(cls):
    assert any(isinstance(case.make(2), cls) for case in CASES), "add a Case to tests/support/cases.py"
    assert cls.name in INTENSITIES, "add its likelihood to tests/support/brute_force.py"


def test_names_of_scenarios_are_distinct():
    assert len({cls.name for cls in SCENARIOS}) == len(SCENARIOS) == len(BY_SCENARIO)


@pytest.mark.parametrize("name", RESPONSES)
def test_every_response_can_be_made(name):
    assert isinstance(make_response(name, 3), RESPONSES[name])


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_takes_the_same_arguments(name):
    parameters = inspect.signature(SOLVERS[name]).parameters
    assert list(parameters)[:2] == ["problem", "start"]
    assert {"tol", "max_iter", "callback"} <= set(parameters)
