"""What a report says about hypotheses: checked, assumed or refuted, and what follows or is not claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symfiber.report.notation import Formula, Phrase

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber


@dataclass(frozen=True, slots=True)
class HypothesisStatement:
    """One hypothesis: its name (may be empty), what it says, its status and details.

    ``status`` is "proved", "assumed", "refuted" or "not needed".
    """

    name: str
    statement: Phrase
    status: str
    detail: str = ""


def hypotheses(fiber: Fiber) -> tuple[HypothesisStatement, ...]:
    """Return all hypotheses of the theorem that applies, each with its status."""
    d, n1, _, _ = fiber.network.architecture
    common = [
        HypothesisStatement("", ("two hidden layers",), "proved"),
        HypothesisStatement(
            "", ("bottleneck: ", Formula(f"n1 <= d, {n1} <= {d}", rf"n_1\le d,\ {n1}\le {d}")), "proved"
        ),
    ]
    if fiber.bottleneck.case != "constant":
        common.append(
            HypothesisStatement(
                "",
                ("reduced parameter: nonlinear neurons have different hyperplanes and nonzero outgoing columns",),
                "proved",
            )
        )
    if fiber.case in ("univariate", "constant"):
        names = ("G1", "G2", "G3")
        return (*common, *(HypothesisStatement(n, _statement(n), _unneeded(n)) for n in names))
    status = {"proved": "proved", "undecided": "assumed", "refuted": "refuted"}
    return (
        *common,
        *(
            HypothesisStatement(h.name, _statement(h.name), status[h.status], h.coverage)
            for h in fiber.hypotheses.hypotheses
        ),
    )


def _unneeded(name: str) -> str:
    return "proved" if name == "G1" else "not needed"


def _statement(name: str) -> Phrase:
    return {
        "G1": (Formula("rank W1 = n1", r"\operatorname{rank} W_1=n_1"),),
        "G2": (
            Formula(
                "rank(W3 D_T W2 D_S) = min(m, |T|, |S|)",
                r"\operatorname{rank}(W_3D_TW_2D_S)=\min(m,|T|,|S|)",
            ),
            " for all masks ",
            Formula("S, T", "S,T"),
        ),
        "G3": ("every square minor of ", Formula("[W2|b2]", r"[W_2\mid b_2]"), " is nonzero"),
    }[name]


def claims(fiber: Fiber) -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    """Return what is claimed about completeness and what is not."""
    contained: Phrase = ("Every component is contained in the fiber; this needs no genericity.",)
    if fiber.case == "univariate":
        complete: Phrase = (
            "Every reduced member of the fiber lies in exactly one component; this needs no genericity.",
        )
        return (contained, complete), (("Members that are not reduced are not described.",),)
    if fiber.case == "constant":
        return (contained, ("Every generic member of the fiber lies in it.",)), (
            ("Non-generic parameters of a constant function, such as cancelling linear neurons, are not described.",),
        )
    outside: Phrase = ("Non-generic members of the fiber may lie outside all components and are not described.",)
    every = "every generic member of the fiber lies in one of the components"
    if fiber.completeness == "proved":
        return (contained, (f"{every[0].upper()}{every[1:]}.",)), (outside,)
    if fiber.completeness == "assumed":
        names = [h.name for h in fiber.hypotheses.hypotheses if h.status == "undecided"]
        condition = f"Assuming {' and '.join(names)}, which the check left undecided, {every}."
        return (contained, (condition,)), (
            outside,
            (f"Without {' and '.join(names)} the list of components is not claimed to be complete.",),
        )
    failures = fiber.hypotheses.failures()
    reasons = "; ".join(f"{h.name} fails: {h.coverage}" if h.coverage else f"{h.name} fails" for h in failures)
    return (contained,), ((f"The list of components is not claimed to be complete, because {reasons}.",), outside)
