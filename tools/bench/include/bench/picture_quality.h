// picture_quality.h — PSNR of pictures in all formats and by all methods.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/kernels.h"
#include "texcast/decoder.h"
#include "texcast/quality.h"
#include "text/json_text.h"

namespace texcast::bench {

struct QualityScore {
  TextureFormat texture = TextureFormat::bc1;
  Method method = Method::range;
  MethodOptions options{};                // EncoderSettings::options
  std::vector<Quality> qualities{};       // that use this method
  std::string failure{};                  // one line: why the device could not run it
  double psnr_db = 0;                     // infinity: lossless
  std::optional<double> alpha_psnr_db{};  // if the format has alpha
  double bits_per_pixel = 0;
};

// "bc1 cluster", "bc1 cluster-search --black"
std::string title(const QualityScore& score);

// PSNR over R, G and B (gray for textures of one channel): squared errors are averaged over all pixels of all pictures
// before the logarithm. Encodes full-range RGB on `device` (a selector of choose_device()), and decodes with the scalar
// reference, which expands end points as GPUs do. Measures the formats and methods whose title() contains `only`. There
// is at least one picture (else misuse).
std::vector<QualityScore> score_pictures(const std::string& device, const std::vector<const DecodedImage*>& pictures,
                                         const std::string& only = "", const MethodOptions& options = {},
                                         const Progress& progress = {});

std::string quality_table(const std::vector<QualityScore>& scores);
Json to_json(const QualityScore& score);

}  // namespace texcast::bench
