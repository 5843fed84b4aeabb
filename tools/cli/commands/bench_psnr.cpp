// bench_psnr.cpp — `texcast bench psnr PICTURES…`: what every format and method leaves of them.
#include <fmt/core.h>

#include "base/error.h"
#include "bench.h"
#include "bench/tables.h"
#include "media/frame_source.h"
#include "text/figures.h"
#include "text/status_line.h"

namespace texcast::cli {
namespace {

Json to_json(const bench::QualityScore& s) {
  Json json = Json::object({{"format", name(s.texture)}, {"method", name(s.method)}, {"allow_black", s.allow_black}});
  if (has_passes(s.method)) json["passes"] = s.lspiro.passes;
  if (has_radius(s.method)) json["radius"] = s.lspiro.radius;
  Json qualities = Json::array();
  for (const Quality quality : s.qualities) qualities.push(name(quality));
  json["qualities"] = qualities;
  json["bits_per_pixel"] = s.bits_per_pixel;
  if (s.failure.empty()) json["psnr_db"] = s.psnr_db;  // JSON has no infinity: identical pictures are null
  if (s.failure.empty() && s.alpha_psnr_db) json["alpha_psnr_db"] = *s.alpha_psnr_db;
  if (!s.failure.empty()) json["failure"] = s.failure;
  return json;
}

}  // namespace

std::vector<Picture> read_pictures(const std::vector<std::string>& files) {
  std::vector<Picture> pictures;
  for (const std::string& file : files) {
    const auto source = media::open_source({.input = file, .alpha = true});
    const auto frame = source->next();
    if (!frame) throw Error(ErrorKind::input, fmt::format("{} has no picture", file));
    convert_to_channels(frame->view, has_alpha(frame->view.format) ? 4 : 3,
                        pictures.emplace_back(Picture{file, {}}).image);
  }
  return pictures;
}

Json bench_psnr(const BenchContext& context) {
  const BenchOptions& o = context.options;
  std::vector<const DecodedImage*> images;
  std::vector<std::string> files;
  double megapixels = 0;
  for (const Picture& picture : context.pictures) {
    images.push_back(&picture.image);
    files.push_back(picture.file);
    megapixels += 1e-6 * picture.image.width * picture.image.height;
  }
  StatusLine status;
  const auto scores = bench::score_pictures(std::to_string(context.device.info().index), images, o.only, o.lspiro,
                                            [&](const std::string& text) { status.show(text); });
  status.clear();

  if (scores.empty()) nothing_fits(context, "format and method");
  Json list = Json::array();
  for (const bench::QualityScore& s : scores) list.push(to_json(s));
  if (!o.json)
    fmt::print("{}, {:.1f} megapixels, squared errors over R, G and B pooled over all pixels\n{}",
               plural(files.size(), "picture"), megapixels, bench::quality_table(scores));
  return Json::object({{"pictures", files}, {"megapixels", megapixels}, {"scores", list}});
}

}  // namespace texcast::cli
