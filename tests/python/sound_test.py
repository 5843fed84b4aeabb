"""The sound of streams over loopback."""

import threading

from cases import PATIENCE, Case, main, np, picture, texcast

RATE = 48000
STEREO = texcast.SoundFormat(RATE, 2)


def tones(seconds, channels=2):
    """Sines of 300 Hz, 600 Hz and so on: float32 of shape (samples, channels), multiples of 1/32768."""
    t = np.arange(round(seconds * RATE)) / RATE
    sines = np.stack([0.5 * np.sin(2 * np.pi * 300 * (c + 1) * t) for c in range(channels)], -1)
    return (np.round(sines * 32768) / 32768).astype(np.float32)


def stream(**settings):
    """A receiver with sound at a free port."""
    return texcast.Receiver("rtp://127.0.0.1:0", timeout=PATIENCE, **{"sound": True, **settings})


def sender_to(receiver, sound=STEREO, **settings):
    """A sender of small pictures, which has sent the first one."""
    sender = texcast.Sender(receiver.urls[0], size=(64, 64), fps=50, sound=sound, **settings)
    while not sender.send(picture(64, 64), 0.0):
        sender.finish(1)
    return sender


def send_all(sender, samples, block=960):
    """Sends in blocks, each after the other."""
    for begin in range(0, len(samples), block):
        while not sender.send_sound(samples[begin:begin + block], begin / RATE):
            sender.finish(1)


def take(receiver, count):
    """Blocks with at least so many samples, and these."""
    blocks = []
    while sum(len(block.samples) for block in blocks) < count:
        blocks.append(receiver.read_sound(PATIENCE))
    return blocks, np.concatenate([block.samples for block in blocks])[:count]


