// receive_bench.cpp — a program, run by hand: the cost of assembling frames, from datagrams in a socket's buffer to
// memory that others keep for a while. Uses no sockets: the datagrams are copied to such a buffer first, 64 at a time,
// which is not counted.
//
//   receive_bench [FRAMES]    1920x1080 and 3840x2160 BC1, raw and with 10 % parity: nanoseconds per packet,
//   microseconds
//                             per frame, medians. "lent": the session fills memory that others keep. "copied": it fills
//                             its own memory, from which bytes are copied as they arrive, as in earlier versions.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

#include "../times.h"
#include "support.h"
#include "transport/frame_store.h"
#include "transport/wire_choice.h"

using namespace texcast;
using namespace texcast::transport;
using namespace texcast::transport::test;

namespace {

constexpr size_t kBatch = 64, kLargestDatagram = 1500;
constexpr size_t kKept = 3;  // frames that others hold: one shown, one waiting, one recorded

// Memory that others keep for a while.
class KeepingStore final : public FrameStore {
 public:
  std::optional<LentMemory> lend(size_t bytes) override {
    auto block = std::ranges::find(blocks_, 0, &Block::shares);
    if (block == blocks_.end()) block = blocks_.insert(block, Block{});
    if (block->bytes < bytes) {
      block->memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
      block->bytes = bytes;
    }
    block->shares = 1;
    return LentMemory{{block->memory.get(), bytes}, static_cast<size_t>(block - blocks_.begin())};
  }
  void take_back(size_t place) override { --blocks_[place].shares; }
  void keep(size_t place) {
    ++blocks_[place].shares;
    kept_.push_back(place);
    if (kept_.size() <= kKept) return;
    --blocks_[kept_.front()].shares;
    kept_.pop_front();
  }
  std::byte* memory(size_t place) { return blocks_[place].memory.get(); }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory{};
    size_t bytes = 0;
    int shares = 0;
  };
  std::vector<Block> blocks_;
  std::deque<size_t> kept_;
};

// Copies the next frame as it arrives, like texcast's receiver did in earlier versions.
class Copier {
 public:
  explicit Copier(KeepingStore& store) : store_(store) {}
  void follow(const ReceiveSession& session) {
    constexpr size_t kLeast = size_t{64} << 10;
    const auto progress = session.progress();
    if (!progress) return;
    if (id_ != progress->id) begin(progress->id, progress->bytes.size());
    if (progress->ready_bytes < done_ + kLeast) return;
    std::memcpy(store_.memory(place_) + done_, progress->bytes.data() + done_, progress->ready_bytes - done_);
    done_ = progress->ready_bytes;
  }
  void finish(const ReceivedFrame& frame) {
    if (id_ != frame.id) begin(frame.id, frame.bytes.size());
    std::memcpy(store_.memory(place_) + done_, frame.bytes.data() + done_, frame.bytes.size() - done_);
    store_.keep(place_);
    store_.take_back(place_);
    id_ = 0;
  }

 private:
  void begin(uint64_t id, size_t bytes) {
    id_ = id;
    done_ = 0;
    place_ = store_.lend(bytes)->place;
  }
  KeepingStore& store_;
  uint64_t id_ = 0;
  size_t done_ = 0, place_ = 0;
};

struct Case {
  const char* name;
  int width, height;
  const char* fec;
};

class Receiving {
 public:
  Receiving(const Case& which, bool lent) : lent_(lent), session_({}, lent ? &store_ : nullptr), copier_(store_) {
    PacketizerSettings settings = small_settings();
    settings.mtu = static_cast<int>(kLargestDatagram);
    settings.stream.width = which.width;
    settings.stream.height = which.height;
    packetizer_ = make_packetizer(settings, {.fec = parse_fec(which.fec).value()});
    bytes_ = random_bytes(static_cast<size_t>(which.width) * static_cast<size_t>(which.height) / 2, 1);
  }
  // Receives one frame; returns microseconds.
  double frame() {
    const auto packets = packetizer_->packetize(bytes_, pts_only(now_.time_since_epoch()));
    now_ += 16'666'667ns;
    packets_ = packets.size();
    nanoseconds took{};
    for (size_t first = 0; first < packets.size(); first += kBatch) {
      const auto batch = packets.subspan(first, std::min(kBatch, packets.size() - first));
      for (size_t i = 0; i < batch.size(); ++i) {
        std::memcpy(socket_[i].data(), batch[i].header.data(), batch[i].header.size());
        std::memcpy(socket_[i].data() + batch[i].header.size(), batch[i].payload.data(), batch[i].payload.size());
      }
      const SteadyTime begin = steady_now();
      for (size_t i = 0; i < batch.size(); ++i) {
        session_.on_datagram(Bytes(socket_[i]).first(batch[i].size()), now_, wall_of(now_));
        while (const auto frame = session_.poll(now_, wall_of(now_))) {
          if (lent_)
            store_.keep(frame->memory);
          else
            copier_.finish(*frame);
        }
      }
      if (!lent_) copier_.follow(session_);
      took += steady_now() - begin;
    }
    return std::chrono::duration<double, std::micro>(took).count();
  }
  size_t packets() const { return packets_; }
  uint64_t frames_complete() const { return session_.counters().frames_complete; }

 private:
  const bool lent_;
  KeepingStore store_;
  ReceiveSession session_;
  Copier copier_;
  std::unique_ptr<FramePacketizer> packetizer_;
  std::vector<std::byte> bytes_;
  std::array<std::array<std::byte, kLargestDatagram>, kBatch> socket_{};
  size_t packets_ = 0;
  SteadyTime now_{1s};
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 300;
  constexpr int kTurn = 10;  // frames of one kind, then of the other
  for (const Case& which : {Case{"1080p BC1, plain", 1920, 1080, "none"}, Case{"1080p BC1, 10 %", 1920, 1080, "10%"},
                            Case{"2160p BC1, plain", 3840, 2160, "none"}, Case{"2160p BC1, 10 %", 3840, 2160, "10%"}}) {
    auto copied = std::make_unique<Receiving>(which, false), lent = std::make_unique<Receiving>(which, true);
    std::vector<double> us[2];
    for (int i = 0; i < 2 * kTurn; ++i) (i % 2 ? lent : copied)->frame();  // memory is allocated from now on
    for (int done = 0; done < frames; done += kTurn) {
      for (int i = 0; i < kTurn; ++i) us[0].push_back(copied->frame());
      for (int i = 0; i < kTurn; ++i) us[1].push_back(lent->frame());
    }
    for (const auto& [name, end, times] :
         {std::tuple("copied", copied.get(), &us[0]), std::tuple("lent", lent.get(), &us[1])})
      fmt::print("{:<18} {:<7} {:7.1f} us a frame, {:5.0f} ns a packet ({} packets, {} frames whole)\n", which.name,
                 name, median(*times), median(*times) * 1e3 / static_cast<double>(end->packets()), end->packets(),
                 end->frames_complete());
  }
  return 0;
}
