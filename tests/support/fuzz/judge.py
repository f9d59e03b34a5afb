"""How a call may end: with finite results, or with an exception that somebody wrote down for the user."""

import linecache
import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

from sklearn.exceptions import DataConversionWarning, UndefinedMetricWarning

import pulasso
from pulasso import exceptions

SECONDS = 20.0  # of computing, for a case that takes milliseconds
NAMED = (ValueError, TypeError, KeyError, IndexError, ImportError, OSError)
OWN_WARNINGS = tuple(
    each for name in exceptions.__all__ if issubclass(each := getattr(exceptions, name), Warning)
)
# Whose `raise` statements are written for users: ours, and those that scikit-learn checks input by.
HOME = Path(pulasso.__file__).parent
SPEAKERS = (str(HOME), "/sklearn/utils/", "/sklearn/base.py", "/sklearn/model_selection/")


class UnnamedError(AssertionError):
    """A call ended in a way that no user can make sense of."""


class HangError(BaseException):
    """A call took far too long; not an Exception, so that nothing on the way catches it."""


def judge(call):
    """Run a call; return "done" or the name of the exception, or raise `UnnamedError`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in (*OWN_WARNINGS, DataConversionWarning, UndefinedMetricWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", "X (has|does not have) (valid )?feature names")  # scikit-learn's
        warnings.filterwarnings("ignore", "The number of unique classes is greater")
        warnings.filterwarnings("ignore", "Warning: converting a masked element")
        warnings.filterwarnings("ignore", "pandas.DataFrame with sparse columns found")
        warnings.filterwarnings("ignore", "the matrix subclass")  # for those who make one
        try:
            with _limited_time():
                call()
        except HangError:
            raise UnnamedError(f"still busy after {SECONDS:g} s") from None
        except NAMED as error:
            check_words(error)
            return type(error).__name__
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"
            raise UnnamedError(words) from error
    return "done"


def check_words(error):
    """Refuse an error that fell out of an operation instead of being raised with words for the user."""
    if isinstance(error, OSError) and error.filename is not None:
        return  # the words of the system, about a file that the user named
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    name = frame.f_code.co_filename
    source = linecache.getline(name, line).strip()
    spoken = any(each in name for each in SPEAKERS) and source.startswith("raise")
    if not spoken or len(str(error)) < 12:
        raise UnnamedError(f"{type(error).__name__}: {error} ({name}:{line}: {source})") from error


@contextmanager
def _limited_time():
    def stop(*_):
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
