// compact_loss_bench.cpp — a program: a coded stream over real sockets that lose datagrams in both directions. Compares
// what receivers showed of each frame with what was sent.
//
//   compact_loss_bench CLIP|card LOSS MODE [seconds=8] [start=0] [delay_ms=0] [seed=1] [every=1] [receivers=3]
//                      [join=0.5] [fps=…] [format=…] [crf=…] [transform=…] [threads=0]
//                      [verbose=0] [in_turn=0]
//
// LOSS: percent of the datagrams, in each direction separately. MODE: how losses are answered:
//   full      parity, NACKs and tile requests, as `send` does
//   requests  NACKs and tile requests
//   tiles     tile requests only
//   group     a multicast group on loopback: parity and tile requests; `receivers` of them, and one more that
//             joins after `join` of the time
// delay_ms: in each direction. every: only datagrams of every n-th frame are lost, and no requests, so that losses are
// apart.
//
// in_turn: each frame waits until the previous one has been sent, and the sender's clock stands still while it codes,
// so that no frame is dropped on a slow machine. The test uses it: its result does not depend on the machine's speed.
//
// crf: the stream is lossy, with ycocg-bc4 unless a format is given; otherwise it is lossless, with bc1. Only the
// sender knows the result of lossy coding: a capture beside the receivers, which misses nothing, provides it. PSNR is
// relative to the pictures of the clip then, otherwise to the blocks to be sent. transform: 1 or 0; with or without
// transform coding, as `send --transform`.
//
// A tile is right if its bytes are those that were sent. "Right again" counts frames shown wrong, tile by tile, and the
// time from the first of them to the first right one; "after the round trip" the frames that arrived more than a round
// trip after the first request sent since the tile was wrong, until it was right. Fails if a receiver took a wrong tile
// for right, if received data contradicts itself, or if nothing was shown.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../manual_clock.h"
#include "../patience.h"
#include "../temporary_folder.h"
#include "clip_textures.h"
#include "compact/tile_grid.h"
#include "live/datagrams.h"
#include "live/receiving_thread.h"
#include "media/frame_source.h"
#include "ref/decode.h"
#include "stream/compact_sender.h"
#include "texcast/encoder.h"
#include "texcast/error.h"
#include "textures/compact_reception.h"
#include "transport/compact_packet.h"
#include "transport/interface.h"

using namespace texcast;
using namespace texcast::stream;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kEpoch{std::chrono::hours(24 * 365)};  // capture time of the first frame, as sent to receivers

struct Plan {
  std::string clip, mode;
  double loss = 0, seconds = 8, start = 0, fps = 0, join = 0.5;
  std::optional<double> crf{};
  TransformCoding transform = TransformCoding::automatic;
  TextureFormat format = TextureFormat::bc1;
  nanoseconds delay{};
  uint32_t seed = 1, every = 1;
  int receivers = 1, threads = 0;  // threads: besides the coding one
  bool verbose = false, in_turn = false;
  bool group() const { return mode == "group"; }
};

// ---- frames to send ----

using Textures = std::vector<std::vector<std::byte>>;

struct Film {
  TextureDesc texture;
  double fps = 30;
  Textures frames;                       // as passed to the sender
  std::vector<DecodedImage> pictures{};  // their originals; lossy streams only
  Textures sent{};                       // for lossy streams, once known: the result if no packet is lost
  bool is_lossy() const { return !pictures.empty(); }
  const std::vector<std::byte>& truth(size_t n) const { return is_lossy() ? sent[n] : frames[n]; }
};

FrameView view_of(const DecodedImage& image) {
  return {
      .format = {.pixel_format = PixelFormat::rgb24, .width = image.width, .height = image.height, .color = kFullRange},
      .planes = {PlaneView{reinterpret_cast<const std::byte*>(image.pixels.data()), image.width * 3}}};
}

Film load(const Plan& plan) {
  const bool card = plan.clip == "card";
  media::SourceSettings settings{
      .input = card ? "test" : plan.clip, .loop = true, .start = nanoseconds(static_cast<int64_t>(plan.start * 1e9))};
  if (card) {
    settings.fps = plan.fps > 0 ? plan.fps : 30;
    settings.width = 640;
    settings.height = 360;
  }
  const auto source = media::open_source(settings);
  const auto encoder = make_encoder({.source = source->format(),
                                     .texture = plan.format,
                                     .device = card ? "cpu-reference" : "",
                                     .start = EncoderStart::when_built});
  Film film{.texture = encoder->texture_desc(), .fps = plan.fps > 0 ? plan.fps : source->fps(), .frames = {}};
  film.frames =
      take_textures(*source, *encoder, static_cast<size_t>(plan.seconds * film.fps), [&](const FrameView& picture) {
        if (plan.crf) film.pictures.push_back(picture_of(picture));
      });
  return film;
}

