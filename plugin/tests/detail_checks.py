"""What the tests of details share: how they are had of a call, and compared.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Element, MuslinError, Outcome

SQUARE = np.float32([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
NAN = float("nan")
SIDE = ((3, 0, 0), (1, 0, 0))  # a plane beside everything


def refused(function, *arguments, **settings):
    """The details of an error."""
    try:
        function(*arguments, **settings)
    except MuslinError as error:
        return list(error.details)
    raise AssertionError("not refused")


def warned(mesh, **settings):
    """The details of the warnings of a new cloth."""
    with Cloth(mesh, **settings) as cloth:
        return cloth.details


class DetailTest(unittest.TestCase):
    def check(self, details, code, **wanted):
        """One detail, of this code, with these numbers; the others are as if it had none."""
        self.assertEqual([detail.code for detail in details], [code], details)
        self.has(details[0], **wanted)

    def has(self, detail, outcome=Outcome.NONE, element=Element.NONE, elements=(), **wanted):
        self.assertEqual(detail.outcome, outcome)
        self.assertEqual((detail.element, detail.elements), (element, tuple(elements)))
        defaults = {"body": None, "defect": None, "count": len(detail.elements), "name": ""}
        for name, value in {**defaults, **wanted}.items():
            if isinstance(value, float):
                self.assertAlmostEqual(getattr(detail, name), value, places=5, msg=name)
            else:
                self.assertEqual(getattr(detail, name), value, name)
        self.assertTrue(detail)
        self.assertIn(detail.cause, detail)
