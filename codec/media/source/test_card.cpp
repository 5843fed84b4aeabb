#include "media/test_card.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "test_digits.h"

namespace texcast::media {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr uint8_t kNeutral = 128;

struct Yuv {
  uint8_t y = 16, u = kNeutral, v = kNeutral;
};

// BT.709, limited range; r, g and b in 0..1.
Yuv bt709(double r, double g, double b) {
  const double y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return {static_cast<uint8_t>(std::lround(16 + 219 * y)),
          static_cast<uint8_t>(std::lround(128 + 224 * (b - y) / 1.8556)),
          static_cast<uint8_t>(std::lround(128 + 224 * (r - y) / 1.5748))};
}

uint8_t luma(double value) { return static_cast<uint8_t>(std::lround(16 + 219 * std::clamp(value, 0.0, 1.0))); }

struct Plane {
  Plane(int width_texels, int height_texels)
      : width(width_texels),
        height(height_texels),
        stride((width_texels + 63) / 64 * 64),
        samples(static_cast<size_t>(stride) * static_cast<size_t>(height_texels), kNeutral) {}
  uint8_t* row(int y) { return samples.data() + static_cast<ptrdiff_t>(y) * stride; }
  int width, height, stride;
  std::vector<uint8_t> samples;
};

// The three planes that a picture is drawn into: the card's own, or a frame of a pool.
struct Surface {
  struct Rows {
    uint8_t* data;
    int stride;
    uint8_t* row(int y) const { return data + static_cast<ptrdiff_t>(y) * stride; }
  };
  Rows y, u, v;
};

Surface::Rows rows_of(Plane& plane) { return {plane.samples.data(), plane.stride}; }

void copy_plane(Plane& from, const Surface::Rows& to) {
  for (int y = 0; y < from.height; ++y) std::memcpy(to.row(y), from.row(y), static_cast<size_t>(from.width));
}

int even(int value) { return value / 2 * 2; }

// The area of the card that flashes: a box among the bars, of whole blocks if there is room.
struct FlashBox {
  int x, y, width, height;
};
FlashBox flash_box(int width, int height) {
  const int step = std::min(width, height) >= 64 ? 8 : 2;
  const auto rounded = [&](int value) { return std::max(step, value / step * step); };
  return {rounded(width * 7 / 16), rounded(height / 4), rounded(width / 8), rounded(height / 8)};
}

// Number and time give the duration of a frame; the first one of each second flashes.
bool flashes(uint32_t number, nanoseconds pts) {
  constexpr nanoseconds kSecond = std::chrono::seconds(1);
  return number == 0 ? pts % kSecond == nanoseconds{} : pts % kSecond < pts / number;
}

}  // namespace

// Rows from top to bottom: bars, ramp (a bar moves over it), band (scrolls), then zone plate, digits and checks side by
// side.
class TestCard::Picture {
 public:
  Picture(int width, int height);
  const FrameFormat& format() const { return format_; }
  FrameView draw(uint32_t number, nanoseconds pts);
  void draw_into(const FrameLease& frame, bool is_new, uint32_t number, nanoseconds pts);

 private:
  static void set(const Surface& on, int x, int y, Yuv value);
  void set(int x, int y, Yuv value) { set(own_, x, y, value); }
  void draw_moving(const Surface& on, uint32_t number, nanoseconds pts);
  void draw_bars();
  void draw_zone_plate_and_checks();
  static void clear_box(const Surface& on, const DigitBox& box);
  void prepare_ramp();
  void prepare_band();
  void sweep_ramp(const Surface& on, uint32_t number);
  void flash(const Surface& on, bool is_white) const;
  void scroll_band(const Surface& on, uint32_t number);
  void write_digits(const Surface& on, uint32_t number, nanoseconds pts);

  FrameFormat format_;
  DigitLayout digits_;
  int ramp_y_, band_y_, lower_y_;  // even, so that chroma rows belong to one part only
  int step_;                       // texels by which moving parts advance each frame; even
  Plane y_, u_, v_;
  Surface own_;                        // y_, u_ and v_
  std::vector<uint8_t> ramp_;          // one row
  Plane band_luma_, band_u_, band_v_;  // as at frame 0
};

TestCard::Picture::Picture(int width, int height)
    : format_{.pixel_format = PixelFormat::yuv420p,
              .width = width,
              .height = height,
              .color = {.matrix = ColorMatrix::bt709, .range = ColorRange::limited, .primaries = 1, .transfer = 1}},
      digits_(digit_layout(width, height)),
      ramp_y_(even(height / 2)),
      band_y_(even(height * 7 / 12)),
      lower_y_(even(height * 2 / 3)),
      step_(std::max(2, even(width / 480))),
      y_(width, height),
      u_((width + 1) / 2, (height + 1) / 2),
      v_((width + 1) / 2, (height + 1) / 2),
      own_{rows_of(y_), rows_of(u_), rows_of(v_)},
      ramp_(static_cast<size_t>(width)),
      band_luma_(width, lower_y_ - band_y_),
      band_u_((width + 1) / 2, (lower_y_ - band_y_) / 2),
      band_v_((width + 1) / 2, (lower_y_ - band_y_) / 2) {
  draw_bars();
  draw_zone_plate_and_checks();
  const FlashBox box = flash_box(width, height);
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x) set(x, y, {});
  prepare_ramp();
  prepare_band();
  clear_box(own_, digits_.number);
  if (digits_.time.unit > 0) clear_box(own_, digits_.time);
}

