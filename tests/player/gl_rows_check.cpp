// Uploads of changed rows only: whatever was shown, skipped or begun before, textures are the same as after complete
// uploads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "block_oracle.h"
#include "contexts.h"
#include "gl_texture.h"
#include "gl_upload.h"

namespace texcast::player {
namespace {

std::vector<std::byte> all_planes(const TextureRing& ring) {
  ring.bind();
  const TextureLayout& layout = ring.layout();
  std::vector<std::byte> bytes(layout.total_bytes);
  for (int p = 0; p < layout.plane_count; ++p) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(p));
    glGetCompressedTexImage(GL_TEXTURE_2D, 0, bytes.data() + layout.planes[static_cast<size_t>(p)].offset);
  }
  return bytes;
}

// Copies the blocks in a row of tiles, or that reach into it, from one texture into another.
void copy_row(const TextureDesc& desc, size_t row, const std::vector<std::byte>& from, std::vector<std::byte>& to) {
  const TextureLayout layout = texture_layout(desc);
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const auto texels = static_cast<size_t>(format_row(desc.format).planes[p].down * plane.block_height);
    const size_t row_bytes = plane.bytes / static_cast<size_t>(plane.blocks_y);
    for (size_t y = 0; y < static_cast<size_t>(plane.blocks_y); ++y) {
      if ((y + 1) * texels <= 32 * row || y * texels >= 32 * (row + 1)) continue;
      const auto at = static_cast<ptrdiff_t>(plane.offset + y * row_bytes);
      std::copy_n(from.begin() + at, row_bytes, to.begin() + at);
    }
  }
}

// The blocks that the textures of a part have.
std::vector<std::byte> blocks_of_part(const OwnedTexture& texture, const Rect& textured) {
  const TextureLayout layout = texture_layout(texture.desc);
  std::vector<std::byte> blocks;
  for (size_t p = 0; p < static_cast<size_t>(layout.plane_count); ++p) {
    const PlaneLayout& plane = layout.planes[p];
    const BlockRect own = blocks_of(textured, format_row(texture.desc.format).planes[p], plane);
    for (int y = own.y; y < own.y + own.height; ++y) {
      const auto at = plane.offset + static_cast<size_t>((y * plane.blocks_x + own.x) * plane.block_bytes);
      const auto begin = texture.blocks.begin() + static_cast<ptrdiff_t>(at);
      blocks.insert(blocks.end(), begin, begin + own.width * plane.block_bytes);
    }
  }
  return blocks;
}

// A sequence of pictures, numbered as a decoder does.
class NumberedPictures {
 public:
  struct Picture {
    OwnedTexture texture;
    uint64_t sequence = 0, number = 0;
    std::vector<uint64_t> changed_in;
    RowChanges changes() const { return {sequence, number, changed_in}; }
  };

  NumberedPictures(TextureFormat format, int width, int height, std::mt19937& random)
      : random_(random),
        picture_{.texture = random_texture(format, width, height, static_cast<uint32_t>(random())),
                 .sequence = new_sequence(),
                 .number = 1,
                 .changed_in = std::vector<uint64_t>(static_cast<size_t>(tile_raster(width, height).rows), 1)} {}

  const Picture& now() const { return picture_; }
  // The next picture, with other blocks in these rows of tiles.
  const Picture& next(const std::vector<size_t>& rows) {
    ++picture_.number;
    const TextureDesc& desc = picture_.texture.desc;
    const OwnedTexture other = random_texture(desc.format, desc.width, desc.height, static_cast<uint32_t>(random_()));
    for (const size_t row : rows) {
      copy_row(desc, row, other.blocks, picture_.texture.blocks);
      picture_.changed_in[row] = picture_.number;
    }
    return picture_;
  }
  const Picture& next_at_random() {
    std::vector<size_t> rows(random_() % 4);
    for (size_t& row : rows) row = random_() % picture_.changed_in.size();
    return next(rows);
  }

 private:
  std::mt19937& random_;
  Picture picture_;
};

// Includes ASTC with blocks of 5 and 12 rows, of which 32 is not a multiple, if this OpenGL supports it.
std::vector<TextureFormat> formats_of_rows() {
  std::vector<TextureFormat> formats = {TextureFormat::bc1, TextureFormat::ycocg_bc4_420,
                                        TextureFormat::ycocg_dxt5_alpha};
  for (const TextureFormat format : {TextureFormat::astc_8x5, TextureFormat::astc_12x12})
    if (samples(plane_coding(format, 0).id))
      formats.push_back(format);
    else
      MESSAGE("SKIP: ", name(format), ": this OpenGL does not have the format");
  return formats;
}

