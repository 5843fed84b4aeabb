#include "relay_tree.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <utility>

#include "../times.h"
#include "base/workers.h"
#include "compact/frame_encoder.h"
#include "compact/intra_refresh.h"
#include "compact/payload.h"
#include "textures/compact_reception.h"
#include "textures/stream_format.h"
#include "tile_requests.h"
#include "transport/compact_packetizer.h"
#include "transport/feedback_opener.h"
#include "transport/relay_session.h"
#include "transport/retransmit_store.h"

namespace texcast::test {
namespace tree {

using namespace transport;
using namespace std::chrono_literals;
using Datagram = std::shared_ptr<const std::vector<std::byte>>;

constexpr TextureDesc kTexture{.format = TextureFormat::bc1, .width = 512, .height = 288};
constexpr uint32_t kTreeSsrc = 1, kFirstBufferId = 7;
constexpr SteadyTime kBegin{10s};
constexpr nanoseconds kAfterTheEnd = 1s;  // frames go on, so that late losses are repaired too
constexpr nanoseconds kWindow = 100ms;    // of most_feedback

WallTime wall(SteadyTime now) { return wall_of(now) + 1'700'000'000s; }

PeerAddress address_of(uint32_t node) {
  std::array<std::byte, 4> host{std::byte{10}};
  for (size_t i = 1; i < 4; ++i) host[i] = static_cast<std::byte>(node >> (24 - 8 * i));
  return PeerAddress::of_ipv4(host, 5004);
}

Datagram joined(const OutgoingPacket& packet) {
  auto bytes = std::make_shared<std::vector<std::byte>>(packet.header.begin(), packet.header.end());
  bytes->insert(bytes->end(), packet.payload.begin(), packet.payload.end());
  return bytes;
}

// ---- the picture ----

// Noise, in which some tiles change completely with every frame and others in part, as windows and text of a desktop.
class Picture {
 public:
  explicit Picture(uint32_t seed) : random_(seed), blocks_(texture_layout(kTexture).total_bytes) {
    for (auto& byte : blocks_) byte = static_cast<std::byte>(random_());
  }
  Bytes next(const compact::TileGrid& grid) {
    for (int i = 0; i < kWhole; ++i) change(grid, 1);
    for (int i = 0; i < kInPart; ++i) change(grid, 8);
    return blocks_;
  }

 private:
  static constexpr int kWhole = 8, kInPart = 16;  // tiles a frame
  // One of `of` sub-blocks of a tile.
  void change(const compact::TileGrid& grid, uint32_t of) {
    grid.for_each_sub_block({.tile = static_cast<uint32_t>(random_() % grid.tiles())}, [&](size_t at) {
      if (random_() % of == 0)
        for (size_t i = 0; i < 8; ++i) blocks_[at + i] = static_cast<std::byte>(random_());
    });
  }
  std::mt19937 random_;
  std::vector<std::byte> blocks_;
};

// ---- nodes ----

// The links as nodes see them.
class Links {
 public:
  virtual ~Links() = default;
  virtual void send_to_children(uint32_t from, const Datagram& datagram, SteadyTime now) = 0;
  virtual void send_again(uint32_t from, uint32_t child, const Datagram& datagram, SteadyTime now) = 0;
  virtual void send_up(uint32_t from, Bytes feedback, SteadyTime now) = 0;
};

class Node {
 public:
  Node(Links& links, uint32_t index) : links_(links), index_(index) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual void on_datagram(Bytes datagram, uint32_t from, SteadyTime now) = 0;
  virtual void on_feedback(Bytes datagram, uint32_t child, SteadyTime now) = 0;
  virtual void on_deadline(SteadyTime now) = 0;
  virtual std::optional<SteadyTime> next_deadline() const = 0;

 protected:
  Links& links() { return links_; }
  uint32_t index() const { return index_; }

 private:
  Links& links_;
  const uint32_t index_;
};

class Sender final : public Node {
 public:
  Sender(Links& links, const TreeSettings& settings)
      : Node(links, 0),
        settings_(settings),
        picture_(settings.seed),
        packetizer_(packetizer_settings(settings),
                    {.parity_percent = settings.parity_percent, .answers_requests = true, .takes_tile_requests = true}),
        encoder_(kTexture, {.most_slice_bytes = compact::slice_room(packetizer_.max_payload())}, workers_),
        writer_(encoder_.grid(), packetizer_.max_payload()),
        refresh_(encoder_.grid(), {}),
        requests_(encoder_.grid(), kFirstBufferId, 0),
        store_({.ssrc = kTreeSsrc, .destinations = settings.children.front() + 1}) {}

  // Frames after the last one of the settings change nothing, and only repair.
  void on_deadline(SteadyTime now) override {
    if (now < next_frame_) return;
    next_frame_ += frame_period(settings_.fps);
    requests_.hand_over_to(refresh_, truths_.size());
    const bool is_last = truths_.size() >= static_cast<size_t>(settings_.frames);
    const Bytes texture = is_last ? Bytes(truths_.back()) : picture_.next(encoder_.grid());
    truths_.emplace_back(texture.begin(), texture.end());
    send(now);
  }
  void on_datagram(Bytes, uint32_t, SteadyTime) override {}
  void on_feedback(Bytes datagram, uint32_t child, SteadyTime now) override {
    count_feedback(now);
    const FeedbackOpener::Asked asked = opener_.read(datagram);
    if (asked.tiles) {
      ++tile_requests;
      requests_.add(address_of(child), *asked.tiles);
    }
    if (!asked.packets) return;
    ++nacks;
    for (const OutgoingPacket& packet : store_.answer(child, *asked.packets, now))
      links().send_again(index(), child, joined(packet), now);
  }
  std::optional<SteadyTime> next_deadline() const override { return next_frame_; }

  Bytes truth(uint32_t buffer_id) const { return truths_.at((buffer_id - kFirstBufferId) & kBufferIdMask); }
  uint64_t repaired_tiles() const { return refresh_.counts().repaired; }
  uint64_t refused() const { return requests_.refused(); }

  uint64_t nacks = 0, tile_requests = 0, most_feedback = 0, bytes = 0;

 private:
  static PacketizerSettings packetizer_settings(const TreeSettings& settings) {
    PacketizerSettings result;
    result.stream = {.width = kTexture.width, .height = kTexture.height, .fps = settings.fps};
    result.stream.has_extension = true;
    result.stream.texture_format = 1;
    result.stream.coding = stream::kLosslessCoding;
    result.ssrc = kTreeSsrc;
    result.first_buffer_id = kFirstBufferId;
    return result;
  }
  // A frame's packets leave over three quarters of its time.
  void send(SteadyTime now) {
    const auto slices = encoder_.encode({.texture = truths_.back(),
                                         .intra = refresh_.next(1),
                                         .wrong = refresh_.repaired(),
                                         .refreshed = refresh_.refreshed()});
    const auto payloads = writer_.write(slices, truths_.size() > 1 ? &refresh_.history() : nullptr);
    packetizer_.begin({.pts = now - kBegin});
    const auto packets = packetizer_.add(payloads, static_cast<uint32_t>(payloads.size()));
    refresh_.coded(slices);
    requests_.charge(refresh_.cost(), 1);
    store_.begin_frame(packetizer_.buffer_id(), now);
    store_.keep(packets);
    const nanoseconds apart = frame_period(settings_.fps) * 3 / 4 / static_cast<int64_t>(packets.size());
    for (size_t i = 0; i < packets.size(); ++i) {
      const bool is_picture = truths_.size() <= static_cast<size_t>(settings_.frames);
      if (is_picture) bytes += packets[i].size();
      links().send_to_children(index(), joined(packets[i]), now + apart * static_cast<int64_t>(i));
    }
  }
  void count_feedback(SteadyTime now) {
    if (now >= window_ + kWindow) {
      window_ = now;
      in_window_ = 0;
    }
    most_feedback = std::max(most_feedback, ++in_window_);
  }

  const TreeSettings& settings_;
  Picture picture_;
  Workers workers_{0};
  CompactPacketizer packetizer_;
  compact::FrameEncoder encoder_;
  compact::PayloadWriter writer_;
  compact::IntraRefresh refresh_;
  stream::TileRequests requests_;
  RetransmitStore store_;
  FeedbackOpener opener_{kTreeSsrc, nullptr};
  SteadyTime next_frame_ = kBegin, window_{};
  uint64_t in_window_ = 0;
  std::vector<std::vector<std::byte>> truths_;  // of all frames
};

class Relay final : public Node {
 public:
  using Node::Node;
  void on_datagram(Bytes datagram, uint32_t from, SteadyTime now) override {
    if (const auto passed = session_.on_datagram(datagram, now, wall(now), address_of(from)))
      links().send_to_children(index(), std::make_shared<std::vector<std::byte>>(passed->begin(), passed->end()), now);
    send_made(now);
    on_deadline(now);
  }
  void on_feedback(Bytes datagram, uint32_t child, SteadyTime now) override {
    for (const OutgoingPacket& packet : session_.on_feedback(child, datagram, now))
      links().send_again(index(), child, joined(packet), now);
    on_deadline(now);
  }
  void on_deadline(SteadyTime now) override {
    session_.poll(now, wall(now));
    send_made(now);
    while (const auto feedback = session_.poll_feedback(now)) links().send_up(index(), *feedback, now);
  }
  std::optional<SteadyTime> next_deadline() const override { return session_.next_deadline(); }

 private:
  // Packets that parity restored.
  void send_made(SteadyTime now) {
    for (const OutgoingPacket& packet : session_.poll_made()) links().send_to_children(index(), joined(packet), now);
  }
  RelaySession session_{ReceiveSettings{.request_lost = true}};
};

class Receiver final : public Node {
 public:
  Receiver(Links& links, uint32_t index, const Sender& sender, TreeOutcome& outcome, SteadyTime joins)
      : Node(links, index), sender_(sender), outcome_(outcome), joins_(joins) {}

  void on_datagram(Bytes datagram, uint32_t from, SteadyTime now) override {
    if (now < joins_) return;
    session_.on_datagram(datagram, now, wall(now), address_of(from));
    on_deadline(now);
  }
  void on_feedback(Bytes, uint32_t, SteadyTime) override {}
  void on_deadline(SteadyTime now) override {
    while (const auto frame = session_.poll(now, wall(now))) decode(*frame, now);
    while (const auto feedback = session_.poll_feedback(now)) links().send_up(index(), *feedback, now);
    while (const auto query = reception_.query(now))
      if (const auto request = session_.ask_for_tiles(*query, now)) links().send_up(index(), *request, now);
  }
  std::optional<SteadyTime> next_deadline() const override {
    const auto session = session_.next_deadline(), query = reception_.next_query();
    if (!session || !query) return session ? session : query;
    return std::min(*session, *query);
  }
  bool is_right() const { return has_been_right_ && !wrong_since_; }

 private:
  void decode(const ReceivedFrame& frame, SteadyTime now) {
    const stream::FrameRef out = pool_.acquire(texture_layout(kTexture).total_bytes);
    if (!out) return;
    out->desc = kTexture;
    out->id = frame.id;
    const auto wrong = reception_.decode(frame, out);
    if (!wrong) return;
    ++outcome_.shown;
    if (*wrong > 0) {
      ++outcome_.shown_wrong;
      if (!wrong_since_) wrong_since_ = now;
      return;
    }
    const Bytes truth = sender_.truth(frame.buffer_id);
    if (std::memcmp(out->blocks.data(), truth.data(), truth.size()) != 0) ++outcome_.mistaken;
    note_right(now);
  }
  void note_right(SteadyTime now) {
    if (!has_been_right_ && joins_ > kBegin) outcome_.joined_ms.push_back(in_seconds(now - joins_) * 1e3);
    if (has_been_right_ && wrong_since_) outcome_.wrong_ms.push_back(in_seconds(now - *wrong_since_) * 1e3);
    has_been_right_ = true;
    wrong_since_.reset();
  }

  const Sender& sender_;
  TreeOutcome& outcome_;
  const SteadyTime joins_;
  stream::BlockPool pool_{3};
  ReceiveSession session_{ReceiveSettings{.request_lost = true}};
  stream::CompactReception reception_{0};
  std::optional<SteadyTime> wrong_since_;
  bool has_been_right_ = false;
};

// ---- the network ----

class Tree final : private Links {
 public:
  explicit Tree(const TreeSettings& settings) : settings_(settings), random_(settings.seed) {
    sender_ = &add<Sender>(0, settings_);
    std::vector<uint32_t> above{0};
    for (size_t level = 0; level < settings_.children.size(); ++level) above = add_level(level, above);
  }
  TreeOutcome run() {
    const SteadyTime end = kBegin + frame_period(settings_.fps) * settings_.frames;
    plan(0);
    while (!events_.empty() && events_.top().at <= end + kAfterTheEnd) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    return outcome(end);
  }

 private:
  struct Event {
    SteadyTime at{};
    uint64_t order = 0;  // keeps equal times in order
    uint32_t node = 0, from = 0;
    Datagram datagram{};  // nullptr: the node's deadline
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;  // the queue's top is the earliest
    }
  };
  struct Place {
    std::unique_ptr<Node> node;
    size_t level = 0;  // of the hop below
    uint32_t parent = 0;
    std::vector<uint32_t> children{};
    std::optional<SteadyTime> planned{};  // the earliest deadline in the queue
  };

  template <typename T, typename... Arguments>
  T& add(size_t level, Arguments&&... arguments) {
    Links& links = *this;
    auto node = std::make_unique<T>(links, std::forward<Arguments>(arguments)...);
    T& result = *node;
    places_.push_back({.node = std::move(node), .level = level});
    return result;
  }
  std::vector<uint32_t> add_level(size_t level, const std::vector<uint32_t>& above) {
    const bool is_last = level + 1 == settings_.children.size();
    outcome_.hops.push_back({.nodes = above.size()});
    std::vector<uint32_t> added;
    for (const uint32_t parent : above)
      for (uint32_t i = 0; i < settings_.children[level]; ++i) {
        const auto index = static_cast<uint32_t>(places_.size());
        if (is_last)
          receivers_.push_back(&add<Receiver>(level + 1, index, *sender_, outcome_, joining_time(i)));
        else
          add<Relay>(level + 1, index);
        places_[index].parent = parent;
        places_[parent].children.push_back(index);
        added.push_back(index);
      }
    return added;
  }
  // The first receivers of each relay join late, all at once.
  SteadyTime joining_time(uint32_t child) const {
    const bool is_late = child < settings_.joining * settings_.children.back();
    return is_late ? kBegin + frame_period(settings_.fps) * (settings_.frames / 2) : SteadyTime{};
  }

  bool is_lost() { return std::uniform_real_distribution(0.0, 1.0)(random_) < settings_.loss; }
  void push(SteadyTime at, uint32_t node, uint32_t from, const Datagram& datagram) {
    events_.push({.at = at, .order = count_++, .node = node, .from = from, .datagram = datagram});
  }
  void send_down(uint32_t from, uint32_t child, const Datagram& datagram, SteadyTime now) {
    HopTraffic& hop = outcome_.hops[places_[from].level];
    ++hop.packets;
    if (is_lost())
      ++hop.lost;
    else
      push(now + settings_.delay, child, from, datagram);
  }
  void send_to_children(uint32_t from, const Datagram& datagram, SteadyTime now) override {
    for (const uint32_t child : places_[from].children) send_down(from, child, datagram, now);
  }
  void send_again(uint32_t from, uint32_t child, const Datagram& datagram, SteadyTime now) override {
    ++outcome_.hops[places_[from].level].again;
    send_down(from, child, datagram, now);
  }
  void send_up(uint32_t from, Bytes feedback, SteadyTime now) override {
    const uint32_t parent = places_[from].parent;
    HopTraffic& hop = outcome_.hops[places_[parent].level];
    ++hop.feedback;
    hop.feedback_bytes += feedback.size();
    if (is_lost()) return;
    push(now + settings_.delay, parent, from,
         std::make_shared<std::vector<std::byte>>(feedback.begin(), feedback.end()));
  }

  void handle(const Event& event) {
    Place& place = places_[event.node];
    if (!event.datagram) {
      if (place.planned != event.at) return;  // an earlier deadline replaced it
      place.planned.reset();
      place.node->on_deadline(event.at);
    } else if (event.from > event.node) {
      place.node->on_feedback(*event.datagram, event.from, event.at);
    } else {
      place.node->on_datagram(*event.datagram, event.from, event.at);
    }
    now_ = event.at;
    plan(event.node);
  }
  // A deadline that is over by now is met in the next microsecond, so that time goes on.
  void plan(uint32_t node) {
    Place& place = places_[node];
    const auto due = place.node->next_deadline();
    if (!due) return;
    const SteadyTime at = std::max(*due, now_ + 1us);
    if (place.planned && *place.planned <= at) return;
    place.planned = at;
    push(at, node, node, nullptr);
  }

  TreeOutcome outcome(SteadyTime end) {
    outcome_.seconds = in_seconds(end - kBegin);
    outcome_.bits_per_s = static_cast<double>(sender_->bytes) * 8 / outcome_.seconds;
    outcome_.receivers = receivers_.size();
    outcome_.nacks = sender_->nacks;
    outcome_.tile_requests = sender_->tile_requests;
    outcome_.refused_requests = sender_->refused();
    outcome_.repaired_tiles = sender_->repaired_tiles();
    outcome_.most_feedback = sender_->most_feedback;
    outcome_.never_right = static_cast<uint64_t>(
        std::ranges::count_if(receivers_, [](const Receiver* receiver) { return !receiver->is_right(); }));
    std::ranges::sort(outcome_.wrong_ms);
    std::ranges::sort(outcome_.joined_ms);
    return std::move(outcome_);
  }

  const TreeSettings settings_;
  std::mt19937 random_;
  TreeOutcome outcome_;
  std::vector<Place> places_;  // the sender first, parents before their children
  Sender* sender_ = nullptr;
  std::vector<Receiver*> receivers_;
  std::priority_queue<Event> events_;
  uint64_t count_ = 0;
  SteadyTime now_{};
};

}  // namespace tree

double percentile(const std::vector<double>& ascending, double part) {
  if (ascending.empty()) return 0;
  return ascending[static_cast<size_t>(part * static_cast<double>(ascending.size() - 1))];
}

TreeOutcome simulate_tree(const TreeSettings& settings) { return tree::Tree(settings).run(); }

}  // namespace texcast::test
