"""The end of the interpreter while streams run, and memory over many frames."""

from cases import Case, main, np, picture, resident_bytes, run_python, texcast

# Each leaves something running at the end of its script.
SCRIPTS = {
    "a receiver": "receiver = texcast.receive('rtp://127.0.0.1:0')",
    "a thread that waits": """
receiver = texcast.receive('rtp://127.0.0.1:0')
threading.Thread(target=list, args=(receiver,), daemon=True).start()""",
    "a function for frames": "receiver = texcast.Receiver('rtp://127.0.0.1:0', on_frame=print)",
    "a stream": """
receiver = texcast.Receiver('rtp://127.0.0.1:0', on_frame=lambda frame: seen.set())
seen = threading.Event()
sender = texcast.Sender(receiver.urls[0], fps=100)
def send():
    while True:
        sender.send(picture)
        time.sleep(0.001)
threading.Thread(target=send, daemon=True).start()
assert seen.wait(300)""",
    "a stream with sound": """
receiver = texcast.Receiver('rtp://127.0.0.1:0', on_frame=lambda frame: None, on_sound=lambda block: seen.release())
seen = threading.Semaphore(0)
sender = texcast.Sender(receiver.urls[0], fps=100, size=(64, 64), sound=texcast.SoundFormat(48000, 2))
sound = np.zeros((48, 2), np.float32)
def send():
    while True:
        sender.send_sound(sound)
        time.sleep(0.001)
for _ in range(3):
    threading.Thread(target=send, daemon=True).start()
while not seen.acquire(timeout=0.01):
    sender.send(picture)
for _ in range(20):
    assert seen.acquire(timeout=300)""",
    "a thread that waits for sound": """
receiver = texcast.receive('rtp://127.0.0.1:0', sound=True)
threading.Thread(target=list, args=(receiver.sounds(),), daemon=True).start()""",
    "watches of streams": """
watches = [texcast.watch_streams(print), texcast.watch_streams()]
threading.Thread(target=list, args=(watches[1],), daemon=True).start()""",
    "an encoder and its threads": """
encoder = texcast.Encoder((64, 64))
encoder.submit(picture)
running = threading.Semaphore(0)
def encode():
    try:
        while True:
            texcast.encode(picture, device='cpu-reference')
            running.release()
    except Exception:  # the interpreter ends, and takes modules from its daemon threads
        pass
for _ in range(4):
    threading.Thread(target=encode, daemon=True).start()
for _ in range(40):
    running.acquire()""",
    "a log function": "texcast.set_log_function(print, 'debug')",
    "a file": """
file = texcast.FileWriter(sys.argv[1])
file.write(texcast.encode(picture))""",
    "an exception": """
receiver = texcast.receive('rtp://127.0.0.1:0')
sender = texcast.Sender(receiver.urls[0], size=(64, 64))
sys.exit('on purpose')""",
}
BEGIN = "import sys, threading, time, numpy as np, texcast\npicture = np.zeros((64, 64, 3), np.uint8)\n"


class Exit(Case):
    def test_the_interpreter_ends_whatever_runs(self):
        for name, script in SCRIPTS.items():
            with self.subTest(name):
                status, _, errors = run_python(BEGIN + script, str(self.folder / "x.mov"))
                wanted = (1, "on purpose\n") if "on purpose" in script else (0, "")
                self.assertEqual((status, errors), wanted)
        self.assertEqual(len(list(texcast.FileReader(self.folder / "x.mov"))), 1)  # was completed

    def test_an_exception_in_a_function_for_frames_does_not_end_the_process(self):
        code = BEGIN + """
def fail(frame):
    raise ValueError('for the caller')
receiver = texcast.Receiver('rtp://127.0.0.1:0', on_frame=fail)
with texcast.Sender(receiver.urls[0]) as sender:
    while receiver._frames.is_alive():
        sender.send(picture)
        time.sleep(0.002)
try:
    receiver.wait()
except ValueError as error:
    print(error)
"""
        self.assertEqual(run_python(code), (0, "for the caller\n", ""))


class Memory(Case):
    # A leak of each texture, 16 KiB, would be 5.6 MB; one of each picture, 96 KiB, 34 MB.
    LEAST, ALL, MOST_GROWTH = 150, 500, 2_500_000

    def assert_steady(self, work):
        for n in range(self.ALL):
            work(n)
            if n == self.LEAST:
                before = resident_bytes()
        growth = resident_bytes() - before
        print(f"{self.id().split('.')[-1]}: {growth} bytes more after {self.ALL} frames than after {self.LEAST}")
        self.assertLess(growth, self.MOST_GROWTH)

    def test_encoding_and_decoding(self):
        source = picture(256, 128)
        with texcast.Encoder((256, 128), "bc1") as encoder:
            self.assert_steady(lambda n: encoder.encode(source).pixels())

    def test_encoders(self):
        source = picture(64, 64)
        self.assert_steady(lambda n: n % 5 or texcast.encode(source, device="cpu-reference"))

    def test_streams(self):
        source = np.ascontiguousarray(picture(256, 128))
        with texcast.receive("rtp://127.0.0.1:0", timeout=300, queue=2) as receiver:
            with texcast.Sender(receiver.urls[0], size=(256, 128), fps=500) as sender:
                def work(n):
                    source[:8] = n % 256
                    while not sender.send(source):
                        sender.finish(1)
                    next(receiver).pixels()
                self.assert_steady(work)

    def test_files(self):
        texture = texcast.encode(picture(256, 128), "bc1")
        path = self.folder / "x.mov"
        with texcast.FileWriter(path) as file:
            self.assert_steady(lambda n: file.write(texture))
        with texcast.FileReader(path) as file:
            self.assert_steady(lambda n: file.read().pixels())


if __name__ == "__main__":
    main()
