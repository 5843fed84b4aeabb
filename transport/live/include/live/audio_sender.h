// audio_sender.h — sends sound to all destinations of a stream: at the stream's port plus 2, and to its viewers.
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
#include "transport/web_stream.h"
#include "transport/wire_keys.h"

namespace texcast::stream {

struct AudioSenderSettings {
  transport::AudioCoding coding = transport::AudioCoding::pcm;
  int rate = 48000;  // samples per second
  int bits = 16;
  int channels = 2;
  bool parity = true;  // not with UltraGrid's encryption
  transport::CryptoChoice crypto = transport::CryptoChoice::none;
  std::shared_ptr<const transport::WireKeys> keys{};  // for all but CryptoChoice::none
  int mtu = 1500;
  std::vector<std::shared_ptr<web::Stream>> viewers{};  // they get the sound unencrypted
  // Called with all packets, which leave at `time`: for captures. May be empty.
  std::function<void(std::span<const transport::OutgoingPacket> packets, WallTime time)> also_to{};
};

struct AudioSent {
  uint64_t packets = 0;
  uint64_t bytes = 0;
};

// Not thread-safe, except wake().
class AudioSender {
 public:
  // `urls`: as for Destinations; captures are ignored (AudioSenderSettings::also_to serves them). Throws Error{usage}
  // and Error{network}.
  AudioSender(const std::vector<std::string>& urls, const NetworkChoice& network, const AudioSenderSettings& settings);
  ~AudioSender();  // sends RTCP BYE
  bool has_destinations() const { return !addresses_.empty() || !settings_.viewers.empty(); }

  // Replaces the destinations by those of the stream's pictures; removed ones get an RTCP BYE. If sending to one is
  // impossible this is logged, and the others get the sound.
  void go_to(std::span<const transport::Address> stream, std::vector<std::shared_ptr<web::Stream>> viewers = {});

  void send(const transport::AudioBuffer& buffer, WallTime time = wall_now());
  // Waits until `deadline` or wake(); meanwhile sends and reads RTCP.
  void wait(SteadyTime deadline);
  void wake() { socket_.wake(); }
  const AudioSent& sent() const { return sent_; }

 private:
  void send_control(Bytes datagram);
  void send_to_viewers(std::span<const transport::OutgoingPacket> packets);
  void greet_viewers();

  std::vector<transport::Address> addresses_;  // with the ports of the sound
  AudioSenderSettings settings_;
  transport::AudioPacketizer packetizer_;
  std::unique_ptr<transport::Sealer> sealer_;  // nullptr: not encrypted, or by the packetizer
  transport::DatagramMemory sealed_;
  transport::RtcpSender rtcp_;
  AudioSent sent_;
  size_t greeted_ = 0;           // viewers that have been sent a report
  transport::UdpSender socket_;  // after addresses_, which it copies
};

}  // namespace texcast::stream
