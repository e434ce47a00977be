"""All activation patterns of a small ReLU network that occur on an open set: split regions neuron by neuron.

A region is an open polyhedron, kept as affine forms that are positive on it and a rational point of it.
An affine form on ℝ^d is a list of its d coefficients followed by its constant.
"""

from fractions import Fraction
from math import floor, gcd, lcm


def parse_layers(network):
    """Read ``{"layers": [{"weight": [["1", ...], ...], "bias": ["0", ...]}, ...]}`` as Fractions."""
    return [
        (
            [[Fraction(entry) for entry in row] for row in layer["weight"]],
            [Fraction(b) for b in layer["bias"]],
        )
        for layer in network["layers"]
    ]


def input_dimension(layers):
    """Return d, the number of inputs."""
    return len(layers[0][0][0])


def evaluate(layers, x):
    """Return f(x) as a tuple of Fractions."""
    values = [Fraction(entry) for entry in x]
    for index, (weight, bias) in enumerate(layers):
        if index > 0:
            values = [max(value, Fraction(0)) for value in values]
        values = [sum((w * v for w, v in zip(row, values, strict=True)), Fraction(b)) for row, b in zip(weight, bias)]
    return tuple(values)


def affine_map(layers, pattern):
    """Return (A, v) with f(x) = A x + v wherever the activation pattern is the given one."""
    forms = identity_forms(input_dimension(layers))
    for index, (weight, bias) in enumerate(layers):
        if index > 0:
            forms = mask(forms, pattern[index - 1])
        forms = apply_layer(weight, bias, forms)
    return [form[:-1] for form in forms], [form[-1] for form in forms]


def cells(layers):
    """Return a sorted list of (pattern, interior point), one for every pattern that occurs on an open set.

    The pattern is a tuple, one entry a hidden layer, of tuples of bools. A neuron whose preactivation
    vanishes identically on a region is inactive there.
    """
    dimension = input_dimension(layers)
    regions = [((), [Fraction(0)] * dimension, [], identity_forms(dimension))]
    for weight, bias in layers[:-1]:
        regions = [
            ((*pattern, signs), inner_point, inner_positive, mask(preactivations, signs))
            for pattern, point, positive, forms in regions
            for preactivations in [apply_layer(weight, bias, forms)]
            for signs, inner_point, inner_positive in split(preactivations, point, positive)
        ]
    return sorted((pattern, tuple(point)) for pattern, point, _, _ in regions)


def split(preactivations, point, positive):
    """Split one region by all neurons of a layer; return a list of (signs, point, positive forms)."""
    pieces = [((), point, positive)]
    for form in preactivations:
        pieces = [
            ((*signs, active), *piece)
            for signs, inner_point, inner_positive in pieces
            for active, piece in split_by_form(form, inner_point, inner_positive)
        ]
    return pieces


def split_by_form(form, point, positive):
    """Return the nonempty ones of the two sides of one neuron, as (active, (point, positive forms))."""
    if not any(form[:-1]):
        return [(form[-1] > 0, (point, positive))]
    sides = []
    for active, side in ((False, [-entry for entry in form]), (True, form)):
        inner_point = point if value_at(side, point) > 0 else move_to_positive(side, point, positive)
        if inner_point is not None:
            sides.append((active, (inner_point, [*positive, primitive(side)])))
    return sides


def move_to_positive(form, point, positive):
    """Return a point where ``form`` and all of ``positive`` are > 0, or None if there is none.

    All of ``positive`` are > 0 at ``point``, so the simplex method needs no first phase: maximise the form
    over the closed region starting from the point, stop as soon as it is positive, and go back a little
    towards the point.
    """
    start = value_at(form, point)
    displacement = maximise_until_positive(
        [form[:-1], *(other[:-1] for other in positive)],
        [start, *(value_at(other, point) for other in positive)],
    )
    if displacement is None:
        return None
    gain = sum(a * y for a, y in zip(form, displacement))
    share = simplest_between(-start / gain, Fraction(1))
    moved = [p + share * y for p, y in zip(point, displacement)]
    assert value_at(form, moved) > 0 and all(value_at(other, moved) > 0 for other in positive)
    return moved


