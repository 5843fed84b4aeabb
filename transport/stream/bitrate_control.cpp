#include "bitrate_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "texcast/error.h"
#include "transport/compact_packetizer.h"
#include "transport/pacer.h"

namespace texcast::stream {
namespace {

void require_room(const compact::RateSettings& rate, double least_bits_per_s) {
  const size_t packet = rate.line_bytes({.payloads = 1, .bytes = rate.payload_bytes, .longest = rate.payload_bytes});
  const double least = static_cast<double>(packet) * 8 * rate.fps / rate.buffer_frames;
  if (least_bits_per_s >= least) return;
  throw Error(ErrorKind::usage,
              fmt::format("{:.0f}k bits a second are too few for {:.4g} frames a second of a coded stream: give "
                          "{:.0f}k at least, or fewer frames a second",
                          least_bits_per_s / 1000, rate.fps, std::ceil(least / 1000)));
}

std::optional<RateAdaptation> adaptation(const Bitrate& bitrate) {
  if (bitrate.least >= bitrate.most) return std::nullopt;
  return RateAdaptation(bitrate.least, bitrate.most);
}

compact::RateSettings rate_settings(const SendSettings& settings, const CompactSettings& compact, double bits_per_s,
                                    bool ipv6, size_t payload_bytes) {
  const transport::FecChoice fec = transport::fec_on_wire(settings.wire);
  const transport::CompactFrameSize size{
      .parity_percent = fec.kind == transport::FecKind::parity ? static_cast<double>(fec.percent) : 0,
      .sealed = settings.wire.crypto == transport::CryptoChoice::texcast,
      .overhead = transport::wire_overhead(ipv6)};
  compact::RateSettings rate{.bits_per_s = bits_per_s,
                             .fps = settings.fps > 0 ? settings.fps : 60,
                             .crf = compact.crf.value_or(compact::kFinestCrf),
                             .refinements = kRefinements,
                             .payload_bytes = payload_bytes};
  rate.line_bytes = [size](const compact::PayloadSizes::Sum& sum) {
    return size.line_bytes(sum.payloads, sum.bytes, sum.longest);
  };
  require_room(rate, compact.bitrate->least);
  return rate;
}

}  // namespace

CompactSettings within_line_rate(const SendSettings& settings) {
  CompactSettings compact = settings.compact;
  if (!compact.bitrate || settings.rate_bits_per_s.value_or(0) <= 0) return compact;
  compact.bitrate->most = std::min(compact.bitrate->most, *settings.rate_bits_per_s);
  compact.bitrate->least = std::min(compact.bitrate->least, compact.bitrate->most);
  return compact;
}

void BitrateControl::check(const SendSettings& settings, const CompactSettings& compact, const PacketLine& line) {
  rate_settings(settings, compact, compact.bitrate->most, line.ipv6, line.payload_bytes);
}

BitrateControl::BitrateControl(const SendSettings& settings, const CompactSettings& compact, const PacketLine& line,
                               const compact::TileGrid& grid, PacedSender& sender)
    : bitrate_(*compact.bitrate),
      adaptation_(adaptation(bitrate_)),
      control_(grid.tiles(), rate_settings(settings, compact, adaptation_ ? adaptation_->bits_per_s() : bitrate_.most,
                                           line.ipv6, line.payload_bytes)),
      charged_(sender.signs(reports_).again_line_bytes) {
  sender.limit(bitrate_.most);
}

void BitrateControl::change(const CompactSettings& compact, PacedSender& sender) {
  if (compact.bitrate != bitrate_) {
    bitrate_ = *compact.bitrate;
    adaptation_.reset();
    if (bitrate_.least < bitrate_.most) adaptation_.emplace(bitrate_.least, bitrate_.most);
    control_.set_rate(adaptation_ ? adaptation_->bits_per_s() : bitrate_.most);
    sender.limit(bitrate_.most);
  }
  control_.set_crf(compact.crf.value_or(compact::kFinestCrf));
}

void BitrateControl::update(SteadyTime now, PacedSender& sender, bool real_time) {
  RateSigns signs = sender.signs(reports_);
  control_.charge(signs.again_line_bytes - charged_);
  charged_ = signs.again_line_bytes;
  signs.hears_losses = signs.hears_losses && real_time;
  if (!adaptation_ || !adaptation_->look(now, signs)) return;
  control_.set_rate(adaptation_->bits_per_s());
  sender.limit(adaptation_->bits_per_s());
}

}  // namespace texcast::stream
