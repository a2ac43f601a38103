# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benches of research are made of: published numbers, rope and cloth without a matrix, the chart."""
