"""encode(), decode(), Encoder, Decoder, Texture."""

import sys
import threading
import time

from cases import Case, main, np, picture, psnr, run_program, run_python, texcast, write_png


class RoundTrip(Case):
    def test_pictures_come_back_with_the_quality_of_their_format(self):
        for format, channels, least in (("bc1", 3, 36), ("bc7", 3, 44), ("bc7", 4, 42), ("ycocg-bc4", 3, 33),
                                        ("bc4", 1, 44), ("bc3", 4, 36)):
            source = picture(channels=channels)
            texture = texcast.encode(source, format)
            with self.subTest(format, channels=channels):
                self.assertEqual((texture.format, texture.width, texture.height), (format, 128, 96))
                back = texcast.decode(texture)
                self.assertEqual(back.dtype, np.uint8)
                self.assertEqual(back.shape[:2], source.shape[:2])
                self.assertGreater(psnr(back[..., :channels] if channels > 1 else back, source), least)

    def test_the_bytes_are_those_of_the_program(self):
        for format, channels in (("bc1", 3), ("bc7", 4), ("bc4", 1)):
            source = picture(65, 43, channels)
            write_png(self.folder / "x.png", source)
            run_program("encode", self.folder / "x.png", self.folder / "x.dds", "--format", format, "-y")
            with self.subTest(format):
                theirs = texcast.load(self.folder / "x.dds")
                self.assertTrue(np.array_equal(texcast.encode(source, format).blocks, theirs.blocks))

    def test_sixteen_bits_and_half_floats_keep_their_precision(self):
        y, x = np.mgrid[0:32, 0:64]
        deep = (x * 1000 + y * 37).astype(np.uint16)
        back = texcast.encode(deep, "eac-r11").pixels()
        self.assertEqual(back.dtype, np.uint16)
        self.assertGreater(psnr(back, deep, 65535), 40)
        light = np.stack([x / 16, y / 8, (x + y) / 64], -1)
        for given in (light.astype(np.float32), light.astype(np.float16),
                      np.dstack([light, np.ones((32, 64))]).astype(np.float16)):
            back = texcast.encode(given, "bc6h").pixels()
            self.assertEqual((back.dtype, back.shape), (np.float16, (32, 64, 3)))
            self.assertGreater(psnr(back, light, 4), 35)

    def test_ycbcr_as_opencv_lays_it_out(self):
        for layout, shape, dtype, gray, neutral in (
                ("nv12", (48, 64), np.uint8, 126, 128), ("yuv420p", (48, 64), np.uint8, 126, 128),
                ("yuv422p", (64, 64), np.uint8, 126, 128), ("p010", (48, 64), np.uint16, 126 << 8, 128 << 8),
                ("yuv420p10", (48, 64), np.uint16, 126 << 2, 128 << 2)):
            frame = np.full(shape, neutral, dtype)
            frame[:32] = gray
            with self.subTest(layout):
                texture = texcast.encode(frame, "bc1", pixel_format=layout)
                self.assertEqual((texture.width, texture.height), (64, 32))
                self.assertLess(np.abs(texture.pixels().astype(int) - 128).max(), 8)
        planes = np.full((3, 32, 64), 128, np.uint8)
        self.assertEqual(texcast.encode(planes, "bc1", pixel_format="yuv444p").height, 32)
        pairs = np.full((32, 64, 2), 128, np.uint8)
        self.assertEqual(texcast.encode(pairs, "bc1", pixel_format="uyvy422").width, 64)
        full = texcast.encode(np.full((48, 64), 255, np.uint8), "bc1", pixel_format="nv12", full_range=True)
        self.assertEqual(full.format, "bc1")


