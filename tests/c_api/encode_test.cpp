// Devices, formats, encoder and decoder of the C interface, and every error that they report.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <thread>

#include "call.h"

using namespace texcast::test;

namespace {

// An encoder whose end the test cannot forget.
struct Encoder {
  explicit Encoder(const texcast_frame& source, const texcast_encoder_settings& settings = on_cpu()) {
    call.done(texcast_encoder_create(&source, &settings, &handle, call.error()));
    REQUIRE(handle != nullptr);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { texcast_encoder_destroy(handle); }
  Call call{};
  texcast_encoder* handle = nullptr;
};

}  // namespace

TEST_CASE("a frame is encoded and decoded to the color that it had") {
  for (const texcast_format format : {TEXCAST_FORMAT_BC1, TEXCAST_FORMAT_YCOCG_DXT5, TEXCAST_FORMAT_YCOCG_BC4_444}) {
    CAPTURE(texcast_format_name(format));
    Picture picture;
    picture.frame.pts_ns = 40'000'000;
    Encoder encoder(picture.frame, on_cpu(format));
    Call& call = encoder.call;
    CHECK(std::string(texcast_encoder_device_name(encoder.handle)) == "cpu-reference");
    call.done(texcast_encoder_submit(encoder.handle, &picture.frame, call.error()));
    CHECK(texcast_encoder_in_flight(encoder.handle) == 1);
    auto texture = made<texcast_texture>();
    call.done(texcast_encoder_next(encoder.handle, &texture, call.error()));
    CHECK(texture.format == format);
    CHECK(texture.width == 36);
    CHECK(texture.height == 20);
    CHECK(texture.bytes == texcast_texture_bytes(format, 36, 20));
    CHECK(texture.pts_ns == 40'000'000);
    CHECK(texture.range == TEXCAST_RANGE_FULL);
    CHECK(texture.orientation == 1);

    auto image = made<texcast_image>();
    call.done(texcast_decode_get_image(&texture, &image, call.error()));
    CHECK(image.width == 36);
    CHECK(image.height == 20);
    CHECK(image.channels == 3);
    CHECK(image.samples == TEXCAST_SAMPLES_UNORM8);
    REQUIRE(image.bytes == size_t{3} * 36 * 20);
    std::vector<unsigned char> pixels(image.bytes);
    call.done(texcast_decode(&texture, pixels.data(), pixels.size(), call.error()));
    const int expected[] = {33, 130, 200};
    int worst = 0;
    for (size_t i = 0; i < pixels.size(); ++i) worst = std::max(worst, std::abs(pixels[i] - expected[i % 3]));
    CHECK(worst <= 3);
    call.gives(TEXCAST_END, texcast_encoder_next(encoder.handle, &texture, call.error()));
  }
}

TEST_CASE("frames of planes are taken in every pixel format") {
  for (uint32_t number = TEXCAST_PIXELS_YUV420P; number <= TEXCAST_PIXELS_RGBA_HALF; ++number) {
    const auto format = static_cast<texcast_pixel_format>(number);
    CAPTURE(texcast_pixel_format_name(format));
    Picture picture(18, 10);
    picture.frame.pixel_format = format;
    std::vector<std::vector<unsigned char>> planes;
    for (int32_t p = 0; p < texcast_frame_plane_count(format); ++p) {
      const size_t row = texcast_frame_row_bytes(format, 18, 10, p);
      REQUIRE(row > 0);
      planes.emplace_back(row * static_cast<size_t>(texcast_frame_rows(format, 18, 10, p)), 0);
      picture.frame.plane[p] = planes.back().data();
      picture.frame.stride[p] = static_cast<ptrdiff_t>(row);
    }
    Encoder encoder(picture.frame);
    encoder.call.done(texcast_encoder_submit(encoder.handle, &picture.frame, encoder.call.error()));
    auto texture = made<texcast_texture>();
    encoder.call.done(texcast_encoder_next(encoder.handle, &texture, encoder.call.error()));
    CHECK(texture.bytes == 5 * 3 * 8);
  }
}

TEST_CASE("one thread submits and another takes, and frames come in order") {
  Picture picture;
  Encoder encoder(picture.frame);
  constexpr int kFrames = 40;
  std::atomic<bool> failed = false;
  std::thread submitter([&] {
    texcast_error error = TEXCAST_ERROR_INIT;
    Picture own;
    for (int n = 0; n < kFrames && !failed;) {
      own.frame.pts_ns = n;
      const texcast_status status = texcast_encoder_submit(encoder.handle, &own.frame, &error);
      if (status == TEXCAST_OK)
        ++n;
      else if (status == TEXCAST_MISUSE)  // as many as fit are in flight
        std::this_thread::yield();
      else
        failed = true;
    }
  });
  auto texture = made<texcast_texture>();
  texcast_error error = TEXCAST_ERROR_INIT;
  int taken = 0;
  while (taken < kFrames && !failed) {
    const texcast_status status = texcast_encoder_next(encoder.handle, &texture, &error);
    if (status == TEXCAST_OK) {
      if (texture.pts_ns != taken++) failed = true;
    } else if (status == TEXCAST_END) {
      std::this_thread::yield();
    } else {
      failed = true;
    }
  }
  submitter.join();
  CHECK_FALSE(failed);
  CHECK(taken == kFrames);
}

TEST_CASE("every null argument is an error, and functions without a status take null") {
  Call call;
  Picture picture;
  Encoder encoder(picture.frame);
  auto texture = made<texcast_texture>();
  auto image = made<texcast_image>();
  auto info = made<texcast_device_info>();
  texcast_encoder* made_encoder = nullptr;
  texcast_encoder** none = nullptr;
  call.is_misuse("source is NULL", texcast_encoder_create(nullptr, nullptr, &made_encoder, call.error()));
  call.is_misuse("encoder is NULL", texcast_encoder_create(&picture.frame, nullptr, none, call.error()));
  call.is_misuse("encoder is NULL", texcast_encoder_submit(nullptr, &picture.frame, call.error()));
  call.is_misuse("frame is NULL", texcast_encoder_submit(encoder.handle, nullptr, call.error()));
  call.is_misuse("encoder is NULL", texcast_encoder_next(nullptr, &texture, call.error()));
  call.is_misuse("texture is NULL", texcast_encoder_next(encoder.handle, nullptr, call.error()));
  call.is_misuse("encoder is NULL", texcast_encoder_get_texture(nullptr, &texture, call.error()));
  call.is_misuse("texture is NULL", texcast_encoder_get_texture(encoder.handle, nullptr, call.error()));
  call.is_misuse("texture is NULL", texcast_decode_get_image(nullptr, &image, call.error()));
  call.is_misuse("texcast_image is NULL", texcast_decode_get_image(&texture, nullptr, call.error()));
  call.is_misuse("texture is NULL", texcast_decode(nullptr, &image, 1, call.error()));
  call.is_misuse("list is NULL", texcast_list_devices(nullptr, call.error()));
  call.is_misuse("list is NULL", texcast_choose_devices(nullptr, nullptr, call.error()));
  call.is_misuse("list is NULL", texcast_device_list_get(nullptr, 0, &info, call.error()));
  call.is_misuse("info is NULL", texcast_format_get_info(TEXCAST_FORMAT_BC1, nullptr, call.error()));
  call.is_misuse("layout is NULL", texcast_texture_get_plane(TEXCAST_FORMAT_BC1, 4, 4, 0, nullptr, call.error()));
  CHECK(texcast_encoder_submit(nullptr, nullptr, nullptr) == TEXCAST_MISUSE);
  CHECK(texcast_encoder_in_flight(nullptr) == 0);
  CHECK(texcast_encoder_capacity(nullptr) == 0);
  CHECK(texcast_encoder_device_name(nullptr) == nullptr);
  CHECK(texcast_format_from_name(nullptr) == TEXCAST_FORMAT_NONE);
  CHECK(texcast_pixel_format_from_name(nullptr) == TEXCAST_PIXELS_NONE);
  texcast_encoder_destroy(nullptr);
  texcast_device_list_destroy(nullptr);
}

TEST_CASE("descriptions of frames that no encoder could have are misuse") {
  Call call;
  for (const auto change : std::initializer_list<void (*)(texcast_frame&)>{
           [](texcast_frame& f) { f.pixel_format = TEXCAST_PIXELS_NONE; },
           [](texcast_frame& f) { f.pixel_format = static_cast<texcast_pixel_format>(15); },
           [](texcast_frame& f) { f.pixel_format = TEXCAST_PIXELS_MAX_ENUM; },
           [](texcast_frame& f) { f.width = 0; },
           [](texcast_frame& f) { f.width = -1; },
           [](texcast_frame& f) { f.height = 16385; },
           [](texcast_frame& f) { f.height = INT_MIN; },
           [](texcast_frame& f) { f.matrix = static_cast<texcast_color_matrix>(4); },
           [](texcast_frame& f) { f.range = static_cast<texcast_color_range>(3); },
           [](texcast_frame& f) { f.primaries = 256; },
           [](texcast_frame& f) { f.transfer = -1; },
           [](texcast_frame& f) { f.aspect_num = 1; },
           [](texcast_frame& f) { f.aspect_num = 100, f.aspect_den = 1; },
           [](texcast_frame& f) { f.aspect_num = -1, f.aspect_den = -1; },
       }) {
    Picture picture;
    change(picture.frame);
    const auto settings = on_cpu();
    auto* encoder = reinterpret_cast<texcast_encoder*>(&call);
    call.is_misuse("", texcast_encoder_create(&picture.frame, &settings, &encoder, call.error()));
    CHECK(encoder == nullptr);
  }
}

TEST_CASE("settings that no encoder could have, and devices that are not there, are errors") {
  Call call;
  Picture picture;
  texcast_encoder* encoder = nullptr;
  const auto with = [&](auto change) {
    auto settings = on_cpu();
    change(settings);
    return texcast_encoder_create(&picture.frame, &settings, &encoder, call.error());
  };
  call.is_misuse("no texture format 99", with([](auto& s) { s.format = static_cast<texcast_format>(99); }));
  call.is_misuse("no texture format", with([](auto& s) { s.format = static_cast<texcast_format>(257); }));
  call.is_misuse("quality", with([](auto& s) { s.quality = static_cast<texcast_quality>(4); }));
  call.is_misuse("start", with([](auto& s) { s.start = static_cast<texcast_encoder_start>(2); }));
  call.is_misuse("", with([](auto& s) { s.frames_in_flight = 17; }));
  call.is_misuse("", with([](auto& s) { s.frames_in_flight = -1; }));
  call.gives(TEXCAST_USAGE, with([](auto& s) { s.format = TEXCAST_FORMAT_UYVY; }));  // which is only received
  call.fails(TEXCAST_NO_DEVICE, "no such device", with([](auto& s) { s.device = "no such device"; }));
  CHECK(encoder == nullptr);
}

TEST_CASE("misuse of an encoder has no effect, and the encoder goes on") {
  Picture picture;
  auto settings = on_cpu();
  settings.frames_in_flight = 1;
  Encoder encoder(picture.frame, settings);
  Call& call = encoder.call;
  const auto submit = [&](auto change) {
    texcast_frame frame = picture.frame;
    change(frame);
    return texcast_encoder_submit(encoder.handle, &frame, call.error());
  };
  call.is_misuse("", submit([](texcast_frame& f) { f.width = 32; }));
  call.is_misuse("", submit([](texcast_frame& f) { f.pixel_format = TEXCAST_PIXELS_BGRA; }));
  call.is_misuse("plane 0", submit([](texcast_frame& f) { f.plane[0] = nullptr; }));
  call.is_misuse("stride 0", submit([](texcast_frame& f) { f.stride[0] = 4 * 36 - 1; }));
  call.is_misuse("stride 0", submit([](texcast_frame& f) { f.stride[0] = -4 * 36; }));
  CHECK(texcast_encoder_in_flight(encoder.handle) == 0);
  CHECK(texcast_encoder_capacity(encoder.handle) == 1);
  call.done(submit([](texcast_frame&) {}));
  call.is_misuse("", submit([](texcast_frame&) {}));
  auto texture = made<texcast_texture>();
  call.done(texcast_encoder_next(encoder.handle, &texture, call.error()));
  CHECK(texture.bytes == texcast_texture_bytes(TEXCAST_FORMAT_BC1, 36, 20));
}

TEST_CASE("textures that cannot be decoded are misuse") {
  Call call;
  const std::vector<unsigned char> blocks(16 * 8);
  std::vector<unsigned char> pixels(size_t{3} * 16 * 16);
  auto texture = made<texcast_texture>();
  texture.format = TEXCAST_FORMAT_BC1;
  texture.width = texture.height = 16;
  texture.blocks = blocks.data();
  texture.bytes = blocks.size();
  const auto decode = [&](auto change) {
    texcast_texture changed = texture;
    change(changed);
    return texcast_decode(&changed, pixels.data(), pixels.size(), call.error());
  };
  call.done(decode([](auto&) {}));
  call.is_misuse("127 bytes", decode([](auto& t) { t.bytes = 127; }));
  call.is_misuse("blocks", decode([](auto& t) { t.blocks = nullptr; }));
  call.is_misuse("no texture format 0", decode([](auto& t) { t.format = TEXCAST_FORMAT_NONE; }));
  call.is_misuse("no size", decode([](auto& t) { t.width = 0; }));
  call.is_misuse("orientation", decode([](auto& t) { t.orientation = 9; }));
  call.is_misuse("pixels is NULL", texcast_decode(&texture, nullptr, 0, call.error()));
  call.is_misuse("768 bytes", texcast_decode(&texture, pixels.data(), pixels.size() - 1, call.error()));
  call.is_misuse("768 bytes", texcast_decode(&texture, pixels.data(), pixels.size() + 1, call.error()));
}

TEST_CASE("devices are listed and chosen") {
  Call call;
  texcast_device_list* list = nullptr;
  auto info = made<texcast_device_info>();
  call.done(texcast_list_devices(&list, call.error()));
  REQUIRE(list != nullptr);
  size_t count = 0;
  while (texcast_device_list_get(list, count, &info, call.error()) == TEXCAST_OK) {
    CHECK(info.index == static_cast<int32_t>(count++));
    CHECK(info.name[0] != '\0');
    CHECK((info.is_usable != 0 || info.reason[0] != '\0'));
  }
  call.gives(TEXCAST_END, texcast_device_list_get(list, count, &info, call.error()));
  texcast_device_list_destroy(list);

  call.done(texcast_choose_devices("cpu-reference", &list, call.error()));
  call.done(texcast_device_list_get(list, 0, &info, call.error()));
  CHECK(std::string(info.name) == "cpu-reference");
  CHECK(info.index == -1);
  call.gives(TEXCAST_END, texcast_device_list_get(list, 1, &info, call.error()));
  texcast_device_list_destroy(list);

  call.fails(TEXCAST_NO_DEVICE, "no such device", texcast_choose_devices("no such device", &list, call.error()));
  CHECK(list == nullptr);
  call.gives(TEXCAST_USAGE, texcast_choose_devices("cpu-reference,cpu-reference", &list, call.error()));
}
