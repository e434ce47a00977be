"""Moves in words, for people."""

from __future__ import annotations

from symfiber.reduction import Step


def describe_step(step: Step, where: str, undo: bool = False) -> str:
    """Return one sentence for a move on the layers ``where`` ("of a"); ``undo`` names the inverse move.

    Examples
    --------
    >>> describe_step(("expose", ((0, 1),)), "of a"), describe_step(("expose", ((0, 1),)), "of b", undo=True)
    ('in 1 neuron of a, replace z_i by y_i where it hides', 'in 1 neuron of b, replace y_i by z_i where it hides')
    """
    name, *arguments = step
    items = arguments[-1]
    count = len(items)
    neurons = f"{count} neuron" + ("s" if count != 1 else "")
    layer = f"layer {arguments[0]} {where}" if len(arguments) == 2 else f"the last hidden layer {where}"
    forward, backward = {
        "permute": (f"permute {layer}", f"permute {layer} back"),
        "scale": (f"scale the neurons of {layer}", f"scale the neurons of {layer} back"),
        "merge": (f"merge {neurons} of {layer} into proportional ones", f"split off {neurons} of {layer}"),
        "drop": (f"drop {neurons} of {layer} that nothing uses", f"add {neurons} to {layer} that nothing uses"),
        "dead": (f"drop {neurons} of {layer} that are dead", f"add {neurons} to {layer} that are dead"),
        "constant": (f"fold {neurons} of {layer} that are constant", f"add {neurons} to {layer} that are constant"),
        "absorb": (f"absorb {neurons} of {layer} that are linear", f"add {neurons} to {layer} that are linear"),
        "flip": (f"re-orient {neurons} of {layer}", f"re-orient {neurons} of {layer} back"),
        "expose": (
            f"in {neurons} {where}, replace z_i by y_i where it hides",
            f"in {neurons} {where}, replace y_i by z_i where it hides",
        ),
        "lift": (
            f"make {neurons} of layer 1 {where} that only feed the output part of the last hidden layer",
            f"make {neurons} of layer 1 {where} feed the output again",
        ),
    }[name]
    return backward if undo else forward
