#include "media/orientation.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

namespace texcast::media {
namespace {

constexpr size_t kMatrixBytes = 9 * sizeof(int32_t);

// Rows of a display matrix: a b u, c d v, x y w. It maps a point (p, q) to (a p + c q, b p + d q).
struct Matrix {
  double a, b, c, d;
};

std::optional<Matrix> matrix_in(const uint8_t* data, size_t bytes) {
  if (data == nullptr || bytes < kMatrixBytes) return std::nullopt;
  std::array<int32_t, 9> m{};
  std::memcpy(m.data(), data, kMatrixBytes);
  return Matrix{double(m[0]), double(m[1]), double(m[3]), double(m[4])};
}

std::optional<Matrix> matrix_of(const AVStream& track) {
  size_t bytes = 0;
  const uint8_t* data = av_stream_get_side_data(&track, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
  return matrix_in(data, bytes);
}

std::optional<Orientation> orientation_of(const Matrix& m) { return nearest_orientation(m.a, m.c, m.b, m.d); }

std::optional<Orientation> exif_orientation(const AVFrame& frame) {
  const AVDictionaryEntry* entry = av_dict_get(frame.metadata, "Orientation", nullptr, 0);
  if (entry == nullptr) return std::nullopt;
  std::string_view text = entry->value;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value >= 1 && value <= 8 ? std::optional(static_cast<Orientation>(value)) : std::nullopt;
}

}  // namespace

Orientation orientation_of(const AVStream& track) {
  const auto matrix = matrix_of(track);
  return (matrix ? orientation_of(*matrix) : std::nullopt).value_or(Orientation::upright);
}

bool is_tilted(const AVStream& track) {
  const auto m = matrix_of(track);
  if (!m) return false;
  constexpr double kNegligible = 0.02;  // a degree
  const double straight = std::abs(m->a) + std::abs(m->d), across = std::abs(m->b) + std::abs(m->c);
  return std::min(straight, across) > kNegligible * std::max(straight, across);
}

std::optional<Orientation> orientation_of(const AVFrame& frame) {
  if (const AVFrameSideData* side = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX))
    if (const auto matrix = matrix_in(side->data, side->size))
      if (const auto orientation = orientation_of(*matrix)) return orientation;
  return exif_orientation(frame);
}

}  // namespace texcast::media