class Arrays(Case):
    def test_any_strides_give_the_bytes_of_a_contiguous_array(self):
        big = picture(200, 150)
        for name, view in (("rows apart", big[::2]), ("part of a picture", big[3:99, 5:105]),
                           ("upside down", big[::-1]), ("mirrored", big[:, ::-1]), ("channels", big[:, :, ::-1]),
                           ("transposed", big.transpose(1, 0, 2)), ("columns apart", big[:, ::2]),
                           ("one row for all", np.broadcast_to(big[:1], big.shape)),
                           ("Fortran", np.asfortranarray(big)), ("a single row", big[:1]), ("a narrow part", big[:, 3:9]),
                           ("gray of a picture", big[:, :, 1])):
            with self.subTest(name):
                self.assertTrue(np.array_equal(texcast.encode(view, "bc1").blocks,
                                               texcast.encode(view.copy(), "bc1").blocks))

    def test_bgr_of_opencv_gives_the_bytes_of_rgb(self):
        source = picture(67, 45)
        bgr = np.ascontiguousarray(source[:, :, ::-1])
        rgb = texcast.encode(source, "bc1")
        self.assertTrue(np.array_equal(texcast.encode(bgr, "bc1", pixel_format="bgr24").blocks, rgb.blocks))
        padded = np.zeros((45, 90, 3), np.uint8)
        padded[:, :67] = bgr
        self.assertTrue(np.array_equal(texcast.encode(padded[:, :67], "bc1", pixel_format="bgr24").blocks, rgb.blocks))

    def test_other_objects_with_the_buffer_protocol(self):
        source = picture(16, 16, 4)
        view = memoryview(source.tobytes()).cast("B", (16, 16, 4))
        self.assertTrue(np.array_equal(texcast.encode(view, "bc1").blocks, texcast.encode(source, "bc1").blocks))

    def test_other_types_and_shapes_are_refused_with_what_is_possible(self):
        for dtype in (np.int64, np.int8, np.float64, bool, complex, object, ">u2", np.uint32):
            with self.subTest(dtype):
                self.assert_raises(texcast.UsageError, "frames are uint8 of shape",
                                   lambda: texcast.encode(np.zeros((8, 8), dtype), "bc1"))
        for shape in ((), (8,), (8, 8, 5), (8, 8, 2), (2, 8, 8, 3), (0, 8, 3), (8, 0), (1, 20000, 3)):
            with self.subTest(shape):
                with self.assertRaises(texcast.UsageError):
                    texcast.encode(np.zeros(shape, np.uint8), "bc1")
        self.assert_raises(texcast.UsageError, "nv12 frames have shape (height * 3 / 2, width)",
                           lambda: texcast.encode(np.zeros((47, 64), np.uint8), "bc1", pixel_format="nv12"))
        self.assert_raises(texcast.UsageError, "there is no pixel format 'rgb565'; arrays have one of rgb24",
                           lambda: texcast.encode(picture(), "bc1", pixel_format="rgb565"))
        self.assertTrue(issubclass(texcast.UsageError, ValueError))

    def test_unknown_words_are_refused_with_those_that_exist(self):
        for words, part in ((dict(format="bc9"), "unknown format 'bc9'; it is one of bc1"),
                            (dict(quality="good"), "unknown quality 'good'; it is one of fast, normal"),
                            (dict(format="bc4", method="lspiro1"), "bc4 has no method 'lspiro1'"),
                            (dict(matrix="bt9"), "unknown matrix 'bt9'"),
                            (dict(format="uyvy"), "uyvy")):
            with self.subTest(part):
                self.assert_raises(texcast.UsageError, part, lambda: texcast.encode(picture(), **words))
        self.assert_raises(TypeError, "quality=3", lambda: texcast.encode(picture(), quality=3))
        self.assert_raises(TypeError, "takes a texcast.Texture, not ndarray", lambda: texcast.decode(picture()))


