# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of a garment's life share: an empty scene, and a folder that goes away."""

import os
import shutil
import tempfile
import unittest

import scenes


class LifeTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.blend = os.path.join(self.folder, "shot.blend")

    def garment(self, name="Sheet", **where):
        obj = scenes.garment(name, **where)
        obj.muslin.cache_folder = os.path.join(self.folder, "cache")
        return obj

    def preview(self, obj):
        return scenes.running().previews.get(obj.muslin.uid)

    def advance_to(self, queue, frames):
        while queue.bakes[-1].done < frames:
            self.assertTrue(queue.advance(0.001), queue.summary())
