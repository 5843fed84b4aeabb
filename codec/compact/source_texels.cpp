#include "source_texels.h"

namespace texcast::compact {
namespace {

// What a chroma texel of half size takes of the pixels before its centre and, the same, behind it, in 40ths, so that
// what a decoder interpolates between the texels (1/4 and 3/4) comes nearest to the pixels. The least squares of a row
// without end: c = (U^T U)^-1 U^T x, where U^T U has 20/16 in the middle and 6/16 beside it, so that its inverse falls
// off by -1/3 a texel; every second weight is 0. What is left off is less than a hundredth.
constexpr std::array<int, 4> kWeights{27, -9, 3, -1};
constexpr std::array<int, 4> kBehind{1, 3, 5, 7};  // pixels from the left of the two at the centre
constexpr int kWeightSum = 40;
static_assert(2 * (kWeights[0] + kWeights[1] + kWeights[2] + kWeights[3]) == kWeightSum);

}  // namespace

void SourceTexels::read_differences(int x0, int y0, int columns, int rows) {
  const SourcePicture& picture = *picture_;
  const int inner0 = std::clamp(-x0, 0, columns), inner1 = std::clamp(picture.width() - x0, inner0, columns);
  for (int y = 0; y < rows; ++y) {
    int16_t* const co = twice_co_[y].data();
    int16_t* const cg = four_times_cg_[y].data();
    const auto put = [&](int x, const uint8_t* at) {
      co[x] = static_cast<int16_t>(at[0] - at[2]);
      cg[x] = static_cast<int16_t>(2 * at[1] - at[0] - at[2]);
    };
    const uint8_t* at = picture.pixel(x0 + inner0, y0 + y);
    for (int x = inner0; x < inner1; ++x, at += 3) put(x, at);
    for (int x = 0; x < inner0; ++x) put(x, picture.pixel(0, y0 + y));
    for (int x = inner1; x < columns; ++x) put(x, picture.pixel(picture.width() - 1, y0 + y));
  }
}

// `of`: `unit` times the chroma, with kReach more on every side that is halved.
void SourceTexels::halve(const Differences& of, int unit, int columns, int rows, const Halved& halved,
                         uint8_t* texels) {
  const auto [across, down] = halved;
  for (int y = 0; y < rows * (down ? 2 : 1) + (down ? 2 * kReach : 0); ++y) {
    for (int x = 0; x < columns; ++x) {
      const int16_t* const at = of[y].data() + (across ? 2 * x + kReach : x);
      int sum = at[0];
      if (across) {
        sum = 0;
        for (size_t k = 0; k < kWeights.size(); ++k) sum += kWeights[k] * (at[1 - kBehind[k]] + at[kBehind[k]]);
      }
      sums_[y][x] = sum;
    }
  }
  const int whole = unit * (across ? kWeightSum : 1) * (down ? kWeightSum : 1);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      int sum = down ? 0 : sums_[y][x];
      if (down) {
        const int at = 2 * y + kReach;
        for (size_t k = 0; k < kWeights.size(); ++k)
          sum += kWeights[k] * (sums_[at + 1 - kBehind[k]][x] + sums_[at + kBehind[k]][x]);
      }
      texels[y * kTileWidth + x] =
          static_cast<uint8_t>(std::clamp((sum + 128 * whole + whole / 2) / std::max(whole, 1), 0, 255));
    }
  }
}

void SourceTexels::read(const TileGrid& grid, const Unit& unit, const SourcePicture& picture) {
  picture_ = &picture;
  if (grid.component(0).kind != HalfBlock::channel) return;
  for (int i = 0; i < 3; ++i) {
    const Component& component = grid.component(i);
    const BlockRect rect = grid.blocks(component, unit);
    planes_[static_cast<size_t>(i)].x0 = rect.x0;
    planes_[static_cast<size_t>(i)].y0 = rect.y0;
  }
  const BlockRect luma = grid.blocks(grid.component(0), unit);
  for (int y = 0; y < luma.height() * 4; ++y) {
    uint8_t* const row = planes_[0].texels.data() + y * kTileWidth;
    const int x0 = luma.x0 * 4, inner = std::min(luma.width() * 4, picture.width() - x0);
    const uint8_t* at = picture.pixel(x0, luma.y0 * 4 + y);
    for (int x = 0; x < inner; ++x, at += 3) row[x] = static_cast<uint8_t>((at[0] + 2 * at[1] + at[2] + 2) >> 2);
    for (int x = std::max(inner, 1); x < luma.width() * 4; ++x) row[x] = row[x - 1];
  }
  const Component& chroma = grid.component(1);
  const bool across = chroma.across > 1, down = chroma.down > 1;
  const BlockRect rect = grid.blocks(chroma, unit);
  const int columns = rect.width() * 4, rows = rect.height() * 4;
  const int more_x = across ? kReach : 0, more_y = down ? kReach : 0;
  read_differences(rect.x0 * 4 * chroma.across - more_x, rect.y0 * 4 * chroma.down - more_y,
                   columns * chroma.across + 2 * more_x, rows * chroma.down + 2 * more_y);
  halve(twice_co_, 2, columns, rows, {across, down}, planes_[1].texels.data());
  halve(four_times_cg_, 4, columns, rows, {across, down}, planes_[2].texels.data());
}

}  // namespace texcast::compact
