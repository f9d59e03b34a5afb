"""Checks of trees that were saved: engines trust their own files, and follow a wrong number out of their memory."""

import json
import re
from collections.abc import Sequence
from typing import Any

from pulasso.exceptions import SavedModelError

__all__ = ["check_lightgbm", "check_xgboost"]

INTEGER = re.compile(r"-?[0-9]{1,9}")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?|-?inf|-?nan")
SWITCHES = ("tree", "average_output")  # lines of LightGBM that hold no value
END = "end of trees\n"
# Of every node of a tree of XGBoost, besides its children.
OF_NODES = (
    "base_weights", "default_left", "loss_changes", "parents", "split_conditions", "split_type", "sum_hessian",
)  # fmt: skip
OF_CATEGORIES = ("categories_nodes", "categories_segments", "categories_sizes")


def _require(holds: Any, what: str) -> None:
    if not holds:
        raise SavedModelError(f"its trees are damaged: {what}.")


def _check_branches(left: Sequence[int], right: Sequence[int], is_leaf: Any, n_nodes: int) -> None:
    """Check that every node is met exactly once on the way down from the first one."""
    met, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        _require(node not in met, "branches meet")
        met.add(node)
        if not is_leaf(node):
            below = (left[node], right[node])
            _require(all(-n_nodes <= each < n_nodes for each in below), "a branch leads out of the tree")
            waiting += below
    _require(len(met) == n_nodes, "a branch leads nowhere")


# -- LightGBM --------------------------------------------------------------------------------------------------


def check_lightgbm(text: str, n_features: int, n_outputs: int) -> None:
    """Refuse a text that is not a sum of trees for so many features and outputs, in LightGBM's format."""
    head, blank, body = text.partition("\n\n")
    _require(blank and text.isascii() and text.endswith(END), "the text ends too early")
    facts = _facts(head.splitlines(), SWITCHES)
    _require(facts.get("version") == "v4", "they are of another version")
    _require("average_output" not in facts or not facts["average_output"], "a switch has a value")
    for name in ("num_class", "num_tree_per_iteration"):
        _require(_integers(facts, name, 1)[0] == n_outputs, "there is not one tree for each score")
    _require(_integers(facts, "max_feature_idx", 1)[0] == n_features - 1, "they are of other features")
    for name in ("feature_names", "feature_infos"):
        _require(len(facts.get(name, "").split()) == n_features, "they are of other features")
    sizes = _integers(facts, "tree_sizes", None)
    _require(len(sizes) % n_outputs == 0, "there is not one tree for each score")
    at = 0
    for i, size in enumerate(sizes):
        block = body[at : at + max(size, 0)]
        fits = len(block) == size and block.startswith(f"Tree={i}\n") and block.endswith("\n\n\n")
        _require(fits, f"tree {i} has another length")
        _check_leaves(_facts(block.rstrip("\n").splitlines()[1:]), n_features)
        at += size
    _require(body[at:] == END, "there is more than trees")


def _facts(lines: Sequence[str], switches: Sequence[str] = ()) -> dict[str, str]:
    """Return what lines of the form key=value say, each key once."""
    facts = {}
    for line in lines:
        key, equals, value = line.partition("=")
        _require((equals or key in switches) and key and key not in facts, "a line says nothing, or twice")
        facts[key] = value
    return facts


def _integers(facts: dict[str, str], name: str, length: int | None) -> list[int]:
    words = facts.get(name, "").split(" ") if facts.get(name) else []
    fits = all(INTEGER.fullmatch(each) for each in words) and length in (None, len(words))
    _require(fits, f"{name} is not what it should be")
    return [int(each) for each in words]


def _check_leaves(facts: dict[str, str], n_features: int) -> None:
    """Check one tree; a leaf is numbered -1, -2, ... among the branches."""
    n_leaves, n_splits = _integers(facts, "num_leaves", 1)[0], _integers(facts, "num_leaves", 1)[0] - 1
    _require(n_leaves >= 1, "a tree has no leaves")
    _require(facts.get("is_linear", "0") == "0", "leaves hold models")
    lengths = {"leaf_value": n_leaves, "threshold": n_splits, "split_gain": n_splits}
    lengths |= {"leaf_weight": n_leaves, "internal_value": n_splits, "internal_weight": n_splits}
    for name, length in lengths.items():
        words = facts.get(name, "").split()
        is_there = bool(words) or name in ("leaf_value", "threshold")
        fits = len(words) == length and all(NUMBER.fullmatch(each) for each in words)
        _require(
            fits or not is_there or not n_splits and name != "leaf_value", f"{name} is not what it should be"
        )
    _require("n" not in facts["leaf_value"], "a leaf has no value")
    for name, length in (("leaf_count", n_leaves), ("internal_count", n_splits)):
        _integers(facts, name, length if facts.get(name) else None)
    n_sets = _check_sets(facts)
    if not n_splits:
        return
    for each in _integers(facts, "split_feature", n_splits):
        _require(0 <= each < n_features, "a split is of a feature that is not there")
    kinds, thresholds = _integers(facts, "decision_type", n_splits), facts["threshold"].split()
    for kind, threshold in zip(kinds, thresholds, strict=True):
        _require(0 <= kind < 16, "a split is of an unknown kind")
        is_set = INTEGER.fullmatch(threshold) and 0 <= int(threshold) < n_sets
        _require(not kind & 1 or is_set, "a split is by categories that are not there")
    left, right = (_integers(facts, f"{side}_child", n_splits) for side in ("left", "right"))
    # Leaves follow the splits, so that all nodes are numbered from 0.
    numbered = [[each if each >= 0 else n_splits + ~each for each in side] for side in (left, right)]
    _require(all(each < n_splits for each in left + right), "a branch leads out of the tree")
    _check_branches(numbered[0], numbered[1], lambda node: node >= n_splits, n_leaves + n_splits)


