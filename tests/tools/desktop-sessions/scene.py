#!/usr/bin/python3
"""scene.py static|typing: a window of 900x540 full of text, or one into which 8 letters a second are typed."""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

TEXT = "the quick brown fox jumps over the lazy dog. "


def show(application, kind):
    view = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR, monospace=True, cursor_visible=False)
    window = Gtk.ApplicationWindow(application=application, title="scene", child=view, default_width=900, default_height=540)
    buffer = view.get_buffer()
    typed = 0

    def type_one():
        nonlocal typed
        buffer.insert(buffer.get_end_iter(), TEXT[typed % len(TEXT)])
        typed += 1
        return True
    if kind == "typing":
        GLib.timeout_add(120, type_one)
    else:
        buffer.set_text(" ".join(str(number) for number in range(1, 600)))
    window.present()


app = Gtk.Application(application_id="org.example.scene")
app.connect("activate", lambda one: show(one, sys.argv[1]))
app.run([])
