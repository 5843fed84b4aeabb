#include "measure/picture_quality.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/ensure.h"
#include "ocl/program.h"
#include "texcast/encoder.h"

namespace texcast::measure {
namespace {

FrameFormat format_of(const RgbImage& picture) {
  return {PixelFormat::rgba, picture.width, picture.height, {ColorMatrix::bt709, ColorRange::full}};
}

// With the fourth byte that the fast kernels want; they do not read it.
FrameView as_rgba(const RgbImage& picture, std::vector<std::byte>& bytes) {
  bytes.resize(picture.pixels.size() / 3 * 4);
  for (size_t from = 0, to = 0; from < picture.pixels.size(); from += 3, to += 4)
    for (size_t c = 0; c < 3; ++c) bytes[to + c] = static_cast<std::byte>(picture.pixels[from + c]);
  return {format_of(picture), {PlaneView{bytes.data(), 4 * static_cast<std::ptrdiff_t>(picture.width)}}};
}

// The same size after the same size, so that one encoder does for all of a size.
std::vector<const RgbImage*> by_size(std::vector<const RgbImage*> pictures) {
  std::stable_sort(pictures.begin(), pictures.end(), [](const RgbImage* a, const RgbImage* b) {
    return std::pair(a->width, a->height) < std::pair(b->width, b->height);
  });
  return pictures;
}

double pooled_psnr(const std::vector<const RgbImage*>& pictures, EncoderSettings settings) {
  PsnrMeter meter;
  RgbImage decoded;
  std::vector<std::byte> rgba;
  std::unique_ptr<Encoder> encoder;
  for (const RgbImage* picture : pictures) {
    if (!encoder || format_of(*picture) != settings.source) {
      encoder.reset();
      settings.source = format_of(*picture);
      encoder = make_encoder(settings);
    }
    encoder->submit(as_rgba(*picture, rgba), {});
    decode_texture(encoder->next().texture, decoded, EndpointExpansion::replicate);
    meter.add(*picture, decoded);
  }
  return meter.psnr_db();
}

std::vector<QualityScore> wanted(const std::string& only, const LspiroSettings& lspiro) {
  std::vector<QualityScore> all;
  for (const TextureFormat texture : kTextureFormats)
    for (const Method method : kMethods) {
      if (!has_method(texture, method)) continue;
      QualityScore score{
          .texture = texture, .method = method, .lspiro = lspiro, .bits_per_pixel = bits_per_pixel(texture)};
      for (const Quality quality : kQualities)
        if (has_quality(texture, quality) && method_for(texture, quality) == method) score.qualities.push_back(quality);
      all.push_back(score);
      if (!can_use_black(texture, method)) continue;
      score.allow_black = true;
      all.push_back(std::move(score));
    }
  std::erase_if(all, [&](const QualityScore& s) { return title(s).find(only) == std::string::npos; });
  return all;
}

}  // namespace

std::string title(const QualityScore& score) {
  return fmt::format("{} {}{}", name(score.texture), with_options(score.method, score.lspiro),
                     score.allow_black ? " --black" : "");
}

std::vector<QualityScore> score_pictures(const std::string& device, const std::vector<const RgbImage*>& pictures,
                                         const std::string& only, const LspiroSettings& lspiro,
                                         const Progress& progress) {
  ENSURE(!pictures.empty());
  const auto sorted = by_size(pictures);
  std::vector<QualityScore> scores = wanted(only, lspiro);
  for (QualityScore& score : scores) {
    if (progress) progress(fmt::format("encoding with {}", title(score)));
    try {
      score.psnr_db = pooled_psnr(sorted, {.source = {},
                                           .texture = score.texture,
                                           .method = score.method,
                                           .allow_black = score.allow_black,
                                           .lspiro = score.lspiro,
                                           .device = device,
                                           .frames_in_flight = 1});
    } catch (const Error& error) {
      score.failure = ocl::first_line(error.what());
    }
  }
  return scores;
}

}  // namespace texcast::measure