class Transcoding(Case):
    def test_formats_with_the_same_channels(self):
        source = picture()
        for from_format, to, least in (("ycocg-bc4", "ycocg-dxt5", 33), ("bc7", "bc1", 33), ("bc1", "bc7", 34)):
            with self.subTest(from_format, to=to):
                device = "" if to == "ycocg-dxt5" else "cpu-reference"  # other kernels take seconds to build
                texture = texcast.transcode(texcast.encode(source, from_format), to, device=device)
                self.assertEqual((texture.format, texture.width, texture.height), (to, 128, 96))
                self.assertGreater(psnr(texture.pixels(), np.dstack([source, np.full((96, 128), 255)])
                                        if texture.pixels().shape[2] == 4 else source), least)

    def test_many_of_one_size(self):
        textures = [texcast.encode(picture(shift=n), "ycocg-bc4") for n in range(5)]
        with texcast.Transcoder("ycocg-dxt5") as transcoder:
            self.assertEqual(transcoder.device, "")
            many = [transcoder.transcode(texture) for texture in textures]
            self.assertTrue(transcoder.device)
            self.assert_raises(texcast.UsageError, "is not of the format, size and colours of the first texture",
                               lambda: transcoder.transcode(texcast.encode(picture(64, 64), "ycocg-bc4")))
            self.assert_raises(TypeError, "takes a texcast.Texture, not ndarray",
                               lambda: transcoder.transcode(picture()))
        for texture, one in zip(many, textures, strict=True):
            self.assertTrue(np.array_equal(texture.blocks, texcast.transcode(one, "ycocg-dxt5").blocks))
        self.assertRaises(texcast.MisuseError, lambda: transcoder.transcode(textures[0]))

    def test_ways_that_do_not_exist(self):
        texture = texcast.encode(picture(), "ycocg-bc4")
        self.assert_raises(texcast.UsageError, "ycocg-bc4 cannot be transcoded to bc6h; possible are ycocg-dxt5",
                           lambda: texcast.transcode(texture, "bc6h"))
        self.assert_raises(texcast.UsageError, "unknown format 'bc9'", lambda: texcast.transcode(texture, "bc9"))
        self.assert_raises(texcast.UsageError, "unknown quality 'good'",
                           lambda: texcast.transcode(texture, "ycocg-dxt5", quality="good"))
        self.assertRaises(texcast.NoDevice, lambda: texcast.transcode(texture, "ycocg-dxt5", device="nix"))


class MipLevels(Case):
    def test_files_hold_the_levels_that_are_given(self):
        levels = [texcast.encode(picture(max(1, 100 >> n), max(1, 60 >> n)), "bc1") for n in range(7)]
        for kind, offset in (("ktx2", 40), ("dds", 28)):  # of the number of levels
            file = levels[0].to_bytes(kind, mipmaps=levels[1:])
            self.assertEqual(int.from_bytes(file[offset:offset + 4], "little"), 7)
            (self.folder / f"x.{kind}").write_bytes(file)
            back = texcast.load(self.folder / f"x.{kind}")
            self.assertTrue(np.array_equal(back.blocks, levels[0].blocks))
            self.assertIn("7 levels to 1x1", run_program("info", self.folder / f"x.{kind}"))
            self.assertIn(levels[3].blocks.tobytes(), levels[0].to_bytes(kind, mipmaps=levels[1:4], zstd=False))

    def test_levels_that_do_not_fit(self):
        first, second = texcast.encode(picture(64, 64)), texcast.encode(picture(32, 32))
        self.assert_raises(texcast.UsageError, "mip level 1 is bc1 of 64 x 64; it must be bc1 of 32 x 32",
                           lambda: first.to_bytes("dds", mipmaps=[first]))
        self.assert_raises(texcast.UsageError, "mip level 1 is bc7 of 32 x 32",
                           lambda: first.to_bytes("dds", mipmaps=[texcast.encode(picture(32, 32), "bc7")]))
        self.assert_raises(TypeError, "a mip level is a texcast.Texture, not ndarray",
                           lambda: first.to_bytes("ktx2", mipmaps=[picture(32, 32)]))
        one = texcast.encode(picture(1, 1))
        with self.assertRaises(texcast.Error):
            one.to_bytes("dds", mipmaps=[one])  # 1 x 1 has no further level
        first_astc, second_astc = (texcast.encode(picture(side, side), "astc-4x4", device="cpu-reference")
                                   for side in (64, 32))
        self.assertRaises(texcast.UsageError, lambda: first_astc.to_bytes("astc", mipmaps=[second_astc]))
        self.assertGreater(len(first.to_bytes("dds", mipmaps=[second])), len(first.to_bytes("dds")))