void TestCard::Picture::set(const Surface& on, int x, int y, Yuv value) {
  on.y.row(y)[x] = value.y;
  if (x % 2 == 0 && y % 2 == 0) {
    on.u.row(y / 2)[x / 2] = value.u;
    on.v.row(y / 2)[x / 2] = value.v;
  }
}

// 75 % bars in the usual order, white to black.
void TestCard::Picture::draw_bars() {
  constexpr std::array<std::array<double, 3>, 8> kBars = {
      {{1, 1, 1}, {1, 1, 0}, {0, 1, 1}, {0, 1, 0}, {1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}}};
  for (int x = 0; x < format_.width; ++x) {
    const auto& c = kBars[static_cast<size_t>(x) * kBars.size() / static_cast<size_t>(format_.width)];
    const Yuv value = bt709(0.75 * c[0], 0.75 * c[1], 0.75 * c[2]);
    for (int y = 0; y < ramp_y_; ++y) set(x, y, value);
  }
}

void TestCard::Picture::draw_zone_plate_and_checks() {
  const int third = format_.width / 3;
  const int rows = format_.height - lower_y_;
  // The phase is pi r^2 / (2 R): its local frequency reaches one cycle in two texels at the radius R.
  const double radius = std::max(1.0, std::hypot(third / 2.0, rows / 2.0));
  for (int y = lower_y_; y < format_.height; ++y) {
    for (int x = 0; x < format_.width; ++x) {
      double value = 0.1;
      if (x < third) {
        const double dx = x - third / 2.0, dy = y - lower_y_ - rows / 2.0;
        value = 0.5 + 0.5 * std::cos(kPi * (dx * dx + dy * dy) / (2 * radius));
      } else if (x >= format_.width - third) {
        const int size = 1 << std::min(3, 4 * (y - lower_y_) / rows);  // checks of 1, 2, 4 and 8 texels
        value = ((x / size + (y - lower_y_) / size) & 1) != 0 ? 0.9 : 0.1;
      }
      set(x, y, {.y = luma(value)});
    }
  }
}

void TestCard::Picture::clear_box(const Surface& on, const DigitBox& box) {
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x) set(on, x, y, {});
}

void TestCard::Picture::prepare_ramp() {
  for (int x = 0; x < format_.width; ++x)
    ramp_[static_cast<size_t>(x)] = luma(static_cast<double>(x) / std::max(1, format_.width - 1));
  for (int y = ramp_y_; y < band_y_; ++y)
    for (int x = 0; x < format_.width; ++x) set(x, y, {});
}

// Hue changes along x, brightness in waves along x and y. So no block is like its neighbour, and as the band scrolls, a
// block that was not updated is visible.
void TestCard::Picture::prepare_band() {
  for (int y = 0; y < band_luma_.height; ++y) {
    for (int x = 0; x < format_.width; ++x) {
      const double turn = 2 * kPi * x / format_.width;
      const double wave = 0.5 + 0.25 * std::sin(12 * turn + 0.15 * y) + 0.15 * std::sin(31 * turn - 0.31 * y);
      band_luma_.row(y)[x] = luma(wave);
      if (x % 2 == 0 && y % 2 == 0) {
        band_u_.row(y / 2)[x / 2] = static_cast<uint8_t>(std::lround(128 + 60 * std::cos(3 * turn)));
        band_v_.row(y / 2)[x / 2] = static_cast<uint8_t>(std::lround(128 + 60 * std::sin(3 * turn)));
      }
    }
  }
}

void TestCard::Picture::sweep_ramp(const Surface& on, uint32_t number) {
  const int bar_width = std::max(2, format_.width / 160);
  const auto x =
      static_cast<int>(uint64_t{number} * static_cast<uint64_t>(step_) % static_cast<uint64_t>(format_.width));
  const int end = std::min(format_.width, x + bar_width);
  for (int y = ramp_y_; y < band_y_; ++y) {
    std::memcpy(on.y.row(y), ramp_.data(), ramp_.size());
    std::memset(on.y.row(y) + x, 235, static_cast<size_t>(end - x));
  }
}

void TestCard::Picture::flash(const Surface& on, bool is_white) const {
  const FlashBox box = flash_box(format_.width, format_.height);
  for (int y = box.y; y < box.y + box.height; ++y)
    std::memset(on.y.row(y) + box.x, is_white ? 235 : 16, static_cast<size_t>(box.width));
}