def _check_sets(facts: dict[str, str]) -> int:
    """Check the sets of categories that splits name, and return how many there are."""
    n_sets = _integers(facts, "num_cat", 1)[0]
    if n_sets == 0:
        return 0
    bounds = _integers(facts, "cat_boundaries", n_sets + 1)
    words = facts.get("cat_threshold", "").split(" ")
    fits = all(re.fullmatch("[0-9]{1,10}", each) for each in words) and bounds[0] == 0
    rises = all(low < high for low, high in zip(bounds[:-1], bounds[1:], strict=True))
    _require(fits and rises and bounds[-1] == len(words), "sets of categories are not what they should be")
    return n_sets


# -- XGBoost ---------------------------------------------------------------------------------------------------


def check_xgboost(text: str, n_features: int, n_outputs: int) -> None:
    """Refuse a text that is not a sum of trees for so many features and outputs, in XGBoost's JSON."""
    learner = json.loads(text, object_pairs_hook=_once)["learner"]
    booster = learner["gradient_booster"]
    _require(booster["name"] == "gbtree", "they are no plain trees")
    about, model = learner["learner_model_param"], booster["model"]
    _require(about["num_feature"] == str(n_features), "they are of other features")
    n_classes = str(n_outputs if n_outputs > 1 else 0)
    _require(
        about["num_class"] == n_classes and about.get("num_target", "1") == "1", "they are of other classes"
    )
    trees, counts = model["trees"], model["gbtree_model_param"]
    _require(isinstance(trees, list) and counts["num_trees"] == str(len(trees)), "trees are missing")
    _require(counts.get("num_parallel_tree", "1").isdecimal(), "trees are not counted")
    _require(_whole(model["tree_info"], len(trees), 0, n_outputs), "trees are of other classes")
    bounds = model.get("iteration_indptr")
    if bounds is not None:
        fits = _whole(bounds, None, 0, len(trees) + 1) and bounds[:1] == [0] and bounds[-1] == len(trees)
        _require(fits and bounds == sorted(bounds), "rounds are not what they should be")
    _require(not any(model.get("cats", {}).values()), "they bring categories of their own")
    for name in ("feature_names", "feature_types"):
        found = learner.get(name, [])
        fits = (
            isinstance(found, list)
            and len(found) in (0, n_features)
            and all(isinstance(f, str) for f in found)
        )
        _require(fits, f"{name} are not those of the features")
    for tree in trees:
        _check_nodes(tree, n_features)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    _require(len(found) == len(pairs), "a part is there twice")
    return found


def _whole(values: Any, length: int | None, least: int, beyond: int) -> bool:
    is_list = isinstance(values, list) and length in (None, len(values))
    return is_list and all(type(each) is int and least <= each < beyond for each in values)


def _check_nodes(tree: dict[str, Any], n_features: int) -> None:
    about, left, right = tree["tree_param"], tree["left_children"], tree["right_children"]
    n_nodes = len(left)
    _require(about["num_nodes"] == str(n_nodes) and n_nodes, "nodes are missing")
    _require(about["num_feature"] == str(n_features), "a tree is of other features")
    _require(
        about["size_leaf_vector"] in ("0", "1") and about["num_deleted"] == "0", "leaves are not numbers"
    )
    _require(
        all(_whole(side, n_nodes, -1, n_nodes) for side in (left, right)), "a branch leads out of the tree"
    )
    _require(
        _whole(tree["split_indices"], n_nodes, 0, n_features), "a split is of a feature that is not there"
    )
    for name in OF_NODES:
        values = tree[name]
        fits = isinstance(values, list) and len(values) == n_nodes
        _require(
            fits and all(isinstance(each, int | float) for each in values), f"{name} is not what it should be"
        )
    both = zip(left, right, strict=True)
    _require(all((one < 0) == (other < 0) for one, other in both), "a node has one branch")
    _check_branches(left, right, lambda node: left[node] < 0, n_nodes)
    # A leaf has no parent's number to follow; that of the first node is XGBoost's "none".
    _require(
        all(
            left[up] == i or right[up] == i for i, up in enumerate(tree["parents"]) if i and 0 <= up < n_nodes
        ),
        "a node has another parent",
    )
    _check_category_splits(tree, n_nodes)


def _check_category_splits(tree: dict[str, Any], n_nodes: int) -> None:
    """Check sets of categories: of every node that has one, where it begins and how long it is."""
    nodes, begins, sizes = (tree[name] for name in OF_CATEGORIES)
    values = tree["categories"]
    _require(
        _whole(nodes, None, 0, n_nodes) and nodes == sorted(set(nodes)), "sets of categories have no node"
    )
    fits = _whole(begins, len(nodes), 0, len(values) + 1) and _whole(sizes, len(nodes), 0, len(values) + 1)
    _require(fits and _whole(values, None, 0, 2**24), "sets of categories are not what they should be")
    ends = [begin + size for begin, size in zip(begins, sizes, strict=True)]
    _require(all(end <= len(values) for end in ends), "sets of categories are not what they should be")
    asked = [i for i, kind in enumerate(tree["split_type"]) if kind == 1 and tree["left_children"][i] >= 0]
    _require(set(asked) <= set(nodes), "a split is by categories that are not there")
    _require(set(tree["split_type"]) <= {0, 1}, "a split is of an unknown kind")