class Sound(Case):
    def test_samples_come_back_with_their_times(self):
        sent = tones(0.5)
        with stream() as receiver, sender_to(receiver) as sender:
            send_all(sender, sent)
            blocks, samples = take(receiver, len(sent))
            self.assertEqual(next(receiver).pts, 0)
            self.assertGreater(receiver.status.sound_packets, 0)
            self.assertGreater(sender.status.sound_bytes, sent.size)
        self.assertLess(np.abs(samples - sent).max(), 1.5 / 32768)
        self.assertEqual((samples.dtype, samples.shape), (np.float32, sent.shape))
        self.assertEqual((blocks[0].format, blocks[0].new_stream), (STEREO, True))
        self.assertFalse(blocks[0].samples.flags.writeable)
        end = 0.0
        for block in blocks:
            self.assertAlmostEqual(block.pts, end, delta=0.003)
            end = block.pts + block.duration
            self.assertEqual((block.concealed, block.skipped), (False, 0))
        self.assertLess(len(repr(blocks[0])), 250)

    def test_opus(self):
        sent = tones(0.5)
        try:
            with stream() as receiver, sender_to(receiver, sound_coding="opus") as sender:
                send_all(sender, sent)
                _, samples = take(receiver, len(sent) * 3 // 4)
        except texcast.Error as error:
            if "libopus" not in str(error):
                raise
            self.skipTest("libopus is not installed (Debian: libopus0)")
        middle = samples[RATE // 8:, 0]
        wave = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
        self.assertAlmostEqual(np.argmax(wave) * RATE / len(middle), 300, delta=10)

    def test_other_types_are_converted(self):
        wave = tones(0.02, 1)
        all_given = (wave, wave[:, 0], wave.astype(np.float64), (wave * 32768).astype(np.int16),
                     np.repeat(wave, 2, axis=1)[:, ::2], wave[::-1][::-1])
        with stream() as receiver, sender_to(receiver, texcast.SoundFormat(RATE, 1)) as sender:
            for number, given in enumerate(all_given):
                self.assertTrue(sender.send_sound(given, number * 0.02))
            _, samples = take(receiver, len(all_given) * len(wave))
        for given, got in zip(all_given, np.split(samples, len(all_given))):
            with self.subTest(dtype=given.dtype, shape=given.shape):
                self.assertLess(np.abs(got - wave).max(), 1.5 / 32768)

    def test_without_times_blocks_follow_each_other(self):
        sent = tones(0.2)
        with stream() as receiver, sender_to(receiver) as sender:
            for begin in range(0, len(sent), 480):
                self.assertTrue(sender.send_sound(sent[begin:begin + 480]))
            _, samples = take(receiver, len(sent))
        self.assertLess(np.abs(samples - sent).max(), 1.5 / 32768)

    def test_a_program_that_does_not_take_the_sound_gets_the_last_two_seconds(self):
        sent = tones(3, 1)
        with stream() as receiver, sender_to(receiver, texcast.SoundFormat(RATE, 1)) as sender:
            send_all(sender, sent)
            sender.finish(PATIENCE)
            while receiver.status.sound_packets < sender.status.sound_packets:
                receiver.read(0.01)
            blocks = list(receiver.sounds(0.2))
        samples = np.concatenate([block.samples for block in blocks])
        self.assertEqual(len(samples) + blocks[0].skipped, len(sent))
        self.assertAlmostEqual(len(samples) / RATE, 2, delta=0.1)
        self.assertTrue(blocks[0].new_stream)
        self.assertAlmostEqual(blocks[0].pts, blocks[0].skipped / RATE, delta=0.003)

    def test_functions_get_frames_and_sound_at_the_same_time(self):
        frames, sounds, both = [], [], threading.Semaphore(0)

        def on_sound(block):
            sounds.append((block, threading.current_thread()))
            both.release()
            if len(sounds) == 3:
                raise RuntimeError("enough sound")

        def on_frame(frame):
            frames.append(threading.current_thread())
            both.release()

        with stream(sound=False, on_frame=on_frame, on_sound=on_sound) as receiver:
            self.assertRaises(texcast.MisuseError, lambda: next(receiver.sounds()))
            with sender_to(receiver) as sender:
                self.assertTrue(both.acquire(timeout=PATIENCE))
                send_all(sender, tones(0.1))
                with self.assertRaisesRegex(RuntimeError, "enough sound"):
                    while not receiver.wait(PATIENCE):
                        pass
            self.assertIsNone(receiver.read_sound())
        self.assertEqual(len(sounds), 3)
        self.assertNotIn(sounds[0][1], [threading.main_thread(), *frames])

    def test_sound_from_one_thread_and_pictures_from_another(self):
        sent = tones(0.3)
        with stream() as receiver, sender_to(receiver) as sender:
            thread = threading.Thread(target=send_all, args=(sender, sent, 96))
            thread.start()
            for n in range(1, 15):
                sender.send(picture(64, 64, shift=n), n / 50)
            thread.join()
            _, samples = take(receiver, len(sent))
        self.assertLess(np.abs(samples - sent).max(), 1.5 / 32768)


class Mistakes(Case):
    def test_arrays_that_do_not_fit(self):
        with stream() as receiver, sender_to(receiver) as sender:
            wanted = "sound of this sender is float32 of shape (samples, 2)"
            for bad in (np.zeros(8, np.float32), np.zeros((8, 1), np.float32), np.zeros((8, 2), np.uint8),
                        np.zeros((8, 2, 1), np.float32), None, "tone", np.zeros((8, 2), complex)):
                self.assert_raises(texcast.UsageError, wanted, lambda: sender.send_sound(bad))
            self.assert_raises(texcast.UsageError, "list is no array", lambda: sender.send_sound([[1, 2], [3]]))
            self.assertTrue(sender.send_sound(np.zeros((0, 2), np.float32)))
            for pts in (float("nan"), float("inf"), 1e300):
                self.assertRaises(texcast.UsageError, lambda: sender.send_sound(np.zeros((8, 2), np.float32), pts))
        self.assert_raises(texcast.MisuseError, "the sender is closed",
                           lambda: sender.send_sound(np.zeros((8, 2), np.float32)))

    def test_a_stream_without_sound(self):
        with stream(sound=False) as receiver, sender_to(receiver, sound=None) as sender:
            self.assert_raises(texcast.MisuseError, "this sender has no sound", lambda: sender.send_sound(tones(0.1)))
            self.assert_raises(texcast.MisuseError, "it needs sound=True", receiver.read_sound)
            self.assertRaises(texcast.MisuseError, lambda: list(receiver.sounds()))

    def test_settings(self):
        for numbers, part in (((7999, 2), "sample_rate=7999; it is a whole number from 8000 to 192000"),
                              ((48000, 17), "channels=17; it is a whole number from 1 to 16"),
                              ((48000.5, 2), "sample_rate=48000.5"), ((None, 2), "sample_rate=None")):
            self.assert_raises(texcast.UsageError, part, lambda: texcast.SoundFormat(*numbers))
        url = "rtp://127.0.0.1:9"
        self.assert_raises(TypeError, "it is a texcast.SoundFormat", lambda: texcast.Sender(url, sound=(48000, 2)))
        self.assert_raises(texcast.UsageError, "unknown coding of sound 'mp3'; it is one of pcm, opus",
                           lambda: texcast.Sender(url, sound=STEREO, sound_coding="mp3"))
        with texcast.Sender(url, sound=STEREO) as sender:  # not open before the first frame
            self.assertFalse(sender.send_sound(tones(0.1)))


if __name__ == "__main__":
    main()
