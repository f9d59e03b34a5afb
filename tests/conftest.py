"""What all tests share: figures that a test measures are printed after the run."""

import pytest

FIGURES = "figures"


@pytest.fixture
def record_figure(record_property):
    """Return a function (what, value) that puts a measured figure into the summary of the run."""

    def record(what, value):
        record_property(FIGURES, f"{what}: {value}")

    return record


def pytest_terminal_summary(terminalreporter):
    """Print figures; properties travel with the reports, so this works in parallel runs, too."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    lines = [
        value
        for report in reports
        for name, value in getattr(report, "user_properties", [])
        if name == FIGURES and getattr(report, "when", None) == "call"
    ]
    if lines:
        terminalreporter.section("measured")
        for line in sorted(lines):
            terminalreporter.write_line(line)
