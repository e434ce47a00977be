"""Moves in words, for people."""

from __future__ import annotations

from symfiber.reduction import Step


def describe_step(step: Step, where: str, undo: bool = False) -> str:
    """Return one sentence for a move on the layers ``where`` ("of a"); ``undo`` names the inverse move.

    Examples
    --------
    >>> step = ("expose", 2, ((0, 1),))
    >>> describe_step(step, "of a"), describe_step(step, "of b", undo=True)
    ('in 1 neuron of layer 2 of a, replace z_i by y_i', 'in 1 neuron of layer 2 of b, replace y_i by z_i')
    """
    name, number, items = step[:3]
    count = step[4] if name == "select" else len(items)
    neurons = f"{count} neuron" + ("s" if count != 1 else "")
    layer = f"layer {number} {where}"
    forward, backward = {
        "permute": (f"permute {layer}", f"permute {layer} back"),
        "drop": (f"drop {neurons} of {layer} that nothing uses", f"add {neurons} to {layer} that nothing uses"),
        "dead": (f"drop {neurons} of {layer} that are dead", f"add {neurons} to {layer} that are dead"),
        "scale": (f"scale the neurons of {layer}", f"scale the neurons of {layer} back"),
        "merge": (
            f"merge {neurons} of {layer} into others on the same hyperplane",
            f"split the outgoing weights of {neurons} of {layer}",
        ),
        "flip": (f"re-orient {neurons} of {layer}", f"re-orient {neurons} of {layer} back"),
        "expose": (f"in {neurons} of {layer}, replace z_i by y_i", f"in {neurons} of {layer}, replace y_i by z_i"),
        "lift": (
            f"move {neurons} of {layer} that only feed the output into the next layer",
            f"move {neurons} back into {layer}",
        ),
    }[step[3] if name == "select" else name]
    return backward if undo else forward
