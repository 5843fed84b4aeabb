// Windows of pixels are found again wherever they moved.
#include "compact/window_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "capture_bound.h"

namespace texcast::compact {
namespace {

Component plane_of(int blocks_x, int blocks_y) {
  Component component;
  component.kind = SubBlockKind::channel;
  component.blocks_x = blocks_x;
  component.blocks_y = blocks_y;
  return component;
}
constexpr int kColumns = 64, kRows = 32;  // sub-blocks
const BlockRect kTile{16, 8, 32, 16};
const BlockRect kTiles[] = {{0, 0, 16, 8}, kTile, {16, 0, 32, 8}, {0, 8, 16, 16}, {32, 8, 48, 16}, {32, 0, 48, 8}};

// `gray`: of each pixel, row by row.
PixelPlane plane_with(const std::vector<uint8_t>& gray) {
  PixelPlane plane(plane_of(kColumns, kRows));
  FrameView view{
      .format = {.pixel_format = PixelFormat::gray, .width = kColumns * 4, .height = kRows * 4, .color = kFullRange}};
  view.planes[0] = {reinterpret_cast<const std::byte*>(gray.data()), kColumns * 4};
  SourcePicture picture(kColumns * 4, kRows * 4);
  picture.draw(view, {0, 0, kColumns, kRows});
  plane.draw(picture, {0, 0, kColumns, kRows});
  return plane;
}

// A picture without two equal windows, from which parts at (x0, y0) are taken.
class Picture {
 public:
  PixelPlane from(int x0, int y0) const {
    std::vector<uint8_t> gray(size_t{kColumns} * 4 * kRows * 4);
    for (int y = 0; y < kRows * 4; ++y)
      for (int x = 0; x < kColumns * 4; ++x) gray[static_cast<size_t>(y) * kColumns * 4 + x] = at(x + x0, y + y0);
    return plane_with(gray);
  }

