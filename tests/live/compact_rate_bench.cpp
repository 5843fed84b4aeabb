// compact_rate_bench.cpp — a program: film with cuts at a constant rate, in simulated time. Reports the use of the
// link, the waiting data, and the quality shown.
//
//   compact_rate_bench RATE[,RATE…] [clip=FILE[@SECONDS]…] [size=1280x720] [fps=30] [cut=30] [frames=150] [fec=10]
//                      [format=ycocg-bc4] [crf=16] [transform=1] [still=0] [time=0]
//                      [quality=fast] [effort=usual] [hasty=0] [pixels=rgb24] [decode=1]
//                      [verbose=0]
//
// The clips alternate, `cut` frames each. still: this many frames of each show one still picture. time: milliseconds of
// one processor for a frame, of which coding takes what stream::CodingDeadline allows, to simulate a slow one; 0:
// unlimited. effort: that of macroblocks (docs/compact.md, section 7), from which speed control begins; hasty=1: with
// the motion search by macroblocks only. pixels: FFmpeg's name of what the coder reads. decode=0: for a profile of the
// coder alone, nothing is decoded nor compared. The sent bytes are counted as packetized, with all headers and parity,
// against a buffer that drains at that rate: "over" is the largest excess of a frame over the buffer's room, and must
// be 0. A RATE of 0 means none: all frames are coded by the crf.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "clip_textures.h"
#include "compact/frame_decoder.h"
#include "compact/frame_encoder.h"
#include "compact/payload.h"
#include "compact/rate_control.h"
#include "media/frame_source.h"
#include "ref/decode.h"
#include "stream/coding_deadline.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "transport/compact_packetizer.h"
#include "transport/pacer.h"

using namespace texcast;
using namespace texcast::compact;

namespace {

struct Plan {
  std::vector<double> rates{};
  std::vector<std::string> clips{};
  std::string size = "1280x720";
  double fps = 30, fec = 10, crf = kFinestCrf, time = 0;
  int cut = 30, frames = 150, still = 0;
  TextureFormat format = TextureFormat::ycocg_bc4_420;
  Quality quality = Quality::fast;
  MacroblockEffort effort = MacroblockEffort::usual;
  std::string pixels = "rgb24";
  bool verbose = false, transform = true, decode = true, hasty = false;
};

MacroblockEffort effort_from_name(const std::string& name) {
  using enum MacroblockEffort;
  for (const auto& [effort, of] :
       {std::pair(least, "least"), {rough, "rough"}, {little, "little"}, {brief, "brief"}, {quick, "quick"}})
    if (name == of) return effort;
  return usual;
}

Plan parse(int argc, char** argv) {
  Plan plan;
  std::istringstream rates(argc > 1 ? argv[1] : "");
  for (std::string rate; std::getline(rates, rate, ',');) plan.rates.push_back(std::stod(rate) * 1e6);
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (name == "clip") plan.clips.push_back(value);
    if (name == "size") plan.size = value;
    if (name == "transform") plan.transform = value != "0";
    if (name == "decode") plan.decode = value != "0";
    if (name == "hasty") plan.hasty = value != "0";
    if (name == "fps") plan.fps = std::stod(value);
    if (name == "fec") plan.fec = std::stod(value);
    if (name == "crf") plan.crf = std::stod(value);
    if (name == "time") plan.time = std::stod(value) / 1000;
    if (name == "cut") plan.cut = std::stoi(value);
    if (name == "frames") plan.frames = std::stoi(value);
    if (name == "still") plan.still = std::stoi(value);
    if (name == "verbose") plan.verbose = value == "1";
    if (name == "quality") plan.quality = *quality_from_name(value);
    if (name == "effort") plan.effort = effort_from_name(value);
    if (name == "pixels") plan.pixels = value;
    if (name == "format") plan.format = *texture_format_from_name(value);
  }
  if (plan.rates.empty() || plan.clips.empty()) {
    fmt::print(stderr, "compact_rate_bench RATE[,RATE…] clip=FILE[@SECONDS]… (in Mbit/s; 0: by crf=)\n");
    std::exit(2);
  }
  return plan;
}