// The frames that a receiver shows if no packet is lost, from a capture. Empty: that frame was not sent.
Textures shown_by(const std::string& capture, const Film& film) {
  Textures shown(film.frames.size());
  BlockPool pool(ReceivingThread::kOwnFrames + 4);
  ReceivingThread thread(std::make_unique<CaptureDatagrams>(capture, Pace::unpaced), pool,
                         [&](const FrameRef& frame, double fps) {
                           const auto n =
                               static_cast<size_t>(std::llround(in_seconds(frame->available - kEpoch) * fps));
                           if (n < shown.size() && !frame->concealed)
                             shown[n].assign(frame->blocks.begin(), frame->blocks.end());
                         },
                         {.frame_timeout = test::kPatience});  // a slow sender may have paused within a frame
  while (!thread.ended()) std::this_thread::sleep_for(1ms);
  thread.stop();
  return shown;
}

// ---- the network ----

// Groups never leave the machine (no router may forward them), but answers of members arrive through the interface with
// the sender's address, which is not loopback's.
transport::NetworkInterface group_interface() {
  const auto all = transport::network_interfaces();
  const auto found = std::ranges::find_if(all, [](const auto& i) { return i.up && i.multicast && !i.loopback; });
  return found != all.end() ? *found : all.at(0);
}

// Loses and delays datagrams of a socket, in both directions.
class RdSource final : public DatagramSource, private DatagramSink {
 public:
  RdSource(const transport::Address& address, unsigned interface_index, const Plan& plan, uint32_t seed)
      : inner_(address, interface_index), plan_(plan), random_(seed) {}
  bool read(SteadyTime limit, DatagramSink& sink) override {
    if (!coming_.empty()) limit = std::min(limit, coming_.front().due);
    if (!going_.empty()) limit = std::min(limit, going_.front().due);
    inner_.read(limit, *this);
    const SteadyTime now = steady_now();
    for (; !going_.empty() && going_.front().due <= now; going_.pop_front())
      inner_.send_back(going_.front().peer, going_.front().bytes);
    for (; !coming_.empty() && coming_.front().due <= now; coming_.pop_front())
      sink.on_datagram(coming_.front().bytes, instant_now(), coming_.front().peer);
    return true;
  }
  Instant now() const override { return instant_now(); }
  void wake() override { inner_.wake(); }
  bool send_back(const transport::PeerAddress& to, Bytes datagram) override {
    asked_bytes += datagram.size();
    ++asked;
    if (plan_.every > 1 || !lost())
      going_.push_back({steady_now() + plan_.delay, to, {datagram.begin(), datagram.end()}});
    return true;
  }
  uint64_t dropped_by_kernel() const override { return inner_.dropped_by_kernel(); }
  uint16_t port() const { return inner_.port(); }

  uint64_t taken = 0, dropped = 0, asked = 0, asked_bytes = 0;
  std::optional<SteadyTime> first;

 private:
  struct Held {
    SteadyTime due;
    transport::PeerAddress peer;
    std::vector<std::byte> bytes;
  };
  void on_datagram(Bytes datagram, const Instant& arrived, const transport::PeerAddress& from) override {
    ++taken;
    if (!first) first = arrived.steady;
    if (frame_of(datagram) % plan_.every == 0 && lost()) {
      ++dropped;
      return;
    }
    coming_.push_back({arrived.steady + plan_.delay, from, {datagram.begin(), datagram.end()}});
  }
  static uint32_t frame_of(Bytes datagram) {
    const auto own = transport::parse_own_datagram(datagram);
    if (!own) return 0;
    if (const auto data = transport::parse_compact(own->body)) return data->head.buffer_id;
    if (const auto parity = transport::parse_compact_parity(own->body)) return parity->head.buffer_id;
    return 0;
  }
  bool lost() { return std::uniform_real_distribution(0.0, 100.0)(random_) < plan_.loss; }
  UdpDatagrams inner_;
  const Plan& plan_;
  std::mt19937 random_;
  std::deque<Held> coming_, going_;
};

