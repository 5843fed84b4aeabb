"""FileReader, FileWriter, and messages of the library."""

import time

from cases import PATIENCE, Case, main, np, picture, psnr, run_program, texcast


def until(condition):
    """Waits for something to happen."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


class Files(Case):
    def setUp(self):
        super().setUp()
        self.textures = [texcast.encode(picture(shift=n), "bc1") for n in range(6)]

    def write(self, name, **settings):
        path = self.folder / name
        with texcast.FileWriter(path, fps=25, **settings) as file:
            for texture in self.textures:
                file.write(texture)
        return path, file.finish()

    def test_recordings_come_back_frame_by_frame(self):
        for name, coding, container in (("x.mov", "plain", "mov"), ("x.mkv", "plain", "matroska"),
                                        ("y.mkv", "compact", "matroska"), ("x%05d.dds", "plain", "dds")):
            path, report = self.write(name, coding=coding)
            self.assertEqual(report.frames, 6)
            self.assertEqual(report.files, (str(path),))
            with self.subTest(name), texcast.FileReader(path) as file:
                self.assertEqual((file.container, file.format, file.width, file.height, file.coding),
                                 (container, "bc1", 128, 96, coding))
                self.assertGreater(file.file_bytes, 1000)
                frames = list(file)
                self.assertEqual([frame.number for frame in frames], list(range(6)))
                for n, frame in enumerate(frames):
                    self.assertTrue(np.array_equal(frame.texture.blocks, self.textures[n].blocks))
                    self.assertTrue(np.array_equal(frame.pixels(), self.textures[n].pixels()))
                    self.assertEqual(frame.damage, "")
                    if "%" not in name:
                        self.assertAlmostEqual(frame.pts, n / 25, delta=0.001)
                self.assertIsNone(file.read())
                file.seek_to_frame(3)
                self.assertTrue(np.array_equal(file.read().texture.blocks, self.textures[3].blocks))
                if file.fps:
                    file.seek(1.5 / 25)
                    self.assertEqual(file.read().number, 1)

    def test_the_program_reads_what_was_written(self):
        path, report = self.write("x.mov")
        said = run_program("info", path)
        self.assertIn("128x96", said)
        self.assertEqual(path.stat().st_size, report.bytes)

    def test_lossy_recordings(self):
        path, _ = self.write("x.mkv", coding="compact", crf=23, quality="normal")
        with texcast.FileReader(path) as file:
            self.assertGreater(psnr(file.read().pixels(), picture()), 25)

    def test_frames_outlive_the_file(self):
        path, _ = self.write("x.mov")
        file = texcast.FileReader(path)
        frame = file.read()
        file.close()
        self.assert_raises(texcast.MisuseError, "the file is closed", file.read)
        self.assertTrue(np.array_equal(frame.texture.blocks, self.textures[0].blocks))

    def test_a_damaged_frame_is_an_exception_and_the_next_one_comes(self):
        path, _ = self.write("x.mov", snappy=True)
        with texcast.FileReader(path) as file:
            sizes = [frame.stored_bytes for frame in file]
        content = bytearray(path.read_bytes())
        start = content.index(b"mdat") + 4 + sum(sizes[:2])
        content[start:start + sizes[2]] = b"\xff" * sizes[2]
        path.write_bytes(content)
        read, damaged = [], []
        with texcast.FileReader(path) as file:
            while True:
                try:
                    frame = file.read()
                except texcast.CorruptError as error:
                    damaged.append(str(error))
                    continue
                if frame is None:
                    break
                read.append(frame.number)
        self.assertTrue(damaged)
        self.assertIn(5, read)

    def test_mistakes(self):
        path, _ = self.write("x.mov")
        self.assert_raises(texcast.NameTaken, "x.mov", lambda: self.write("x.mov"))
        self.assertTrue((self.write("x.mov", if_exists="number")[1].files[0]).endswith("x-2.mov"))
        self.assert_raises(texcast.InputError, "No such file", lambda: texcast.FileReader(self.folder / "no.mov"))
        self.assertTrue(issubclass(texcast.InputError, OSError))
        (self.folder / "text.mov").write_text("no texture")
        self.assertRaises(texcast.InputError, lambda: texcast.load(self.folder / "text.mov"))
        for settings in (dict(coding="zip"), dict(if_exists="maybe"), dict(quality="good"), dict(transform="no")):
            self.assertRaises(texcast.UsageError, lambda: texcast.FileWriter(path, **settings))
        for name in ("x.txt", "x", "x.png"):
            self.assertRaises(texcast.UsageError, lambda: self.write(name))
        with texcast.FileWriter(self.folder / "y.mov") as file:
            file.write(self.textures[0], pts=1.0)
            self.assertRaises(texcast.MisuseError, lambda: file.write(self.textures[1], pts=1.0))
            self.assertRaises(texcast.UsageError, lambda: file.write(texcast.encode(picture(64, 32)), pts=2.0))
            self.assertRaises(TypeError, lambda: file.write(picture()))
        self.assertRaises(texcast.MisuseError, lambda: file.write(self.textures[0], pts=3.0))
        with texcast.FileWriter(self.folder / "none.mov") as file:
            pass
        self.assertEqual((file.finish().frames, (self.folder / "none.mov").exists()), (0, False))


class Messages(Case):
    def load_nothing(self):
        """FFmpeg says something about such a file."""
        (self.folder / "x.mov").write_bytes(bytes(1000))
        self.assertRaises(texcast.InputError, lambda: texcast.load(self.folder / "x.mov"))

    def test_an_exception_in_the_log_function_does_no_harm(self):
        lines, reported, sys = [], [], texcast._log.sys
        hook = sys.unraisablehook
        sys.unraisablehook = lambda of: reported.append(of.exc_value)

        def report(level, line):
            lines.append((level, line))
            raise RuntimeError("in the log function")

        try:
            texcast.set_log_function(report, "debug")
            self.load_nothing()
            until(lambda: len(reported) > 1)
        finally:
            texcast.set_log_function(None)
            sys.unraisablehook = hook
        self.assertIn(("debug", "ffmpeg: moov atom not found"), lines)
        self.assertRaises(texcast.UsageError, lambda: texcast.set_log_function(print, "loud"))

    def test_a_log_function_may_replace_itself(self):
        lines = []

        def first(level, line):
            texcast.set_log_function(lambda level, line: lines.append(line), "debug")

        texcast.set_log_function(first, "debug")
        for _ in range(2):
            self.load_nothing()
            until(lambda: texcast._log._current[1].is_alive())
        until(lambda: self.load_nothing() or lines)
        texcast.set_log_function(None)

    def test_messages_go_to_pythons_logging(self):
        with self.assertLogs("texcast", "DEBUG") as logs:
            texcast.log_to("texcast", "debug")
            self.load_nothing()
            until(lambda: any("moov" in line for line in logs.output))
            texcast.log_to(None)


if __name__ == "__main__":
    main()
