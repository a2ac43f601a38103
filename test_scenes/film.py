# SPDX-License-Identifier: GPL-3.0-or-later
"""Films as animated GIF files, by Pillow: one palette for all pictures, and of each only what differs from the last."""

import numpy as np

MISSING = "Pillow is missing, which writes films; tools/setup --lint installs it"


def write_gif(path, pictures, seconds=0.08):
    """pictures: arrays (height, width, 3), shown so long each, again and again."""
    try:
        from PIL import Image
    except ImportError:
        raise OSError(MISSING) from None
    palette = Image.fromarray(np.concatenate(pictures)).quantize(256, dither=Image.Dither.NONE)
    shown = [
        Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in pictures
    ]
    milliseconds = round(1000 * seconds)
    shown[0].save(path, save_all=True, append_images=shown[1:], duration=milliseconds, loop=0)
