// psnr_hvs_m.h — PSNR-HVS-M: a PSNR that weights errors by how visible they are.
//
// Ponomarenko, Silvestri, Egiazarian, Carli, Astola, Lukin: "On between-coefficient contrast masking of DCT basis
// functions", VPQM 2007. It compares blocks of 8x8 samples in the DCT domain. Errors of low frequencies weigh more than
// those of high ones, and an error counts only as far as it is above what the texture of its block masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace texcast::bench {

// The sums over all planes that were added. Not thread-safe.
class PsnrHvsM {
 public:
  // Two planes of 8-bit samples of one size, row after row without padding; the size of both spans is width * height
  // (else misuse). Rows and columns beyond the last whole block of 8x8 do not count.
  void add(std::span<const uint8_t> source, std::span<const uint8_t> coded, size_t width, size_t height);

  // In dB, relative to 255. Errors are averaged over all planes before the logarithm. Infinity: no error is visible, or
  // no block was added.
  double psnr_hvs_m_db() const { return decibels(masked_); }
  // PSNR-HVS: the same without masking.
  double psnr_hvs_db() const { return decibels(weighted_); }

 private:
  double decibels(double sum) const;

  double masked_ = 0;
  double weighted_ = 0;
  uint64_t samples_ = 0;
};

}  // namespace texcast::bench
