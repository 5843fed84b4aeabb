"""What arrives by source, output and filter of OBS Studio, compared with what was sent by means of a time code."""
import contextlib
import os
import subprocess
import threading
import time

import numpy as np
import parts
import studio
import texcast
import time_code

SAMPLES = 40  # pictures of each way whose PSNR is taken


def psnr(a, b):
    error = np.mean((a.astype(np.float32) - b.astype(np.float32)) ** 2)
    return 99.0 if error == 0 else float(10 * np.log10(255 * 255 / error))


class Feed:
    """Sends FFmpeg's test picture with a time code, and remembers when. It leaves out pictures that it is too late for."""

    def __init__(self, port, size, fps, texture_format):
        self.size, self.fps = size, fps
        width, height = size
        raw = subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                              f"testsrc2=size={width}x{height}:rate={fps}", "-frames:v", str(2 * fps), "-f", "rawvideo",
                              "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
        self.frames = time_code.pictures(raw, width, height)
        self.sent = {}
        self.count = 0
        self.stopped = threading.Event()
        self.sender = texcast.Sender(f"rtp://127.0.0.1:{port}", size=size, fps=fps, format=texture_format)
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def picture(self, number):
        return time_code.stamp(self.frames[number % len(self.frames)].copy(), number)

    def work(self):
        begin = time.monotonic()
        number = 0
        while not self.stopped.is_set():
            picture = self.picture(number)
            self.sent[number % time_code.COUNT] = time.monotonic()
            self.count += self.sender.send(picture)
            number = max(number + 1, int((time.monotonic() - begin) * self.fps))
            time.sleep(max(0, begin + number / self.fps - time.monotonic()))

    def close(self):
        self.stopped.set()
        self.thread.join()
        self.sender.close()


class Arrivals:
    """Pictures of one way: their numbers, latencies in milliseconds, and some of them for comparison."""

    def __init__(self, feed):
        self.feed = feed
        self.numbers, self.latencies, self.samples = [], [], []
        self.begin = self.end = None
        self.taken = threading.Event()

    def add(self, picture, at=None, scale=1):
        number = time_code.read(picture, scale)
        if number is None or not self.taken.is_set():
            return
        if not self.numbers or number != self.numbers[-1]:
            if at is not None:
                self.latencies.append(1000 * (at - self.feed.sent[number]))
                self.begin, self.end = self.begin or at, at
            self.numbers.append(number)
            if picture.shape[1::-1] == self.feed.size and len(self.numbers) % 5 == 0 and len(self.samples) < SAMPLES:
                self.samples.append((number, picture.copy()))

    def row(self, name, seconds=None):
        seconds = seconds or (self.end or 0) - (self.begin or 0) or 1
        values = [psnr(picture, self.feed.picture(number)) for number, picture in self.samples]
        rate = (len(set(self.numbers)) - 1) / seconds
        shown = f"{np.median(values):9.1f} {min(values):9.1f}" if values else f"{'-':>9} {'-':>9}"
        late = "{:9.0f} {:9.0f}".format(*np.percentile(self.latencies, (50, 95))) if self.latencies else \
            f"{'-':>9} {'-':>9}"
        order = all((after - before) % time_code.COUNT < time_code.COUNT // 2
                    for before, after in zip(self.numbers, self.numbers[1:]))
        return f"{name:24} {shown} {rate:9.1f} {late}{'' if order else '  OUT OF ORDER'}"


def receive(arrivals):
    return texcast.Receiver("rtp://127.0.0.1:0", on_frame=lambda frame: arrivals.add(frame.pixels(), time.monotonic()))


def recorded(path, arrivals):
    """Adds the pictures of OBS's recording."""
    width, height = arrivals.feed.size
    with subprocess.Popen(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-sws_flags",
                           "accurate_rnd+full_chroma_int", "-fps_mode", "passthrough", "-"],
                          stdout=subprocess.PIPE) as process:
        while len(raw := process.stdout.read(width * height * 3)) == width * height * 3:
            arrivals.add(time_code.pictures(raw, width, height)[0])


