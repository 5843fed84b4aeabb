// psnr-hvs-m WIDTH HEIGHT SOURCE CODED: PSNR-HVS-M and PSNR-HVS of raw gray pictures (8 bits a sample, frame after
// frame) against their source, over all frames of both. tests/tools/rd-curves runs it.
#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "psnr_hvs_m.h"

namespace {

// False: there is no whole frame left.
bool read(std::ifstream& file, std::vector<uint8_t>& frame) {
  return file.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(frame.size())).good();
}

}  // namespace

int main(int count, char** arguments) {
  const size_t width = count == 5 ? std::strtoul(arguments[1], nullptr, 10) : 0;
  const size_t height = count == 5 ? std::strtoul(arguments[2], nullptr, 10) : 0;
  constexpr size_t kMost = 1 << 15;
  if (width < 1 || width > kMost || height < 1 || height > kMost) {
    fmt::print(stderr, "usage: psnr-hvs-m WIDTH HEIGHT SOURCE CODED\n");
    return 2;
  }
  std::ifstream source_file(arguments[3], std::ios::binary), coded_file(arguments[4], std::ios::binary);
  std::vector<uint8_t> source(width * height), coded(width * height);
  texcast::bench::PsnrHvsM meter;
  int frames = 0;
  for (; read(source_file, source) && read(coded_file, coded); ++frames) meter.add(source, coded, width, height);
  fmt::print("{} frames  PSNR-HVS-M {:.2f} dB  PSNR-HVS {:.2f} dB\n", frames, meter.psnr_hvs_m_db(),
             meter.psnr_hvs_db());
  return frames > 0 ? 0 : 1;
}
