// clock_quality.h — how good the system clock is, by the kernel and by the program that keeps it. Functions over text
// and values only; examine_clock.h asks the machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "texcast/frame_times.h"

namespace texcast::clock {

// adjtimex(2).
struct KernelClock {
  bool synchronised = false;  // STA_UNSYNC is not set
  nanoseconds most_error{};   // grows by 500 ppm from each update on
};

// `chronyc -c -n tracking`.
struct ChronyTracking {
  bool synchronised = false;
  std::string source{};  // address or name of the server
  int stratum = 0;
  nanoseconds offset{};  // of this clock; without a sign
  nanoseconds error{};   // at most, to the reference at the root: offset, half of the delay, and dispersion
};

// `pmc 'GET TIME_STATUS_NP'`, of ptp4l on this machine.
struct PtpStatus {
  bool has_grandmaster = false;
  std::string grandmaster{};
  nanoseconds offset{};  // of the network card's clock from it
};

// Nothing if the text is not such an answer, as when no daemon runs.
std::optional<ChronyTracking> parse_tracking(std::string_view text);
std::optional<PtpStatus> parse_time_status(std::string_view text);

struct ClockQuality {
  KernelClock kernel{};
  std::optional<ChronyTracking> chrony{};
  std::optional<PtpStatus> ptp{};
  bool has_chrony = false;  // installed

  // The clock follows a source that other machines can follow too.
  bool synchronised() const;
  // How far it is from its source at most, as far as that is known; nothing if it is not synchronised.
  std::optional<nanoseconds> error() const;
};

std::string name_of_source(const ClockQuality& quality);  // "chrony", "ptp", "unknown", "none", for JSON
std::string text_of(const ClockQuality& quality);         // "synchronised by chrony with 192.168.1.1, within 0.4 ms"
std::string mend_of(const ClockQuality& quality);         // the command to run; empty if it is synchronised

}  // namespace texcast::clock