std::unique_ptr<media::FrameSource> open_clip(const std::string& clip, const Plan& plan) {
  const size_t at = clip.find('@');
  std::string size = plan.size;
  size[size.find('x')] = ':';
  return media::open_source(
      {.input = fmt::format(
           "lavfi:movie=filename={},trim=start={},setpts=PTS-STARTPTS,scale={}:flags=bicubic,setsar=1,format={}",
           clip.substr(0, at), at == std::string::npos ? "0" : clip.substr(at + 1), size, plan.pixels)});
}

// The link, to which frames are added as they are sent.
class Bucket {
 public:
  Bucket(double bits_per_s, double fps, double frames)
      : of_a_frame_(bits_per_s / 8 / fps), room_(frames * of_a_frame_), frame_ms_(1000 / fps) {}
  void frame(double bytes) {
    fill_ = std::max(0.0, fill_ - of_a_frame_) + bytes;
    over_ = std::max(over_, fill_ - room_);
    waits_.push_back(fill_ / of_a_frame_ * frame_ms_);
  }
  double over() const { return over_; }
  double wait_ms(double part) const {
    std::vector<double> sorted = waits_;
    std::ranges::sort(sorted);
    return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
  }

 private:
  double of_a_frame_, room_, frame_ms_, fill_ = 0, over_ = 0;
  std::vector<double> waits_;
};

// CPU time of this thread, which excludes other processes' load.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

SteadyTime steady(double seconds) { return SteadyTime(from_seconds(seconds)); }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

