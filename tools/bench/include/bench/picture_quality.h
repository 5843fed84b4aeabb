// picture_quality.h — what every format and method leaves of some pictures.
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
  std::vector<Quality> qualities{};       // whose method it is
  std::string failure{};                  // why the device could not run it, one line
  double psnr_db = 0;                     // infinity: nothing was lost
  std::optional<double> alpha_psnr_db{};  // of formats with alpha
  double bits_per_pixel = 0;
};

// "bc1 cluster", "bc1 cluster-search --black"
std::string title(const QualityScore& score);

// PSNR over R, G and B (gray for textures of one channel): squared errors pooled over all pixels of all pictures, one
// logarithm. Encoded on `device` (as choose_device takes it) from full-range RGB, decoded by the scalar reference with
// end points expanded as GPUs do. Formats and methods, as title says, that have `only` in them. At least one picture
// (else misuse).
std::vector<QualityScore> score_pictures(const std::string& device, const std::vector<const DecodedImage*>& pictures,
                                         const std::string& only = "", const MethodOptions& options = {},
                                         const Progress& progress = {});

std::string quality_table(const std::vector<QualityScore>& scores);
Json to_json(const QualityScore& score);

}  // namespace texcast::bench
