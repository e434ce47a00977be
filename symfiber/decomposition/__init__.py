"""The fiber of a network and its components (THEORY §1 and §2)."""

from symfiber.decomposition.component import Component, Parametrization
from symfiber.decomposition.fiber import Components, Fiber, fiber

__all__ = ["Component", "Components", "Fiber", "Parametrization", "fiber"]
