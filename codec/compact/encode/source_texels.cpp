#include "source_texels.h"

namespace texcast::compact {
namespace {

// The symmetric downsampling filter of chroma, in 40ths, for which bilinear upsampling in the decoder (weights 1/4 and
// 3/4) approximates the pixels best. It is the least-squares solution for an infinite row, c = (U^T U)^-1 U^T x. U^T U
// has 20/16 on its diagonal and 6/16 beside it, so that its inverse decays by -1/3 per texel; every second weight is 0.
// The omitted weights are less than 1/100.
constexpr std::array<int, 4> kWeights{27, -9, 3, -1};
constexpr std::array<int, 4> kBehind{1, 3, 5, 7};  // distance in pixels from the left one of the two at the centre
constexpr int kWeightSum = 40;
static_assert(2 * (kWeights[0] + kWeights[1] + kWeights[2] + kWeights[3]) == kWeightSum);
// The weights are powers of 3 with alternating signs, which halve() uses in Horner's scheme.
static_assert(kWeights[3] == -1 && kWeights[2] == 3 && kWeights[1] == -9 && kWeights[0] == 27);

I32x4 widened(const int16_t* from) { return I32x4{from[0], from[1], from[2], from[3]}; }

// Filters four texels horizontally. `from` is the pixel on the left of the first one's centre.
I32x4 sums_across(const int16_t* from) {
  // The left side of the filter uses the first pixel of each pair, and the right side the second.
  const auto pairs = [&](int i) { return load_vector<I16x8>(from + 2 * i); };
  constexpr int16_t kC = kWeights[0];
  I32x4 sum = multiply_pairs(pairs(0), I16x8{kC, kC, kC, kC, kC, kC, kC, kC});
  for (int k = 1; k < 4; ++k) {
    const auto w = static_cast<int16_t>(kWeights[static_cast<size_t>(k)]);
    sum += multiply_pairs(pairs(-k), I16x8{w, 0, w, 0, w, 0, w, 0});
    sum += multiply_pairs(pairs(k), I16x8{0, w, 0, w, 0, w, 0, w});
  }
  return sum;
}

}  // namespace

void SourceTexels::read_differences(int x0, int y0, int columns, int rows) {
  const SourcePicture& picture = *picture_;
  const int inner0 = std::clamp(-x0, 0, columns), inner1 = std::clamp(picture.width() - x0, inner0, columns);
  for (int y = 0; y < rows; ++y) {
    int16_t* const co = twice_co_[y].data();
    int16_t* const cg = four_times_cg_[y].data();
    const uint32_t* const from = picture.row(y0 + y);
    for (int x = inner0; x < inner1; x += kAtOnce) {
      I32x4 co4[2], cg4[2];
      for (int i = 0; i < 2; ++i) {
        const auto rgb = load_vector<U32x4>(from + x0 + x + 4 * i);
        const auto red = reinterpret_cast<I32x4>(rgb & 0xFF), blue = reinterpret_cast<I32x4>(rgb >> 16 & 0xFF);
        co4[i] = red - blue;
        cg4[i] = reinterpret_cast<I32x4>((rgb >> 8 & 0xFF) << 1) - red - blue;
      }
      // Excess values at the end of a row are overwritten below, or not read.
      store_vector(co + x, low_words(co4[0], co4[1]));
      store_vector(cg + x, low_words(cg4[0], cg4[1]));
    }
    std::fill(co, co + inner0, co[inner0]);
    std::fill(cg, cg + inner0, cg[inner0]);
    std::fill(co + inner1, co + columns, co[inner1 - 1]);
    std::fill(cg + inner1, cg + columns, cg[inner1 - 1]);
  }
}

// `chroma` is multiplied by `scale`, and has kReach more values on every side in the directions that are halved.
void SourceTexels::halve(const Differences& chroma, int scale, int columns, int rows, const Halved& halved,
                         uint8_t* texels) {
  const auto [across, down] = halved;
  for (int y = 0; y < rows * (down ? 2 : 1) + (down ? 2 * kReach : 0); ++y)
    for (int x = 0; x < columns; x += 4)
      store_vector(&sums_[y][x], across ? sums_across(&chroma[y][2 * x + kReach]) : widened(&chroma[y][x]));
  const int whole = scale * (across ? kWeightSum : 1) * (down ? kWeightSum : 1);
  const F32x4 divisor = F32x4{} + static_cast<float>(whole);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; x += 4) {
      const auto row = [&](int of_row) { return load_vector<I32x4>(&sums_[of_row][x]); };
      I32x4 sum = down ? I32x4{} : row(y);
      if (down) {
        const int at = 2 * y + kReach;
        for (size_t k = 0; k < kWeights.size(); ++k) {
          const I32x4 both = row(at + 1 - kBehind[k]) + row(at + kBehind[k]);
          sum = k == 0 ? both : (sum << 1) + sum + (k % 2 == 1 ? -both : both);
        }
      }
      sum += 128 * whole + whole / 2;
      // Exact: sums are integers below 2^23, and quotients that are not integers are at least 1 / 6400 away from the
      // next integer, which is more than the rounding error.
      F32x4 quotient = __builtin_convertvector(sum, F32x4) / divisor;
      quotient = quotient > 0.F ? quotient : F32x4{};
      quotient = quotient < 255.F ? quotient : F32x4{} + 255.F;
      const I16x8 words = low_words(__builtin_convertvector(quotient, I32x4), I32x4{});
      const auto bytes = reinterpret_cast<U32x4>(low_bytes(reinterpret_cast<U16x8>(words), U16x8{}));
      const uint32_t four = bytes[0];
      std::memcpy(texels + y * kTileWidth + x, &four, 4);
    }
  }
}

void SourceTexels::read(const TileGrid& grid, const Slice& slice, const SourcePicture& picture) {
  picture_ = &picture;
  if (grid.component(0).kind != SubBlockKind::channel) return;
  for (int i = 0; i < 3; ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, slice);
    planes_[static_cast<size_t>(i)].x0 = rect.x0;
    planes_[static_cast<size_t>(i)].y0 = rect.y0;
  }
  const BlockRect luma = grid.blocks(grid.component(0), slice);
  for (int y = 0; y < luma.height() * 4; ++y) {
    uint8_t* const row = planes_[0].texels.data() + y * kTileWidth;
    std::memcpy(row, picture.luma_row(luma.y0 * 4 + y) + luma.x0 * 4, static_cast<size_t>(luma.width()) * 4);
  }
  const Component& chroma = grid.component(1);
  const bool across = chroma.across > 1, down = chroma.down > 1;
  const BlockRect rect = grid.blocks(chroma, slice);
  const int columns = rect.width() * 4, rows = rect.height() * 4;
  const int more_x = across ? kReach : 0, more_y = down ? kReach : 0;
  read_differences(rect.x0 * 4 * chroma.across - more_x, rect.y0 * 4 * chroma.down - more_y,
                   columns * chroma.across + 2 * more_x, rows * chroma.down + 2 * more_y);
  halve(twice_co_, 2, columns, rows, {across, down}, planes_[1].texels.data());
  halve(four_times_cg_, 4, columns, rows, {across, down}, planes_[2].texels.data());
}

}  // namespace texcast::compact
