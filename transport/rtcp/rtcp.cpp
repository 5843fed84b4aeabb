#include "transport/rtcp.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace texcast::transport {
namespace {

constexpr uint8_t kSenderReport = 200;
constexpr uint8_t kReceiverReport = 201;
constexpr uint8_t kSourceDescription = 202;
constexpr uint8_t kGoodbye = 203;
constexpr uint64_t kEndOfItems = 0, kCnameItem = 1, kToolItem = 6;

constexpr size_t kRtcpHeaderBytes = 4;
constexpr size_t kSenderInfoBytes = 20;
constexpr size_t kBlockBytes = 24;

constexpr uint64_t kFrom1900To1970 = 2'208'988'800;  // seconds
constexpr double kCompensation = 2.71828 - 1.5;      // of timer reconsideration, RFC 3550 6.3.1

struct Header {
  unsigned count = 0;  // five bits: blocks, chunks or sources
  uint8_t type = 0;
  Bytes body{};
};

std::optional<Header> take_header(ByteReader& reader) {
  const auto fixed = reader.take(kRtcpHeaderBytes);
  if (!fixed || load_u8(*fixed, 0) >> 6 != 2) return std::nullopt;
  const auto body = reader.take(size_t{load_be16(*fixed, 2)} * 4);
  if (!body) return std::nullopt;
  return Header{load_u8(*fixed, 0) & 0x1Fu, load_u8(*fixed, 1), *body};
}

bool has_padding(Bytes datagram) { return (load_u8(datagram, 0) & 0x20) != 0; }

int32_t sign_extended_24(uint32_t value) { return static_cast<int32_t>(value << 8) >> 8; }

RtcpReportBlock parse_block(Bytes bytes) {
  return {.ssrc = load_be32(bytes, 0),
          .fraction_lost = load_u8(bytes, 4),
          .cumulative_lost = sign_extended_24(load_be32(bytes, 4) & 0xFFFFFF),
          .highest_sequence = load_be32(bytes, 8),
          .jitter = load_be32(bytes, 12),
          .last_report = load_be32(bytes, 16),
          .delay = load_be32(bytes, 20)};
}

// False if the body is shorter than its counts claim. A second report of a compound adds its blocks.
bool take_report(const Header& header, RtcpCompound& compound, bool first) {
  ByteReader reader(header.body);
  const auto ssrc = reader.take_be<4>();
  if (!ssrc) return false;
  if (first) compound.ssrc = static_cast<uint32_t>(*ssrc);
  if (header.type == kSenderReport) {
    const auto info = reader.take(kSenderInfoBytes);
    if (!info) return false;
    compound.sender = RtcpSenderInfo{.ntp_time = load_be64(*info, 0),
                                     .rtp_timestamp = load_be32(*info, 8),
                                     .packets = load_be32(*info, 12),
                                     .octets = load_be32(*info, 16)};
  }
  for (unsigned i = 0; i < header.count; ++i) {
    const auto block = reader.take(kBlockBytes);
    if (!block) return false;
    if (compound.block_count < RtcpCompound::kMaxBlocks) compound.blocks[compound.block_count++] = parse_block(*block);
  }
  return true;
}

bool take_goodbye(const Header& header, RtcpCompound& compound) {
  ByteReader reader(header.body);
  for (unsigned i = 0; i < header.count; ++i) {
    const auto ssrc = reader.take_be<4>();
    if (!ssrc) return false;
    if (*ssrc == compound.ssrc) compound.bye = true;
  }
  return true;
}

// A chunk is an SSRC, items, and zeros up to a whole word. Chunks of other SSRCs than the compound's own are skipped.
void take_description(const Header& header, RtcpCompound& compound) {
  ByteReader reader(header.body);
  for (unsigned i = 0; i < header.count; ++i) {
    const auto ssrc = reader.take_be<4>();
    if (!ssrc) return;
    for (auto item = reader.take_be<1>(); item != kEndOfItems; item = reader.take_be<1>()) {
      const auto length = item ? reader.take_be<1>() : std::nullopt;
      const auto bytes = length ? reader.take(*length) : std::nullopt;
      if (!bytes) return;
      const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      if (*ssrc != compound.ssrc) continue;
      if (*item == kCnameItem) compound.cname = text;
      if (*item == kToolItem) compound.tool = text;
    }
    reader.take(reader.remaining() % 4);
  }
}

void write_header(MutableBytes out, unsigned count, uint8_t type, size_t bytes) {
  store_be<1>(out, 0, 0x80u | count);
  store_be<1>(out, 1, type);
  store_be16(out, 2, static_cast<uint16_t>(bytes / 4 - 1));
}

size_t write_report(MutableBytes out, const RtcpCompound& compound) {
  store_be32(out, 4, compound.ssrc);
  size_t at = 8;
  if (compound.sender) {
    store_be64(out, at, compound.sender->ntp_time);
    store_be32(out, at + 8, compound.sender->rtp_timestamp);
    store_be32(out, at + 12, compound.sender->packets);
    store_be32(out, at + 16, compound.sender->octets);
    at += kSenderInfoBytes;
  }
  for (const RtcpReportBlock& block : compound.all_blocks()) {
    const int32_t lost = std::clamp(block.cumulative_lost, -0x800000, 0x7FFFFF);
    store_be32(out, at, block.ssrc);
    store_be32(out, at + 4, uint32_t{block.fraction_lost} << 24 | (static_cast<uint32_t>(lost) & 0xFFFFFF));
    store_be32(out, at + 8, block.highest_sequence);
    store_be32(out, at + 12, block.jitter);
    store_be32(out, at + 16, block.last_report);
    store_be32(out, at + 20, block.delay);
    at += kBlockBytes;
  }
  write_header(out, static_cast<unsigned>(compound.block_count), compound.sender ? kSenderReport : kReceiverReport, at);
  return at;
}

size_t write_item(MutableBytes out, uint64_t item, std::string_view text) {
  store_be<1>(out, 0, item);
  store_be<1>(out, 1, text.size());
  std::ranges::copy(std::as_bytes(std::span(text)), out.begin() + 2);
  return 2 + text.size();
}

size_t write_description(MutableBytes out, const RtcpCompound& compound) {
  const std::string_view cname = compound.cname.substr(0, kMaxCnameBytes);
  const std::string_view tool = compound.tool.substr(0, kMaxToolBytes);
  // SSRC, items, then at least one zero byte, up to a whole word.
  const size_t items = 2 + cname.size() + (tool.empty() ? 0 : 2 + tool.size());
  const size_t bytes = kRtcpHeaderBytes + (4 + items + 1 + 3) / 4 * 4;
  std::memset(out.data(), 0, bytes);
  write_header(out, 1, kSourceDescription, bytes);
  store_be32(out, 4, compound.ssrc);
  const size_t at = 8 + write_item(out.subspan(8), kCnameItem, cname);
  if (!tool.empty()) write_item(out.subspan(at), kToolItem, tool);
  return bytes;
}

}  // namespace

