// forger.h — fourteen kinds of packets that a stranger without the passphrase can send to a receiver or a sender,
// generated from a seed and from overheard packets; and frames whose blocks prove whether they are genuine.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string_view>

#include "support.h"
#include "transport/own_packet.h"
#include "transport/packet.h"
#include "transport/rtcp.h"
#include "transport/wire_choice.h"

namespace texcast::transport::test {

// A frame of 8-byte blocks, each with the frame's number and a proof that requires the secret.
class MarkedFrames {
 public:
  MarkedFrames(uint64_t secret, size_t blocks) : secret_(secret), blocks_(blocks) {}
  std::vector<std::byte> frame(uint32_t number) const {
    std::vector<std::byte> bytes(8 * blocks_);
    for (size_t i = 0; i < blocks_; ++i) {
      const uint32_t words[] = {number ^ mask(i), proof(number, i)};
      std::memcpy(&bytes[8 * i], words, 8);
    }
    return bytes;
  }
  struct Verdict {
    uint32_t number = 0;  // the frame of most of its blocks
    size_t of_it = 0;     // number of blocks of that frame
    size_t of_others = 0, holes = 0, forged = 0;
    bool whole() const { return of_it > 0 && of_others + holes + forged == 0; }
  };
  Verdict judge(Bytes frame) const {
    Verdict verdict;
    std::vector<uint32_t> numbers;
    for (size_t i = 0; i < blocks_; ++i) {
      uint32_t words[2];
      std::memcpy(words, &frame[8 * i], 8);
      if (words[1] == proof(words[0] ^ mask(i), i))
        numbers.push_back(words[0] ^ mask(i));
      else if (words[0] == 0 && words[1] == 0)
        ++verdict.holes;
      else
        ++verdict.forged;
    }
    if (numbers.empty()) return verdict;
    verdict.number = *std::ranges::max_element(numbers);
    verdict.of_it = static_cast<size_t>(std::ranges::count(numbers, verdict.number));
    verdict.of_others = numbers.size() - verdict.of_it;
    return verdict;
  }

 private:
  uint32_t mask(size_t block) const { return static_cast<uint32_t>(mix(secret_ + 0x1234567 + block)); }
  uint32_t proof(uint32_t number, size_t block) const {
    return static_cast<uint32_t>(mix(mix(secret_ ^ number) + block) >> 32);
  }
  static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  uint64_t secret_;
  size_t blocks_;
};

class Forger {
 public:
  enum class Kind {
    random_bytes,
    malformed_rtp,  // a genuine packet with contradictory fields
    random_body,    // genuine headers
    replay,         // genuine packets, unchanged
    jumped_frame,   // genuine packets with distant frame numbers and time stamps
    other_ssrc,     // genuine packets with ever new SSRCs and other bodies
    forged_stream,  // complete forged frames with the genuine SSRC
    huge_picture,   // up to 16384x16384
    wild_parity,
    request,  // to the sender
    rtcp,     // BYE and reports, to both
    truncated_sealed,
    flipped_sealed,
    wild_fec,  // UltraGrid's FEC headers
  };
  static constexpr std::array kNames{
      "random bytes", "malformed RTP", "random body", "replay", "jumped frame",     "other SSRC",     "forged stream",
      "huge picture", "wild parity",   "request",     "RTCP",   "truncated sealed", "flipped sealed", "wild FEC"};
  static constexpr size_t kKinds = kNames.size();

  // `stream` is what everybody knows about the genuine one: its description, and its SSRC (overheard unencrypted).
  Forger(uint32_t seed, const PacketizerSettings& stream)
      : random_(seed),
        ssrc_(stream.ssrc),
        own_(make_packetizer(stream, {})),
        frame_bytes_(static_cast<size_t>(stream.stream.width) * static_cast<size_t>(stream.stream.height) / 2),
        stranger_(WireKeys::of({std::byte{66}}, {std::byte{66}})),
        sealed_(make_packetizer(stream, {.crypto = CryptoChoice::texcast, .keys = stranger_})) {}