def maximise_until_positive(gradients, constants):
    """Return y with constants[0] + gradients[0]·y > 0, the other constants[i] + gradients[i]·y >= 0, or None.

    Exact simplex method with Bland's rule, for constants[0] <= 0 and the other constants > 0. Each row
    expresses a basic variable by the nonbasic ones: variables below d are the free coordinates of y, the
    others the (nonnegative) values of the forms.
    """
    dimension = len(gradients[0])
    nonbasic = list(range(dimension))
    basic = [dimension + index for index in range(len(gradients))]
    rows = [[Fraction(a) for a in gradient] for gradient in gradients]
    constants = list(constants)
    while True:
        # Row 0 is the objective; it and the free coordinates never leave the basis.
        candidates = [
            (variable, column)
            for column, variable in enumerate(nonbasic)
            if rows[0][column] > 0 or (variable < dimension and rows[0][column] != 0)
        ]
        if not candidates:
            return None
        _, column = min(candidates)
        direction = 1 if rows[0][column] > 0 else -1
        bounds = [
            (constants[row] / abs(rows[row][column]), basic[row], row)
            for row in range(1, len(rows))
            if basic[row] >= dimension and direction * rows[row][column] < 0
        ]
        needed = -constants[0] / abs(rows[0][column])
        if not bounds or min(bounds)[0] > needed:
            step = min(bounds)[0] if bounds else needed + 1
            y = [Fraction(0)] * dimension
            if nonbasic[column] < dimension:
                y[nonbasic[column]] = direction * step
            for row, variable in enumerate(basic):
                if variable < dimension:
                    y[variable] = constants[row] + rows[row][column] * direction * step
            return y
        _, _, leaving = min(bounds)
        pivot(rows, constants, leaving, column)
        basic[leaving], nonbasic[column] = nonbasic[column], basic[leaving]


def pivot(rows, constants, leaving, column):
    """Solve row ``leaving`` for the variable of ``column`` and substitute it in all other rows, in place."""
    factor = rows[leaving][column]
    solved = [-entry / factor for entry in rows[leaving]]
    solved[column] = 1 / factor
    solved_constant = -constants[leaving] / factor
    for row, entries in enumerate(rows):
        multiple = entries[column]
        if row == leaving or multiple == 0:
            continue
        rows[row] = [entry + multiple * other for entry, other in zip(entries, solved)]
        rows[row][column] = multiple * solved[column]
        constants[row] += multiple * solved_constant
    rows[leaving] = solved
    constants[leaving] = solved_constant


def simplest_between(low, high):
    """Return the rational of least denominator strictly between 0 <= low < high."""
    whole = floor(low)
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:
        return whole + Fraction(1, floor(1 / (high - whole)) + 1)
    return whole + 1 / simplest_between(1 / (high - whole), 1 / (low - whole))


def identity_forms(dimension):
    """Return the coordinate functions of ℝ^d as affine forms."""
    return [[Fraction(int(i == j)) for j in range(dimension + 1)] for i in range(dimension)]


def apply_layer(weight, bias, forms):
    """Return the affine forms W·forms + b."""
    result = []
    for row, constant in zip(weight, bias, strict=True):
        columns = zip(*forms, strict=True)
        form = [sum((w * c for w, c in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        form[-1] += constant
        result.append(form)
    return result


def mask(forms, signs):
    """Replace the forms of inactive neurons by zero."""
    return [form if active else [Fraction(0)] * len(form) for form, active in zip(forms, signs, strict=True)]


def value_at(form, point):
    """Return the value of an affine form at a point."""
    return sum((a * x for a, x in zip(form, point)), Fraction(form[-1]))


def primitive(form):
    """Scale a nonzero rational vector by a positive number to coprime integers."""
    denominator = lcm(*(Fraction(entry).denominator for entry in form))
    integers = [int(entry * denominator) for entry in form]
    divisor = gcd(*integers)
    return [entry // divisor for entry in integers]
