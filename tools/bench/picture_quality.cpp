#include "bench/picture_quality.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/ensure.h"
#include "ocl/program.h"
#include "texcast/encoder.h"

namespace texcast::bench {
namespace {

FrameFormat format_of(const DecodedImage& picture) {
  return {.pixel_format = PixelFormat::rgba,
          .width = picture.width,
          .height = picture.height,
          .color = {ColorMatrix::bt709, ColorRange::full},
          .opaque = picture.channels == 3};
}

// With the fourth byte that the fast kernels need. It has no meaning if the picture has no alpha.
FrameView as_rgba(const DecodedImage& picture, std::vector<std::byte>& bytes) {
  const auto channels = static_cast<size_t>(picture.channels);
  ENSURE(channels == 3 || channels == 4);
  bytes.resize(picture.pixels.size() / channels * 4);
  for (size_t from = 0, to = 0; from < picture.pixels.size(); from += channels, to += 4)
    for (size_t c = 0; c < channels; ++c) bytes[to + c] = static_cast<std::byte>(picture.pixels[from + c]);
  return {format_of(picture), {PlaneView{bytes.data(), 4 * static_cast<std::ptrdiff_t>(picture.width)}}};
}

// Sorts the pictures by size, so that one encoder serves all of a size.
std::vector<const DecodedImage*> by_size(std::vector<const DecodedImage*> pictures) {
  std::stable_sort(pictures.begin(), pictures.end(), [](const DecodedImage* a, const DecodedImage* b) {
    return std::pair(a->width, a->height) < std::pair(b->width, b->height);
  });
  return pictures;
}

PsnrMeter pooled_psnr(const std::vector<const DecodedImage*>& pictures, EncoderSettings settings) {
  PsnrMeter meter;
  DecodedImage source, decoded;
  std::vector<std::byte> rgba;
  std::unique_ptr<Encoder> encoder;
  settings.start = EncoderStart::when_built;
  for (const DecodedImage* picture : pictures) {
    if (!encoder || format_of(*picture) != settings.source) {
      encoder.reset();
      settings.source = format_of(*picture);
      encoder = make_encoder(settings);
    }
    const FrameView frame = as_rgba(*picture, rgba);
    convert_to_channels(frame, channel_count(settings.texture), source, plane_coding(settings.texture, 0).sample_type);
    encoder->submit(frame, {});
    decode_texture(encoder->next().texture, decoded, EndpointExpansion::replicate);
    meter.add(source, decoded);
  }
  return meter;
}

std::vector<QualityScore> wanted(const std::string& only, const MethodOptions& options) {
  std::vector<QualityScore> all;
  for (const TextureFormat texture : encoded_formats())
    for (const Method method : kMethods) {
      if (!has_method(texture, method)) continue;
      QualityScore score{.texture = texture,
                         .method = method,
                         .options = options_of(texture, method, options),
                         .bits_per_pixel = bits_per_pixel(texture)};
      score.options.allow_black = false;
      for (const Quality quality : kQualities)
        if (has_quality(texture, quality) && method_for(texture, quality) == method) score.qualities.push_back(quality);
      all.push_back(score);
      if (!has_option(texture, method, MethodOption::black)) continue;
      score.options.allow_black = true;
      all.push_back(std::move(score));
    }
  std::erase_if(all, [&](const QualityScore& s) { return title(s).find(only) == std::string::npos; });
  return all;
}

}  // namespace

std::string title(const QualityScore& score) {
  return fmt::format("{} {}", name(score.texture), with_options(score.method, score.options));
}

std::vector<QualityScore> score_pictures(const std::string& device, const std::vector<const DecodedImage*>& pictures,
                                         const std::string& only, const MethodOptions& options,
                                         const Progress& progress) {
  ENSURE(!pictures.empty());
  const auto sorted = by_size(pictures);
  std::vector<QualityScore> scores = wanted(only, options);
  for (QualityScore& score : scores) {
    if (progress) progress(fmt::format("encoding with {}", title(score)));
    try {
      const PsnrMeter meter = pooled_psnr(sorted, {.source = {},
                                                   .texture = score.texture,
                                                   .method = score.method,
                                                   .options = score.options,
                                                   .device = device,
                                                   .frames_in_flight = 1});
      score.psnr_db = meter.psnr_db();
      if (channel_count(score.texture) == 4) score.alpha_psnr_db = meter.alpha_psnr_db();
    } catch (const Error& error) {
      score.failure = ocl::first_line(error.what());
    }
  }
  return scores;
}

std::string quality_table(const std::vector<QualityScore>& scores) {
  std::string text =
      fmt::format("{:<34} {:<12} {:>10} {:>10}\n", "format and method", "quality", "bits/pixel", "PSNR dB");
  for (const QualityScore& s : scores) {
    std::string qualities;
    for (const Quality quality : s.qualities) qualities.append(qualities.empty() ? "" : ", ").append(name(quality));
    text += fmt::format("{:<34} {:<12} {:>10} ", title(s), qualities, s.bits_per_pixel);
    text += s.failure.empty() ? fmt::format("{:>10.2f}", s.psnr_db) : fmt::format("cannot run: {}", s.failure);
    if (s.alpha_psnr_db) text += fmt::format(", alpha {:.2f}", *s.alpha_psnr_db);
    text += "\n";
  }
  return text;
}

Json to_json(const QualityScore& s) {
  Json json =
      Json::object({{"format", name(s.texture)}, {"method", name(s.method)}, {"allow_black", s.options.allow_black}});
  if (has_option(s.texture, s.method, MethodOption::passes)) json["passes"] = s.options.passes_or_usual();
  if (has_option(s.texture, s.method, MethodOption::radius)) json["radius"] = s.options.radius_or_usual();
  Json qualities = Json::array();
  for (const Quality quality : s.qualities) qualities.push(name(quality));
  json["qualities"] = qualities;
  json["bits_per_pixel"] = s.bits_per_pixel;
  if (s.failure.empty())
    json["psnr_db"] = s.psnr_db;  // infinity becomes null, as JSON has none: the pictures are identical
  if (s.failure.empty() && s.alpha_psnr_db) json["alpha_psnr_db"] = *s.alpha_psnr_db;
  if (!s.failure.empty()) json["failure"] = s.failure;
  return json;
}

}  // namespace texcast::bench
