// make_presenter.cpp — selects the presenter.
#include "base/ensure.h"
#include "contexts.h"
#include "player/window.h"

namespace texcast::player {
namespace {

// Shows nothing: for machines without any display, and for measuring everything else.
class NullPresenter final : public Presenter {
 public:
  void upload(const TextureView& texture, const RowChanges&) override {
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

std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings) {
  switch (settings.kind) {
    case PresenterKind::window: return make_gl_presenter(make_sdl_context(settings), settings);
    case PresenterKind::offscreen: return make_gl_presenter(make_egl_context(settings), settings);
    case PresenterKind::none: return std::make_unique<NullPresenter>();
  }
  ENSURE(!"a presenter kind");
  return nullptr;
}

}  // namespace texcast::player
