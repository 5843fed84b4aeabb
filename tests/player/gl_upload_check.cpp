// Upload buffers: the texture has what was written to mapped memory, and no buffer is lent again before the GPU has
// read it.
#include <doctest/doctest.h>

#include <thread>

#include "block_oracle.h"
#include "contexts.h"
#include "gl_texture.h"
#include "gl_upload.h"
#include "player/window.h"

namespace texcast::player {
namespace {

std::vector<std::byte> bytes_of_current(const TextureRing& ring, const TextureDesc& desc) {
  ring.bind();
  glActiveTexture(GL_TEXTURE0);
  std::vector<std::byte> bytes(texture_layout(desc).planes[0].bytes);
  glGetCompressedTexImage(GL_TEXTURE_2D, 0, bytes.data());
  return bytes;
}

// Fills the buffer on another thread, as workers do.
void fill(const UploadBuffers::Lease& lease, size_t offset, Bytes blocks) {
  std::thread([&] { std::copy(blocks.begin(), blocks.end(), lease.bytes().begin() + offset); }).join();
}

}  // namespace

TEST_CASE("blocks written to mapped buffers arrive in the texture, with every way of mapping") {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  for (const bool persistent : {true, false}) {
    if (persistent && !GlUploadBuffers::persistent_mapping()) {
      MESSAGE("SKIP: this OpenGL has no GL_ARB_buffer_storage");
      continue;
    }
    CAPTURE(persistent);
    constexpr size_t kOffset = 48;
    GlUploadSets sets;
    TextureRing ring;
    const TextureDesc desc{.format = TextureFormat::bc1, .width = 250, .height = 130};
    const size_t bytes = texture_layout(desc).total_bytes;
    GlUploadBuffers buffers(sets, 2, bytes + kOffset, persistent);
    for (uint32_t i = 0; i < 7; ++i) {  // each buffer several times
      const OwnedTexture texture = random_texture(desc.format, desc.width, desc.height, i);
      UploadBuffers::Lease lease = buffers.acquire();
      REQUIRE(lease);
      fill(lease, kOffset, texture.blocks);
      const MutableBytes inside = lease.bytes().subspan(kOffset, bytes);
      const auto place = sets.find(inside);
      REQUIRE(place);
      CHECK(place->offset == kOffset);
      const GLuint buffer = place->set->begin_upload(place->slot);
      ring.upload({desc, inside}, {}, UnpackPlace{buffer, place->offset});
      place->set->end_upload(place->slot);
      lease = {};
      CHECK(bytes_of_current(ring, desc) == texture.blocks);
      glFinish();
      sets.reclaim();
    }
    CHECK_FALSE(sets.find(std::vector<std::byte>(bytes)));
  }
}

TEST_CASE("an uploaded buffer is lent again only after its fence has passed, an unused one at once") {
  const auto context = make_egl_context({.kind = PresenterKind::offscreen});
  GlUploadSets sets;
  TextureRing ring;
  const OwnedTexture texture = flat_bc1(16, 16, 0xF800);
  GlUploadBuffers buffers(sets, 1, texture.blocks.size(), GlUploadBuffers::persistent_mapping());
  UploadBuffers::Lease lease = buffers.acquire();
  CHECK_FALSE(buffers.acquire());
  lease = {};
  lease = buffers.acquire();  // it was never uploaded
  REQUIRE(lease);
  fill(lease, 0, texture.blocks);
  const MutableBytes bytes = lease.bytes();
  ring.upload({texture.desc, bytes}, {}, UnpackPlace{buffers.begin_upload(0), 0});
  buffers.end_upload(0);
  lease = {};
  CHECK_FALSE(buffers.acquire());  // nobody has checked the fence yet
  glFinish();
  sets.reclaim();
  CHECK(buffers.acquire());
}

TEST_CASE("the presenter shows blocks in its buffers and in ordinary memory alike") {
  const auto shown = [&](const OwnedTexture& texture, bool mapped) {
    const auto presenter = make_presenter({.kind = PresenterKind::offscreen, .width = 61, .height = 35});
    const auto buffers = presenter->make_upload_buffers(1, texture.blocks.size());
    UploadBuffers::Lease lease = buffers->acquire();
    fill(lease, 0, texture.blocks);
    presenter->upload({texture.desc, mapped ? Bytes(lease.bytes()) : Bytes(texture.blocks)});
    lease = {};
    presenter->draw({});
    auto picture = presenter->read_back();
    presenter->present();
    presenter->poll();
    CHECK(buffers->acquire());
    REQUIRE(picture);
    return picture->pixels;
  };
  // Rows of rgb8 have 183 bytes, not a multiple of 4, which is OpenGL's default row alignment.
  for (const TextureFormat format : {TextureFormat::ycocg_bc4_420, TextureFormat::uyvy, TextureFormat::rgb8}) {
    CAPTURE(name(format));
    const OwnedTexture texture = random_texture(format, 61, 35, 5);
    CHECK(shown(texture, true) == shown(texture, false));
  }
}

}  // namespace texcast::player
