// Structs of other versions, the error, formats and the log of the C interface.
#include <initializer_list>
#include <set>

#include "call.h"

using namespace texcast::test;

namespace {

// Calls `call` with sizes of its struct that no version has. The struct is as large as the largest of them.
template <typename T, typename Function>
void check_sizes(const T& valid, Function&& function) {
  union Large {
    T value;
    unsigned char bytes[8192];
  } large;
  std::memset(&large, 0, sizeof(large));
  large.value = valid;
  Call call;
  for (const size_t size : {size_t{0}, size_t{1}, sizeof(T) - 1, size_t{4097}, ~size_t{0}}) {
    CAPTURE(size);
    large.value.struct_size = size;
    call.is_misuse("struct_size", function(&large.value, call.error()));
  }
  large.value.struct_size = 4096;  // of a later version
  CHECK(function(&large.value, call.error()) <= 0);
  large.value.struct_size = sizeof(T);
  CHECK(function(&large.value, call.error()) <= 0);
}

}  // namespace

TEST_CASE("sizes of structs that no version has are misuse, in every call") {
  Picture picture;
  auto texture = made<texcast_texture>();
  texture.format = TEXCAST_FORMAT_BC1;
  texture.width = texture.height = 4;
  const unsigned char block[8] = {};
  texture.blocks = block;
  texture.bytes = sizeof(block);
  const auto settings = on_cpu();
  texcast_encoder* encoder = nullptr;
  const auto create = [&](const texcast_frame* f, const texcast_encoder_settings* s, texcast_error* error) {
    texcast_encoder_destroy(encoder);
    return texcast_encoder_create(f, s, &encoder, error);
  };
  check_sizes(picture.frame, [&](auto* f, auto* error) { return create(f, &settings, error); });
  check_sizes(settings, [&](auto* s, auto* error) { return create(&picture.frame, s, error); });
  check_sizes(picture.frame, [&](auto* f, auto* error) { return texcast_encoder_submit(encoder, f, error); });
  check_sizes(texture, [&](auto* t, auto* error) { return texcast_encoder_next(encoder, t, error); });
  check_sizes(texture, [&](auto* t, auto* error) { return texcast_encoder_get_texture(encoder, t, error); });
  texcast_encoder_destroy(encoder);
  auto image = made<texcast_image>();
  unsigned char pixels[3 * 16];
  check_sizes(texture, [&](auto* t, auto* error) { return texcast_decode(t, pixels, sizeof(pixels), error); });
  check_sizes(texture, [&](auto* t, auto* error) { return texcast_decode_get_image(t, &image, error); });
  check_sizes(image, [&](auto* i, auto* error) { return texcast_decode_get_image(&texture, i, error); });
  check_sizes(made<texcast_format_info>(),
              [&](auto* i, auto* error) { return texcast_format_get_info(TEXCAST_FORMAT_BC1, i, error); });
  check_sizes(made<texcast_plane_layout>(),
              [&](auto* l, auto* error) { return texcast_texture_get_plane(TEXCAST_FORMAT_BC1, 4, 4, 0, l, error); });
  texcast_device_list* list = nullptr;
  CHECK(texcast_choose_devices("cpu-reference", &list, nullptr) == TEXCAST_OK);
  check_sizes(made<texcast_device_info>(),
              [&](auto* i, auto* error) { return texcast_device_list_get(list, 0, i, error); });
  texcast_device_list_destroy(list);
}

TEST_CASE("members of a later version are accepted while they are zero, and become zero in results") {
  struct Later {
    texcast_texture texture;
    int64_t member;
  } later{};
  later.texture = made<texcast_texture>();
  later.texture.struct_size = sizeof(later);
  later.texture.format = TEXCAST_FORMAT_BC1;
  later.texture.width = later.texture.height = 4;
  auto image = made<texcast_image>();
  Call call;
  call.done(texcast_decode_get_image(&later.texture, &image, call.error()));
  later.member = 1;
  call.fails(TEXCAST_USAGE, "does not know", texcast_decode_get_image(&later.texture, &image, call.error()));

  struct LaterImage {
    texcast_image image;
    int64_t member;
    int64_t beyond;
  } result{};
  result.image.struct_size = offsetof(LaterImage, beyond);
  result.member = result.beyond = -1;
  later.member = 0;
  call.done(texcast_decode_get_image(&later.texture, &result.image, call.error()));
  CHECK(result.image.channels == 3);
  CHECK(result.image.struct_size == offsetof(LaterImage, beyond));
  CHECK(result.member == 0);
  CHECK(result.beyond == -1);
}

TEST_CASE("an error of a wrong size is misuse, and is not written") {
  texcast_error error = TEXCAST_ERROR_INIT;
  texcast_device_list* list = nullptr;
  for (const size_t size : {size_t{0}, sizeof(error) - 1, size_t{5000}}) {
    error.struct_size = size;
    std::memset(error.message, 'x', sizeof(error.message));
    CHECK(texcast_list_devices(&list, &error) == TEXCAST_MISUSE);
    CHECK(list == nullptr);
    CHECK(error.message[0] == 'x');
    CHECK(error.status == TEXCAST_OK);
  }
}

TEST_CASE("long messages are cut between two characters of UTF-8") {
  Call call;
  texcast_reader* reader = nullptr;
  for (size_t shift = 0; shift < 2; ++shift) {
    std::string path(shift, 'a');
    for (int i = 0; i < 1000; ++i) path += "ä";
    CHECK(texcast_reader_open(path.c_str(), &reader, call.error()) > 0);
    const std::string message = call.message();
    CHECK(message.size() >= 1018);
    CHECK(message.size() < sizeof(texcast_error::message));
    CHECK(static_cast<unsigned char>(message.back()) == 0xA4);  // the second byte of ä
  }
}

