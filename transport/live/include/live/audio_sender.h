// audio_sender.h — buffers of sound to all destinations of a stream, at their ports and 2. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "live/destinations.h"
#include "transport/audio_packetizer.h"
#include "transport/crypto_choice.h"
#include "transport/rtcp_session.h"
#include "transport/sealing.h"
#include "transport/udp_socket.h"
#include "transport/wire_keys.h"

namespace texcast::stream {

struct AudioSenderSettings {
  transport::AudioCoding coding = transport::AudioCoding::pcm;
  int bits = 16;
  int channels = 2;
  bool parity = true;  // not with UltraGrid's encryption
  transport::CryptoChoice crypto = transport::CryptoChoice::none;
  std::shared_ptr<const transport::WireKeys> keys{};  // for all but CryptoChoice::none
  int mtu = 1500;
  // Given all that is sent, as it leaves at `time`: for captures. Empty: nobody.
  std::function<void(std::span<const transport::OutgoingPacket> packets, WallTime time)> also_to{};
};

struct AudioSent {
  uint64_t packets = 0;
  uint64_t bytes = 0;
};

// Not thread-safe, but for wake().
class AudioSender {
 public:
  // `urls` as Destinations has them; captures among them are AudioSenderSettings::also_to's. Throws Error{usage} and
  // Error{network}.
  AudioSender(const std::vector<std::string>& urls, const NetworkChoice& network, const AudioSenderSettings& settings);
  ~AudioSender();  // says goodbye
  bool has_destinations() const { return !addresses_.empty(); }

  // From now on to these, which are where the stream's pictures go, and to no others: who is left is told goodbye.
  // Where one cannot be sent to, the log says so, and the others get their sound.
  void go_to(std::span<const transport::Address> stream);

  void send(const transport::AudioBuffer& buffer, WallTime time = wall_now());
  // Waits until `deadline` or wake(), and speaks RTCP meanwhile.
  void wait(SteadyTime deadline);
  void wake() { socket_.wake(); }
  const AudioSent& sent() const { return sent_; }

 private:
  std::vector<transport::Address> addresses_;  // of the sound
  AudioSenderSettings settings_;
  transport::AudioPacketizer packetizer_;
  std::unique_ptr<transport::Sealer> sealer_;  // null: not sealed
  transport::DatagramMemory sealed_;
  transport::RtcpSender rtcp_;
  AudioSent sent_;
  transport::UdpSender socket_;  // last: made from the addresses
};

}  // namespace texcast::stream
