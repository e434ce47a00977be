"""A symbolic fiber as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symfiber.errors import LimitExceededError
from symfiber.semialgebraic import Union

if TYPE_CHECKING:
    from symfiber.symbolic.fiber import SymbolicComponent, SymbolicFiber

_SHOWN_COMPONENTS = 16
_SHOWN_HYPOTHESES = 12


def symbolic_fiber_text(fiber: SymbolicFiber) -> str:
    """Return the assumptions, the components with their conditions, and the hypotheses of completeness."""
    shape = "-".join(map(str, fiber.network.architecture))
    assumed = ", ".join(f"{p} > 0" for p in fiber.assumptions.set.positive) or "nothing"
    lines = [
        f"Fiber of a symbolic {shape} network: {fiber.case}",
        f"  assumed: {assumed}",
        f"  neurons of layer 2: {', '.join(fiber.types)}",
    ]
    if fiber.hidden is not None:
        lines.append(f"  the hypersurface of first-layer neuron {fiber.hidden} is hidden")
    lines.append("Components, each contained in the fiber wherever its condition holds:")
    for component in fiber.components[:_SHOWN_COMPONENTS]:
        lines += _component_lines(component)
    if len(fiber.components) > _SHOWN_COMPONENTS:
        lines.append(f"  … {len(fiber.components) - _SHOWN_COMPONENTS} more components")
    try:
        statements = [str(h) for h in fiber.hypotheses]
    except LimitExceededError:
        statements = ["G1, G2 and G3 (too many masks to list)"]
    ending = "for values with" if statements else "for all these values, no hypothesis is left."
    lines.append(f"They contain all generic members {ending}")
    lines += [f"  {text}" for text in statements[:_SHOWN_HYPOTHESES]]
    if len(statements) > _SHOWN_HYPOTHESES:
        lines.append(f"  … {len(statements) - _SHOWN_HYPOTHESES} more conditions")
    return "\n".join(lines)


def _component_lines(component: SymbolicComponent) -> list[str]:
    lines = [f"  {component.orientation}: {component.description}"]
    if not component.always:
        lines += [f"    exists where {_inline(component.condition)}"]
    if len(component.dimensions) == 1:
        return [*lines, f"    dimension {component.dimensions[0][1]}"]
    return [*lines, *(f"    dimension {value} where {_inline(part)}" for part, value in component.dimensions)]


def _inline(value: Union) -> str:
    return value.to_text(8).replace("\n", " ")
