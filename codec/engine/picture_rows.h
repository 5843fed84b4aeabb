// picture_rows.h — rows of a decoded picture in the pixel formats of PictureConverter.
#pragma once

#include "texcast/frame.h"
#include "texcast/image.h"
#include "texcast/picture_converter.h"

namespace texcast {

// Writes the rows `first` to `end` (excluded) of a picture of `to` as ref::put_picture() does, to the same rows of
// `picture`. `image` has 8 bits per sample; its first row is row `image_row` of the picture, and it has all rows that
// are written. `first` is even, and so is `end`, unless it is the height.
void write_picture_rows(const DecodedImage& image, int image_row, const FrameFormat& to, int first, int end,
                        const MutablePlanes& picture);

}  // namespace texcast