class Devices(Case):
    def test_devices_and_formats_are_listed(self):
        names = {format.name: format for format in texcast.formats()}
        self.assertEqual(names["bc7"].qualities[0], "fast")
        self.assertEqual((names["bc7"].vulkan, names["bc7"].dxgi, names["bc7"].channels), (145, 98, 4))
        self.assertEqual(names["bc6h"].dtype, "float16")
        self.assertFalse(names["uyvy"].is_encoded)
        self.assertTrue(any(device.usable for device in texcast.devices()))

    def test_a_device_that_does_not_exist(self):
        self.assert_raises(texcast.NoDevice, "no OpenCL device matches 'nix'",
                           lambda: texcast.encode(picture(), device="nix"))

    def test_without_any_device_the_reference_encodes(self):
        code = """
import numpy as np, texcast
picture = np.zeros((8, 8, 3), np.uint8)
assert texcast.devices() == []
assert texcast.encode(picture, device="cpu-reference").blocks.nbytes == 32
try:
    texcast.encode(picture)
except texcast.NoDevice as error:
    print(error)
"""
        status, said, errors = run_python(code, OCL_ICD_VENDORS="/nonexistent")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("OpenCL", said)
        self.assertEqual(said.count("\n"), 1)


class Encoders(Case):
    def test_textures_come_in_order_with_their_times_and_stay(self):
        sources = [picture(shift=n) for n in range(9)]
        with texcast.Encoder((128, 96), "bc1", frames_in_flight=2) as encoder:
            textures = list(encoder.encode_all(sources))
            encoder.submit(sources[0], pts=1.5)
            self.assertEqual(encoder.in_flight, 1)
            texture, pts = encoder.next()
            self.assertEqual(pts, 1.5)
            self.assertIsInstance(encoder.ready, bool)
            self.assertTrue(encoder.device)
        for source, texture in zip(sources, textures, strict=True):
            self.assertTrue(np.array_equal(texture.blocks, texcast.encode(source, "bc1").blocks))

    def test_lent_arrays_need_no_copy_and_give_the_same_bytes(self):
        for layout, channels in (("rgb24", 3), ("rgba", 4), ("gray", 1), ("bgr24", 3), ("nv12", 1)):
            with self.subTest(layout), texcast.Encoder((64, 32), "bc1", pixel_format=layout) as encoder:
                frame = encoder.lend()
                height = 48 if layout == "nv12" else 32
                frame[:] = picture(64, height, channels)
                copied = encoder.encode(np.array(frame))
                self.assertTrue(np.array_equal(encoder.encode(frame).blocks, copied.blocks))
                held = [encoder.lend() for _ in range(100)]  # more than there are
                self.assertEqual(held[99].shape, frame.shape)
        frame[:] = 0  # after the encoder's end

    def test_misuse_is_an_exception_and_the_encoder_goes_on(self):
        with texcast.Encoder((64, 32), "bc1", frames_in_flight=1) as encoder:
            self.assertRaises(texcast.MisuseError, encoder.next)
            self.assert_raises(texcast.UsageError, "rgb24 frames of 64 x 32 have shape (32, 64, 3) and type uint8",
                               lambda: encoder.submit(picture()))
            encoder.submit(picture(64, 32))
            self.assertRaises(texcast.MisuseError, lambda: encoder.submit(picture(64, 32)))
            self.assertRaises(texcast.MisuseError, lambda: encoder.encode(picture(64, 32)))
            encoder.next()
            for pts in (float("nan"), float("inf"), 1e300):
                self.assertRaises(texcast.UsageError, lambda: encoder.submit(picture(64, 32), pts=pts))
            self.assertEqual(encoder.encode(picture(64, 32)).width, 64)
        self.assert_raises(texcast.MisuseError, "the encoder is closed", lambda: encoder.submit(picture(64, 32)))
        encoder.close()
        for size in ((0, 5), (5, -1), (1 << 70, 5), "x", (1, 2, 3), None):
            self.assertRaises(texcast.UsageError, lambda: texcast.Encoder(size))
        self.assertRaises(texcast.UsageError, lambda: texcast.Encoder((63, 32), pixel_format="nv12"))
        for number in (0, 17):
            self.assertRaises(texcast.MisuseError, lambda: texcast.Encoder((8, 8), frames_in_flight=number))

    def test_threads_may_share_an_encoder(self):
        source = picture(64, 32)
        expected = texcast.encode(source, "bc1").blocks
        failures = []
        with texcast.Encoder((64, 32), "bc1", frames_in_flight=8) as encoder:
            def work():
                for _ in range(20):
                    encoder.submit(source)
                    if not np.array_equal(encoder.next()[0].blocks, expected):
                        failures.append("other blocks")
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])

    def test_other_threads_run_while_a_call_computes(self):
        source, counted, ended = picture(256, 256), [0], threading.Event()

        def count():
            while not ended.is_set():
                counted[0] += 1
                time.sleep(0)  # gives the GIL away

        texture = texcast.encode(source, "bc1")
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e6)  # only who waits or computes without the GIL gives it to others
        thread = threading.Thread(target=count)
        thread.start()
        try:
            for call in (lambda: texcast.decode(texture), lambda: texcast.encode(source, device="cpu-reference")):
                begin = counted[0]
                for _ in range(2000):
                    call()
                    if counted[0] > begin:
                        break
                self.assertGreater(counted[0], begin)
        finally:
            ended.set()
            sys.setswitchinterval(before)
            thread.join()


