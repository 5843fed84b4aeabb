// fec_spec.h — parses `--fec`: how a stream is protected against loss.
//
//   none | auto | N% | ultragrid-rs:K:N | ultragrid-ldgm:K:M:C | mult:N
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace texcast::transport {

// Default parity of texcast's own wire format, in per cent of the data.
inline constexpr int kUsualParityPercent = 10;

enum class FecKind : uint8_t {
  none,            // every packet once (or `copies` times)
  automatic,       // texcast's own parity, kUsualParityPercent
  parity,          // texcast's own parity, `percent` of the data
  ultragrid_rs,    // UltraGrid's Reed-Solomon blocks
  ultragrid_ldgm,  // UltraGrid's LDGM blocks
};

struct FecChoice {
  FecKind kind = FecKind::none;
  int percent = 0;    // parity: 1..100
  int k = 0;          // UltraGrid: data symbols per frame
  int m = 0;          // UltraGrid: parity symbols per frame (Reed-Solomon's N is k + m)
  int c = 0;          // LDGM: number of checks that include a data symbol
  uint32_t seed = 1;  // LDGM: seed of its matrix; 1 as in UltraGrid
  int copies = 1;     // mult: 2..10
  bool operator==(const FecChoice&) const = default;
};

// The choice, or an error of one line that says what is wrong and what would be right. Limits:
//   N% 1..100 · ultragrid-rs 1 <= K < N <= 255 · ultragrid-ldgm K, M 64..8191, C 2..63 · mult 2..10
Result<FecChoice> parse_fec(std::string_view text);
// The inverse of parse_fec().
std::string to_string(const FecChoice& choice);
// True for UltraGrid's methods.
bool is_ultragrid(const FecChoice& choice);

}  // namespace texcast::transport
