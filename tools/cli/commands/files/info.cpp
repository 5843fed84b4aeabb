// info.cpp — `texcast info`: shows the properties of a texture file.
#include <fmt/core.h>

#include <array>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "compact/tile_grid.h"
#include "files/texture_files.h"
#include "media/clip_details.h"
#include "media/color_names.h"
#include "media/files.h"
#include "media/recovery.h"
#include "text/figures.h"
#include "text/json_text.h"

namespace texcast::cli {
namespace {

using media::ClipDetails;
using media::ClipInfo;
using media::FramePacking;

const char* compressor_name(const FramePacking& p) {
  if (p.any_snappy) return p.any_plain ? "Snappy, some chunks uncompressed" : "Snappy";
  return "none";
}

// "10 levels to 1x1, 6 faces"; empty for a single image.
std::string images_text(const ClipInfo& info) {
  std::string text;
  const auto add = [&](const std::string& part) { text.append(text.empty() ? "" : ", ").append(part); };
  if (info.levels > 1) {
    const TextureDesc last = level_of(info.texture, info.levels - 1);
    add(fmt::format("{} levels to {}x{}", info.levels, last.width, last.height));
  }
  if (info.layers > 1) add(fmt::format("an array of {} layers", info.layers));
  if (info.faces > 1) add(fmt::format("a cube map of {} faces", info.faces));
  return text;
}

Json json_of(const ClipInfo& info, const ClipDetails& details) {
  const TextureDesc& t = info.texture;
  const ShownSize shown = shown_size(t.width, t.height, t.aspect, t.orientation);
  Json json = Json::object({{"file", info.path},
                            {"container", info.container},
                            {"codec", info.codec_name},
                            {"fourcc", info.fourcc},
                            {"coding", info.coding == FileCoding::compact ? "compact" : "plain"},
                            {"coding_version", info.coding == FileCoding::compact ? Json(info.coding_version) : Json()},
                            {"format", name(t.format)},
                            {"width", t.width},
                            {"height", t.height},
                            {"pixel_aspect", fmt::format("{}:{}", t.aspect.num, t.aspect.den)},
                            {"turned", static_cast<int>(t.orientation)},
                            {"shown_width", shown.width},
                            {"shown_height", shown.height},
                            {"bits_per_pixel", bits_per_pixel(t.format)},
                            {"stored_bits_per_pixel", details.stored_bits_per_pixel},
                            {"frame_bytes", texture_layout(t).total_bytes},
                            {"compressor", Json()},
                            {"chunks", Json()},
                            {"matrix", media::matrix_name(t.color.matrix)},
                            {"range", t.color.range == ColorRange::full ? "full" : "limited"},
                            {"primaries", t.color.primaries},
                            {"primaries_name", media::primaries_name(t.color.primaries)},
                            {"transfer", t.color.transfer},
                            {"transfer_name", media::transfer_name(t.color.transfer)},
                            {"fps", info.fps},
                            {"variable_rate", details.has_variable_rate},
                            {"file_bytes", info.file_bytes},
                            {"frames", Json()},
                            {"seconds", Json()},
                            {"audio", Json::array()},
                            {"damage", details.damage},
                            {"notes", details.notes}});
  if (media::is_still(info.container)) {
    json["levels"] = info.levels;
    json["layers"] = info.layers;
    json["faces"] = info.faces;
  }
  if (const auto frames = info.frame_count ? info.frame_count : details.counted_frames) json["frames"] = *frames;
  if (info.duration) json["seconds"] = in_seconds(*info.duration);
  if (details.packing) {
    json["compressor"] = compressor_name(*details.packing);
    json["chunks"] = Json::object({{"fewest", details.packing->fewest_chunks}, {"most", details.packing->most_chunks}});
  }
  for (const media::AudioTrack& track : details.audio) {
    Json audio = Json::object({{"codec", track.codec},
                               {"channels", track.channels},
                               {"sample_rate", track.sample_rate},
                               {"seconds", Json()}});
    if (track.duration) audio["seconds"] = in_seconds(*track.duration);
    json["audio"].push(audio);
  }
  return json;
}

std::string length_text(const ClipInfo& info, const ClipDetails& details) {
  const auto frames = info.frame_count ? info.frame_count : details.counted_frames;
  std::string length = frames ? plural(static_cast<uint64_t>(*frames), "frame") : "frames not counted";
  if (info.fps > 0)
    length += fmt::format(", {:.4g} fps{}", info.fps, details.has_variable_rate ? " on average, variable" : "");
  if (info.duration) length += fmt::format(", {:.2f} s", in_seconds(*info.duration));
  return length;
}

std::string stored_text(const ClipInfo& info, const ClipDetails& details) {
  const bool is_compact = info.coding == FileCoding::compact;
  std::string stored = fmt::format(
      "{}{}{:.{}f} bits per pixel{}", is_compact ? "coded stream, " : "",
      info.coding_version == compact::kTransformVersion ? "transform coding, " : "", details.stored_bits_per_pixel,
      is_compact && details.stored_bits_per_pixel < 1 ? 4 : 2, details.is_sampled ? " in the first frames" : "");
  if (!details.packing) return stored;
  const FramePacking& p = *details.packing;
  const std::string chunks = p.fewest_chunks == p.most_chunks
                                 ? plural(static_cast<uint64_t>(p.most_chunks), "chunk")
                                 : fmt::format("{} to {} chunks", p.fewest_chunks, p.most_chunks);
  return fmt::format("{}, {} per frame, compressor {}", stored, chunks, compressor_name(p));
}

std::string audio_text(const media::AudioTrack& track) {
  std::string text = fmt::format("{}, {}, {} Hz", track.codec, plural(static_cast<uint64_t>(track.channels), "channel"),
                                 track.sample_rate);
  if (track.duration) text += fmt::format(", {:.2f} s", in_seconds(*track.duration));
  return text;
}

// "1024x576, pixels 64:45, rotated by 90 degrees"; empty if the texture is shown as it is stored.
std::string shown_text(const TextureDesc& t) {
  constexpr std::array kTurned = {"",
                                  "mirrored",
                                  "rotated by 180 degrees",
                                  "flipped vertically",
                                  "mirrored and rotated by 270 degrees",
                                  "rotated by 90 degrees",
                                  "mirrored and rotated by 90 degrees",
                                  "rotated by 270 degrees"};
  if (t.aspect.is_square() && t.orientation == Orientation::upright) return "";
  const ShownSize shown = shown_size(t.width, t.height, t.aspect, t.orientation);
  std::string text = fmt::format("{}x{}", shown.width, shown.height);
  if (!t.aspect.is_square()) text += fmt::format(", pixels {}:{}", t.aspect.num, t.aspect.den);
  if (t.orientation != Orientation::upright)
    text += fmt::format(", {}", kTurned[static_cast<size_t>(t.orientation) - 1]);
  return text;
}

// "12 of 300 frames have concealed blocks, 480 blocks"
std::string concealed_text(const media::ConcealedCount& count, std::optional<int64_t> frames) {
  return fmt::format("{} of {} frames have concealed blocks, {}", count.frames,
                     frames ? std::to_string(*frames) : "the", plural(static_cast<uint64_t>(count.blocks), "block"));
}

}  // namespace

int run_info(const InfoOptions& o) {
  const EndsAtOnceIfInterrupted at_once;
  const auto clip = open_texture_file(o.file);
  const ClipInfo& info = clip->info();
  const TextureDesc& t = info.texture;
  ClipDetails details = media::clip_details(*clip);
  if (const auto advice = media::advice_for(o.file)) details.damage.push_back(*advice);
  const auto concealed = media::concealed_in(o.file).value_or(media::ConcealedCount{});
  if (o.json) {
    Json json = json_of(info, details);
    json["concealed_frames"] = concealed.frames;
    json["concealed_blocks"] = concealed.blocks;
    fmt::print("{}\n", json.text(2));
    return 0;
  }
  print_row("file", fmt::format("{}, {}, {}", info.path, info.container, file_size(info.file_bytes)));
  print_row("codec", info.fourcc.empty() ? info.codec_name : fmt::format("{} ({})", info.codec_name, info.fourcc));
  print_row("texture",
            fmt::format("{}x{} {}, {:.3g} bits per pixel, {} per frame", t.width, t.height, name(t.format),
                        bits_per_pixel(t.format), file_size(static_cast<int64_t>(texture_layout(t).total_bytes))));
  if (const std::string shown = shown_text(t); !shown.empty()) print_row("shown", shown);
  if (const std::string images = images_text(info); !images.empty()) print_row("images", images);
  print_row("stored", stored_text(info, details));
  print_row("length", length_text(info, details));
  print_row("colour", media::color_text(t.color));
  for (const media::AudioTrack& track : details.audio) print_row("audio", audio_text(track));
  if (concealed.frames > 0)
    print_row("concealed", concealed_text(concealed, info.frame_count ? info.frame_count : details.counted_frames));
  for (const std::string& line : details.damage) print_row("damage", line);
  for (const std::string& line : details.notes) print_row("note", line);
  return 0;
}

}  // namespace texcast::cli