// Copies `from` into the rows of `to` from `first_row` on, moved left by `shift` texels and wrapped around.
static void copy_scrolled(Plane& from, const Surface::Rows& to, int first_row, int shift) {
  const auto right = static_cast<size_t>(from.width - shift);
  for (int y = 0; y < from.height; ++y) {
    std::memcpy(to.row(first_row + y), from.row(y) + shift, right);
    std::memcpy(to.row(first_row + y) + right, from.row(y), static_cast<size_t>(shift));
  }
}

void TestCard::Picture::scroll_band(const Surface& on, uint32_t number) {
  const uint64_t travelled = uint64_t{number} * static_cast<uint64_t>(step_) / 2;  // in chroma samples
  const auto shift = static_cast<int>(travelled % static_cast<uint64_t>(band_u_.width));
  copy_scrolled(band_luma_, on.y, band_y_, std::min(2 * shift, format_.width));
  copy_scrolled(band_u_, on.u, band_y_ / 2, shift);
  copy_scrolled(band_v_, on.v, band_y_ / 2, shift);
}

void TestCard::Picture::write_digits(const Surface& on, uint32_t number, nanoseconds pts) {
  uint64_t modulus = 1;
  for (int i = 0; i < digits_.number_digits; ++i) modulus *= 10;
  char text[32];
  std::snprintf(text, sizeof text, "%0*llu", digits_.number_digits, static_cast<unsigned long long>(number % modulus));
  const LumaPlane plane{on.y.data, on.y.stride};
  draw_text(plane, digits_.number, text);
  if (digits_.time.unit == 0) return;
  const int64_t ms = std::chrono::duration_cast<std::chrono::milliseconds>(pts).count();
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", static_cast<int>(ms / 3'600'000 % 100),
                static_cast<int>(ms / 60'000 % 60), static_cast<int>(ms / 1000 % 60), static_cast<int>(ms % 1000));
  draw_text(plane, digits_.time, text);
}

void TestCard::Picture::draw_moving(const Surface& on, uint32_t number, nanoseconds pts) {
  sweep_ramp(on, number);
  scroll_band(on, number);
  flash(on, flashes(number, pts));
  // In very low pictures the digits cover moving parts, whose colours would remain in the box.
  if (digits_.number.y < lower_y_) clear_box(on, digits_.number);
  write_digits(on, number, pts);
}

void TestCard::Picture::draw_into(const FrameLease& frame, bool is_new, uint32_t number, nanoseconds pts) {
  const FrameView view = frame.view();
  ENSURE(view.format == format_);
  const auto rows = [&](int p) {
    return Surface::Rows{reinterpret_cast<uint8_t*>(frame.plane(p)),
                         static_cast<int>(view.planes[static_cast<size_t>(p)].stride_bytes)};
  };
  const Surface on{rows(0), rows(1), rows(2)};
  if (is_new) {
    copy_plane(y_, on.y);
    copy_plane(u_, on.u);
    copy_plane(v_, on.v);
  }
  draw_moving(on, number, pts);
}

FrameView TestCard::Picture::draw(uint32_t number, nanoseconds pts) {
  draw_moving(own_, number, pts);
  FrameView view{.format = format_, .planes = {}};
  size_t i = 0;
  for (const Plane* plane : {&y_, &u_, &v_})
    view.planes[i++] = {.data = reinterpret_cast<const std::byte*>(plane->samples.data()),
                        .stride_bytes = plane->stride};
  return view;
}

TestCard::TestCard(int width, int height) {
  ENSURE(width >= kMinTestCardSize && width <= kMaxFrameSize);
  ENSURE(height >= kMinTestCardSize && height <= kMaxFrameSize);
  picture_ = std::make_unique<Picture>(width, height);
}
TestCard::~TestCard() = default;
const FrameFormat& TestCard::format() const { return picture_->format(); }
FrameView TestCard::draw(uint32_t number, nanoseconds pts) { return picture_->draw(number, pts); }
void TestCard::draw_into(const FrameLease& frame, bool is_new, uint32_t number, nanoseconds pts) {
  picture_->draw_into(frame, is_new, number, pts);
}

std::optional<uint32_t> read_frame_number(const DecodedImage& image) {
  if (image.width < kMinTestCardSize || image.height < kMinTestCardSize) return std::nullopt;
  const DigitLayout layout = digit_layout(image.width, image.height);
  return read_digits(image, layout.number, layout.number_digits);
}

namespace {

int sample_at(const DecodedImage& image, size_t index) {
  if (image.samples == SampleType::unorm8) return image.pixels[index];
  uint16_t sample = 0;
  std::memcpy(&sample, &image.pixels[2 * index], sizeof sample);
  return sample;
}

}  // namespace

// By the first channel, which all formats have.
bool shows_flash(const DecodedImage& image) {
  if (image.width < kMinTestCardSize || image.height < kMinTestCardSize || image.samples == SampleType::half)
    return false;
  const bool wide = image.samples == SampleType::unorm16;
  const FlashBox box = flash_box(image.width, image.height);
  int64_t sum = 0;
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x)
      sum += sample_at(image, static_cast<size_t>((y * image.width + x) * image.channels));
  return sum > int64_t{wide ? 128 * 257 : 128} * box.width * box.height;
}

}  // namespace texcast::media
