"""Conservation laws of gradient flow (THEORY §5): fields, exact count, the laws, and what each symmetry conserves."""

from symfiber.conservation.flow import flow_field
from symfiber.conservation.laws import (
    conservation_laws,
    generic_conservation_laws,
    polynomial_conservation_laws,
)
from symfiber.conservation.result import ConservationLaws, Law
from symfiber.conservation.verdict import FrobeniusComponent, Symmetry

__all__ = [
    "ConservationLaws",
    "FrobeniusComponent",
    "Law",
    "Symmetry",
    "conservation_laws",
    "flow_field",
    "generic_conservation_laws",
    "polynomial_conservation_laws",
]
