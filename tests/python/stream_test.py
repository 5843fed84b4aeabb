"""Sender, Receiver, receive(): streams over loopback."""

import _thread
import contextlib
import socket
import threading
import time

from cases import PATIENCE, Case, main, np, picture, psnr, run_program, texcast

SIZE = (128, 96)


@contextlib.contextmanager
def stream(passphrase="", **settings):
    """A receiver at a free port, and the address for a sender."""
    with texcast.Receiver("rtp://127.0.0.1:0", timeout=PATIENCE, passphrase=passphrase, **settings) as receiver:
        yield receiver, receiver.urls[0]


def send(sender, frame, pts):
    """Sends until the frame is accepted: it is dropped if the machine is too busy for the frame before."""
    while not sender.send(frame, pts):
        sender.finish(1)
        pts += 0.001


def until(condition):
    """Waits for something to happen."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


class Loopback(Case):
    def test_arrays_arrive_as_the_textures_that_encode_makes(self):
        with stream() as (receiver, url), texcast.Sender(url, size=SIZE, fps=50, format="bc1") as sender:
            last = None
            for n in range(12):
                source = picture(shift=3 * n)
                send(sender, source, n / 50)
                frame = next(receiver)
                self.assertTrue(np.array_equal(frame.texture.blocks, texcast.encode(source, "bc1").blocks))
                self.assertTrue(np.array_equal(frame.pixels(), texcast.encode(source, "bc1").pixels()))
                self.assertFalse(frame.texture.blocks.flags.writeable)
                self.assertAlmostEqual(frame.pts, n / 50, delta=0.02)
                self.assertEqual((frame.fps, frame.concealed_blocks, frame.lost), (50, 0, 0))
                self.assertEqual(frame.new_stream, n == 0)
                times = frame.times
                self.assertLessEqual(times.available, times.encoded)
                self.assertLessEqual(times.first_packet, times.assembled)
                self.assertLess(abs(times.sent - time.time()), 3600)
                if last is not None:
                    self.assertGreater(frame.number, last.number)
                last = frame
            self.assertEqual(sender.status.frames, 12)
            self.assertEqual(receiver.status.frames, 12)
            self.assertEqual(receiver.status.sender.split(":")[0], "127.0.0.1")
            self.assertTrue(sender.device)
        self.assertEqual(receiver.status.frames, 12)  # after its end too

    def test_times_of_frames_are_those_of_the_clock_if_not_given(self):
        with stream(queue=8) as (receiver, url), texcast.Sender(url) as sender:
            self.assertEqual(sender.device, "")
            self.assertRaises(texcast.MisuseError, lambda: sender.status)
            self.assertRaises(texcast.MisuseError, sender.lend)
            until(lambda: sender.send(picture()) and sender.finish() and receiver.status.frames > 4)
            times = [receiver.read(PATIENCE).pts for _ in range(4)]
        self.assertEqual(times, sorted(set(times)))

    def test_textures_arrive_as_they_are_and_raw_streams_too(self):
        for compact in (True, False):
            texture = texcast.encode(picture(channels=4), "bc7")
            with stream() as (receiver, url), texcast.Sender(url, fps=30, compact=compact) as sender:
                send(sender, texture, 0.0)
                received = next(receiver).texture
                self.assertEqual(received.format, "bc7")
                self.assertTrue(np.array_equal(received.blocks, texture.blocks))
                self.assertRaises(texcast.UsageError, lambda: sender.send(picture(), 1.0))
                self.assertRaises(texcast.UsageError, lambda: sender.send(texcast.encode(picture(), "bc1"), 1.0))

    def test_lossy_streams_have_the_quality_of_their_crf(self):
        with stream() as (receiver, url), texcast.Sender(url, size=SIZE, crf=23, format="bc1") as sender:
            send(sender, picture(), 0.0)
            self.assertGreater(psnr(next(receiver).pixels(), picture()), 25)
            self.assertIsNotNone(sender.status.crf)

    def test_opencv_frames_and_lent_arrays(self):
        source = picture()
        expected = texcast.encode(source, "bc1").blocks
        with stream() as (receiver, url), texcast.Sender(url, pixel_format="bgr24") as sender:
            send(sender, np.ascontiguousarray(source[:, :, ::-1]), 0.0)
            self.assertTrue(np.array_equal(next(receiver).texture.blocks, expected))
        with stream() as (receiver, url), texcast.Sender(url, size=SIZE) as sender:
            frame = sender.lend()
            frame[:] = source
            send(sender, frame, 0.0)
            self.assertTrue(np.array_equal(next(receiver).texture.blocks, expected))

    def test_encrypted_streams_need_the_passphrase(self):
        with stream("correct horse") as (receiver, url):
            with texcast.Sender(url, size=SIZE, passphrase="wrong battery") as sender:
                send(sender, picture(), 0.0)
                until(lambda: receiver.status.packets_refused > 0)
            self.assertEqual(receiver.status.refusal, "wrong passphrase")
            self.assertIsNone(receiver.read(0))
            with texcast.Sender(url, size=SIZE, passphrase="correct horse") as sender:
                send(sender, picture(), 0.0)
                self.assertEqual(next(receiver).texture.width, 128)


class Waiting(Case):
    def test_a_slow_loop_gets_the_newest_frames(self):
        for queue in (1, 3):
            with stream(queue=queue) as (receiver, url), texcast.Sender(url, size=SIZE, fps=100) as sender:
                for n in range(10):
                    send(sender, picture(shift=n), n / 100)
                    until(lambda: receiver.status.frames > n)
                frames = [receiver.read(PATIENCE) for _ in range(queue)]
                self.assertIsNone(receiver.read(0))
            self.assertEqual(frames[0].skipped, 10 - queue)
            self.assertTrue(all(frame.skipped == 0 for frame in frames[1:]))
            self.assertTrue(frames[0].new_stream)
            self.assertTrue(np.array_equal(frames[-1].texture.blocks, texcast.encode(picture(shift=9)).blocks))

    def test_any_number_of_frames_may_be_kept(self):
        with stream() as (receiver, url), texcast.Sender(url, size=SIZE) as sender:
            kept = []
            for n in range(25):
                send(sender, picture(shift=n), n / 60)
                kept.append(next(receiver))
        for n, frame in enumerate(kept):
            self.assertTrue(np.array_equal(frame.texture.blocks, texcast.encode(picture(shift=n)).blocks))

    def test_the_iteration_ends_by_the_timeout_and_by_close(self):
        self.assertEqual(list(texcast.receive("rtp://127.0.0.1:0", timeout=0.01)), [])
        with stream() as (receiver, _):
            timer = threading.Timer(0.05, receiver.close)
            timer.start()
            self.assertEqual(list(receiver), [])  # this would wait for PATIENCE
            timer.join()
        self.assertIsNone(receiver.read())
        receiver.close()

    def test_ctrl_c_ends_a_wait_without_a_limit(self):
        with stream() as (receiver, _):
            timer = threading.Timer(0.05, _thread.interrupt_main)
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                receiver.read(None)
            timer.join()

    def test_a_function_gets_the_frames_and_its_exception_comes_back(self):
        numbers = []

        def on_frame(frame):
            numbers.append(frame.number)
            if len(numbers) == 3:
                raise RuntimeError("enough")

        with stream(on_frame=on_frame) as (receiver, url), texcast.Sender(url, size=SIZE) as sender:
            self.assertRaises(texcast.MisuseError, lambda: next(receiver))
            self.assertFalse(receiver.wait(0))
            for n in range(3):
                send(sender, picture(shift=n), n / 60)
                until(lambda: len(numbers) > n)
            with self.assertRaisesRegex(RuntimeError, "enough"):
                receiver.wait(PATIENCE)
            self.assertTrue(receiver.wait())
        with self.assertRaisesRegex(RuntimeError, "at the end"):
            with stream(on_frame=lambda frame: (_ for _ in ()).throw(RuntimeError("at the end"))) as (receiver, url):
                with texcast.Sender(url, size=SIZE) as sender:
                    send(sender, picture(), 0.0)
                    until(lambda: receiver.status.frames)
                    until(lambda: not receiver._frames.is_alive())


class Presets(Case):
    def sender(self, **settings):
        """A sender that nobody listens to, after its first frame."""
        sender = texcast.Sender("rtp://127.0.0.1:9", size=SIZE, **settings)
        self.addCleanup(sender.close)
        send(sender, picture(), 0.0)
        until(lambda: sender.status.frames)
        sender.finish(1)
        return sender

    def test_they_are_those_of_the_program(self):
        self.assertIn("desktop", texcast.presets())
        for name, what in texcast.presets().items():
            self.assertGreater(len(what), 5)
            self.assertIn(name, run_program("send", "--help"))

    def test_what_they_set(self):
        for preset, format, is_lossy in (("desktop", "ycocg-bc4-444", True), ("Film", "ycocg-bc4", True),
                                         ("lan", "bc1", False), ("ultragrid", "bc1", False), (None, "bc1", False)):
            with self.subTest(preset):
                sender = self.sender(preset=preset)
                self.assertEqual(sender._native.texture_desc().format, format)
                self.assertEqual(sender.status.crf is not None, is_lossy)
        self.assertIsNotNone(self.sender(preset="wifi").status.bits_per_s)

    def test_arguments_override_them(self):
        sender = self.sender(preset="desktop", format="bc1", crf=30)
        self.assertEqual(sender._native.texture_desc().format, "bc1")
        self.assertAlmostEqual(sender.status.crf, 30, delta=1)
        self.assert_raises(texcast.MisuseError, "needs a coded stream",
                           lambda: self.sender(preset="film", compact=False))

    def test_a_frame_opens_the_stream_with_the_preset(self):
        with stream() as (receiver, url), texcast.Sender(url, preset="film", fec="none") as sender:
            send(sender, picture(), 0.0)
            self.assertEqual(next(receiver).texture.format, "ycocg-bc4")

    def test_unknown_names_are_refused_at_once_with_those_that_exist(self):
        for preset in ("dekstop", "", 3):
            self.assert_raises(texcast.UsageError, "choose one of texcast, ultragrid, desktop, film, lan, wifi",
                               lambda: texcast.Sender("rtp://127.0.0.1:9", preset=preset))


class Mistakes(Case):
    def test_addresses(self):
        for url in ("http://127.0.0.1", "rtp://127.0.0.1:99999", "rtp://:", "rtp://[::1"):
            with self.subTest(url):
                self.assertRaises((texcast.UsageError, texcast.NetworkError), lambda: texcast.Sender(url, size=SIZE))
        self.assert_raises(texcast.NetworkError, "cannot resolve host 'nix.invalid'",
                           lambda: texcast.Sender("rtp://nix.invalid", size=SIZE))
        self.assertTrue(issubclass(texcast.NetworkError, OSError))
        for url in ("rtp://192.0.2.1:0", "http://127.0.0.1", "rtp://127.0.0.1:99999"):
            with self.subTest(url):
                self.assertRaises((texcast.UsageError, texcast.NetworkError), lambda: texcast.receive(url))
        self.assertRaises(texcast.UsageError, lambda: texcast.Sender([], size=SIZE))

    def test_two_receivers_at_one_port(self):
        with stream() as (receiver, url):
            self.assert_raises(texcast.NetworkError, url.rsplit(":", 1)[1], lambda: texcast.receive(url))

    def test_settings(self):
        url = "rtp://127.0.0.1:9"
        for settings in (dict(crf=60), dict(fec="150%"), dict(transform="perhaps"), dict(format="bc9"),
                         dict(crf=20, format="bc7"), dict(quality="good"), dict(fps=-1)):
            with self.subTest(settings):
                self.assertRaises((texcast.UsageError, texcast.MisuseError),
                                  lambda: texcast.Sender(url, size=SIZE, **settings))
        self.assert_raises(TypeError, "crf='good'", lambda: texcast.Sender(url, crf="good"))
        self.assertRaises(texcast.NoDevice, lambda: texcast.Sender(url, size=SIZE, device="nix"))
        for queue in (0, 1001):
            self.assertRaises(texcast.UsageError, lambda: texcast.receive("rtp://127.0.0.1:0", queue=queue))

    def test_frames_that_do_not_fit(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
            deaf.bind(("127.0.0.1", 0))
            with texcast.Sender(f"rtp://127.0.0.1:{deaf.getsockname()[1]}", size=SIZE) as sender:
                sender.send(picture(), 1.0)
                self.assert_raises(texcast.UsageError, "rgb24 frames of 128 x 96 have shape (96, 128, 3)",
                                   lambda: sender.send(picture(64, 32), 2.0))
                self.assert_raises(texcast.UsageError, "does not rise", lambda: sender.send(picture(), 1.0))
                self.assertIsInstance(sender.send(picture(), 1.5), bool)  # the refused frame at 2.0 does not count
                self.assertRaises(texcast.UsageError, lambda: sender.send(texcast.encode(picture()), 3.0))
        self.assert_raises(texcast.MisuseError, "the sender is closed", lambda: sender.send(picture()))
        sender.close()


if __name__ == "__main__":
    main()
