// fec_bench — speed of parity and recovery for frames of 1080p BC1. Run by hand, without arguments. Reports the best of
// 15, so that other load on the machine matters little.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "transport/cauchy_parity.h"
#include "transport/ultragrid_fec_block.h"

using namespace texcast;
using namespace texcast::transport;

namespace {

constexpr size_t kFrameBytes = 1920 * 1080 / 2;

template <typename F>
double best_ms(F function) {
  double best = 1e9;
  for (int i = 0; i < 15; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void row(const char* name, double ms, size_t bytes) {
  std::printf("%-46s %7.3f ms  %6.0f MB/s\n", name, ms, static_cast<double>(bytes) / ms / 1e3);
}

void bench_block(const char* name, const FecShape& shape, int lost, Bytes frame, std::mt19937& random) {
  UltraGridFecWriter writer(shape);
  const VideoHeader header{.width = 1920, .height = 1080, .fourcc = kFourCcDxt1, .fps = 60};
  row(name, best_ms([&] {
        writer.begin(frame, header);
        writer.advance(frame.size());
      }),
      frame.size());
  row("  in eight bands", best_ms([&] {
        writer.begin(frame, header);
        for (size_t i = 1; i <= 8; ++i) writer.advance(frame.size() * i / 8);
      }),
      frame.size());
  const size_t symbol = writer.symbol_bytes(), count = static_cast<size_t>(shape.k + shape.m);
  std::vector<std::byte> block(writer.block().begin(), writer.block().end());
  std::vector<char> gone(count);
  std::fill_n(gone.begin(), lost, char{1});
  std::ranges::shuffle(gone, random);
  ByteCoverage coverage;
  for (size_t i = 0; i < count; ++i)
    if (!gone[i]) coverage.add(static_cast<uint32_t>(i * symbol), static_cast<uint32_t>((i + 1) * symbol));
  const FecHeader fec{.block_length = static_cast<uint32_t>(block.size()),
                      .k = static_cast<uint16_t>(shape.k),
                      .m = static_cast<uint16_t>(shape.m),
                      .c = static_cast<uint8_t>(shape.c),
                      .seed = shape.seed};
  UltraGridFecReader reader;
  bool whole = true;
  const double ms = best_ms([&] { whole = whole && reader.read(shape.scheme, fec, block, coverage).whole; });
  char text[64];
  std::snprintf(text, sizeof text, "  repair, %d of %zu symbols lost%s", lost, count, whole ? "" : " (NOT WHOLE)");
  row(text, ms, frame.size());
}

// texcast's own parity: symbols are packets.
void bench_group(int k, int m) {
  constexpr size_t kSymbol = 1424;
  ReedSolomon code(ReedSolomon::Matrix::cauchy, k, m);
  std::vector<std::byte> memory(static_cast<size_t>(k + m) * kSymbol);
  std::vector<const std::byte*> data;
  std::vector<std::byte*> parity;
  for (size_t at = 0; at < memory.size(); at += kSymbol)
    data.size() < static_cast<size_t>(k) ? data.push_back(memory.data() + at) : parity.push_back(memory.data() + at);
  const auto bytes = static_cast<size_t>(k) * kSymbol;
  char text[64];
  std::snprintf(text, sizeof text, "Cauchy %d:%d, 1424 bytes each", k, k + m);
  row(text, best_ms([&] { code.encode(data, parity, kSymbol); }), bytes);
  row("  symbol by symbol", best_ms([&] {
        for (int i = 0; i < k; ++i) code.add(i, Bytes(data[static_cast<size_t>(i)], kSymbol), parity);
      }),
      bytes);
  for (const auto kernel : {CauchyParity::Kernel::tables, CauchyParity::Kernel::fastest}) {
    const CauchyParity sums(k, m, kernel);
    row(kernel == CauchyParity::Kernel::tables ? "  32 symbols at a time, ISA-L" : "  32 symbols at a time, fastest",
        best_ms([&] {
          for (int i = 0; i < k; i += 32)
            sums.add(i, std::min(32, k - i), {memory.data() + static_cast<size_t>(i) * kSymbol, kSymbol}, kSymbol,
                     {memory.data() + bytes, kSymbol}, i == 0);
        }),
        bytes);
  }
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::vector<std::byte> frame(kFrameBytes);
  for (std::byte& b : frame) b = static_cast<std::byte>(random());
  bench_block("ultragrid-rs:200:240", {FecScheme::reed_solomon, 200, 40, 0, 0}, 40, frame, random);
  bench_block("ultragrid-rs:100:110", {FecScheme::reed_solomon, 100, 10, 0, 0}, 10, frame, random);
  bench_block("ultragrid-ldgm:512:384:5", {FecScheme::ldgm, 512, 384, 5, 1}, 250, frame, random);
  bench_block("  (as equations)", {FecScheme::ldgm, 512, 384, 5, 1}, 350, frame, random);
  bench_block("ultragrid-ldgm:1500:450:6", {FecScheme::ldgm, 1500, 450, 6, 1}, 250, frame, random);
  bench_group(73, 8);
  bench_group(182, 37);
  bench_group(229, 23);
}
