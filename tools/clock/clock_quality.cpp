#include "clock/clock_quality.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <vector>

namespace texcast::clock {
namespace {

// Fields of a line of `chronyc -c tracking`.
enum Field : size_t { kAddress = 1, kStratum = 2, kOffset = 4, kRootDelay = 10, kRootDispersion = 11, kLeap = 13 };
constexpr size_t kFields = 14;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t end = std::min(line.find(','), line.size());
    fields.push_back(line.substr(0, end));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
  }
}

std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_sane = error == std::errc{} && end == text.data() + text.size() && value > -1e9 && value < 1e9;
  return is_sane ? std::optional(value) : std::nullopt;
}

// The word after `name` on a line of its own.
std::optional<std::string_view> value_of(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + name.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

std::string duration_text(nanoseconds time) {
  const double ns = static_cast<double>(std::chrono::abs(time).count());
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.0f} µs", ns / 1e3);
  return fmt::format("{:.1f} ms", ns / 1e6);
}

bool has_ptp(const ClockQuality& quality) { return quality.ptp && quality.ptp->has_grandmaster; }
bool has_chrony(const ClockQuality& quality) { return quality.chrony && quality.chrony->synchronised; }

}  // namespace

std::optional<ChronyTracking> parse_tracking(std::string_view text) {
  const std::vector<std::string_view> fields = fields_of(text.substr(0, text.find_first_of("\r\n")));
  if (fields.size() < kFields) return std::nullopt;
  const auto stratum = number(fields[kStratum]), offset = number(fields[kOffset]);
  const auto delay = number(fields[kRootDelay]), dispersion = number(fields[kRootDispersion]);
  if (!stratum || !offset || !delay || !dispersion) return std::nullopt;
  const double off = *offset < 0 ? -*offset : *offset;
  return ChronyTracking{.synchronised = fields[kLeap] != "Not synchronised" && *stratum > 0,
                        .source = std::string(fields[kAddress]),
                        .stratum = static_cast<int>(*stratum),
                        .offset = from_seconds(off),
                        .error = from_seconds(off + *delay / 2 + *dispersion)};
}

std::optional<PtpStatus> parse_time_status(std::string_view text) {
  const auto offset = value_of(text, "master_offset"), present = value_of(text, "gmPresent");
  const auto grandmaster = value_of(text, "gmIdentity");
  const auto ns = offset ? number(*offset) : std::nullopt;
  if (!ns || !present || !grandmaster) return std::nullopt;
  return PtpStatus{.has_grandmaster = *present == "true",
                   .grandmaster = std::string(*grandmaster),
                   .offset = nanoseconds(static_cast<int64_t>(*ns))};
}

bool ClockQuality::synchronised() const { return kernel.synchronised; }

std::optional<nanoseconds> ClockQuality::error() const {
  if (!synchronised()) return std::nullopt;
  if (has_ptp(*this)) return std::chrono::abs(ptp->offset);
  if (clock::has_chrony(*this)) return chrony->error;
  return kernel.most_error;
}

std::string name_of_source(const ClockQuality& quality) {
  if (!quality.synchronised()) return "none";
  return has_ptp(quality) ? "ptp" : has_chrony(quality) ? "chrony" : "unknown";
}

std::string text_of(const ClockQuality& quality) {
  if (!quality.synchronised()) {
    if (has_ptp(quality))
      return fmt::format("the system clock is not synchronised, although ptp4l follows {}: phc2sys does not run",
                         quality.ptp->grandmaster);
    if (quality.chrony) return "the system clock is not synchronised: chrony has selected no source";
    return "the system clock is not synchronised";
  }
  if (has_ptp(quality))
    return fmt::format("synchronised by PTP with {}, whose clock the network card's is {} off",
                       quality.ptp->grandmaster, duration_text(quality.ptp->offset));
  if (has_chrony(quality))
    return fmt::format("synchronised by chrony with {} (stratum {}), {} off, within {}",
                       quality.chrony->source.empty() ? "the local clock" : quality.chrony->source,
                       quality.chrony->stratum, duration_text(quality.chrony->offset),
                       duration_text(quality.chrony->error));
  return fmt::format("synchronised, by neither chrony nor ptp4l; within {} by the kernel",
                     duration_text(quality.kernel.most_error));
}

std::string mend_of(const ClockQuality& quality) {
  if (quality.synchronised()) return "";
  if (has_ptp(quality)) return "phc2sys -a -r   # or systemctl enable --now phc2sys";
  if (quality.chrony) return "chronyc sources   # wait, or name a server that answers in /etc/chrony/chrony.conf";
  if (quality.has_chrony) return "systemctl enable --now chrony";
  return "apt-get install chrony   # or linuxptp, for microseconds; docs/wall.md";
}

}  // namespace texcast::clock