  void overhear(Bytes datagram) {
    heard_.emplace_back(datagram.begin(), datagram.end());
    if (heard_.size() > 512) heard_.pop_front();
  }
  // Valid until the next call. Nothing if the kind needs an overheard packet.
  Bytes make(Kind kind, WallTime now) {
    out_.clear();
    switch (kind) {
      case Kind::random_bytes: out_ = random_bytes_of(1 + random_() % 1472); break;
      case Kind::malformed_rtp:
        if (copy(false))
          for (int i = 0; i < 3; ++i) out_[random_() % std::min<size_t>(out_.size(), 80)] = any();
        break;
      case Kind::random_body:
        if (copy(false))
          for (size_t i = std::min<size_t>(out_.size(), 76); i < out_.size(); ++i) out_[i] = any();
        break;
      case Kind::replay: copy(true); break;
      case Kind::jumped_frame:
        if (copy(false) && out_.size() > 80) {
          const size_t video = video_at();
          store_be32(out_, 4, static_cast<uint32_t>(random_()));
          store_be32(out_, video, load_be32(out_, video) + 1000 + static_cast<uint32_t>(random_() % 4));
          spoil();
        }
        break;
      case Kind::other_ssrc:
        if (copy(false)) {
          store_be32(out_, 8, static_cast<uint32_t>(random_()));
          spoil();
        }
        break;
      case Kind::forged_stream: next_of(*own_, own_packets_, now); break;
      case Kind::huge_picture: make_huge(); break;
      case Kind::wild_parity:
        out_ = random_bytes_of(kParityHeaderBytes + random_() % 1400);
        store_be32(out_, 0, 0x54430102);
        store_be32(out_, 4, ssrc_);
        if (const Bytes parity = heard_parity(); !parity.empty()) {
          const size_t keep = 4 + random_() % (kParityHeaderBytes - 4);
          out_.resize(parity.size());
          std::copy_n(parity.begin(), keep, out_.begin());
        }
        break;
      case Kind::request: {
        std::array<std::byte, 1100> request;
        const PacketRange range{static_cast<uint32_t>(random_() % 20), 1 + static_cast<uint32_t>(random_() % 4000)};
        const size_t bytes = write_request(request, ssrc_, heard_frame(), {&range, 1});
        out_.assign(request.begin(), request.begin() + static_cast<std::ptrdiff_t>(bytes));
        break;
      }
      case Kind::rtcp: {
        RtcpCompound compound{.ssrc = random_() % 2 ? ssrc_ : static_cast<uint32_t>(random_()),
                              .bye = random_() % 2 == 0,
                              .cname = "forger"};
        if (random_() % 2) compound.sender = RtcpSenderInfo{.ntp_time = random_()};
        compound.block_count = 1;
        compound.blocks[0] = {.ssrc = ssrc_, .fraction_lost = 255};
        std::array<std::byte, kMaxRtcpBytes> report;
        const size_t bytes = write_rtcp(report, compound);
        out_.assign(report.begin(), report.begin() + static_cast<std::ptrdiff_t>(bytes));
        break;
      }
      case Kind::truncated_sealed:
        if (!copy_sealed(now)) break;
        out_.resize(1 + random_() % out_.size());
        break;
      case Kind::flipped_sealed:
        if (!copy_sealed(now)) break;
        out_[random_() % out_.size()] ^= static_cast<std::byte>(1 << random_() % 8);
        break;
      case Kind::wild_fec: make_fec(); break;
    }
    return out_;
  }
  uint32_t seed_of_frames() const { return kFrameSeed; }

 private:
  static constexpr uint32_t kFrameSeed = 666;

