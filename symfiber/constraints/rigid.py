"""Which parameters only scale along a component of a fiber, and what bounds say about those."""

from __future__ import annotations

from symfiber.constraints.scaling import Bounds
from symfiber.decomposition.charts import first_pivot
from symfiber.decomposition.component import Component
from symfiber.exact import ZERO, Rational


def rigid_names(component: Component) -> frozenset[str]:
    """Return names of parameters that differ between members of a component by scalings of hidden neurons only.

    For any two members (neurons in the component's fixed positions) one set of scalings maps the rigid parameters of
    the first to those of the second.  Visible: layer 1 and the nonlinear neurons, and b₃ when no neuron is free.
    Hidden: everything but the biases that the translation moves and the dead neurons.  Constant: b₃.  Univariate: W₁,
    and the weights of the neurons that make kinks; their biases too when the first kink is that of layer 1.

    Examples
    --------
    >>> import symfiber as sf
    >>> from symfiber import library
    >>> component = sf.fiber(library.get("hidden-2-2-2-1")).components[0]
    >>> sorted(set(component.case.bottleneck.network.parameter_names) - rigid_names(component))
    ['b1_0', 'b2_0', 'b2_1']
    """
    case = component.case
    n1, n2 = case.bottleneck.network.hidden_widths
    d, m = case.bottleneck.network.architecture[0], case.function.output_dimension
    first = {i: [f"W1_{i}_{q}" for q in range(d)] for i in range(n1)}
    offset = [f"b3_{o}" for o in range(m)]

    def neuron(j: int, bias: bool) -> list[str]:
        return [*(f"W2_{j}_{i}" for i in range(n1)), *(f"W3_{o}_{j}" for o in range(m)), *([f"b2_{j}"] * bias)]

    if case.name == "constant":
        return frozenset(offset)
    names = [name for row in first.values() for name in row]
    if case.name == "visible":
        names += [f"b1_{i}" for i in first]
        names += [name for j in case.nonlinear for name in neuron(j, True)]
        names += offset if not case.free else []
    elif case.name == "univariate":
        label = component.label
        names += ["b1_0"] if label.visible else []
        names += [name for j in range(len(label.orientation)) for name in neuron(j, label.visible)]
        names += offset if label.visible and n2 == len(label.orientation) else []
    else:
        names += [f"b1_{k}" for k in case.others]
        names += [name for j in case.live for name in neuron(j, False)]
        names += offset
    return frozenset(names)


def rigid_bounds(component: Component, bounds: Bounds) -> dict[str, tuple[Rational | None, Rational | None]]:
    """Return the given bounds on rigid parameters, and those on W₁ that bounds on free neurons imply.

    The linear neurons satisfy Σ_q c_oq w_qi λ_i = M_oi with λ_i the size of row i of W₁ relative to the form that
    M belongs to.  Bounds |c_oq| ≤ β_q and 0 ≤ w_qi ≤ α_q on all free neurons give λ_i ≥ |M_oi| / Σ_q α_q β_q.
    """
    names = rigid_names(component)
    known = {name: pair for name, pair in bounds.items() if name in names}
    case = component.case
    if case.name not in ("visible", "univariate"):
        return known
    block = case.block(component.label)
    rows = case.bottleneck.first_layer[0] if case.name == "visible" else [case.oriented(component.label).direction]
    for i, row in enumerate(rows):
        least = ZERO
        for o, values in enumerate(block.slope.matrix.rows):
            total = _largest_product(bounds, [(f"W3_{o}_{q}", f"W2_{q}_{i}") for q in block.positions])
            if values[i] and total:
                least = max(least, abs(values[i]) / total)
        if least:
            pivot = first_pivot(row)
            name, edge = f"W1_{i}_{pivot}", least * row[pivot]
            low, high = known.get(name, (None, None))
            if edge > 0:
                known[name] = (edge if low is None else max(low, edge), high)
            else:
                known[name] = (low, edge if high is None else min(high, edge))
    return known


def _largest_product(bounds: Bounds, pairs: list[tuple[str, str]]) -> Rational | None:
    """Return Σ of the largest |c|·w, w ≥ 0, that the bounds allow; ``None`` when there is no limit."""
    total = ZERO
    for outgoing, incoming in pairs:
        low, high = bounds.get(outgoing, (None, None))
        top = bounds.get(incoming, (None, None))[1]
        if low is None or high is None or top is None:
            return None
        total += max(abs(low), abs(high)) * max(top, ZERO)
    return total


__all__ = ["rigid_bounds", "rigid_names"]