// ---- a receiver ----

struct Shown {
  SteadyTime at{};
  bool whole = false;
  std::vector<uint8_t> wrong{};     // a byte per tile; empty if all are right
  std::vector<uint8_t> right{};     // a byte per tile, as the receiver sees it
  std::vector<std::byte> blocks{};  // if not all are right, or that is not known yet
};

class Watched final : public PayloadDecoder {
 public:
  std::optional<uint32_t> decode(const transport::ReceivedFrame& frame, const FrameRef& out) override {
    const auto wrong = reception_.decode(frame, out);
    if (verbose)
      fmt::print("{:.1f} frame {}: {} payloads missing, {} tiles wrong, {} repaired so far{}\n", now_ms(), frame.number,
                 frame.payloads_missing, reception_.counts().wrong, reception_.counts().repaired,
                 wrong ? "" : ", held back");
    return wrong;
  }
  std::optional<transport::TileQuery> query(SteadyTime now) override {
    const auto query = reception_.query(now);
    if (query) asked.push_back(now);
    if (query && verbose)
      fmt::print("{:.1f} asks: {} ranges{}\n", now_ms(), query->ranges.size(), query->all ? ", all" : "");
    return query;
  }
  std::optional<SteadyTime> next_query() const override { return reception_.next_query(); }
  const CompactReceived& counts() const { return reception_.counts(); }
  std::span<const uint8_t> right() const { return reception_.right(); }
  static double now_ms() { return std::fmod(in_milliseconds(steady_now().time_since_epoch()), 1e6); }
  std::vector<SteadyTime> asked;
  bool verbose = false;

 private:
  CompactReception reception_{0};
};

class Receiver {
 public:
  Receiver(const Film& film, const compact::TileGrid& grid, const Plan& plan, const std::string& url, uint32_t seed)
      : film_(film), grid_(grid), shown_(film.frames.size()) {
    auto source = std::make_unique<RdSource>(transport::resolve_address(url, true),
                                             plan.group() ? group_interface().index : 0, plan, seed);
    source_ = source.get();
    decoder_.verbose = plan.verbose;
    thread_ = std::make_unique<ReceivingThread>(
        std::move(source), pool_, [this](const FrameRef& frame, double fps) { note(*frame, fps); },
        plan.in_turn ? transport::ReceiveSettings{.frame_timeout = test::kPatience} : transport::ReceiveSettings{},
        ReceivingThread::OnComing{}, nullptr, &decoder_);
  }
  uint16_t port() const { return source_->port(); }
  void stop() {
    thread_->stop();
    first_datagram_ = source_->first;
    drops_ = source_->dropped;
    taken_ = source_->taken;
    asked_ = source_->asked;
    asked_bytes_ = source_->asked_bytes;
  }
  // For lossy streams, once the sent frames are known.
  void judge_all() {
    for (size_t n = 0; n < shown_.size(); ++n)
      if (shown_[n].at != SteadyTime{}) judge(n);
  }
  bool report(const Plan& plan, const std::string& who) const;

 private:
  void note(const PooledFrame& frame, double fps) {
    const auto number = static_cast<size_t>(std::llround(in_seconds(frame.available - kEpoch) * fps));
    if (number >= shown_.size()) return;
    Shown& shown = shown_[number];
    shown.at = steady_now();
    shown.right.assign(decoder_.right().begin(), decoder_.right().end());
    shown.blocks.assign(frame.blocks.begin(), frame.blocks.end());
    if (!film_.is_lossy()) judge(number);
  }
  // Compares a shown frame with the sent one.
  void judge(size_t number) {
    Shown& shown = shown_[number];
    const auto& truth = film_.truth(number);
    shown.whole = shown.blocks == truth;
    if (shown.whole) {
      shown.blocks = {};
      return;
    }
    shown.wrong.resize(grid_.tiles());
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      bool same = true;
      grid_.for_each_sub_block({.tile = tile}, [&](size_t at) {
        same = same && std::memcmp(shown.blocks.data() + at, truth.data() + at, 8) == 0;
      });
      shown.wrong[tile] = same ? 0 : 1;
      mistaken_ += !same && shown.right[tile] != 0;
    }
  }
  const Film& film_;
  const compact::TileGrid& grid_;
  std::vector<Shown> shown_;
  BlockPool pool_{ReceivingThread::kOwnFrames + 4};
  Watched decoder_;
  RdSource* source_ = nullptr;
  std::optional<SteadyTime> first_datagram_;
  uint64_t drops_ = 0, taken_ = 0, asked_ = 0, asked_bytes_ = 0;
  uint64_t mistaken_ = 0;                    // tiles of frames that were wrong and taken for right
  std::unique_ptr<ReceivingThread> thread_;  // last: it uses the above
};

