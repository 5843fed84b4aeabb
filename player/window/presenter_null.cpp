// presenter_null.cpp — shows nothing: for machines without any display, and for measuring everything else.
#include "presenter_null.h"

#include "base/ensure.h"

namespace texcast::player {
namespace {

class NullPresenter final : public Presenter {
 public:
  void upload(const TextureView& texture) override {
    ENSURE(texture.blocks.size() == texture_layout(texture.desc).total_bytes);
  }
  std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) override {
    ENSURE(count >= 1 && bytes >= 1);
    return make_plain_upload_buffers(count, bytes);
  }
  void clear_picture() override {}
  void draw(const Overlay&) override {}
  std::optional<ShownPicture> read_back() override { return std::nullopt; }
  void present() override {}
  std::optional<UserInput> poll() override { return std::nullopt; }
  void resize(int, int) override {}
  void set_fullscreen(bool) override {}
  bool fullscreen() const override { return false; }
  void next_monitor() override {}
  void set_scale(ScaleMode) override {}
  void set_pointer_visible(bool) override {}
  void set_title(const std::string&) override {}
  void set_playing(bool) override {}
  int width() const override { return 0; }
  int height() const override { return 0; }
  std::string renderer() const override { return "none"; }
};

}  // namespace

std::unique_ptr<Presenter> make_null_presenter() { return std::make_unique<NullPresenter>(); }

}  // namespace texcast::player
