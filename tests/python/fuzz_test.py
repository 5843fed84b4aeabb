"""Arguments of any kind at all entry points: an exception may come, and the interpreter lives on.

Each round is a process of its own, so that a crash is a failure of the round, with the seed that repeats it:
fuzz_test.py --arguments SEED COUNT, fuzz_test.py --threads SEED COUNT
"""

import faulthandler
import inspect
import os
import random
import signal
import subprocess
import sys
import threading

from cases import PATIENCE, Case, main, np, picture, texcast

EXPECTED = (texcast.Error, TypeError, ValueError, OverflowError)
DTYPES = ["u1", "i1", "u2", ">u2", "i4", "u8", "f2", "f4", ">f4", "f8", "f16", "c8", "?", "O", "S3", "U2", "M8[s]",
          [("a", "u1"), ("b", "f4")], "V5"]
SIDES = [0, 1, 2, 3, 4, 5, 6, 8, 16, 17, 48, 64]
LAYOUTS = texcast._native.array_layouts()
NUMBERS = [0, 1, -1, 2, 3, 16, 64, 65, 1 << 31, -(1 << 31), 1 << 63, 1 << 70, 0.5, -0.5, 60.0, float("nan"),
           float("inf"), 1e300, True, np.int8(3), np.float32(2), np.uint64(1 << 63), 1j]
WORDS = ["", "bc1", "bc7", "bc6h", "ycocg-bc4", "uyvy", "fast", "best", "cpu-reference", "nix", "desktop", "dds", "ktx2",
         "rtp://127.0.0.1:0", "rtp://127.0.0.1:9", "rtp://[::1", "x.dds", "x.mov", "x%d.ktx2", "nothing/x.mkv", "\0",
         "\ud800", "ä" * 100, "%s%n", "99999999999999999999", b"bc1", b"\xff", *LAYOUTS]


