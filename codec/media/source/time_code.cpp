#include "media/time_code.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/misuse.h"

namespace texcast::media {
namespace {

constexpr int kBlock = 4;  // texels; 8 for half-size chroma, but chroma is constant throughout the strip
constexpr int kKnownBits = 8, kTimeBits = 40, kCheckBits = 16;
static_assert(kKnownBits + kTimeBits + kCheckBits == kTimeCodeCells);
constexpr uint64_t kKnown = 0b10110010;
constexpr uint64_t kTimeMask = (uint64_t{1} << kTimeBits) - 1;
constexpr uint8_t kBlackCell = 16, kWhiteCell = 235, kGrayChroma = 128;
constexpr double kLeastContrast = 64;  // between black and white, of 255

// CRC-16/CCITT-FALSE of the time's five bytes.
uint16_t check_of(uint64_t ms) {
  uint16_t crc = 0xFFFF;
  for (int bit = kTimeBits - 1; bit >= 0; --bit) {
    const bool top = (crc >> 15 & 1) != (ms >> bit & 1);
    crc = static_cast<uint16_t>(crc << 1 ^ (top ? 0x1021 : 0));
  }
  return crc;
}

uint64_t cells_of(uint64_t ms) { return kKnown << (kTimeBits + kCheckBits) | ms << kCheckBits | check_of(ms); }

bool cell_at(uint64_t cells, int i) { return (cells >> (kTimeCodeCells - 1 - i) & 1) != 0; }

// A sample in units of a byte's step.
double byte_of(const DecodedImage& image, size_t index) {
  if (image.samples == SampleType::unorm8) return image.pixels[index];
  uint16_t sample = 0;
  std::memcpy(&sample, &image.pixels[2 * index], sizeof sample);
  return sample / 257.0;
}

// Mean of all channels but alpha, as formats differ in which ones they keep.
double brightness(const DecodedImage& image, int x, int y) {
  const size_t at = (static_cast<size_t>(y) * static_cast<size_t>(image.width) + static_cast<size_t>(x)) *
                    static_cast<size_t>(image.channels);
  const int channels = std::min(image.channels, 3);
  double sum = 0;
  for (int c = 0; c < channels; ++c) sum += byte_of(image, at + static_cast<size_t>(c));
  return sum / channels;
}

struct Span {
  int first = 0, last = 0;  // pixels
};
// The whole pixels in the middle half of `from` … `to`, or the one in its middle.
Span middle(double from, double to) {
  const double quarter = (to - from) / 4;
  const Span span{static_cast<int>(std::ceil(from + quarter)), static_cast<int>(std::floor(to - quarter)) - 1};
  if (span.first <= span.last) return span;
  const int only = static_cast<int>(std::floor((from + to) / 2));
  return {only, only};
}

// Whether the known cells may be there, judged by the pixel in the middle of each. Most places fail.
bool begins_at(const DecodedImage& image, const TimeCodeStrip& strip, int x, int y) {
  double darkest_white = 255, brightest_black = 0;
  for (int i = 0; i < kKnownBits; ++i) {
    const double level = brightness(image, x + i * strip.cell + strip.cell / 2, y + strip.height / 2);
    if ((kKnown >> (kKnownBits - 1 - i) & 1) != 0)
      darkest_white = std::min(darkest_white, level);
    else
      brightest_black = std::max(brightest_black, level);
    if (darkest_white - brightest_black < kLeastContrast / 2) return false;
  }
  return true;
}

}  // namespace

int64_t code_of(WallTime time) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return static_cast<int64_t>(static_cast<uint64_t>(ms) & kTimeMask);
}

TimeCodeStrip time_code_strip(int width, int height) {
  const int cell = width / kTimeCodeCells / kBlock * kBlock;
  if (cell == 0 || height < 16) return {};
  return {.cell = cell, .height = std::min(std::max(2 * kBlock, cell), height / 2 / kBlock * kBlock)};
}

void draw_time_code(const FrameLease& frame, WallTime time) {
  const FrameView view = frame.view();
  const TimeCodeStrip strip = time_code_strip(view.format.width, view.format.height);
  REQUIRE_USE(view.format.pixel_format == PixelFormat::yuv420p, "time codes can only be drawn into yuv420p");
  REQUIRE_USE(strip.cell > 0, "the picture is too small for a time code");
  const uint64_t cells = cells_of(static_cast<uint64_t>(code_of(time)));
  const auto row = [&](int plane, int y) {
    return reinterpret_cast<uint8_t*>(frame.plane(plane)) + y * view.planes[static_cast<size_t>(plane)].stride_bytes;
  };
  for (int i = 0; i < kTimeCodeCells; ++i)
    std::memset(row(0, 0) + i * strip.cell, cell_at(cells, i) ? kWhiteCell : kBlackCell,
                static_cast<size_t>(strip.cell));
  const auto bytes = static_cast<size_t>(strip.cell) * kTimeCodeCells;
  for (int y = 1; y < strip.height; ++y) std::memcpy(row(0, y), row(0, 0), bytes);
  for (const int plane : {1, 2})
    for (int y = 0; y < strip.height / 2; ++y) std::memset(row(plane, y), kGrayChroma, bytes / 2);
}