 private:
  static uint8_t at(int x, int y) {
    return static_cast<uint8_t>((static_cast<uint32_t>(x) * 2654435761u ^ static_cast<uint32_t>(y) * 40503u * 65537u) >>
                                22);
  }
};

WindowIndex windows_of(const PixelPlane& plane, std::vector<int> ways = {0, 1, 2, 3}) {
  WindowIndex windows(plane);
  for (const int way : ways)
    for (const BlockRect& tile : kTiles) windows.put(plane, tile, way);
  return windows;
}

WindowMatches matches(const WindowIndex& windows, const PixelPlane& source, const PixelPlane& reference) {
  TileWindows found;
  return windows.find(source, reference, kTile, found);
}
MotionCandidates candidates(const WindowIndex& windows, const PixelPlane& source, const PixelPlane& reference) {
  return matches(windows, source, reference).most;
}

TEST_CASE("window index: content that moved by any number of pixels gives exactly this candidate") {
  const Picture picture;
  const PixelPlane reference = picture.from(0, 0);
  const WindowIndex windows = windows_of(reference);
  for (const MotionVector v :
       {MotionVector{1, 0}, MotionVector{0, -1}, MotionVector{5, 3}, MotionVector{-7, 2}, MotionVector{-30, -11}}) {
    CAPTURE_BOUND(v.x);
    CAPTURE_BOUND(v.y);
    const MotionCandidates most = candidates(windows, picture.from(v.x, v.y), reference);
    CHECK(most[0].vector == v);
    CHECK(most[0].matches > 8);
    CHECK(most[1].matches < most[0].matches / 4);
  }
}

TEST_CASE("window index: static, new and uniform content gives no candidates") {
  const Picture picture;
  const PixelPlane reference = picture.from(0, 0), flat(plane_of(kColumns, kRows));
  const WindowIndex windows = windows_of(reference);
  CHECK(candidates(windows, reference, reference)[0].matches == 0);
  CHECK(candidates(windows, picture.from(5000, 5000), reference)[0].matches == 0);
  CHECK(candidates(windows, flat, reference)[0].matches == 0);
  // Stale positions.
  CHECK(candidates(windows, picture.from(3, 0), picture.from(9000, 0))[0].matches == 0);
}

// Letters of new text were elsewhere on the screen, each in another place.
TEST_CASE("window index: each partition has the vector of its own content") {
  const Picture picture;
  const PixelPlane reference = picture.from(0, 0);
  const MotionVector left{5, 3}, right{-9, -6};
  PixelPlane source = picture.from(left.x, left.y);
  source.take(picture.from(right.x, right.y), {24, 8, 32, 16});
  const TileVectors vectors = matches(windows_of(reference), source, reference).of_partitions;
  for (const size_t partition : {0u, 1u, 4u, 5u}) CHECK(vectors[partition] == left);
  for (const size_t partition : {2u, 3u, 6u, 7u}) CHECK(vectors[partition] == right);
  CHECK(matches(windows_of(reference), reference, reference).of_partitions == TileVectors{});
}

TEST_CASE("window index: of several matches a partition has the one whose surroundings are the same") {
  const Picture picture;
  const MotionVector moved{5, 3}, decoy{64, -32};
  const PixelPlane source = picture.from(moved.x, moved.y);
  PixelPlane reference = picture.from(0, 0);
  reference.take(picture.from(moved.x - decoy.x, moved.y - decoy.y), {34, 2, 40, 7});
  const WindowMatches found = matches(windows_of(reference), source, reference);
  CHECK(found.most[1].vector == decoy);
  for (const MotionVector& vector : found.of_partitions) CHECK(vector == moved);
}

TEST_CASE("window index: the order of the ways does not matter") {
  const Picture picture;
  const PixelPlane reference = picture.from(0, 0), source = picture.from(9, 6);
  const MotionCandidates most = candidates(windows_of(reference), source, reference);
  const MotionCandidates other = candidates(windows_of(reference, {2, 0, 3, 1}), source, reference);
  for (int i = 0; i < 2; ++i) {
    CHECK(most[i].vector == other[i].vector);
    CHECK(most[i].matches == other[i].matches);
  }
}

// Rows that repeat have the same windows in all columns of a period.
PixelPlane stripes(size_t contrast) {
  std::vector<uint8_t> gray(size_t{kColumns} * 4 * kRows * 4);
  for (size_t i = 0; i < gray.size(); ++i) gray[i] = static_cast<uint8_t>(i % 8 * contrast);
  return plane_with(gray);
}

TEST_CASE("window index: windows that were found are inserted as they would be found again") {
  const Picture picture;
  const PixelPlane reference = picture.from(0, 0);
  std::vector<PixelPlane> planes;
  for (const int x : {0, 9, 500}) planes.push_back(picture.from(x, 6));
  for (size_t contrast = 1; contrast < 32; ++contrast) planes.push_back(stripes(contrast));  // some have too many
  bool were_all = false, were_too_many = false;
  for (const PixelPlane& plane : planes) {
    WindowIndex found = windows_of(reference), again = windows_of(reference);
    TileWindows windows;
    found.find(plane, reference, kTile, windows);
    (windows.are_all() ? were_all : were_too_many) = true;
    for (int way = 0; way < WindowIndex::kWays; ++way) {
      found.put(windows, plane, kTile, way);
      again.put(plane, kTile, way);
    }
    CHECK(std::ranges::equal(found.entries(), again.entries()));
  }
  CHECK(were_all);
  CHECK(were_too_many);
}

TEST_CASE("window index: lists of windows that were not found yet are not used") {
  const PixelPlane plane = Picture().from(9, 6);
  WindowIndex with_list(plane), without(plane);
  with_list.put(TileWindows{}, plane, kTile, 1);
  without.put(plane, kTile, 1);
  CHECK(std::ranges::equal(with_list.entries(), without.entries()));
}

}  // namespace
}  // namespace texcast::compact
