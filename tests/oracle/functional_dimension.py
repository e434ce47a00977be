"""Functional dimension: the rank over ℚ of the gradients of all affine coefficients on all cells.

Parameters are ordered layer by layer, in each layer the weight by rows, then the bias.
"""

from fractions import Fraction
from math import gcd

from .cells import apply_layer, cells, identity_forms, input_dimension, mask, primitive


def parameter_count(layers):
    """Return the number N of parameters."""
    return sum(len(weight) * (len(weight[0]) + 1) for weight, _ in layers)


def functional_dimension(layers):
    """Return the rank of the gradients of all coefficients of the affine maps on all cells, exactly."""
    return parameter_count(layers) - len(fiber_tangent_space(layers))


def fiber_tangent_space(layers):
    """Return an integer basis of the parameter directions that change no coefficient to first order."""
    basis = [[int(i == j) for j in range(parameter_count(layers))] for i in range(parameter_count(layers))]
    gradients = {
        tuple(primitive(gradient))
        for pattern, _ in cells(layers)
        for gradient in coefficient_gradients(layers, pattern)
        if any(gradient)
    }
    for gradient in sorted(gradients):
        basis = intersect_with_kernel(basis, gradient)
    return basis


def intersect_with_kernel(basis, gradient):
    """Return a basis of the vectors of span(basis) orthogonal to the gradient."""
    support = [(index, entry) for index, entry in enumerate(gradient) if entry]
    products = [sum(entry * vector[index] for index, entry in support) for vector in basis]
    pivots = [index for index, product in enumerate(products) if product]
    if not pivots:
        return basis
    leading = min(pivots, key=lambda index: abs(products[index]))
    result = []
    for index, (vector, product) in enumerate(zip(basis, products)):
        if index == leading:
            continue
        if product:
            vector = [products[leading] * v - product * w for v, w in zip(vector, basis[leading])]
            divisor = gcd(*vector)
            vector = [entry // divisor for entry in vector]
        result.append(vector)
    return result


def coefficient_gradients(layers, pattern):
    """Return the gradients of all affine coefficients on one cell: for every output, inputs then constant.

    With P the affine forms entering layer l and B the Jacobian of the outputs by its preactivations, the
    derivative of coefficient (o, q) by W_l[i][j] is B[o][i] P[j][q], and by b_l[i] it is B[o][i] if q is
    the constant and 0 otherwise.
    """
    dimension = input_dimension(layers)
    entering = [identity_forms(dimension)]
    for (weight, bias), signs in zip(layers[:-1], pattern, strict=True):
        entering.append(mask(apply_layer(weight, bias, entering[-1]), signs))

    outputs = len(layers[-1][0])
    jacobians = [[[Fraction(int(i == j)) for j in range(outputs)] for i in range(outputs)]]
    for (weight, _), signs in zip(reversed(layers[1:]), reversed(pattern), strict=True):
        jacobians.append(
            [
                [
                    sum((b * row[j] for b, row in zip(jacobian_row, weight)), Fraction(0)) if active else Fraction(0)
                    for j, active in enumerate(signs)
                ]
                for jacobian_row in jacobians[-1]
            ]
        )
    jacobians.reverse()

    gradients = []
    for output in range(outputs):
        for coefficient in range(dimension + 1):
            gradient = []
            for forms, jacobian in zip(entering, jacobians, strict=True):
                gradient += [b * form[coefficient] for b in jacobian[output] for form in forms]
                gradient += [b if coefficient == dimension else Fraction(0) for b in jacobian[output]]
            gradients.append(gradient)
    return gradients
