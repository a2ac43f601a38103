# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a caller has to what the library reads: contiguous float32 and int32 arrays.

A wrong shape or a number that does not fit is a MuslinError that names the parameter; NumPy alone
would wrap large integers around silently.
"""

import numpy as np

from . import _abi, _enums
from .errors import MuslinError

INT32 = np.iinfo(np.int32)


def refuse(message):
    raise MuslinError(_enums.Status.ERROR_ARGUMENT, message)


def floats(name, values, shape, dtype=np.float32):
    """A contiguous float array of `shape`; -1 in the shape stands for any length."""
    try:
        # too large becomes infinite, refused later
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.ascontiguousarray(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        refuse(f"{name}: not an array of numbers")
    if array.size == 0 and -1 in shape:
        array = array.reshape([0 if length == -1 else length for length in shape])
    fits = array.ndim == len(shape) and all(
        wanted in (-1, length) for wanted, length in zip(shape, array.shape)
    )
    if not fits:
        wanted = " x ".join("any" if length == -1 else str(length) for length in shape)
        given = " x ".join(str(length) for length in array.shape) or "a single number"
        refuse(f"{name}: expected {wanted} numbers, got {given}")
    return array


def check_output(name, array, vertex_count):
    """Refuse what the library could not write three floats per vertex to."""
    if not isinstance(array, np.ndarray):
        refuse(f"{name}: expected a NumPy array")
    fits = array.shape in ((vertex_count, 3), (3 * vertex_count,))
    if not fits or array.dtype != np.float32 or not array.flags.c_contiguous:
        refuse(
            f"{name}: expected a contiguous float32 array of {vertex_count} x 3, "
            f"got {array.dtype} of {' x '.join(map(str, array.shape)) or 'a single number'}"
        )
    if not array.flags.aligned:
        refuse(f"{name}: its data is not aligned to four bytes")
    if not array.flags.writeable:
        refuse(f"{name}: the array is read-only")


def indices(name, values, columns=None):
    """A contiguous int32 array: flat, or with `columns` columns."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        refuse(f"{name}: not an array of whole numbers")
    shape = (-1,) if columns is None else (-1, columns)
    if array.size == 0:
        return np.zeros((0,) if columns is None else (0, columns), dtype=np.int32)
    if array.dtype.kind not in "iu":
        refuse(f"{name}: expected whole numbers, got {array.dtype}")
    if array.ndim != len(shape) or (columns is not None and array.shape[1] != columns):
        refuse(f"{name}: wrong shape {array.shape}")
    outside = (array < INT32.min) | (array > INT32.max)
    if outside.any():
        refuse(f"{name}: {array[outside][0]} is too large for an index")
    return np.ascontiguousarray(array, dtype=np.int32)


def pointer(array):
    """For the library, by the kind of its numbers; null for None. The caller keeps the array alive during the call."""
    return None if array is None else array.ctypes.data_as(_abi.POINTERS[array.dtype.name])