  std::byte any() { return static_cast<std::byte>(random_()); }
  Datagram random_bytes_of(size_t size) { return test::random_bytes(size, static_cast<uint32_t>(random_())); }
  // An overheard packet; for a replay any, for other kinds only RTP.
  bool copy(bool whatever) {
    if (heard_.empty()) return false;
    for (int tries = 0; tries < 8; ++tries) {
      out_ = heard_[random_() % heard_.size()];
      if (whatever || (out_[0] >> 6 == std::byte{2} && out_.size() > 80)) return true;
    }
    out_ = random_bytes_of(1468);  // everything is sealed: its content can only be guessed
    store_be32(out_, 0, 0x80140000 | static_cast<uint32_t>(random_() & 0xFFFF));
    store_be32(out_, 8, ssrc_);
    return true;
  }
  bool copy_sealed(WallTime now) {
    for (int tries = 0; tries < 8 && !heard_.empty(); ++tries) {
      out_ = heard_[random_() % heard_.size()];
      if (out_[0] == std::byte{'T'} && out_[1] == std::byte{'C'} && out_[3] == std::byte{1}) return true;
    }
    next_of(*sealed_, sealed_packets_, now);
    return true;
  }
  size_t video_at() const {
    size_t at = kRtpHeaderBytes;
    if ((out_[0] & std::byte{0x10}) != std::byte{0}) at += 4 + size_t{4} * load_be16(out_, at + 2);
    return std::min(at, out_.size() - kVideoHeaderBytes);
  }
  void spoil() {
    for (size_t i = std::min<size_t>(out_.size(), 76); i < out_.size(); ++i) out_[i] ^= std::byte{0x5A};
  }
  uint32_t heard_frame() {
    const Datagram saved = out_;
    const uint32_t id = copy(false) ? load_be32(out_, video_at()) & kBufferIdMask : 0;
    out_ = saved;
    return id;
  }
  Bytes heard_parity() {
    for (const Datagram& each : heard_)
      if (each.size() > kParityHeaderBytes && each[0] == std::byte{'T'} && each[3] == std::byte{2}) return each;
    return {};
  }
  void next_of(FramePacketizer& packetizer, std::deque<Datagram>& packets, WallTime now) {
    if (packets.empty()) {
      FrameTimes times = pts_only(nanoseconds(16ms) * frames_++);
      times.available = times.encoded = times.sent = now;
      for (Datagram& packet : datagrams(packetizer, test::random_bytes(frame_bytes_, kFrameSeed), times))
        packets.push_back(std::move(packet));
    }
    out_ = packets.front();
    packets.pop_front();
  }
  void make_huge() {
    constexpr uint16_t kSides[] = {4100, 8192, 16384, 65532};
    const uint16_t width = kSides[random_() % 4], height = kSides[random_() % 4];
    out_ = random_bytes_of(kRtpHeaderBytes + kVideoHeaderBytes + 1400);
    store_be32(out_, 0, 0x80140000 | huge_++ % 65536);
    store_be32(out_, 4, huge_ / 64);
    store_be32(out_, 8, random_() % 2 ? ssrc_ : 0x66666666);
    const auto length = std::min<uint64_t>(uint64_t{4} * width * height, 0xFFFFFFF0);
    write_video_header(MutableBytes(out_).subspan(kRtpHeaderBytes),
                       {.buffer_id = huge_ / 64 & kBufferIdMask,
                        .offset = static_cast<uint32_t>(random_() % length) / 16 * 16,
                        .length = static_cast<uint32_t>(length),
                        .width = width,
                        .height = height,
                        .fourcc = {'R', 'G', 'B', 'A'},
                        .fps = 30});
  }
  void make_fec() {
    out_ = random_bytes_of(kRtpHeaderBytes + kFecHeaderBytes + 1400);
    store_be32(out_, 0, (random_() % 2 ? 0x801B0000u : 0x80160000u) | static_cast<uint32_t>(random_() & 0xFFFF));
    store_be32(out_, 8, random_() % 2 ? ssrc_ : static_cast<uint32_t>(random_()));
    const auto k = static_cast<uint16_t>(1 + random_() % 254), m = static_cast<uint16_t>(1 + random_() % (255 - k));
    const uint32_t symbol = 4 * (1 + static_cast<uint32_t>(random_() % 100'000));
    if (random_() % 4)
      write_fec_header(MutableBytes(out_).subspan(kRtpHeaderBytes), {.buffer_id = static_cast<uint32_t>(random_() % 9),
                                                                     .offset = 0,
                                                                     .block_length = symbol * (k + m),
                                                                     .k = k,
                                                                     .m = m,
                                                                     .c = static_cast<uint8_t>(1 + random_() % 5),
                                                                     .seed = 1});
  }

  std::mt19937_64 random_;
  uint32_t ssrc_;
  std::unique_ptr<FramePacketizer> own_;
  size_t frame_bytes_;
  std::shared_ptr<const WireKeys> stranger_;
  std::unique_ptr<FramePacketizer> sealed_;
  std::deque<Datagram> heard_, own_packets_, sealed_packets_;
  int64_t frames_ = 0;
  uint32_t huge_ = 0;
  Datagram out_;
};

}  // namespace texcast::transport::test
