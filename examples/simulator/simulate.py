"""A slow and moody simulator: a beam under a load that moves along it."""

import math
import time


def deflection(x, y):
    """x: thickness and width of the beam; y: where the load stands and how heavy it is."""
    time.sleep(0.001)
    thickness, width = x
    place, load = y
    if thickness / width > 6.0:
        raise ArithmeticError("the beam buckles: the mesh is tangled")
    stiffness = width * thickness**3
    return load * math.sin(math.pi * place) ** 2 / stiffness + 0.2 * thickness * width
