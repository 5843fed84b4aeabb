// info.cpp — `texcast info`.
#include <fmt/core.h>

#include "cli/clip_input.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "stream/json_text.h"

namespace texcast::cli {
namespace {

const char* matrix_name(ColorMatrix matrix) {
  switch (matrix) {
    case ColorMatrix::bt601: return "BT.601";
    case ColorMatrix::bt709: return "BT.709";
    case ColorMatrix::bt2020: return "BT.2020";
  }
  return "?";
}

}  // namespace

int run_info(const InfoOptions& o) {
  const auto clip = open_texture_file(o.file);
  const media::ClipInfo& info = clip->info();
  const TextureDesc& t = info.texture;
  const size_t frame_bytes = texture_layout(t).total_bytes;
  if (o.json) {
    Json json = Json::object({{"file", info.path},
                              {"container", info.container},
                              {"codec", info.codec_name},
                              {"fourcc", info.fourcc},
                              {"format", name(t.format)},
                              {"width", t.width},
                              {"height", t.height},
                              {"bits_per_pixel", bits_per_pixel(t.format)},
                              {"frame_bytes", frame_bytes},
                              {"matrix", matrix_name(t.color.matrix)},
                              {"primaries", t.color.primaries},
                              {"transfer", t.color.transfer},
                              {"fps", info.fps},
                              {"file_bytes", info.file_bytes},
                              {"frames", Json()},
                              {"seconds", Json()}});
    if (info.frame_count) json["frames"] = *info.frame_count;
    if (info.duration) json["seconds"] = std::chrono::duration<double>(*info.duration).count();
    fmt::print("{}\n", json.text(2));
    return 0;
  }
  print_row("file", fmt::format("{}, {}, {}", info.path, info.container, file_size(info.file_bytes)));
  print_row("codec", info.fourcc.empty() ? info.codec_name : fmt::format("{} ({})", info.codec_name, info.fourcc));
  print_row("texture", fmt::format("{}x{} {}, {:.0f} bits a pixel, {} a frame", t.width, t.height, name(t.format),
                                   bits_per_pixel(t.format), file_size(static_cast<int64_t>(frame_bytes))));
  std::string length =
      info.frame_count ? plural(static_cast<uint64_t>(*info.frame_count), "frame") : "frames not counted";
  if (info.fps > 0) length += fmt::format(", {:.4g} a second", info.fps);
  if (info.duration) length += fmt::format(", {:.2f} s", std::chrono::duration<double>(*info.duration).count());
  print_row("length", length);
  print_row("colour", fmt::format("{} matrix, primaries {}, transfer {} (H.273)", matrix_name(t.color.matrix),
                                  t.color.primaries, t.color.transfer));
  return 0;
}

}  // namespace texcast::cli