// ---- figures ----

double share(double part, double all) { return all > 0 ? 100 * part / all : 0; }

std::string spread_text(std::vector<double> values) {
  if (values.empty()) return "none";
  std::ranges::sort(values);
  const auto at = [&](double part) {
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
  };
  return fmt::format("p50 {:.0f}, p95 {:.0f}, max {:.0f}", at(0.5), at(0.95), values.back());
}

// True if everything is as expected.
bool Receiver::report(const Plan& plan, const std::string& who) const {
  // From the first picture on; before it there is nothing to see.
  const auto first = static_cast<size_t>(
      std::ranges::find_if(shown_, [](const Shown& s) { return s.at != SteadyTime{}; }) - shown_.begin());
  size_t whole = 0, wrong = 0, not_shown = 0;
  PsnrMeter of_wrong, of_all, of_sent;
  double worst = std::numeric_limits<double>::infinity();
  DecodedImage sent, seen;
  const std::vector<std::byte>* on_screen = nullptr;
  struct Open {
    size_t frame = 0;
    SteadyTime at{};
  };
  std::vector<std::optional<Open>> open(grid_.tiles());
  std::vector<double> frames_wrong, milliseconds_wrong, frames_after;
  std::optional<size_t> all_right;
  for (size_t n = first; n < shown_.size(); ++n) {
    const Shown& shown = shown_[n];
    if (shown.at == SteadyTime{}) {
      ++not_shown;
    } else {
      whole += shown.whole;
      wrong += !shown.whole;
      on_screen = shown.whole ? &film_.truth(n) : &shown.blocks;
      if (shown.whole && !all_right) all_right = n;
    }
    const std::vector<std::byte>& truth = film_.truth(n);
    if (!truth.empty()) ref::decode({film_.texture, truth}, {}, sent);
    const bool same = *on_screen == truth;
    if (!same) ref::decode({film_.texture, *on_screen}, {}, seen);
    const DecodedImage& wanted = film_.is_lossy() ? film_.pictures[n] : sent;
    of_all.add(same ? sent : seen, wanted);
    if (!same && shown.at != SteadyTime{}) of_wrong.add(seen, wanted);
    if (film_.is_lossy()) {
      if (!truth.empty()) of_sent.add(sent, wanted);
      PsnrMeter of_frame;
      of_frame.add(same ? sent : seen, wanted);
      worst = std::min(worst, of_frame.psnr_db());
    }
    if (shown.at == SteadyTime{}) continue;
    for (uint32_t tile = 0; tile < grid_.tiles(); ++tile) {
      const bool is_wrong = !shown.wrong.empty() && shown.wrong[tile] != 0;
      if (is_wrong && !open[tile]) open[tile] = Open{n, shown.at};
      if (is_wrong || !open[tile]) continue;
      const Open since = *open[tile];
      open[tile].reset();
      if (!all_right || since.frame <= *all_right) continue;  // the first picture has its own line
      frames_wrong.push_back(static_cast<double>(n - since.frame));
      milliseconds_wrong.push_back(in_milliseconds(shown.at - since.at));
      const auto asked = std::ranges::lower_bound(decoder_.asked, since.at);
      if (asked == decoder_.asked.end() || *asked > shown.at) continue;
      double after = 0;
      for (size_t k = since.frame; k <= n; ++k)
        after += shown_[k].at != SteadyTime{} && shown_[k].at > *asked + 2 * plan.delay;
      frames_after.push_back(after);
    }
  }
  const auto still = std::ranges::count_if(open, [](const auto& o) { return o.has_value(); });
  fmt::print("{}: {} of {} frames whole, {} not, {} not shown; PSNR of those not whole {:.1f} dB, of all {:.1f} dB\n",
             who, whole, shown_.size() - first, wrong, not_shown, of_wrong.psnr_db(), of_all.psnr_db());
  if (film_.is_lossy())
    fmt::print("  against the clip; worst frame {:.1f} dB; what was sent {:.1f} dB\n", worst, of_sent.psnr_db());
  fmt::print("  right again ({} tiles): frames {}; ms {}; frames after the round trip {}; {} tiles wrong at the end\n",
             frames_wrong.size(), spread_text(frames_wrong), spread_text(milliseconds_wrong), spread_text(frames_after),
             still);
  fmt::print(
      "  {} of {} datagrams lost; {} requests for tiles, {} datagrams back, {} bytes; damaged {}, disagreed {}, taken "
      "for right {}\n",
      drops_, taken_, decoder_.counts().asked, asked_, asked_bytes_, decoder_.counts().damaged,
      decoder_.counts().disagreed, mistaken_);
  if (first < shown_.size() && first_datagram_)
    fmt::print("  first picture {:.0f} ms after the first datagram{} ({} frames held back), all right {}\n",
               in_milliseconds(shown_[first].at - *first_datagram_),
               decoder_.asked.empty() || decoder_.asked.front() > shown_[first].at
                   ? ""
                   : fmt::format(", {:.0f} ms after the first request",
                                 in_milliseconds(shown_[first].at - decoder_.asked.front())),
               decoder_.counts().held_back,
               all_right ? fmt::format("{:.0f} ms, {} frames later",
                                       in_milliseconds(shown_[*all_right].at - shown_[first].at), *all_right - first)
                         : "never");
  return first < shown_.size() && mistaken_ + decoder_.counts().damaged + decoder_.counts().disagreed == 0;
}

