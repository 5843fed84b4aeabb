// call.h — calls of the C interface in tests, whose status and message are checked.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "texcast/c/texcast.h"

namespace texcast::test {

// A struct of the interface with zeros, and its size.
template <typename T>
T made() {
  T value;
  std::memset(&value, 0, sizeof(value));
  value.struct_size = sizeof(value);
  return value;
}

// The error that a call is given, as in `call.done(texcast_decode(…, call.error()))`.
class Call {
 public:
  texcast_error* error() { return &error_; }
  std::string message() const { return error_.message; }

  void gives(texcast_status expected, texcast_status status) {
    CHECK_MESSAGE(status == expected, std::string(texcast_status_name(status)), " instead of ",
                  std::string(texcast_status_name(expected)), ": ", message());
    CHECK(error_.status == status);
    CHECK((status > 0) == (error_.message[0] != '\0'));
  }
  void done(texcast_status status) { gives(TEXCAST_OK, status); }
  // An error whose message has these words.
  void fails(texcast_status expected, const char* words, texcast_status status) {
    gives(expected, status);
    CHECK_MESSAGE(message().find(words) != std::string::npos, message(), " does not contain ", std::string(words));
  }
  void is_misuse(const char* words, texcast_status status) { fails(TEXCAST_MISUSE, words, status); }

 private:
  texcast_error error_ = TEXCAST_ERROR_INIT;
};

// A picture of one color, which 5-6-5 bits can represent.
struct Picture {
  explicit Picture(int32_t width = 36, int32_t height = 20) : pixels(size_t{4} * width * height) {
    const unsigned char color[] = {33, 130, 200, 255};
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = color[i % 4];
    frame = made<texcast_frame>();
    frame.pixel_format = TEXCAST_PIXELS_RGBA;
    frame.width = width;
    frame.height = height;
    frame.plane[0] = pixels.data();
    frame.stride[0] = ptrdiff_t{4} * width;
  }
  std::vector<unsigned char> pixels;
  texcast_frame frame;
};

// Blocks of a texture of 64 x 64 texels in BC1, different for each n.
inline std::vector<unsigned char> blocks_of(int n) {
  std::vector<unsigned char> blocks(16 * 16 * 8);
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = static_cast<unsigned char>(i * 31 + static_cast<size_t>(n) * 7);
  return blocks;
}
inline texcast_texture texture_of(const std::vector<unsigned char>& blocks, int64_t pts_ns = 0) {
  auto texture = made<texcast_texture>();
  texture.format = TEXCAST_FORMAT_BC1;
  texture.width = texture.height = 64;
  texture.blocks = blocks.data();
  texture.bytes = blocks.size();
  texture.pts_ns = pts_ns;
  return texture;
}

inline texcast_encoder_settings on_cpu(texcast_format format = TEXCAST_FORMAT_BC1) {
  auto settings = made<texcast_encoder_settings>();
  settings.format = format;
  settings.device = "cpu-reference";
  return settings;
}

}  // namespace texcast::test