def an_array(chance):
    """Of any type and shape, with any strides."""
    dtype = np.dtype(chance.choice(DTYPES) if chance.random() < 0.4 else chance.choice(["u1", "u1", "u2", "f2", "f4"]))
    shape = [chance.choice(SIDES) for _ in range(chance.choice([0, 1, 2, 2, 3, 3, 3, 4]))]
    if shape and chance.random() < 0.5:
        shape[-1] = chance.choice([1, 2, 3, 4, 5])
    array = np.zeros(shape, dtype)
    if dtype.kind in "uf":
        with np.errstate(all="ignore"):
            array[...] = (np.arange(array.size).reshape(shape) * 37 % 251).astype(dtype)
            if dtype.kind == "f" and chance.random() < 0.3:
                array[...] = chance.choice([1, np.nan, np.inf, -1, 1e9])
    for _ in range(chance.randrange(3)):
        if array.ndim:
            kind = chance.randrange(6)
            if kind == 0:
                array = array[tuple(slice(None, None, chance.choice([1, 2, -1, -3])) for _ in array.shape)]
            elif kind == 1:
                array = array.transpose(chance.sample(range(array.ndim), array.ndim))
            elif kind == 2 and array.shape[0]:
                array = np.broadcast_to(array[:1], (chance.choice(SIDES),) + array.shape[1:])
            elif kind == 3:
                array = array[1:, ...]
            elif kind == 4 and array.size and not array.dtype.hasobject:
                array = np.lib.stride_tricks.as_strided(array, array.shape, [chance.choice([0, 1, s]) for s in
                                                                            array.strides], writeable=False)
                array = array[tuple(slice(0, max(1, side // 4)) for side in array.shape)]
            elif array.flags.writeable:
                array.flags.writeable = False
    return array


def a_value(chance):
    """Anything that Python can pass."""
    return chance.choice([
        lambda: an_array(chance), lambda: an_array(chance), lambda: chance.choice(NUMBERS), lambda: chance.choice(NUMBERS),
        lambda: chance.choice(WORDS), lambda: chance.choice(WORDS), lambda: None, object, list, dict,
        lambda: [a_value(chance)], lambda: (a_value(chance), a_value(chance)), lambda: [[1, 2], [3]],
        lambda: picture(16, 16), lambda: texcast.encode(picture(16, 16), device="cpu-reference"),
        lambda: texcast.SoundFormat(), lambda: memoryview(b"12345678"), lambda: bytearray(8), lambda: range(8),
        lambda: np.ma.masked_array(picture(16, 16), False), lambda: np.matrix([[1, 2], [3, 4]], np.uint8),
        lambda: lambda *anything: None])()


def arguments(chance, function, leave=()):
    """For the function's parameters; those of keywords sometimes."""
    positional, keywords = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "timeout", "limit", *leave) or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty:
            if chance.random() < 0.2:
                keywords[parameter.name] = a_value(chance)
        else:
            positional.append(a_value(chance))
    if "device" in inspect.signature(function).parameters:
        keywords.setdefault("device", "cpu-reference")
    return positional, keywords


def encode_twice(array, format, layout):
    """The strides of an array do not matter: its copy gives the same blocks."""
    blocks = [texcast.encode(given, format, pixel_format=layout, device="cpu-reference").blocks
              for given in (array, np.array(array, order="C"))]
    assert np.array_equal(*blocks), f"{array.shape} {array.strides} {array.dtype} {layout}"


def entries(chance):
    """(what, call) of one call at each entry point, in objects that work and in those that were made at random."""
    url = "rtp://127.0.0.1:9"
    one = texcast.encode(picture(16, 16), device="cpu-reference")
    encoder = texcast.Encoder((16, 16), device="cpu-reference", pixel_format=chance.choice(LAYOUTS))
    sender = texcast.Sender(url, device="cpu-reference", sound=texcast.SoundFormat(48000, chance.choice([1, 2, 5])))
    opened = texcast.Sender(url, size=(16, 16), device="cpu-reference", sound=texcast.SoundFormat())
    objects = [one, encoder, sender, opened, texcast.Decoder(), texcast.Transcoder("bc7", device="cpu-reference"),
               texcast.FileWriter(f"{os.getpid()}-{chance.random()}.mov")]
    last = {"close", "finish"}
    for thing in objects:
        for name, method in inspect.getmembers(type(thing), inspect.isfunction):
            if not name.startswith("_") and name not in last:
                bound = getattr(thing, name)
                positional, keywords = arguments(chance, bound)
                yield f"{type(thing).__name__}.{name}", lambda: bound(*positional, **keywords)
    for layout in (chance.choice(LAYOUTS), None, None):
        yield "encode", lambda: encode_twice(an_array(chance), chance.choice(["bc1", "bc4", "bc6h", "bc7"]), layout)
    yield "send", lambda: (sender.send(an_array(chance)), opened.send_sound(an_array(chance), chance.choice(NUMBERS)))
    yield "submit", lambda: encoder.submit(an_array(chance))
    yield "Texture", lambda: texcast.Texture("bc1", 4, 4, an_array(chance).reshape(-1)[:8]).pixels()
    for name in texcast.__all__:
        function = getattr(texcast, name)
        if name in ("set_log_function", "log_to", "find_streams", "watch_streams", "StreamWatch") or (
                inspect.isclass(function) and issubclass(function, Exception)):
            continue
        positional, keywords = arguments(chance, function, leave=("on_frame", "on_sound", "destinations", "url"))
        if name == "Sender":
            positional = [url]
        if name in ("Receiver", "receive"):
            positional = ["rtp://127.0.0.1:0"]
        yield name, lambda: close(function(*positional, **keywords))


def close(thing):
    """Ports and threads would run out."""
    if isinstance(thing, (texcast.Receiver, texcast.Sender)):
        thing.close()


def try_arguments(seed, count):
    """Prints how many calls were made, and how many succeeded."""
    works = calls = 0
    for number in range(count):
        for what, call in entries(random.Random(seed * 1000 + number)):
            calls += 1
            try:
                call()
                works += 1
            except EXPECTED:
                pass
            except BaseException:
                print(f"seed {seed}, {number}: {what}", file=sys.stderr)
                raise
    print(calls, works)


def try_threads(seed, count):
    """The same for calls from four threads to the same objects, which any of them may close."""
    counts, unexpected = [], []

    def work(chance, calls):
        works = 0
        for _ in range(60):
            try:
                chance.choice(calls)()
                works += 1
            except EXPECTED:
                pass
            except BaseException as failure:
                unexpected.append(failure)
        counts.append((60, works))

    sound = np.zeros((48, 2), np.float32)
    for number in range(count):
        receiver = texcast.Receiver("rtp://127.0.0.1:0", sound=True, on_frame=lambda frame: None)
        sender = texcast.Sender(receiver.urls[0], device="cpu-reference", sound=texcast.SoundFormat())
        encoder = texcast.Encoder((16, 16), device="cpu-reference")
        transcoder = texcast.Transcoder("bc7", device="cpu-reference")
        watch = texcast.watch_streams(lambda streams: None)
        one = texcast.encode(picture(16, 16), device="cpu-reference")
        calls = [lambda: sender.send(picture(16, 16)), lambda: sender.send_sound(sound), lambda: sender.status,
                 lambda: sender.finish(0.001), sender.lend, lambda: receiver.read(0), lambda: receiver.read_sound(0.001),
                 lambda: receiver.status, lambda: encoder.submit(picture(16, 16)), encoder.next, encoder.lend,
                 lambda: encoder.in_flight, lambda: transcoder.transcode(one), lambda: watch.streams,
                 lambda: watch.problem] * 6
        calls += [sender.close, receiver.close, encoder.close, transcoder.close, watch.close]
        threads = [threading.Thread(target=work, args=(random.Random(seed * 1000 + number * 4 + n), calls))
                   for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for failure in unexpected:
        raise failure
    print(*map(sum, zip(*counts)))


class Fuzz(Case):
    ROUNDS = int(os.environ.get("TEXCAST_FUZZ_ROUNDS", "2"))
    SEED = int(os.environ.get("TEXCAST_FUZZ_SEED", "1"))

    def play(self, kind, count):
        for seed in range(self.SEED, self.SEED + self.ROUNDS):
            done = subprocess.run([sys.executable, os.path.abspath(__file__), kind, str(seed), str(count)],
                                  cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
            with self.subTest(seed=seed):
                ended = signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode
                self.assertEqual((ended, done.stderr), (0, ""))
                calls, works = map(int, done.stdout.split())
                self.assertGreater(works, calls / 20)
                self.assertLess(works, calls)

    def test_no_argument_ends_the_interpreter(self):
        self.play("--arguments", 20)

    def test_calls_from_several_threads(self):
        self.play("--threads", 4)


if __name__ == "__main__":
    faulthandler.enable()
    if sys.argv[1:2] == ["--arguments"]:
        try_arguments(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["--threads"]:
        try_threads(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