// Shows pictures of streams at random, and counts those that differ from what complete uploads show.
int wrong_pictures(TextureFormat format, const std::optional<PicturePart>& part) {
  std::mt19937 random(7);
  TextureRing ring;
  ring.set_part(part);
  std::vector<NumberedPictures> streams;
  for (const auto& [width, height] : {std::array{70, 221}, std::array{70, 221}, std::array{129, 33}})
    streams.emplace_back(format, width, height, random);
  size_t stream = 0;
  int wrong = 0;
  std::optional<NumberedPictures::Picture> earlier;
  for (int step = 0; step < 400; ++step) {
    if (random() % (step < 200 ? 16 : 3) == 0) stream = random() % streams.size();  // of the same size, and of another
    auto& pictures = streams[stream];
    for (auto left_out = random() % 3; left_out > 0; --left_out) pictures.next_at_random();
    NumberedPictures::Picture picture = pictures.next_at_random();
    const size_t all = picture.texture.blocks.size();
    switch (random() % 8) {
      case 0:  // begun, in parts, and shown
        for (int part = 1; part <= 3; ++part)
          ring.upload_ahead(picture.texture.view(), all * static_cast<size_t>(part) / 4, picture.changes());
        break;
      case 1:  // begun, and replaced by the next
        ring.upload_ahead(picture.texture.view(), random() % (all + 1), picture.changes());
        ring.drop_ahead();
        picture = pictures.next_at_random();
        break;
      case 2:  // a picture of another stream was begun, or one without known changes
      {
        const auto& other = streams[random() % streams.size()].now();
        ring.upload_ahead(other.texture.view(), random() % (other.texture.blocks.size() + 1),
                          random() % 2 == 0 ? other.changes() : RowChanges{});
        ring.drop_ahead();
        break;
      }
      case 3:  // an earlier one again, after a later one was begun
        if (!earlier) break;
        ring.upload_ahead(picture.texture.view(), random() % (all + 1), picture.changes());
        ring.drop_ahead();
        picture = *earlier;
        break;
      case 4: ring.clear(); break;
      default: break;
    }
    ring.upload(picture.texture.view(), random() % 12 == 0 ? RowChanges{} : picture.changes());
    wrong += all_planes(ring) != blocks_of_part(picture.texture, ring.textured());
    if (random() % 4 == 0) earlier = picture;
  }
  return wrong;
}

}  // namespace

TEST_CASE("the whole picture is shown, whichever pictures were skipped, begun, mixed or shown again") {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  for (const TextureFormat format : formats_of_rows()) {
    CAPTURE(name(format));
    CHECK(wrong_pictures(format, std::nullopt) == 0);
    CHECK(wrong_pictures(format, PicturePart{.rect = {11, 9, 40, 90}}) == 0);
  }
}

TEST_CASE("each set of textures is uploaded what changed since the picture that it holds") {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  struct Step {
    std::vector<size_t> changed, taken;  // rows of tiles
  };
  const std::array<Step, 6> kSteps = {{
      {{2}, {2}},
      {{5}, {2, 5}},
      {{}, {2, 5}},
      {{}, {5}},  // the first set again
      {{}, {}},
      {{6}, {6}},
  }};
  for (const bool mapped : {false, true}) {
    for (const TextureFormat format : formats_of_rows()) {
      CAPTURE(mapped);
      CAPTURE(name(format));
      std::mt19937 random(9);
      GlUploadSets sets;
      TextureRing ring;
      NumberedPictures pictures(format, 61, 203, random);  // 7 rows of tiles
      const TextureDesc desc = pictures.now().texture.desc;
      const auto show = [&](const std::vector<std::byte>& blocks) {
        if (!mapped) return ring.upload({desc, blocks}, pictures.now().changes());
        GlUploadBuffers buffers(sets, 1, blocks.size(), GlUploadBuffers::persistent_mapping());
        UploadBuffers::Lease lease = buffers.acquire();
        std::ranges::copy(blocks, lease.bytes().begin());
        ring.upload({desc, lease.bytes()}, pictures.now().changes(), UnpackPlace{buffers.begin_upload(0), 0});
        buffers.end_upload(0);
        glFinish();
      };
      std::array<std::vector<std::byte>, 3> held;
      for (auto& blocks : held) show(blocks = pictures.now().texture.blocks);
      for (size_t step = 0; step < kSteps.size(); ++step) {
        CAPTURE(step);
        pictures.next(kSteps[step].changed);
        // Memory has other blocks in all rows, which shows the uploaded ones.
        const OwnedTexture other = random_texture(format, desc.width, desc.height, static_cast<uint32_t>(random()));
        auto& want = held[step % held.size()];
        for (const size_t row : kSteps[step].taken) copy_row(desc, row, other.blocks, want);
        show(other.blocks);
        CHECK(all_planes(ring) == want);
      }
    }
  }
}

}  // namespace texcast::player
