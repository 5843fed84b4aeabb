// tune.h — whether an encoder searches for the fastest variant of its kernel.
//
// A kernel has several variants (docs/architecture.md, "The tuner"), which return the same bytes at different speeds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "texcast/error.h"
#include "texcast/export.h"

namespace texcast {

enum class TuneMode : uint8_t {
  off,  // the variant that is usually the fastest on this kind of device
  // The remembered winner. On first use the likely variants are timed, for about two seconds, and the fastest is
  // remembered. CPUs whose frames would wait for this (EncoderStart::at_once) take the usual variant instead.
  automatic,
  again,  // times every variant, however long that takes, and remembers the fastest
};
inline constexpr std::array kTuneModes = {TuneMode::off, TuneMode::automatic, TuneMode::again};

TEXCAST_API std::string_view name(TuneMode mode);  // "off", "auto", "again"
TEXCAST_API std::optional<TuneMode> tune_mode_from_name(std::string_view name);
TEXCAST_API std::string list_tune_modes();  // for messages

// From the environment variable TEXCAST_TUNE, else automatic. Throws Error{usage} if it names no mode.
TEXCAST_API TuneMode default_tune_mode();

}  // namespace texcast
