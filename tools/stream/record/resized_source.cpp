#include "stream/resized_source.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/misuse.h"
#include "ref/convert.h"
#include "texture_pixels.h"

namespace texcast::stream {
namespace {

class ResizedSource : public media::FrameSource {
 public:
  ResizedSource(std::unique_ptr<media::FrameSource> source, int width, int height, ResizedShape shape,
                TextureFormat texture, const MipSettings& rules)
      : source_(std::move(source)),
        pixels_(pixels_of(texture)),
        format_(filtered_format(texture, source_->format(), width, height)),
        filter_(mip_rules(rules, texture, source_->format()), pixels_.channels, pixels_.samples),
        texels_(static_cast<size_t>(plane_row_bytes(format_, 0)) * static_cast<size_t>(height)) {
    const FrameFormat from = source_->format();
    format_.aspect = from.aspect;
    if (shape == ResizedShape::shown)
      format_.aspect =
          pixel_aspect(int64_t{from.aspect.num} * from.width * height, int64_t{from.aspect.den} * from.height * width)
              .value_or(from.aspect);
  }

  std::optional<media::SourceFrame> next() override {
    auto frame = source_->next();
    if (!frame) return frame;
    const FrameView& from = frame->view;
    const ref::ChannelReader reader(from, pixels_.channels, pixels_.samples);
    const std::ptrdiff_t row_bytes = plane_row_bytes(format_, 0);
    const LevelTarget target{.width = format_.width,
                             .height = format_.height,
                             .texel_samples = pixels_.texel_samples,
                             .texels = reinterpret_cast<uint8_t*>(texels_.data()),
                             .stride_bytes = row_bytes};
    filter_.filter({.width = from.format.width,
                    .height = from.format.height,
                    .channels = pixels_.channels,
                    .samples = pixels_.samples,
                    .read = [&reader](int y, uint8_t* row) { reader.read(y, row); }},
                   {&target, 1}, workers_);
    frame->view = {.format = format_, .planes = {{{texels_.data(), row_bytes}}}};
    return frame;
  }

  FrameFormat format() const override { return format_; }
  double fps() const override { return source_->fps(); }
  bool is_live() const override { return source_->is_live(); }
  bool is_image() const override { return source_->is_image(); }
  bool drops_transparency() const override { return source_->drops_transparency(); }
  std::optional<int64_t> frame_count() const override { return source_->frame_count(); }
  int64_t damaged_frames() const override { return source_->damaged_frames(); }
  std::string first_damage() const override { return source_->first_damage(); }
  std::optional<nanoseconds> begin() const override { return source_->begin(); }
  bool seek(nanoseconds place) override { return source_->seek(place); }
  void want_frame() override { source_->want_frame(); }

 private:
  std::unique_ptr<media::FrameSource> source_;
  TexturePixels pixels_;
  FrameFormat format_;
  PictureFilter filter_;
  Workers workers_;
  std::vector<std::byte> texels_;
};

}  // namespace

int nearest_power_of_two(int side) {
  int power = 1;
  // The next power is nearer by its ratio from the geometric mean of the two on.
  while (power < kMaxFrameSize && int64_t{side} * side >= int64_t{2} * power * power) power *= 2;
  return power;
}

FrameView part_of(const FrameView& frame, int left, int top, int width, int height, TextureFormat texture,
                  std::vector<std::byte>& texels) {
  REQUIRE_USE(left >= 0 && top >= 0 && width >= 1 && height >= 1 && left <= frame.format.width - width &&
                  top <= frame.format.height - height,
              "the part is not inside the frame");
  const TexturePixels pixels = pixels_of(texture);
  // Two channels lie in texels of three, and the reader fills the third one too.
  const ref::ChannelReader reader(frame, pixels.texel_samples, pixels.samples);
  const FrameFormat format = filtered_format(texture, frame.format, width, height);
  const auto texel = static_cast<size_t>(pixels.texel_samples * sample_bytes(pixels.samples));
  const size_t row_bytes = texel * static_cast<size_t>(width);
  std::vector<uint8_t> row(texel * static_cast<size_t>(frame.format.width));
  texels.resize(row_bytes * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y) {
    reader.read(top + y, row.data());
    std::memcpy(&texels[static_cast<size_t>(y) * row_bytes], &row[static_cast<size_t>(left) * texel], row_bytes);
  }
  return {.format = format, .planes = {{{texels.data(), static_cast<std::ptrdiff_t>(row_bytes)}}}};
}

std::unique_ptr<media::FrameSource> resized_source(std::unique_ptr<media::FrameSource> source, int width, int height,
                                                   ResizedShape shape, TextureFormat texture,
                                                   const MipSettings& rules) {
  return std::make_unique<ResizedSource>(std::move(source), width, height, shape, texture, rules);
}

}  // namespace texcast::stream
