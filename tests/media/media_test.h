// media_test.h — shared by the tests of the media module: the ffmpeg and ffprobe programs as independent references,
// blocks to record, the bytes of a frame.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "command_output.h"
#include "temporary_folder.h"
#include "texcast/decoder.h"
#include "texcast/error.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast::test {

inline const std::string kData = TEXCAST_TEST_DATA;

using Scratch = TemporaryFolder;

inline std::string quoted(const std::string& path) { return "'" + path + "'"; }

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

// Blocks of noise with repetitions, as in textures; in BC1, both orders of the end points.
std::vector<std::byte> some_blocks(const TextureDesc& desc, unsigned seed);

// The Error that `action` throws. The test fails if it throws none.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK_MESSAGE(std::string(error.what()).find('\n') == std::string::npos, error.what());
    return error;
  }
  FAIL("nothing was thrown");
  return Error(ErrorKind::failed, "");
}
inline bool says(const Error& error, const std::string& words) {
  return std::string(error.what()).find(words) != std::string::npos;
}

// The planes one after the other, without padding between rows.
std::string packed_planes(const FrameView& frame);

double psnr_db(const DecodedImage& a, const DecodedImage& b);
DecodedImage image_of(const std::string& raw, int width, int height, size_t frame = 0, int channels = 3);

}  // namespace texcast::test