int run(const Plan& plan, double bits_per_s) {
  std::vector<std::unique_ptr<media::FrameSource>> sources;
  for (const std::string& clip : plan.clips) sources.push_back(open_clip(clip, plan));
  const auto encoder = make_encoder({.source = sources[0]->format(),
                                     .texture = plan.format,
                                     .quality = plan.quality,
                                     .start = EncoderStart::when_built});
  const TextureDesc texture = encoder->texture_desc();
  transport::PacketizerSettings packets;
  packets.stream.width = texture.width;
  packets.stream.height = texture.height;
  packets.stream.fps = plan.fps;
  const bool transform = plan.transform && TileGrid::can_have_transform(plan.format);
  packets.stream.coding = TileGrid::codec_version(plan.format, true, transform);
  packets.stream.texture_format = 1;
  transport::CompactPacketizer packetizer(packets, {.parity_percent = plan.fec});
  const transport::CompactFrameSize size{.parity_percent = plan.fec, .overhead = transport::wire_overhead(false)};

  Workers workers(0);
  const size_t payload = packetizer.max_payload();
  SearchEffort effort = search_effort(plan.quality);
  effort.macroblocks = plan.effort;
  effort.by_macroblocks = plan.hasty;
  FrameEncoder coder(texture,
                     {.most_slice_bytes = slice_room(payload), .lossy = true, .effort = effort, .transform = transform},
                     workers);
  PayloadWriter writer(coder.grid(), payload);
  FrameDecoder decoder(texture, workers);
  RateSettings settings{.bits_per_s = bits_per_s, .fps = plan.fps, .crf = plan.crf, .payload_bytes = payload};
  settings.line_bytes = [size](const PayloadSizes::Sum& s) { return size.line_bytes(s.payloads, s.bytes, s.longest); };
  const bool has_rate = bits_per_s > 0;
  settings.bits_per_s = has_rate ? bits_per_s : 1;
  RateControl rate(coder.grid().tiles(), settings);
  const RdParameters by_crf = with_refinements(rd_parameters(plan.crf), settings.refinements);
  Bucket bucket(bits_per_s, plan.fps, settings.buffer_frames);
  std::vector<std::byte> before(coder.grid().texture_bytes()), after(before.size());
  std::vector<std::vector<double>> behind_cut(static_cast<size_t>(plan.cut));
  std::vector<double> all, mbit, milliseconds, analysis, ending, decoding;
  double worst = std::numeric_limits<double>::infinity();
  size_t late = 0, disagreed = 0;
  stream::CodingDeadline limit(from_seconds(plan.time));
  std::optional<media::SourceFrame> shown;
  for (int i = 0; i < plan.frames; ++i) {
    const int behind = i % plan.cut;
    if (behind == 0 || plan.cut - behind > plan.still || !shown) {
      auto frame = sources[static_cast<size_t>(i / plan.cut) % sources.size()]->next();
      if (!frame) break;
      shown = std::move(frame);
    }
    encoder->submit(shown->view, shown->times);
    const EncodedFrame encoded = encoder->next();
    if (has_rate) rate.begin(1);
    const double begun = processor_seconds();
    std::function<double()> seconds_left;
    double deadline = begun + plan.time;
    if (plan.time > 0) seconds_left = [&] { return deadline - processor_seconds(); };
    coder.begin({.texture = encoded.texture.blocks,
                 .seconds_left = seconds_left,
                 .target = has_rate ? rate.target() : by_crf,
                 .rate = has_rate ? &rate : nullptr,
                 .picture = &shown->view});
    analysis.push_back((processor_seconds() - begun) * 1000);
    deadline = in_seconds(limit.of(steady(begun), steady(processor_seconds())).time_since_epoch());
    while (coder.more()) coder.next();
    const double tiles_coded = processor_seconds();
    const auto slices = coder.end();
    ending.push_back((processor_seconds() - tiles_coded) * 1000);
    limit.learn_ending(from_seconds(ending.back() / 1000));
    milliseconds.push_back((processor_seconds() - begun) * 1000);
    const auto payloads = writer.write(slices);
    packetizer.begin({});
    double line = 0;
    for (const auto& packet : packetizer.add(payloads, static_cast<uint32_t>(payloads.size())))
      line += static_cast<double>(packet.size() + transport::wire_overhead(false));
    if (has_rate) bucket.frame(line);
    mbit.push_back(line * 8 * plan.fps / 1e6);
    late += coder.counts().late;
    if (!plan.decode) continue;
    const double received = processor_seconds();
    const auto counts = decoder.decode(payloads, i == 0 ? nullptr : before.data(), after);
    decoding.push_back((processor_seconds() - received) * 1000);
    disagreed += counts.disagreed + counts.damaged;
    DecodedImage image;
    ref::decode({texture, after}, EndpointExpansion::replicate, image);
    PsnrMeter meter;
    meter.add(picture_of(shown->view), image);
    all.push_back(meter.psnr_db());
    worst = std::min(worst, meter.psnr_db());
    behind_cut[static_cast<size_t>(behind)].push_back(meter.psnr_db());
    if (plan.verbose)
      fmt::print(
          "{:4} {:2} {:8.0f} bytes, {:5.1f} ms, room {:8}, crf {:5.1f}, waiting {:.2f}, late {:4}, not right {:4}, "
          "{:.2f} dB\n",
          i, behind, line, milliseconds.back(), rate.most_bytes(), has_rate ? rate.crf() : plan.crf, rate.waiting(),
          coder.counts().late, counts.wrong, meter.psnr_db());
    before.swap(after);
  }
  fmt::print(
      "{:.0f} Mbit/s, {}: took {:.1f}; {:.2f} dB, worst frame {:.2f}; late {}; coding {:.1f} ms, most {:.1f} (before "
      "tiles {:.1f}, after {:.1f}); "
      "decoding {:.1f} ms; "
      "disagreed {}\n",
      bits_per_s / 1e6, plan.size, mean(mbit), mean(all), worst, late, mean(milliseconds),
      std::ranges::max(milliseconds), mean(analysis), mean(ending), mean(decoding), disagreed);
  if (has_rate)
    fmt::print("  over {:.0f} bytes; waits p50 {:.1f} p95 {:.1f} most {:.1f} ms\n", bucket.over(), bucket.wait_ms(0.5),
               bucket.wait_ms(0.95), bucket.wait_ms(1));
  fmt::print("  dB behind cuts:");
  for (const size_t k : {0, 1, 2, 3, 4, 6, 9, 14, 29})
    if (k < behind_cut.size() && !behind_cut[k].empty()) fmt::print(" {}: {:.1f}", k, mean(behind_cut[k]));
  fmt::print("\n");
  std::fflush(stdout);
  return bucket.over() > 0 || disagreed > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = parse(argc, argv);
  try {
    int failed = 0;
    for (const double rate : plan.rates) failed |= run(plan, rate);
    return failed;
  } catch (const Error& error) {
    fmt::print(stderr, "compact_rate_bench: {}\n", error.what());
    return 1;
  }
}
