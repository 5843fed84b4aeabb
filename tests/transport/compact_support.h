// compact_support.h — coded frames for tests: payloads of any length, and a packetizer for them.
#pragma once

#include <random>
#include <vector>

#include "support.h"
#include "transport/compact_packetizer.h"

namespace texcast::transport::test {

using Payloads = std::vector<std::vector<std::byte>>;

inline PacketizerSettings compact_settings(uint32_t ssrc = 1) {
  PacketizerSettings settings = small_settings(ssrc);
  settings.stream.width = 1920;
  settings.stream.height = 1080;
  settings.stream.coding = 1;
  settings.stream.coder = 0xC0DE0001;
  return settings;
}

// Frame `index` of a stream whose frames have from 1 to `most` payloads of 1 to `longest` bytes.
inline Payloads payloads_of(int index, size_t most, size_t longest) {
  std::minstd_rand random(static_cast<uint32_t>(index) * 7919 + 17);
  for (int i = 0; i < 4; ++i) random();
  Payloads payloads(1 + random() % most);
  for (size_t i = 0; i < payloads.size(); ++i) {
    const size_t bytes = random() % 4 != 0 ? longest : 1 + random() % longest;
    payloads[i] = random_bytes(bytes, static_cast<uint32_t>(index * 100'000 + static_cast<int>(i)));
  }
  return payloads;
}

inline std::vector<Bytes> views_of(const Payloads& payloads) { return {payloads.begin(), payloads.end()}; }

inline std::vector<Datagram> datagrams(CompactPacketizer& packetizer, const Payloads& payloads,
                                       const FrameTimes& times = {}) {
  packetizer.begin(times);
  std::vector<Datagram> result;
  for (const OutgoingPacket& packet : packetizer.add(views_of(payloads), static_cast<uint32_t>(payloads.size())))
    result.push_back(join(packet));
  return result;
}

inline bool same(std::span<const Bytes> came, const Payloads& sent) {
  return std::ranges::equal(came, sent, [](Bytes a, Bytes b) { return same(a, b); });
}

}  // namespace texcast::transport::test
