"""A fiber as JSON-ready data, format ``symfiber-fiber/1``.

Exact numbers and counts of any size are texts with all their digits; polynomials are texts in ``coordinates``.  Lists
that a short description cuts have their exact length beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symfiber.exact import to_text
from symfiber.report.components import ComponentStatement, FreeBlock, Piece, Quantity
from symfiber.report.notation import integer_text, phrase_text
from symfiber.report.statement import FiberStatement, describe_fiber

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber

FORMAT = "symfiber-fiber/1"


def fiber_data(fiber: Fiber, show_all: bool = False) -> dict[str, Any]:
    """Return the report of a fiber as JSON-ready data.

    Parameters
    ----------
    fiber : Fiber
    show_all : bool
        List everything; otherwise long lists are cut and counted.  Numbers always have all their digits.

    Examples
    --------
    >>> import symfiber as sf
    >>> net = sf.Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> data = fiber_data(sf.fiber(net))
    >>> data["format"], data["component_count"], [c["dimension"] for c in data["components"]]
    ('symfiber-fiber/1', '2', [4, 4])
    """
    return statement_data(describe_fiber(fiber, show_all))


def statement_data(statement: FiberStatement) -> dict[str, Any]:
    """Write a description as JSON-ready data."""
    return {**_setting(statement), **_result(statement)}


def _setting(statement: FiberStatement) -> dict[str, Any]:
    """The network, what was checked, and the theorem."""
    net, theorem = statement.network, statement.theorem
    return {
        "format": FORMAT,
        "network": net.to_dict(),
        "architecture": list(net.architecture),
        "parameter_count": net.parameter_count,
        "coordinates": list(net.parameter_names),
        "hypotheses": [
            {"name": h.name, "statement": phrase_text(h.statement), "status": h.status, "detail": h.detail}
            for h in statement.hypotheses
        ],
        "completeness": statement.completeness,
        "claimed": [phrase_text(x, True) for x in statement.claimed],
        "not_claimed": [phrase_text(x, True) for x in statement.not_claimed],
        "neuron_types": [neuron.type for neuron in statement.neurons],
        "hidden_hypersurfaces": list(statement.hidden),
        "hidden_reason": phrase_text(statement.hidden_reason, True),
        "case": statement.case,
        "theorem": {
            "name": theorem.name,
            "title": theorem.title,
            "premise": phrase_text(theorem.premise, True),
            "conditions": [phrase_text(x, True) for x in theorem.conditions],
            "notes": [phrase_text(x, True) for x in theorem.notes],
            "reason": phrase_text(theorem.reason, True),
        },
    }


def _result(statement: FiberStatement) -> dict[str, Any]:
    """The counts, dimensions, components and generators."""
    return {
        "component_count": _count(statement.component_count),
        "component_count_reason": phrase_text(statement.count_reason, True),
        "labelled_component_count": _count(statement.labelled_count),
        "dimension": statement.dimension,
        "dimension_note": statement.dimension_note,
        "local_dimension": statement.local_dimension,
        "local_dimension_note": statement.local_note,
        "identifiable": statement.identifiable,
        "components": [_component(component) for component in statement.components],
        "components_omitted": _count(statement.omitted),
        "generators": [
            {
                "name": g.name,
                "kind": g.kind,
                "dimension": g.dimension,
                "domain": g.domain,
                "effect": g.effect,
                "inverse": g.inverse,
            }
            for g in statement.generators
        ],
    }


def _count(value: int | None) -> str | None:
    return None if value is None else integer_text(value, full=True)


def _component(component: ComponentStatement) -> dict[str, Any]:
    return {
        "index": component.index,
        "contains_network": component.is_home,
        "title": phrase_text(component.title, True),
        "orientation": list(component.orientation),
        "dimension": component.dimension,
        "dimension_terms": [
            {"value": term.value, "meaning": phrase_text(term.meaning, True)} for term in component.terms
        ],
        "dimension_reason": component.reason,
        "labelled_count": _count(component.labelled_count),
        "quantities": [_quantity(quantity) for quantity in component.quantities],
        "free_neurons": None if component.free is None else _free(component.free),
        "generic_note": phrase_text(component.generic_note, True),
        "sets": [_piece(piece) for piece in component.pieces],
        "set_count": component.pieces_total,
    }


def _free(free: FreeBlock) -> dict[str, Any]:
    return {
        "positions": list(free.positions),
        "linear_counts": [free.least, free.most],
        "slope": [[to_text(x) for x in row] for row in free.slope.rows],
        "constant": [to_text(row[0]) for row in free.constant.rows],
        "rank": free.rank,
        "pointed": free.pointed,
        "nonnegative_column_rank": free.least,
        "half_space": None if free.half_space is None else [to_text(x) for x in free.half_space],
        "relation": None if free.relation is None else [to_text(x) for x in free.relation],
    }


def _quantity(quantity: Quantity) -> dict[str, Any]:
    return {"name": quantity.name.text, "rows": [[to_text(x) for x in row] for row in quantity.rows]}


def _piece(piece: Piece) -> dict[str, Any]:
    return {
        "linear_neurons": piece.linear_count,
        "equations": [str(x) for x in piece.equations.polynomials],
        "positive": [str(x) for x in piece.positive.polynomials],
        "nonnegative": [str(x) for x in piece.nonnegative.polynomials],
    }
