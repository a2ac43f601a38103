# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds a garment again by its uid, since a Blender reference does not outlive an undo."""

import uuid

import bpy


def ensure_uid(obj):
    """The garment's uid; a duplicate that still has its original's gets one of its own."""
    uid = obj.muslin.uid
    if not uid or any(other != obj and other.muslin.uid == uid for other in bpy.data.objects):
        obj.muslin.uid = uuid.uuid4().hex
    return obj.muslin.uid


def find(uid):
    return next((obj for obj in bpy.data.objects if uid and obj.muslin.uid == uid), None)


def garments(scene):
    return [obj for obj in scene.objects if obj.type == "MESH" and obj.muslin.enabled]
