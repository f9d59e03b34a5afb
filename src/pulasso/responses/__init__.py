"""Response models: from the linear predictor to class log odds."""

from pulasso.responses._protocol import Response
from pulasso.responses.multinomial import Multinomial
from pulasso.responses.ordinal import Ordinal

__all__ = ["RESPONSES", "Multinomial", "Ordinal", "Response"]

RESPONSES = (Multinomial, Ordinal)
