// rd_source.h — what a lossy slice approximates.
#pragma once

#include <span>

#include "compact/encoder_backend.h"
#include "compact/film_source.h"
#include "compact/source_picture.h"

namespace texcast::compact {

// Lossy coding approximates a picture, which is drawn around the slice too; or else texels, in the order of the
// texture's sub-blocks, which are channels; or else the decoded blocks of the block encoder. Block coding truncates the
// values of their palettes, and transform coding rounds them to the nearest.
struct RdSource {
  const FilmSource* film = nullptr;  // in place of `picture`, for transform slices only
  const SourcePicture* picture = nullptr;
  std::span<const SubBlockTexels> texels{};
  bool has_decoded_blocks = false;  // in `texels`, truncated
};

}  // namespace texcast::compact
