// tune.h — whether an encoder looks for the fastest form of its kernel.
//
// A kernel has several forms (docs/architecture.md, "The tuner"), which give the same bytes in different times.
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
  off,  // the form that is usually the fastest on such a device
  // The remembered winner. On first use the likely forms are timed, for about two seconds, and remembered; but not on
  // CPUs whose frames wait for it (EncoderStart::at_once): these take the usual form.
  automatic,
  again,  // every form is timed, however long that takes, and remembered
};
inline constexpr std::array kTuneModes = {TuneMode::off, TuneMode::automatic, TuneMode::again};

TEXCAST_API std::string_view name(TuneMode mode);  // "off", "auto", "again"
TEXCAST_API std::optional<TuneMode> tune_mode_from_name(std::string_view name);
TEXCAST_API std::string list_tune_modes();  // for messages

// Of the environment: TEXCAST_TUNE, else automatic. Throws Error{usage} where it names no mode.
TEXCAST_API TuneMode default_tune_mode();

}  // namespace texcast