// ---- the run ----

SendSettings settings_of(const Plan& plan, double fps) {
  SendSettings settings{.fps = fps,
                        .spread = 0.25,
                        .compact = {.on = true, .crf = plan.crf, .transform = plan.transform, .threads = plan.threads}};
  const bool parity = plan.mode == "full" || plan.group();
  settings.wire.fec = {.kind = parity ? transport::FecKind::automatic : transport::FecKind::none};
  settings.wire.answers_requests = plan.mode == "full" || plan.mode == "requests";
  return settings;
}

bool run(const Plan& plan) {
  Film film = load(plan);
  const compact::TileGrid grid(film.texture);
  const std::string host = plan.group() ? "239.255.77.14" : "127.0.0.1";
  std::vector<std::unique_ptr<Receiver>> receivers;
  std::string url = "rtp://" + host + ":0";
  if (plan.group()) url = fmt::format("rtp://{}:{}", host, 20000 + std::random_device()() % 10000 * 2);
  for (int i = 0; i < plan.receivers; ++i) {
    receivers.push_back(std::make_unique<Receiver>(film, grid, plan, url, plan.seed + static_cast<uint32_t>(i)));
    if (!plan.group()) url = fmt::format("rtp://{}:{}", host, receivers.back()->port());
  }
  const SendSettings settings = settings_of(plan, film.fps);
  const test::TemporaryFolder folder;
  const std::string capture = folder.file("sent.pcap");
  std::vector<std::string> urls{url};
  if (film.is_lossy()) urls.push_back("pcap:" + capture);
  Destinations destinations(
      urls, {.interface = plan.group() ? group_interface().name : "", .multicast_ttl = plan.group() ? 0 : 1}, false,
      IfExists::refuse, plan.group() ? coding_of(settings, film.texture.format) : uint8_t{0});
  AutoResetEvent progress;
  SentStatus status;
  size_t dropped = 0;
  {
    FrameView picture;  // of the sender's frame
    test::ManualClock frame_clock;
    CompactSender sender(destinations, settings, film.texture, progress, new_identity(settings),
                         plan.in_turn ? frame_clock : system_clock());
    const SteadyTime begun = steady_now() + 50ms;
    const auto join_at = static_cast<size_t>(plan.join * static_cast<double>(film.frames.size()));
    for (size_t i = 0; i < film.frames.size(); ++i) {
      const nanoseconds pts(std::llround(static_cast<double>(i) * 1e9 / film.fps));
      std::this_thread::sleep_until(begun + pts);
      if (plan.group() && i == join_at)
        receivers.push_back(std::make_unique<Receiver>(film, grid, plan, url, plan.seed + 99));
      const SteadyTime limit = begun + pts + frame_period(film.fps);
      while (!sender.idle() && (plan.in_turn || steady_now() < limit))
        progress.wait_until(plan.in_turn ? steady_now() + 1s : limit);
      if (!sender.idle()) {
        ++dropped;
        continue;
      }
      frame_clock.advance(frame_period(film.fps));
      if (film.is_lossy()) picture = view_of(film.pictures[i]);
      sender.start({.texture = {film.texture, film.frames[i], film.is_lossy() ? &picture : nullptr},
                    .times = {.pts = pts, .available = kEpoch + pts, .encoded = wall_now()}});
    }
    for (const SteadyTime limit = steady_now() + 2s; !sender.drained() && (plan.in_turn || steady_now() < limit);)
      progress.wait_until(steady_now() + 10ms);
    std::this_thread::sleep_for(200ms + 2 * plan.delay);
    status = sender.status();
  }
  for (const auto& receiver : receivers) receiver->stop();
  if (film.is_lossy()) {
    destinations.finish_captures();
    film.sent = shown_by(capture, film);
    for (const auto& receiver : receivers) receiver->judge_all();
  }
  const CompactSent& c = *status.compact;
  const double pixels =
      static_cast<double>(film.texture.width) * film.texture.height * static_cast<double>(status.frames);
  fmt::print("{} {}x{} {:.0f} fps, {} frames, {} {}% each way, every {}, {:.0f} ms each way, seed {}\n", plan.clip,
             film.texture.width, film.texture.height, film.fps, film.frames.size(), plan.mode, plan.loss, plan.every,
             in_milliseconds(plan.delay), plan.seed);
  fmt::print(
      "sender: {} frames sent, {} too late; {} bytes, {:.4f} bits a pixel; {} packets, {} sent again; {} requests for "
      "tiles "
      "({} refused); {} tiles repaired, {} bytes of them, {:.1f}% of all; {} swept; {} late; coding {:.1f} ms p50, "
      "{:.1f} p95\n",
      status.frames, dropped, status.bytes, static_cast<double>(status.bytes) * 8 / pixels, status.packets,
      status.again, c.requests, c.refused, c.repaired, c.repair_bytes,
      share(static_cast<double>(c.repair_bytes), static_cast<double>(status.bytes)), c.refreshed, c.late,
      c.coding.milliseconds(0.5), c.coding.milliseconds(0.95));
  bool good = true;
  for (size_t i = 0; i < receivers.size(); ++i) {
    const bool is_late = i >= static_cast<size_t>(plan.receivers);
    good = receivers[i]->report(plan, is_late ? "newcomer" : fmt::format("receiver {}", i + 1)) && good;
  }
  return good;
}

