"""Announces, watches, finds or receives streams, for check-discovery.

    discovery_peer.py send NAME DESTINATION      sends until it is killed
    discovery_peer.py watch | call               prints the streams each time that they change, by a loop or a function
    discovery_peer.py find                       prints the streams
    discovery_peer.py receive LISTEN [NAME]      prints the first picture and sound, and ends
"""

import sys
import threading
import time

import numpy as np
import texcast


def show(streams):
    print("streams:" + "".join(f" [{s.name} at {s.url} {s.format} {s.width}x{s.height} {s.fps} fps, sound {s.sound}]"
                               for s in streams), flush=True)


def send(name, destination):
    texture = texcast.Texture("bc1", 64, 32, bytes(1024))
    with texcast.Sender(destination, name=name, fps=50, sound=texcast.SoundFormat(48000, 2)) as sender:
        while True:
            sender.send(texture)
            sender.send_sound(np.full((960, 2), 0.25, np.float32))
            time.sleep(0.02)


def watch():
    def report_problems():
        before = None
        while True:
            if changes.problem != before:
                before = changes.problem
                print(f"problem: {before}", flush=True)
            time.sleep(0.02)

    with texcast.watch_streams() as changes:
        threading.Thread(target=report_problems, daemon=True).start()
        for streams in changes:
            show(streams)


def call():
    with texcast.watch_streams(show):
        threading.Event().wait()


def receive(listen, name=""):
    with texcast.receive(listen, name=name, sound=True) as receiver:
        picture, sound = next(receiver).pixels(), next(receiver.sounds())
        print(f"picture {picture.shape}, sound {sound.format.channels} channels at {sound.format.sample_rate}")


{"send": send, "watch": watch, "call": call, "find": lambda: show(texcast.find_streams()),
 "receive": receive}[sys.argv[1]](*sys.argv[2:])