class Textures(Case):
    def test_blocks_of_others_are_used_in_place(self):
        blocks = np.zeros(128, np.uint8)
        texture = texcast.Texture("bc1", 16, 16, blocks)
        self.assertTrue(np.shares_memory(texture.blocks, blocks))
        self.assertFalse(texcast.Texture("bc1", 16, 16, bytes(128)).blocks.flags.writeable)
        self.assertFalse(texcast.encode(picture(16, 16)).blocks.flags.writeable)
        self.assertTrue(texcast.decode(texture).flags.writeable)
        self.assert_raises(texcast.UsageError, "12 bytes of blocks; bc1 of 16 x 16 has 128",
                           lambda: texcast.Texture("bc1", 16, 16, bytes(12)))
        self.assert_raises(texcast.UsageError, "contiguous",
                           lambda: texcast.Texture("bc1", 16, 16, np.zeros(256, np.uint8)[::2]))
        self.assertRaises(texcast.UsageError, lambda: texcast.Texture("bc1", 0, 16, b""))
        self.assertIn("bc1 16x16", repr(texture))

    def test_planes_are_views_of_the_blocks(self):
        texture = texcast.encode(picture(20, 12), "ycocg-bc4")
        self.assertEqual([plane.shape for plane in texture.planes], [(3, 5, 8), (2, 3, 8), (2, 3, 8)])
        self.assertTrue(all(np.shares_memory(plane, texture.blocks) for plane in texture.planes))
        self.assertEqual((texture.pixel_aspect, texture.orientation), ((1, 1), 1))

    def test_arrays_outlive_what_made_them(self):
        decoder = texcast.Decoder()
        source = picture(32, 32)
        texture = texcast.encode(source, "bc7")
        first = decoder.decode(texture)
        kept = first.copy()
        others = [decoder.decode(texcast.encode(255 - source, "bc7")) for _ in range(6)]
        del decoder, texture
        self.assertTrue(np.array_equal(first, kept))
        self.assertFalse(np.array_equal(others[5], kept))

    def test_pictures_in_formats_of_video_by_the_device_and_the_cpu(self):
        texture = texcast.encode(picture(64, 32), "bc1")
        rgb = texture.pixels().astype(np.float64)
        luma = rgb @ (0.2126, 0.7152, 0.0722)
        devices = ("pocl", "cpu-reference") if any(d.usable for d in texcast.devices()) else ("cpu-reference", )
        for device in devices:
            with self.subTest(device):
                decoder = texcast.Decoder(pixel_format="bgra", device=device)
                self.assertEqual(decoder.device, "")
                bgra = decoder.decode(texture)
                self.assertEqual(decoder.device == "cpu-reference", device == "cpu-reference")
                self.assertTrue(np.array_equal(bgra[..., 2::-1], texture.pixels()) and (bgra[..., 3] == 255).all())
                decoder = texcast.Decoder(pixel_format="nv12", full_range=True, device=device)
                nv12 = decoder.decode(texture)
                self.assertEqual((nv12.shape, nv12.dtype), ((48, 64), np.uint8))
                self.assertLessEqual(np.abs(nv12[:32] - luma).max(), 1)
                blue = rgb[..., 2].reshape(16, 2, 32, 2).mean((1, 3))
                cb = 128 + (blue - luma.reshape(16, 2, 32, 2).mean((1, 3))) / 1.8556
                self.assertLessEqual(np.abs(nv12[32:, 0::2] - cb).max(), 1)
                kept = nv12.copy()
                other = decoder.decode(texcast.encode(picture(16, 16), "bc7"))  # of another kind
                self.assertEqual(other.shape, (24, 16))
                self.assertTrue(np.array_equal(nv12, kept))
                self.assertEqual(texcast.Decoder(pixel_format="yuyv422", device=device).decode(texture).shape,
                                 (32, 64, 2))
                self.assertEqual(texcast.Decoder(pixel_format="yuv420p", device=device).decode(texture).shape, (48, 64))

    def test_pictures_that_a_decoder_cannot_make(self):
        self.assert_raises(texcast.UsageError, "rgba", lambda: texcast.Decoder(pixel_format="rgba"))
        self.assert_raises(texcast.UsageError, "bgr24", lambda: texcast.Decoder(pixel_format="bgr24"))
        self.assert_raises(texcast.UsageError, "pixel_format", lambda: texcast.Decoder(device="0"))
        self.assert_raises(texcast.NoDevice, "nothing", lambda: texcast.Decoder(pixel_format="nv12", device="nothing"))
        odd = texcast.encode(picture(33, 17), "bc1", device="cpu-reference")
        decoder = texcast.Decoder(pixel_format="nv12", device="cpu-reference")
        self.assert_raises(texcast.UsageError, "nv12", lambda: decoder.decode(odd))

    def test_files(self):
        texture = texcast.encode(picture(33, 17), "astc-4x4")
        for kind in ("ktx2", "dds", "astc"):
            path = self.folder / f"x.{kind}"
            texture.save(path)
            self.assertTrue(np.array_equal(texcast.load(path).blocks, texture.blocks))
            self.assertTrue(np.array_equal(texcast.load(str(path)).pixels(), texture.pixels()))
            self.assertEqual(texture.to_bytes(kind), path.read_bytes())
        self.assertGreater(len(texture.to_bytes("ktx2", zstd=False)), texture.blocks.nbytes)
        self.assert_raises(texcast.NameTaken, "x.ktx2", lambda: texture.save(path.with_suffix(".ktx2"), if_exists="refuse"))
        self.assertTrue(issubclass(texcast.NameTaken, FileExistsError))
        texture.save(path, if_exists="number")
        self.assertTrue((self.folder / "x-2.astc").exists())
        self.assertRaises(texcast.UsageError, lambda: texcast.encode(picture()).save(self.folder / "y.astc"))
        self.assertRaises(texcast.UsageError, lambda: texture.save(self.folder / "y.png"))
        self.assertRaises(texcast.UsageError, lambda: texture.to_bytes("png"))
        self.assertRaises(texcast.Error, lambda: texture.save(self.folder / "no" / "folder.dds"))


if __name__ == "__main__":
    main()
