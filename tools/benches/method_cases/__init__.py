# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a bench of methods. Each has keys(), which gives {key: value}."""