TEST_CASE("statuses have names, and the library has a version") {
  CHECK(std::string(texcast_status_name(TEXCAST_OK)) == "TEXCAST_OK");
  CHECK(std::string(texcast_status_name(TEXCAST_FILE_FULL)) == "TEXCAST_FILE_FULL");
  CHECK(std::string(texcast_status_name(TEXCAST_DROPPED)) == "TEXCAST_DROPPED");
  CHECK(std::string(texcast_status_name(static_cast<texcast_status>(77))) == "unknown status");
  CHECK(std::string(texcast_version()).find('.') != std::string::npos);
}

TEST_CASE("formats are listed with their names and planes") {
  Call call;
  std::set<std::string> names;
  for (size_t i = 0; texcast_format_at(i) != TEXCAST_FORMAT_NONE; ++i) {
    const texcast_format format = texcast_format_at(i);
    const char* name = texcast_format_name(format);
    REQUIRE(name != nullptr);
    names.insert(name);
    CAPTURE(name);
    auto info = made<texcast_format_info>();
    call.done(texcast_format_get_info(format, &info, call.error()));
    CHECK(std::string(info.name) == name);
    if (info.qualities > 0) CHECK(texcast_format_from_name(name) == format);
    size_t bytes = 0;
    for (int32_t p = 0; p < info.plane_count; ++p) {
      auto plane = made<texcast_plane_layout>();
      call.done(texcast_texture_get_plane(format, 65, 33, p, &plane, call.error()));
      CHECK(plane.offset == bytes);
      CHECK(plane.bytes == static_cast<size_t>(plane.blocks_x) * plane.blocks_y * plane.block_bytes);
      CHECK(plane.blocks_x == (plane.width + plane.block_width - 1) / plane.block_width);
      bytes += plane.bytes;
    }
    CHECK(bytes == texcast_texture_bytes(format, 65, 33));
    auto plane = made<texcast_plane_layout>();
    call.is_misuse("no plane", texcast_texture_get_plane(format, 4, 4, info.plane_count, &plane, call.error()));
    call.is_misuse("no plane", texcast_texture_get_plane(format, 4, 4, -1, &plane, call.error()));
  }
  CHECK(names.size() == TEXCAST_FORMAT_ASTC_12X12);  // one for each number from 1 on
  auto plane = made<texcast_plane_layout>();
  call.done(texcast_texture_get_plane(TEXCAST_FORMAT_BC7, 8, 4, 0, &plane, call.error()));
  CHECK(plane.gl_internal_format == 0x8E8C);  // GL_COMPRESSED_RGBA_BPTC_UNORM
  CHECK(plane.vk_format == 145);              // VK_FORMAT_BC7_UNORM_BLOCK
  CHECK(plane.dxgi_format == 98);             // DXGI_FORMAT_BC7_UNORM
}

TEST_CASE("formats that do not exist have no name, size or plane") {
  Call call;
  auto info = made<texcast_format_info>();
  auto plane = made<texcast_plane_layout>();
  for (const uint32_t number : {0U, 43U, 257U, 0x7FFFFFFFU}) {
    const auto format = static_cast<texcast_format>(number);
    CHECK(texcast_format_name(format) == nullptr);
    CHECK(texcast_texture_bytes(format, 4, 4) == 0);
    call.is_misuse("no texture format", texcast_format_get_info(format, &info, call.error()));
    call.is_misuse("no texture format", texcast_texture_get_plane(format, 4, 4, 0, &plane, call.error()));
    const auto pixels = static_cast<texcast_pixel_format>(number);
    CHECK(texcast_pixel_format_name(pixels) == nullptr);
    CHECK(texcast_frame_plane_count(pixels) == 0);
    CHECK(texcast_frame_rows(pixels, 4, 4, 0) == 0);
    CHECK(texcast_frame_row_bytes(pixels, 4, 4, 0) == 0);
  }
  CHECK(texcast_texture_bytes(TEXCAST_FORMAT_BC1, 0, 4) == 0);
  CHECK(texcast_texture_bytes(TEXCAST_FORMAT_BC1, 4, 16385) == 0);
  call.is_misuse("", texcast_texture_get_plane(TEXCAST_FORMAT_BC1, 4, -4, 0, &plane, call.error()));
  CHECK(texcast_frame_rows(TEXCAST_PIXELS_NV12, 4, 4, 2) == 0);
  CHECK(texcast_frame_rows(TEXCAST_PIXELS_NV12, 4, 4, -1) == 0);
  CHECK(texcast_frame_row_bytes(TEXCAST_PIXELS_NV12, 4, -4, 0) == 0);
  CHECK(texcast_format_from_name("bc99") == TEXCAST_FORMAT_NONE);
  CHECK(texcast_pixel_format_from_name("") == TEXCAST_PIXELS_NONE);
  CHECK(texcast_pixel_format_from_name("nv12") == TEXCAST_PIXELS_NV12);
  CHECK(texcast_frame_rows(TEXCAST_PIXELS_NV12, 5, 5, 1) == 3);
  CHECK(texcast_frame_row_bytes(TEXCAST_PIXELS_NV12, 5, 5, 1) == 6);
}

TEST_CASE("a level of the log that does not exist is misuse, and a function can be set and removed") {
  Call call;
  const auto nothing = [](void*, texcast_log_level, const char*) {};
  call.is_misuse("lowest", texcast_set_log(nothing, nullptr, static_cast<texcast_log_level>(4), call.error()));
  call.done(texcast_set_log(nothing, nullptr, TEXCAST_LOG_DEBUG, call.error()));
  call.done(texcast_set_log(nullptr, nullptr, TEXCAST_LOG_INFO, call.error()));
}