std::optional<int64_t> read_time_code(const DecodedImage& image, int picture_width, int picture_height,
                                      const PicturePlace& place) {
  const TimeCodeStrip strip = time_code_strip(picture_width, picture_height);
  if (strip.cell == 0 || image.samples == SampleType::half || !(place.width > 0) || !(place.height > 0)) return {};
  const double across = place.width / picture_width, down = place.height / picture_height;
  const Span rows = middle(place.y, place.y + strip.height * down);
  std::array<double, kTimeCodeCells> level{};
  for (int i = 0; i < kTimeCodeCells; ++i) {
    const double left = place.x + i * strip.cell * across;
    const Span columns = middle(left, left + strip.cell * across);
    if (rows.first < 0 || rows.last >= image.height || columns.first < 0 || columns.last >= image.width) return {};
    double sum = 0;
    for (int y = rows.first; y <= rows.last; ++y)
      for (int x = columns.first; x <= columns.last; ++x) sum += brightness(image, x, y);
    level[static_cast<size_t>(i)] = sum / ((rows.last - rows.first + 1) * (columns.last - columns.first + 1));
  }
  const auto [darkest, brightest] = std::ranges::minmax(level);
  if (brightest - darkest < kLeastContrast) return {};
  uint64_t cells = 0;
  for (const double one : level) {
    const double part = (one - darkest) / (brightest - darkest);
    if (part > 0.25 && part < 0.75) return {};  // neither: a blend of two pictures
    cells = cells << 1 | (part > 0.5 ? 1 : 0);
  }
  const uint64_t ms = cells >> kCheckBits & kTimeMask;
  if (cells != cells_of(ms)) return {};
  return static_cast<int64_t>(ms);
}

std::optional<int64_t> read_time_code(const DecodedImage& image) {
  return read_time_code(image, image.width, image.height,
                        {.width = static_cast<double>(image.width), .height = static_cast<double>(image.height)});
}

// A code can be read up to a quarter of a cell beside its place too: its place is the middle of where it can be read.
std::optional<PicturePlace> find_time_code(const DecodedImage& image, int picture_width, int picture_height) {
  const TimeCodeStrip strip = time_code_strip(picture_width, picture_height);
  if (strip.cell == 0 || image.samples == SampleType::half) return {};
  const int last_x = image.width - strip.cell * kTimeCodeCells, last_y = image.height - strip.height;
  const auto place = [&](int x, int y) {
    return PicturePlace{.x = static_cast<double>(x),
                        .y = static_cast<double>(y),
                        .width = static_cast<double>(picture_width),
                        .height = static_cast<double>(picture_height)};
  };
  const auto is_there = [&](int x, int y) {
    return read_time_code(image, picture_width, picture_height, place(x, y)).has_value();
  };
  const int step = std::max(1, strip.cell / 4);
  for (int y = 0; y <= last_y; y += strip.height / 4) {
    for (int x = 0; x <= last_x; x += step) {
      if (!begins_at(image, strip, x, y) || !is_there(x, y)) continue;
      int left = x, right = x, top = y, bottom = y;
      while (is_there(left - 1, y)) --left;
      while (is_there(right + 1, y)) ++right;
      PicturePlace found = place(left, y);
      const int middle_x = (left + right) / 2;
      while (is_there(middle_x, top - 1)) --top;
      while (is_there(middle_x, bottom + 1)) ++bottom;
      found.x = (left + right) / 2.0;
      found.y = (top + bottom) / 2.0;
      return found;
    }
  }
  return {};
}

nanoseconds age_of(int64_t code_ms, WallTime now) {
  constexpr int64_t kWrap = int64_t{1} << kTimeBits;
  const int64_t now_ms = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
  int64_t age = (now_ms - code_ms) % kWrap;
  if (age > kWrap / 2) age -= kWrap;
  if (age < -kWrap / 2) age += kWrap;
  return std::chrono::milliseconds(age) + (now.time_since_epoch() - std::chrono::milliseconds(now_ms));
}

}  // namespace texcast::media
