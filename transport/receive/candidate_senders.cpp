#include "candidate_senders.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/ensure.h"

namespace texcast::transport {
namespace {

static_assert(std::is_trivially_copyable_v<CandidateSenders::Kept>);

// A packet's metadata, then its piece, both aligned.
size_t stored_bytes(size_t piece_bytes) { return sizeof(CandidateSenders::Kept) + (piece_bytes + 15) / 16 * 16; }

}  // namespace

bool CandidateSenders::sent_less(const Sender& a, const Sender& b) {
  return a.packets != b.packets ? a.packets < b.packets : a.heard < b.heard;
}

CandidateSenders::Sender* CandidateSenders::find(const SenderId& id) {
  for (size_t i = 0; i < used_; ++i)
    if (senders_[i].id == id) return &senders_[i];
  return nullptr;
}

template <typename Amount, typename Before>
CandidateSenders::Sender& CandidateSenders::heaviest(Amount amount, Before before) {
  Sender* worst = nullptr;
  size_t most = 0;
  for (size_t i = 0; i < used_; ++i) {
    size_t of_host = 0;
    for (size_t k = 0; k < used_; ++k)
      if (senders_[k].id.from.same_host(senders_[i].id.from)) of_host += amount(senders_[k]);
    if (worst && (of_host < most || (of_host == most && !before(senders_[i], *worst)))) continue;
    worst = &senders_[i];
    most = of_host;
  }
  return *worst;
}

// If there is no place, the host with the most senders loses the one that has sent the least.
CandidateSenders::Sender& CandidateSenders::begin(const SenderId& id) {
  if (used_ == kMostSenders) forget(heaviest([](const Sender&) { return size_t{1}; }, sent_less));
  Sender& sender = senders_[used_++];
  sender.id = id;
  sender.packets = 0;
  return sender;
}

void CandidateSenders::forget(Sender& sender) {
  chunks_ -= sender.chunks.size();
  for (Chunk& chunk : sender.chunks)
    if (spare_.size() < kSpareChunks) spare_.push_back(std::move(chunk.memory));
  sender.chunks.clear();
  Sender& last = senders_[--used_];
  if (&sender != &last) std::swap(sender, last);
}

void CandidateSenders::add_chunk(Sender& sender) {
  Chunk chunk;
  if (spare_.empty()) {
    chunk.memory = std::make_unique_for_overwrite<std::byte[]>(kChunkBytes);
  } else {
    chunk.memory = std::move(spare_.back());
    spare_.pop_back();
  }
  sender.chunks.push_back(std::move(chunk));
  ++chunks_;
}

void CandidateSenders::keep(const SenderId& id, const MediaPacket& packet, SteadyTime now, WallTime wall_now) {
  ENSURE(!packet.parity);
  const size_t bytes = stored_bytes(packet.piece.size());
  ENSURE(bytes <= kChunkBytes);
  Sender* sender = find(id);
  if (!sender) sender = &begin(id);
  if (sender->chunks.empty() || sender->chunks.back().bytes + bytes > kChunkBytes) {
    if (chunks_ == kMostChunks) {
      if (replaying_) return;
      // The host with the most packets loses those of its sender with the most. That may be this sender, which starts
      // again then.
      const auto chunks = [](const Sender& each) { return each.chunks.size(); };
      forget(heaviest(chunks, [&](const Sender& a, const Sender& b) { return chunks(a) > chunks(b); }));
      sender = find(id);
      if (!sender) sender = &begin(id);
    }
    add_chunk(*sender);
  }
  Kept kept{packet, now, wall_now};
  kept.packet.rtp.payload = kept.packet.rtp.extension = {};
  Chunk& chunk = sender->chunks.back();
  std::memcpy(chunk.memory.get() + chunk.bytes, &kept, sizeof kept);
  std::memcpy(chunk.memory.get() + chunk.bytes + sizeof kept, packet.piece.data(), packet.piece.size());
  chunk.bytes += bytes;
  ++sender->packets;
  sender->heard = now;
}

void CandidateSenders::forget_all() {
  while (used_ > 0) forget(senders_[used_ - 1]);
  replaying_ = false;
  next_chunk_ = next_at_ = 0;
}

const SenderId& CandidateSenders::likeliest() const {
  ENSURE(any());
  return std::max_element(senders_.begin(), senders_.begin() + static_cast<std::ptrdiff_t>(used_), sent_less)->id;
}

void CandidateSenders::replay(const SenderId& id) {
  const SenderId wanted = id;  // may refer to an element of senders_
  for (size_t i = used_; i-- > 0;)
    if (senders_[i].id != wanted) forget(senders_[i]);
  replaying_ = used_ > 0;
  next_chunk_ = next_at_ = 0;
}

const CandidateSenders::Kept& CandidateSenders::replayed() {
  const Chunk& chunk = senders_[0].chunks[next_chunk_];
  std::memcpy(&current_, chunk.memory.get() + next_at_, sizeof current_);
  current_.packet.piece = {chunk.memory.get() + next_at_ + sizeof current_, current_.packet.piece.size()};
  return current_;
}

void CandidateSenders::replayed_one() {
  next_at_ += stored_bytes(current_.packet.piece.size());
  const std::vector<Chunk>& chunks = senders_[0].chunks;
  if (next_at_ == chunks[next_chunk_].bytes) {
    ++next_chunk_;
    next_at_ = 0;
  }
  if (next_chunk_ == chunks.size()) forget_all();
}

}  // namespace texcast::transport
