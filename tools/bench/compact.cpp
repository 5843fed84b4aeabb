#include "bench/compact.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "texcast/error.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

using Textures = std::vector<std::vector<std::byte>>;

// What the device makes of the frames.
Textures encoded(const ocl::Device& device, const CompactSettings& settings,
                 const std::vector<std::vector<std::byte>>& frames) {
  const auto encoder = make_encoder({.source = settings.source,
                                     .texture = settings.texture,
                                     .quality = settings.quality,
                                     .device = std::to_string(device.info().index),
                                     .start = EncoderStart::when_built});
  Textures textures;
  for (const auto& frame : frames) {
    const FrameLease lent = encoder->frame_pool()->lend();
    if (!lent) throw Error(ErrorKind::failed, "no memory for the frames to measure with");
    const FramePlacement placed = place_frame(settings.source);
    const std::byte* from = frame.data();
    for (int plane = 0; plane < plane_count(settings.source.pixel_format); ++plane) {
      const auto bytes = static_cast<size_t>(plane_row_bytes(settings.source, plane));
      for (int row = 0; row < plane_rows(settings.source, plane); ++row, from += bytes)
        std::memcpy(lent.plane(plane) + static_cast<size_t>(row) * static_cast<size_t>(placed.stride[plane]), from,
                    bytes);
    }
    encoder->submit(lent.view(), {});
    const EncodedFrame out = encoder->next();
    textures.emplace_back(out.texture.blocks.begin(), out.texture.blocks.end());
  }
  return textures;
}

// Forth and back.
const std::vector<std::byte>& texture_at(const Textures& textures, size_t turn) {
  const size_t period = 2 * (textures.size() - 1), at = turn % period;
  return textures[at < textures.size() ? at : period - at];
}

uint64_t hash_of(std::span<const compact::CodedUnit> units) {
  uint64_t hash = 0;
  for (const compact::CodedUnit& unit : units) {
    hash = (hash ^ unit.unit.tile) * 0x9E3779B97F4A7C15u + unit.unit.strip;
    for (const std::byte byte : unit.bytes) hash = (hash ^ std::to_integer<uint64_t>(byte)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

std::vector<CompactTiming> time_compact(const ocl::Device& device, const CompactSettings& settings,
                                        const std::vector<std::vector<std::byte>>& frames) {
  if (frames.size() < 2) throw Error(ErrorKind::input, "compact streams are measured on two frames at least");
  const Textures textures = encoded(device, settings, frames);
  const TextureDesc desc{.format = settings.texture, .width = settings.source.width, .height = settings.source.height};
  const size_t turns = static_cast<size_t>(settings.rounds) * 2 * (textures.size() - 1);
  Workers workers;
  std::vector<CompactTiming> timings;
  std::vector<uint64_t> hashes;
  for (const bool by_device : {false, true}) {
    CompactTiming timing{.what = by_device ? "device" : fmt::format("{} threads", workers.threads() + 1)};
    compact::FrameEncoder encoder(desc, {.most_unit_bytes = compact::unit_room(1400)}, workers);
    compact_cl::DeviceDecider* decider = nullptr;
    if (by_device) {
      auto made = compact_cl::make_device_decider(device.info(), encoder.grid(), compact::unit_room(1400));
      decider = made.get();
      encoder.decide_by(std::move(made));
    }
    std::vector<double> all, begin, units, end;
    size_t bytes = 0;
    for (size_t turn = 0; turn <= turns; ++turn) {
      const SteadyTime start = steady_now();
      encoder.begin({.texture = texture_at(textures, turn)});
      const SteadyTime begun = steady_now();
      while (encoder.more()) encoder.next();
      const SteadyTime coded = steady_now();
      const auto list = encoder.end();
      const SteadyTime over = steady_now();
      if (by_device)
        timing.same = timing.same && hash_of(list) == hashes[turn];
      else
        hashes.push_back(hash_of(list));
      if (turn == 0) continue;  // the first one is coded alone, and kernels are new
      all.push_back(in_milliseconds(over - start));
      begin.push_back(in_milliseconds(begun - start));
      units.push_back(in_milliseconds(coded - begun));
      end.push_back(in_milliseconds(over - coded));
      for (const compact::CodedUnit& unit : list) bytes += unit.bytes.size();
      if (decider != nullptr) {
        const compact_cl::DeciderTimes t = decider->times();
        const auto add = [&](nanoseconds compact_cl::DeciderTimes::*stage) {
          timing.device.*stage += t.*stage / static_cast<int64_t>(turns);
        };
        add(&compact_cl::DeciderTimes::upload);
        add(&compact_cl::DeciderTimes::motion);
        add(&compact_cl::DeciderTimes::symbols);
        add(&compact_cl::DeciderTimes::coding);
        add(&compact_cl::DeciderTimes::download);
        add(&compact_cl::DeciderTimes::remembering);
      }
    }
    timing.frame_ms = tuner::median(all);
    timing.begin_ms = tuner::median(begin);
    timing.units_ms = tuner::median(units);
    timing.end_ms = tuner::median(end);
    timing.bits_per_pixel =
        static_cast<double>(bytes) * 8 / (static_cast<double>(desc.width) * desc.height) / static_cast<double>(turns);
    timings.push_back(timing);
  }
  return timings;
}

std::string compact_table(const std::vector<CompactTiming>& timings) {
  std::string text =
      "by          frame ms  begin ms  units ms  end ms  bits/pixel   device: up us  motion us  symbols us  coding us  "
      "down us  "
      "remember us  units\n";
  const auto us = [](nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); };
  for (const CompactTiming& t : timings)
    text += fmt::format(
        "{:<10}  {:8.3f}  {:8.3f}  {:8.3f}  {:6.3f}  {:10.4f}  {:14.1f}  {:9.1f}  {:10.1f}  {:9.1f}  {:7.1f}  {:11.1f} "
        " {}\n",
        t.what, t.frame_ms, t.begin_ms, t.units_ms, t.end_ms, t.bits_per_pixel, us(t.device.upload),
        us(t.device.motion), us(t.device.symbols), us(t.device.coding), us(t.device.download), us(t.device.remembering),
        t.same ? "the same" : "DIFFERENT");
  return text;
}

}  // namespace texcast::bench