def seconds_of(path):
    return float(subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path],
                                check=True, capture_output=True, text=True).stdout)


def watch_screen(obs, arrivals, seconds):
    """The time code on the screen, where OBS shows the source in full size."""
    screen_width, screen_height = studio.SCREEN
    width, height = arrivals.feed.size
    scale = screen_width // width
    top = (screen_height - height * scale) // 2
    area = (time_code.CELLS * time_code.CELL * scale, time_code.CELL * scale)
    obs.remote("OpenSourceProjector", sourceName="Stream", monitorIndex=0)
    time.sleep(2)
    arrivals.taken.set()
    grab = subprocess.Popen(["ffmpeg", "-v", "error", "-f", "x11grab", "-framerate", "120", "-draw_mouse", "0",
                             "-video_size", f"{area[0]}x{area[1]}", "-i", f"{obs.env['DISPLAY']}+0,{top}", "-f",
                             "rawvideo", "-pix_fmt", "rgb24", "-flush_packets", "1", "-"], stdout=subprocess.PIPE)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        raw = grab.stdout.read(area[0] * area[1] * 3)
        arrivals.add(time_code.pictures(raw, *area)[0], time.monotonic(), scale)
    grab.kill()
    grab.wait()


def check_compare(build, folder, options):
    """PSNR, frames a second and latency of source, output and filter, in one table."""
    port = studio.free_port()
    feed = Feed(port, options.size, options.fps, options.format)
    ways = {name: Arrivals(feed) for name in ("recorded", "output", "filter", "screen")}
    with contextlib.closing(feed), receive(ways["output"]) as output, receive(ways["filter"]) as filtered:
        send = parts.send_filter({"destination": filtered.urls[0], "format": options.format})
        program = {"automatic": True, "destination": output.urls[0], "format": options.format}
        with studio.Studio(build, folder, width=options.size[0], height=options.size[1], fps=options.fps,
                           sources=[parts.source(port, [send])], program=program) as obs:
            studio.until("pictures of output and filter", lambda: min(output.status.frames, filtered.status.frames) > 10)
            time.sleep(4)  # kernels are compiled
            sent = record(obs, ways, options.seconds)
            path = obs.remote("StopRecord")["outputPath"]
            time.sleep(2)
            load = os.getloadavg()[0]
            watch_screen(obs, ways["screen"], options.seconds)
            obs.screenshot("projector")
            obs.close()
    ways["recorded"].taken.set()
    recorded(path, ways["recorded"])
    print(f"{options.size[0]}x{options.size[1]} at {options.fps}, {options.format}, {os.cpu_count()} cores, load "
          f"{load:.1f}; {obs.said_last('sending to').split(', ', 2)[2]}")
    print_table(ways, sent, seconds_of(path))


def record(obs, ways, seconds):
    """Lets OBS record for a while. The number of pictures that were sent in each second of it."""
    feed = ways["output"].feed
    obs.remote("StartRecord")
    for name in ("output", "filter"):
        ways[name].taken.set()
    begin, before = time.monotonic(), feed.count
    time.sleep(seconds)
    for name in ("output", "filter"):
        ways[name].taken.clear()
    return (feed.count - before) / (time.monotonic() - begin)


def print_table(ways, sent, seconds):
    print(f"{'':24} {'PSNR, dB':>9} {'least':>9} {'frames/s':>9} {'ms':>9} {'p95':>9}")
    print(f"{'sent by the test':24} {'':9} {'':9} {sent:9.1f}")
    print(ways["recorded"].row("source, recorded by OBS", seconds))
    print(ways["screen"].row("source, on the screen"))
    print(ways["output"].row("output, received"))
    print(ways["filter"].row("filter, received"))