Plan plan_of(int argc, char** argv) {
  Plan plan{.clip = argv[1], .mode = argv[3], .loss = std::atof(argv[2])};
  std::map<std::string, double> said;
  std::optional<TextureFormat> format;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
    if (name == "format")
      format = texture_format_from_name(value);
    else
      said[name] = std::atof(value.c_str());
  }
  if (said.contains("crf")) plan.crf = said["crf"];
  plan.format = format.value_or(plan.crf ? TextureFormat::ycocg_bc4_420 : TextureFormat::bc1);
  const auto take = [&](const char* name, double otherwise) { return said.contains(name) ? said[name] : otherwise; };
  plan.seconds = take("seconds", plan.seconds);
  plan.start = take("start", plan.start);
  plan.fps = take("fps", plan.fps);
  plan.join = take("join", plan.join);
  plan.delay = nanoseconds(static_cast<int64_t>(take("delay_ms", 0) * 1e6));
  plan.seed = static_cast<uint32_t>(take("seed", 1));
  plan.every = static_cast<uint32_t>(std::max(take("every", 1), 1.0));
  plan.verbose = take("verbose", 0) > 0;
  plan.in_turn = take("in_turn", 0) > 0;
  plan.threads = static_cast<int>(take("threads", 0));
  if (said.contains("transform")) plan.transform = said["transform"] > 0 ? TransformCoding::on : TransformCoding::off;
  plan.receivers = static_cast<int>(take("receivers", plan.group() ? 3 : 1));
  return plan;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4)
    return fmt::print(stderr, "compact_loss_bench CLIP|card LOSS full|requests|tiles|group [seconds=8] …\n"), 2;
  try {
    return run(plan_of(argc, argv)) ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
