"""The shape of the source: imports point downward, files and functions stay small, public names exist."""

import ast
import importlib
from pathlib import Path

import pytest

import pulasso

ROOT = Path(pulasso.__file__).parent

# From the top of the house to its foundations; a module imports from its own floor or from below.
FLOORS = (
    ("__init__",),
    ("cli", "_show_versions"),
    ("report", "export"),
    ("plots",),
    ("estimators", "model_selection", "prevalence", "inference", "baselines"),
    ("metrics", "theory"),
    ("datasets",),
    ("restarts",),
    ("build", "objectives"),
    ("_build_warnings",),
    ("path",),
    ("solvers",),
    ("problem",),
    ("losses", "data"),
    ("responses", "scenarios", "penalties", "design"),
    ("kernels", "runs"),
    ("numerics", "curvature", "tables", "storage"),
    ("exceptions",),
    ("_messages", "_version"),
)
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# The four nouns below a problem do not know each other.
STRANGERS = {"responses", "scenarios", "penalties", "design"}

MAX_LINES_OF_A_FILE = 360
MAX_LINES_OF_A_FUNCTION = 60

FILES = sorted(ROOT.rglob("*.py"))
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))


def module_of(file):
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file) for file in FILES}


def room_of(module):
    """The top-level part of the package that a module belongs to: pulasso.solvers.em -> solvers."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def walk_code(node):
    """All nodes that run when a module is imported: not those of functions, nor under ``if TYPE_CHECKING``."""
    yield node
    for child in ast.iter_child_nodes(node):
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if not later and not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from walk_code(child)


def imports_of(file):
    """Modules of the package that a file imports when it is imported; methods such as `plot` may look upward."""
    for node in walk_code(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "pulasso")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute, so that they show where things live"
            if node.module and node.module.split(".")[0] == "pulasso":
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                yield from names & MODULES or {node.module}


@each_file
def test_imports_point_downward(file):
    here = room_of(module_of(file))
    assert here in FLOOR_OF, f"{here} has no floor yet; add it to FLOORS"
    for module in imports_of(file):
        there = room_of(module)
        if there == here or (here == "__init__" and there == "_version"):
            continue
        assert FLOOR_OF[there] >= FLOOR_OF[here], f"{module_of(file)} imports {module} from above"
        assert not {here, there} <= STRANGERS, f"{module_of(file)} should not know {module}"


@each_file
def test_other_rooms_are_entered_by_the_front_door(file):
    here = room_of(module_of(file))
    for module in imports_of(file):
        private = [
            part for part in module.split(".")[2:] if part.startswith("_")
        ]  # pulasso._messages is for all rooms
        assert room_of(module) == here or not private, f"{module_of(file)} reaches into {module}"


def test_no_circle_of_modules():
    graph = {module_of(file): set(imports_of(file)) & MODULES for file in FILES}
    done, on_the_way = set(), []

    def visit(module):
        if module in on_the_way:
            circle = [*on_the_way[on_the_way.index(module) :], module]
            pytest.fail(" -> ".join(circle))
        if module in done:
            return
        on_the_way.append(module)
        for other in sorted(graph[module]):
            visit(other)
        done.add(on_the_way.pop())

    for module in sorted(graph):
        visit(module)


def test_files_are_small():
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES
    }
    assert not {name: n for name, n in lengths.items() if n > MAX_LINES_OF_A_FILE}


def test_functions_are_small():
    """Docstrings do not count: they are for readers, too."""
    long = {}
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = node.body[0] if ast.get_docstring(node) else None
                length = node.end_lineno - node.lineno + 1
                if docstring is not None:
                    length -= docstring.end_lineno - docstring.lineno + 1
                if length > MAX_LINES_OF_A_FUNCTION:
                    long[f"{file.relative_to(ROOT)}:{node.lineno} {node.name}"] = length
    assert not long


def test_public_names():
    promised = {
        "MultinomialPULasso",
        "OrdinalPULasso",
        "CaseControl",
        "SingleTrainingSet",
        "FullyObserved",
        "Groups",
        "fit_path",
        "PathResult",
        "PUBoostingClassifier",
        "PUData",
        "build_problem",
        "solve_path",
        "checkpoint",
    }
    assert promised <= set(pulasso.__all__)
    assert set(pulasso.__all__) <= set(dir(pulasso))
    for name in pulasso.__all__:
        assert getattr(pulasso, name) is not None
    with pytest.raises(AttributeError, match="module 'pulasso' has no attribute 'Lasso'"):
        pulasso.Lasso  # noqa: B018


@each_file
def test_every_name_in_all_exists(file):
    module = importlib.import_module(module_of(file))
    for name in getattr(module, "__all__", []):
        assert hasattr(module, name), name


def test_no_private_parts_of_other_libraries():
    """Private modules of scikit-learn or SciPy may change with any release."""
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("pulasso"):
                names = [*node.module.split("."), *(alias.name for alias in node.names)]
                private = [name for name in names if name.startswith("_") and not name.startswith("__")]
                assert not private, f"{file.relative_to(ROOT)} imports {node.module}.{private}"
