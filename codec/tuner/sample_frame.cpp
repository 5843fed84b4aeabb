#include "tuner/sample_frame.h"

#include <random>

namespace texcast::tuner {

void fill_sample(const FrameFormat& format, MutableBytes bytes, unsigned seed) {
  std::mt19937 random(seed);
  const auto width = static_cast<size_t>(format.width);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i / 97 + i / width + random() % 24) & 0xFF);
}

}  // namespace texcast::tuner
