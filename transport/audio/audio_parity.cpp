#include "audio_parity.h"

#include <algorithm>
#include <utility>

namespace texcast::transport {

void AudioParity::clear() {
  for (Kept& one : kept_) one.symbol.clear();
  for (Group& group : groups_) group.open = false;
  restored_.clear();
  changed_ = false;
}

void AudioParity::keep(uint16_t sequence, Bytes datagram) {
  if (datagram.size() > 65535) return;
  Kept& place = kept_[sequence % kKept];
  place.sequence = sequence;
  place.symbol.resize(2 + datagram.size());
  store_be16(place.symbol, 0, static_cast<uint16_t>(datagram.size()));
  std::ranges::copy(datagram, place.symbol.begin() + 2);
  changed_ = true;
}

const AudioParity::Kept* AudioParity::kept(uint16_t sequence) const {
  const Kept& place = kept_[sequence % kKept];
  return !place.symbol.empty() && place.sequence == sequence ? &place : nullptr;
}

void AudioParity::add(const AudioParityPacket& packet) {
  auto group =
      std::ranges::find_if(groups_, [&](const Group& one) { return one.open && one.first == packet.first_sequence; });
  if (group == groups_.end() || group->data != packet.data || group->parity != packet.parity ||
      group->bytes != packet.symbol.size()) {
    if (group == groups_.end()) group = groups_.begin() + static_cast<std::ptrdiff_t>(next_group_++ % kGroups);
    group->open = true;
    group->first = packet.first_sequence;
    group->data = packet.data;
    group->parity = packet.parity;
    group->bytes = packet.symbol.size();
    group->symbols.resize(std::max<size_t>(group->symbols.size(), packet.parity));
    for (auto& symbol : group->symbols) symbol.clear();
    group->present = 0;
  }
  std::vector<std::byte>& symbol = group->symbols[packet.number];
  if (symbol.empty()) ++group->present;
  symbol.assign(packet.symbol.begin(), packet.symbol.end());
  changed_ = true;
}

Bytes AudioParity::restore() {
  if (restored_.empty() && std::exchange(changed_, false))
    for (Group& group : groups_)
      if (group.open && solve(group)) group.open = false;
  if (restored_.empty()) return {};
  given_ = std::move(restored_.back());
  restored_.pop_back();
  return given_;
}

// True: nothing is missing any more, or the missing datagrams are in restored_.
bool AudioParity::solve(Group& group) {
  const size_t k = group.data, m = group.parity;
  size_t missing = 0;
  for (size_t i = 0; i < k; ++i) {
    const Kept* one = kept(static_cast<uint16_t>(group.first + i));
    if (one != nullptr && one->symbol.size() > group.bytes) return true;  // not of this group
    missing += one == nullptr;
  }
  if (missing == 0) return true;
  if (missing > group.present) return false;
  ReedSolomon::Present present;
  std::array<std::byte*, kMaxAudioGroup> symbols{};
  for (size_t i = 0; i < k; ++i) {
    const Kept* one = kept(static_cast<uint16_t>(group.first + i));
    if (one != nullptr) work_[i] = one->symbol;
    work_[i].resize(group.bytes);
    if (one != nullptr)
      std::fill(work_[i].begin() + static_cast<std::ptrdiff_t>(one->symbol.size()), work_[i].end(), std::byte{});
    present[i] = one != nullptr;
    symbols[i] = work_[i].data();
  }
  for (size_t j = 0; j < m; ++j) {
    if (group.symbols[j].empty()) continue;
    present[k + j] = true;
    symbols[k + j] = group.symbols[j].data();
  }
  if (!code_ || code_->k() != static_cast<int>(k) || code_->m() != static_cast<int>(m))
    code_ = std::make_unique<ReedSolomon>(ReedSolomon::Matrix::cauchy, static_cast<int>(k), static_cast<int>(m));
  if (!code_->repair(std::span(symbols).first(k + m), present, group.bytes)) return false;
  for (size_t i = k; i-- > 0;) {  // returned from the back
    if (present[i]) continue;
    const size_t length = load_be16(work_[i], 0);
    if (length + 2 > group.bytes) continue;
    restored_.emplace_back(work_[i].begin() + 2, work_[i].begin() + 2 + static_cast<std::ptrdiff_t>(length));
  }
  return true;
}

}  // namespace texcast::transport
