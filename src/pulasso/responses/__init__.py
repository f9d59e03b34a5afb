"""Response models: from the linear predictor to class log odds."""

from pulasso.responses._protocol import Response, SecondOrder
from pulasso.responses.multinomial import Multinomial
from pulasso.responses.ordinal import Ordinal

__all__ = [
    "RESPONSES",
    "Multinomial",
    "Ordinal",
    "Response",
    "SecondOrder",
]

RESPONSES: dict[str, type[Response]] = {
    each.name: each
    for each in (
        Multinomial,
        Ordinal,
    )
}
