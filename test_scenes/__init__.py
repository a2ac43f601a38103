# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes that tests, benchmarks and demos share.

Every mesh here is made by this package's own code (GPL-3.0-or-later); only `contact.real` reads
files of others, where they lie beside the checkout.
Units are metres, Z is up, figures face -Y, symmetric scenes mirror at x = 0. NumPy is the only need.
"""
