// picture_part.h — the part of a picture that one screen of a wall shows: a rectangle, or a cell of a grid. In pixels
// of the picture as it is stored, before it is rotated or mirrored.
//
// Thread-safe: values and functions only.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "player/rect.h"
#include "texcast/format.h"

namespace texcast::player {

// One screen of a wall of equal screens. `bezel`: pixels of the picture that lie hidden between two neighbours, as if
// the wall were a window with bars; none are hidden at the wall's edge.
//
//     +----------+ bezel +----------+
//     | cell 1,1 |<----->| cell 2,1 |      cells 1,1 and 2,1 of 2x1
//     +----------+       +----------+
struct WallCell {
  int column = 1;  // from 1, at the left
  int row = 1;     // from 1, at the top
  int columns = 1;
  int rows = 1;
  Size bezel{};
  bool operator==(const WallCell&) const = default;
};

// Either a cell or, if that is unset, `rect`.
struct PicturePart {
  Rect rect{};
  std::optional<WallCell> cell{};
  bool operator==(const PicturePart&) const = default;
};

// The part's rectangle in a picture of this size, both sides 1 or more, without what lies outside of the picture. Cells
// whose sizes are not whole differ by one pixel. Nothing: no pixel of the picture is in the part.
std::optional<Rect> rect_of(const PicturePart& part, Size picture);

// The smallest rectangle of whole blocks of every plane that contains `part` and its neighbouring pixels, which filters
// read; where it ends at the picture's edge, its size need not be a multiple of the blocks'.
Rect whole_blocks(const Rect& part, const TextureDesc& desc);

// The place of such a rectangle among the blocks of a plane.
struct BlockRect {
  int x = 0;  // blocks
  int y = 0;
  int width = 0;
  int height = 0;
};
BlockRect blocks_of(const Rect& whole_blocks, const FormatPlane& plane, const PlaneLayout& layout);

// The bytes of a picture of which that part is shown: for each plane, from the part's first row of blocks to its last.
// Nothing if no pixel of it is in the part.
std::vector<MemoryRange> bytes_of(const PicturePart& part, const TextureDesc& desc);

}  // namespace texcast::player
