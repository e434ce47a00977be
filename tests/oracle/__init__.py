"""Slow, simple and independent answers to compare the package with; nothing here imports it.

A network is a list of ``(weight, bias)`` pairs of nested lists of rationals, with ReLU between the layers
and none after the last.
"""
