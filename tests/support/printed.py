"""Comparing what code prints with what a page says it prints."""

import re

import pytest

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def split_numbers(text):
    """The words between numbers, with spaces squeezed, and the numbers themselves."""
    words = re.sub(NUMBER, "#", text)
    return " ".join(words.split()), [float(number) for number in re.findall(NUMBER, text)]


def same(printed, expected):
    """Compare outputs: equal words, numbers equal up to what another machine may round otherwise."""
    # How small the violation became depends on rounding; that it is small is what "converged" says.
    printed, expected = (
        re.sub(rf"KKT violation +{NUMBER}", "KKT violation 0", text) for text in (printed, expected)
    )
    (words, numbers), (expected_words, expected_numbers) = split_numbers(printed), split_numbers(expected)
    assert words == expected_words
    assert numbers == pytest.approx(expected_numbers, rel=0.01, abs=0.02)
