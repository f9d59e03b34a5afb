"""`pulasso doctor`: what is installed, and what is worth changing."""

import typer

from pulasso.cli.options import option

__all__ = ["doctor"]


def doctor(json: bool = option(False, None, "Print JSON.", "--json")) -> None:
    """Show versions, the kernel in use and the threads of BLAS: paste it into bug reports."""
    from json import dumps

    facts = _facts()
    advice = _advice(facts)
    if json:
        typer.echo(dumps({**facts, "advice": advice}, indent=2))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:<{width}}  {value}")
    typer.echo("\n" + "\n".join(advice or ["All is well."]))


def _facts() -> dict[str, str]:
    """Return what there is, by name."""
    import os

    import numpy  # noqa: F401  (its BLAS is what threadpoolctl then finds)
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    from pulasso._show_versions import versions

    facts = versions()
    for number, pool in enumerate(threadpool_info(), start=1):
        threads = f"{pool['num_threads']} threads of {pool['internal_api']} {pool.get('version') or ''}"
        facts[f"threads {number}"] = threads.strip()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {**facts, "cores": str(cores)}


def _advice(facts: dict[str, str]) -> list[str]:
    advice = []
    if not facts["kernel"].startswith("native"):
        advice.append(
            "The kernel runs in NumPy. With a C compiler, `pip install --no-binary pulasso pulasso` builds the "
            "compiled one, which makes small problems several times faster."
        )
    if facts["pyarrow"] == "not installed":
        advice.append("Parquet and Feather files need pyarrow: `pip install pulasso[frames]`.")
    return advice
