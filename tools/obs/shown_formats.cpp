// SPDX-License-Identifier: GPL-2.0-or-later
#include "shown_formats.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <string>

#include "texcast/transcoder.h"

namespace texcast::obs {
namespace {

bool takes(const Coding& coding) {
  return coding.gl.internal_format != 0 &&
         (coding.gl.extension.empty() || epoxy_has_gl_extension(std::string(coding.gl.extension).c_str()));
}

// Pixels in pairs and Y'CbCr come from other programs only; they are decoded on the CPU.
bool draws(TextureFormat format) {
  return format_row(format).model != ColorModel::ycbcr && !plane_coding(format, 0).is_pair();
}

bool takes(TextureFormat format) {
  for (int plane = 0; plane < plane_count(format); ++plane)
    if (!takes(plane_coding(format, static_cast<size_t>(plane)))) return false;
  return true;
}

}  // namespace

FormatSet formats_of_gpu() {
  FormatSet formats;
  for (const TextureFormat format : texcast::shown_formats())
    if (draws(format) && takes(format)) formats.insert(format);
  return formats;
}

std::optional<TextureFormat> transcoding_target(TextureFormat from, const FormatSet& shown) {
  // The best picture first.
  constexpr std::array kTargets = {TextureFormat::bc7,        TextureFormat::bc5, TextureFormat::bc4,
                                   TextureFormat::ycocg_dxt5, TextureFormat::bc3, TextureFormat::bc1};
  const auto* const found =
      std::ranges::find_if(kTargets, [&](TextureFormat to) { return shown.contains(to) && can_transcode(from, to); });
  if (found == kTargets.end()) return std::nullopt;
  return *found;
}

}  // namespace texcast::obs
