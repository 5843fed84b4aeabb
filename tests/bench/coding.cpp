#include "coding.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "texcast/error.h"
#include "timeline.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

using Textures = std::vector<std::vector<std::byte>>;

// The frames as textures, encoded by the device.
Textures encoded(const ocl::Device& device, const CodingSettings& settings,
                 const std::vector<std::vector<std::byte>>& frames) {
  const auto encoder = make_encoder({.source = settings.source,
                                     .texture = settings.texture,
                                     .quality = settings.quality,
                                     .device = std::to_string(device.info().index),
                                     .start = EncoderStart::when_built});
  Textures textures;
  for (const auto& frame : frames) {
    const FrameLease lent = encoder->frame_pool()->lend();
    if (!lent) throw Error(ErrorKind::failed, "there is no memory for the benchmark's frames");
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

FrameView view_of(const FrameFormat& format, const std::vector<std::byte>& frame) {
  FrameView view{.format = format};
  const std::byte* from = frame.data();
  for (int plane = 0; plane < plane_count(format.pixel_format); ++plane) {
    view.planes[plane].data = from;
    view.planes[plane].stride_bytes = plane_row_bytes(format, plane);
    from += static_cast<size_t>(plane_row_bytes(format, plane)) * static_cast<size_t>(plane_rows(format, plane));
  }
  return view;
}

// Counts 0, 1, … frames - 1, frames - 2, … 1, 0, 1, …
size_t frame_of_turn(size_t turn, size_t frames) {
  const size_t period = std::max<size_t>(2 * (frames - 1), 1), at = turn % period;
  return at < frames ? at : period - at;
}

uint64_t hash_of(std::span<const compact::CodedSlice> slices) {
  uint64_t hash = 0;
  for (const compact::CodedSlice& slice : slices) {
    hash = (hash ^ slice.slice.tile) * 0x9E3779B97F4A7C15u + slice.slice.sub_slice;
    for (const std::byte byte : slice.bytes) hash = (hash ^ std::to_integer<uint64_t>(byte)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

std::vector<CodingTiming> time_coding(const ocl::Device& device, const CodingSettings& settings,
                                      const std::vector<std::vector<std::byte>>& frames) {
  if (frames.size() < 2) throw Error(ErrorKind::input, "the benchmark of the coded stream needs at least two frames");
  const Textures textures = encoded(device, settings, frames);
  const TextureDesc desc{.format = settings.texture, .width = settings.source.width, .height = settings.source.height};
  std::vector<FrameView> pictures;
  for (const auto& frame : frames) pictures.push_back(view_of(settings.source, frame));
  compact::FrameEncoderSettings coding{.most_slice_bytes = compact::slice_room(1400)};
  std::optional<compact::RdParameters> target;
  if (settings.crf) {
    coding.lossy = true;
    coding.transform = settings.transform;
    coding.effort = compact::search_effort(settings.quality);
    target = compact::rd_parameters(*settings.crf);
  }
  const size_t turns = static_cast<size_t>(settings.rounds) * 2 * (textures.size() - 1);
  Workers workers(settings.threads - 1);
  std::vector<CodingTiming> timings;
  std::vector<uint64_t> hashes;
  for (const bool by_device : {false, true}) {
    CodingTiming timing{.backend = by_device ? "device" : fmt::format("{} threads", workers.threads() + 1)};
    Timeline timeline;
    compact::FrameEncoder encoder(desc, coding, workers);
    compact::OpenClLosslessBackend* lossless = nullptr;
    compact::OpenClLossyBackend* lossy = nullptr;
    if (by_device && settings.crf) {
      auto made = compact::make_opencl_lossy_backend(device.info(), encoder.grid(), nullptr, settings.transform,
                                                     settings.timeline);
      lossy = made.get();
      if (settings.timeline)
        encoder.use_backend(timed_backend(std::move(made), timeline));
      else
        encoder.use_backend(std::move(made));
    } else if (by_device) {
      auto made = compact::make_opencl_lossless_backend(device.info(), encoder.grid(), compact::slice_room(1400),
                                                        settings.timeline);
      lossless = made.get();
      encoder.use_backend(std::move(made));
    }
    std::vector<double> all, begin, slices, end;
    size_t bytes = 0;
    for (size_t turn = 0; turn <= turns; ++turn) {
      const SteadyTime start = steady_now();
      timeline.begin_frame(start);
      encoder.begin({.texture = textures[frame_of_turn(turn, textures.size())],
                     .target = target,
                     .picture = settings.crf ? &pictures[frame_of_turn(turn, textures.size())] : nullptr});
      const SteadyTime begun = steady_now();
      while (encoder.more()) encoder.next();
      const SteadyTime coded = steady_now();
      timeline.add_host("pack and join slices", timeline.latest(), coded);
      const auto list = encoder.end();
      const SteadyTime over = steady_now();
      if (by_device)
        timing.same = timing.same && hash_of(list) == hashes[turn];
      else
        hashes.push_back(hash_of(list));
      timeline.add_host("update reference frame", coded, over);
      if (turn == 0) {  // the first frame is intra, and kernels may still be compiled
        timeline = {};
        continue;
      }
      all.push_back(in_milliseconds(over - start));
      begin.push_back(in_milliseconds(begun - start));
      slices.push_back(in_milliseconds(coded - begun));
      end.push_back(in_milliseconds(over - coded));
      for (const compact::CodedSlice& slice : list) bytes += slice.bytes.size();
      if (lossy != nullptr) {
        const compact::LossyBackendTimes t = lossy->times();
        if (settings.timeline) timeline.add_device(lossy->timeline());
        timing.lossy.begin += t.begin / static_cast<int64_t>(turns);
        timing.lossy.search += t.search / static_cast<int64_t>(turns);
        timing.lossy.choosing += t.choosing / static_cast<int64_t>(turns);
        timing.lossy.telling += t.telling / static_cast<int64_t>(turns);
        timing.lossy.planes += t.planes / static_cast<int64_t>(turns);
        timing.lossy.transform += t.transform / static_cast<int64_t>(turns);
        timing.lossy.transform_coding += t.transform_coding / static_cast<int64_t>(turns);
        timing.lossy.download += t.download / static_cast<int64_t>(turns);
      }
      if (lossless != nullptr) {
        const compact::LosslessBackendTimes t = lossless->times();
        const auto add = [&](nanoseconds compact::LosslessBackendTimes::*stage) {
          timing.lossless.*stage += t.*stage / static_cast<int64_t>(turns);
        };
        using Times = compact::LosslessBackendTimes;
        for (const auto stage :
             {&Times::upload, &Times::candidate_search, &Times::motion_search, &Times::analysis, &Times::decision,
              &Times::symbols, &Times::coding, &Times::download, &Times::remembering, &Times::comparison,
              &Times::candidates, &Times::submission, &Times::waiting, &Times::end})
          add(stage);
      }
    }
    if (lossy != nullptr && settings.timeline) timing.timeline = timeline.table();
    timing.frame_ms = tuner::median(all);
    timing.begin_ms = tuner::median(begin);
    timing.slices_ms = tuner::median(slices);
    timing.end_ms = tuner::median(end);
    timing.bits_per_pixel =
        static_cast<double>(bytes) * 8 / (static_cast<double>(desc.width) * desc.height) / static_cast<double>(turns);
    timings.push_back(timing);
  }
  return timings;
}

namespace {

std::string lossless_columns(const compact::LosslessBackendTimes& t) {
  const auto us = [](nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); };
  return fmt::format("{:14.1f}  {:13.1f}  {:9.1f}  {:11.1f}  {:9.1f}  {:10.1f}  {:9.1f}  {:7.1f}  {:12.1f}",
                     us(t.upload), us(t.candidate_search), us(t.motion_search), us(t.analysis), us(t.decision),
                     us(t.symbols), us(t.coding), us(t.download), us(t.remembering)) +
         fmt::format("  {:17.1f}  {:13.1f}  {:9.1f}  {:7.1f}  {:6.1f}", us(t.comparison), us(t.candidates),
                     us(t.submission), us(t.waiting), us(t.end));
}

}  // namespace

std::string coding_table(const std::vector<CodingTiming>& timings, bool is_lossy) {
  const auto us = [](nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); };
  std::string text = "by          frame ms  begin ms  slices ms  end ms  bits/pixel   device: ";
  text += is_lossy
              ? "begin us  search us  decide us  symbols us  planes us  transform us  its symbols us  down us  slices\n"
              : "up us  candidates us  search us  analysis us  decide us  symbols us  coding us  down us  reference us"
                "   host: compare us  candidates us  submit us  wait us  end us  slices\n";
  for (const CodingTiming& t : timings) {
    text += fmt::format("{:<10}  {:8.3f}  {:8.3f}  {:9.3f}  {:6.3f}  {:10.4f}  ", t.backend, t.frame_ms, t.begin_ms,
                        t.slices_ms, t.end_ms, t.bits_per_pixel);
    if (is_lossy)
      text +=
          fmt::format("{:17.1f}  {:9.1f}  {:9.1f}  {:10.1f}  {:9.1f}  {:12.1f}  {:14.1f}  {:7.1f}", us(t.lossy.begin),
                      us(t.lossy.search), us(t.lossy.choosing), us(t.lossy.telling), us(t.lossy.planes),
                      us(t.lossy.transform), us(t.lossy.transform_coding), us(t.lossy.download));
    else
      text += lossless_columns(t.lossless);
    text += fmt::format("  {}\n", t.same ? "the same" : "DIFFERENT");
  }
  for (const CodingTiming& t : timings) text += t.timeline;
  return text;
}

namespace {

using Payloads = std::vector<std::vector<std::byte>>;

// Encodes `turns` frames as a lossy stream. Adds the means of a frame to `report`.
std::vector<Payloads> coded(const ocl::Device& device, const CodingSettings& settings, size_t turns,
                            const std::vector<std::vector<std::byte>>& frames, DecodingReport& report) {
  const Textures textures = encoded(device, settings, frames);
  const TextureDesc desc{.format = settings.texture, .width = settings.source.width, .height = settings.source.height};
  Workers workers(settings.threads - 1);
  compact::FrameEncoder encoder(desc,
                                {.most_slice_bytes = compact::slice_room(1400),
                                 .lossy = true,
                                 .effort = compact::search_effort(settings.quality),
                                 .transform = settings.transform},
                                workers);
  encoder.use_backend(compact::make_opencl_lossy_backend(device.info(), encoder.grid(), nullptr, settings.transform));
  compact::PayloadWriter writer(encoder.grid(), 1400);
  std::vector<Payloads> stream;
  for (size_t turn = 0; turn < turns; ++turn) {
    const size_t at = frame_of_turn(turn, textures.size());
    const FrameView picture = view_of(settings.source, frames[at]);
    const auto slices =
        encoder.encode({.texture = textures[at], .target = compact::rd_parameters(*settings.crf), .picture = &picture});
    if (turn > 0) report.slices += static_cast<double>(slices.size()) / static_cast<double>(turns - 1);
    Payloads& payloads = stream.emplace_back();
    for (const Bytes payload : writer.write(slices)) {
      payloads.emplace_back(payload.begin(), payload.end());
      if (turn > 0) report.kilobytes += static_cast<double>(payload.size()) / 1000 / static_cast<double>(turns - 1);
    }
  }
  return stream;
}

double processor_milliseconds() { return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC; }

nanoseconds median_of(std::vector<double> milliseconds) {
  return nanoseconds(static_cast<int64_t>(tuner::median(std::move(milliseconds)) * 1e6));
}

}  // namespace

DecodingReport time_decoding(const ocl::Device& device, const CodingSettings& settings,
                             const std::vector<std::vector<std::byte>>& frames) {
  if (frames.empty() || !settings.crf)
    throw Error(ErrorKind::input, "the benchmark of the decoder needs at least one frame, and a CRF");
  DecodingReport report;
  const size_t turns = static_cast<size_t>(settings.rounds) * 2 * frames.size() + 1;
  const std::vector<Payloads> stream = coded(device, settings, turns, frames, report);
  const TextureDesc desc{.format = settings.texture, .width = settings.source.width, .height = settings.source.height};
  Workers workers(settings.threads - 1);
  std::vector<uint64_t> hashes;
  for (const bool by_device : {false, true}) {
    DecodingTiming timing{.backend = by_device ? "device" : fmt::format("{} threads", workers.threads() + 1)};
    compact::FrameDecoder decoder(desc, workers);
    compact::OpenClReconstructionBackend* reconstruction = nullptr;
    if (by_device) {
      auto made = compact::make_opencl_reconstruction_backend(device.info(), decoder.grid(), settings.timeline);
      reconstruction = made.get();
      decoder.use_backend(std::move(made));
    }
    // The decoder writes to them in turns, as a player's does.
    std::array<std::vector<std::byte>, 3> textures;
    for (auto& texture : textures) texture.resize(decoder.grid().texture_bytes());
    std::array<uint64_t, 3> numbers{};
    std::vector<double> all, busy;
    std::array<std::vector<double>, 5> stages;
    for (size_t turn = 0; turn < stream.size(); ++turn) {
      const size_t at = turn % 3, reference = (turn + 2) % 3;
      const std::vector<Bytes> payloads(stream[turn].begin(), stream[turn].end());
      const SteadyTime start = steady_now();
      const double busy_before = processor_milliseconds();
      const compact::DecodedCounts counts =
          decoder.decode(payloads, turn > 0 ? textures[reference].data() : nullptr, textures[at], 0, numbers[at]);
      const double busy_after = processor_milliseconds();
      const SteadyTime over = steady_now();
      numbers[at] = decoder.changes().number;
      uint64_t hash = 0;
      for (size_t i = 0; i + 8 <= textures[at].size(); i += 8) {
        uint64_t sub_block;
        std::memcpy(&sub_block, &textures[at][i], sizeof sub_block);
        hash = (hash ^ sub_block) * 0x9E3779B97F4A7C15u + i;
      }
      if (by_device)
        timing.same = timing.same && hash == hashes[turn];
      else
        hashes.push_back(hash);
      if (turn == 0) continue;  // the first frame is intra, and kernels may still be compiled
      if (!by_device) report.transform += counts.transform / static_cast<double>(stream.size() - 1);
      all.push_back(in_milliseconds(over - start));
      busy.push_back(busy_after - busy_before);
      if (reconstruction == nullptr) continue;
      const compact::ReconstructionBackendTimes t = reconstruction->times();
      const std::array times{t.upload, t.symbols, t.halves, t.checks, t.download};
      for (size_t i = 0; i < times.size(); ++i) stages[i].push_back(in_milliseconds(times[i]));
    }
    timing.frame_ms = tuner::median(all);
    timing.processor_ms = tuner::median(busy);
    if (reconstruction != nullptr)
      timing.device = {.upload = median_of(stages[0]),
                       .symbols = median_of(stages[1]),
                       .halves = median_of(stages[2]),
                       .checks = median_of(stages[3]),
                       .download = median_of(stages[4])};
    report.timings.push_back(timing);
  }
  return report;
}

std::string decoding_table(const DecodingReport& report) {
  const auto us = [](nanoseconds time) { return std::chrono::duration<double, std::micro>(time).count(); };
  std::string text = fmt::format("{:.0f} slices and {:.1f} kB a frame, {:.0f} tiles in transform slices\n",
                                 report.slices, report.kilobytes, report.transform);
  text +=
      "by          frame ms  processor ms   device: up us  symbols us  sub-blocks us  checks us  down us  textures\n";
  for (const DecodingTiming& t : report.timings)
    text += fmt::format("{:<10}  {:8.3f}  {:12.3f}  {:14.1f}  {:10.1f}  {:13.1f}  {:9.1f}  {:7.1f}  {}\n", t.backend,
                        t.frame_ms, t.processor_ms, us(t.device.upload), us(t.device.symbols), us(t.device.halves),
                        us(t.device.checks), us(t.device.download), t.same ? "the same" : "DIFFERENT");
  return text;
}

}  // namespace texcast::bench
