#include "source_picture.h"

#include "ref/convert.h"
#include "texcast/format.h"

namespace texcast::compact {

bool SourcePicture::can_show(const TileGrid& grid) {
  const TextureFormat format = grid.texture().format;
  return is_planar_ycocg(format) || (grid.component(0).kind == HalfBlock::color && !is_ycbcr(format));
}

void SourcePicture::draw(const FrameView& frame, const BlockRect& rect) {
  const int x0 = rect.x0 * 4, x1 = std::min(rect.x1 * 4, width_), y1 = std::min(rect.y1 * 4, height_);
  for (int y = rect.y0 * 4; y < y1; ++y)
    ref::read_rgb(frame, x0, y, x1, y + 1,
                  rgb_.data() + (static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x0)) * 3);
}

}  // namespace texcast::compact