std::optional<RtcpCompound> parse_rtcp(Bytes datagram) {
  RtcpCompound compound;
  ByteReader reader(datagram);
  bool first = true;
  while (reader.remaining() > 0) {
    const bool padded = has_padding(reader.rest());
    const auto header = take_header(reader);
    if (!header) return std::nullopt;
    const bool report = header->type == kSenderReport || header->type == kReceiverReport;
    if (first && (!report || padded)) return std::nullopt;
    if (report && !take_report(*header, compound, first)) return std::nullopt;
    if (header->type == kSourceDescription) take_description(*header, compound);
    if (header->type == kGoodbye && !take_goodbye(*header, compound)) return std::nullopt;
    first = false;
  }
  if (first) return std::nullopt;
  return compound;
}

size_t write_rtcp(MutableBytes out, const RtcpCompound& compound) {
  ENSURE(compound.block_count <= RtcpCompound::kMaxBlocks);
  ENSURE(out.size() >= kMaxRtcpBytes + kBlockBytes * std::max<size_t>(compound.block_count, 1) - kBlockBytes);
  size_t at = write_report(out, compound);
  at += write_description(out.subspan(at), compound);
  if (!compound.bye) return at;
  const MutableBytes rest = out.subspan(at);
  store_be32(rest, 4, compound.ssrc);
  write_header(rest, 1, kGoodbye, 8);
  return at + 8;
}

uint64_t ntp_time(WallTime wall) {
  const auto ns = static_cast<uint64_t>(wall.time_since_epoch().count());
  const uint64_t fraction = ((ns % 1'000'000'000) << 32) / 1'000'000'000;
  return (ns / 1'000'000'000 + kFrom1900To1970) << 32 | fraction;
}

uint32_t rtp_clock(nanoseconds time) {
  const auto ns = static_cast<uint64_t>(time.count());
  return static_cast<uint32_t>(ns / 100'000 * 9 + ns % 100'000 * 9 / 100'000);
}

nanoseconds RtcpTimer::interval(nanoseconds average) {
  state_ = state_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX; its upper half is random enough
  const double random = static_cast<double>(state_ >> 32) / 4294967296.0;
  return nanoseconds(static_cast<int64_t>(static_cast<double>(average.count()) * (0.5 + random) / kCompensation));
}

}  // namespace texcast::transport
