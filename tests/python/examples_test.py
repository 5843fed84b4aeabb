"""The programs of examples/python, as a user runs them."""

import os
import subprocess
import sys

from cases import EXAMPLES, PATIENCE, Case, main, run_program, texcast


def run(name, *arguments):
    """Its lines; the example must succeed."""
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True,
                          timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.splitlines()


class Examples(Case):
    def setUp(self):
        super().setUp()
        # No camera of the machine, and no OpenCV, which takes seconds to load.
        (self.folder / "cv2.py").write_text("raise ImportError\n")
        before = os.environ.get("PYTHONPATH", "")
        os.environ["PYTHONPATH"] = f"{self.folder}:{before}"
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", before)

    def test_a_stream_from_one_to_the_other(self):
        receiver = subprocess.Popen([sys.executable, EXAMPLES / "stream_to_numpy.py", "rtp://127.0.0.1:0", "3"],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(receiver.kill)
        url = receiver.stdout.readline().split()[2]
        sender = subprocess.Popen([sys.executable, EXAMPLES / "opencv_to_stream.py", url, "100000"])
        said, _ = receiver.communicate(timeout=PATIENCE)
        sender.kill()
        sender.wait()
        lines = said.splitlines()
        self.assertEqual((receiver.returncode, len(lines)), (0, 3))
        for line in lines:
            self.assertRegex(line, r": 640x360, mean \[11[12]\.")  # of 0, 32, … 224

    def test_a_sender_by_itself(self):
        with texcast.receive("rtp://127.0.0.1:0") as receiver:
            self.assertIn("dropped", run("opencv_to_stream.py", receiver.urls[0], 3)[0])

    def test_frames_of_opencv(self):
        (self.folder / "cv2.py").write_text("""
import numpy
class VideoCapture:
    left = 4
    def __init__(self, number): pass
    def read(self):
        self.left -= 1
        return self.left > 0, numpy.full((48, 64, 3), (10, 200, 30), numpy.uint8)
""")
        with texcast.receive("rtp://127.0.0.1:0", queue=8) as receiver:
            run("opencv_to_stream.py", receiver.urls[0], 3)
            pixel = receiver.read(PATIENCE).pixels()[0, 0]
        self.assertLess(max(abs(int(value) - wanted) for value, wanted in zip(pixel, (30, 200, 10))), 8)

    def test_a_sound_meter(self):
        lines = run("sound_meter.py", "both", "", "1.5")
        self.assertRegex(lines[0], "^send to rtp://127.0.0.1:[0-9]+$")
        self.assertGreater(len(lines), 2)
        levels = []
        for line in lines[1:]:
            seconds, *bars = line.split("|")
            levels.append([float(bar.split()[-2]) for bar in bars])
            for bar, level in zip(bars, levels[-1]):
                self.assertAlmostEqual(bar.count("#"), max(0, min(24, 24 + level / 2)), delta=1)
        self.assertLess(levels[0][0], levels[-1][0])  # the left one swells
        self.assertGreater(levels[0][1], levels[-1][1])  # the right one fades

    def test_a_ktx2_file(self):
        path = self.folder / "x.ktx2"
        self.assertIn("PSNR", run("array_to_ktx2.py", path)[0])
        self.assertIn("BC7", run_program("info", path))
        self.assertEqual(texcast.load(path).width, 256)


if __name__ == "__main__":
    main()
