// presenter_gl.h — the presenter that draws with OpenGL 3.3, in a window or off-screen.
#pragma once

#include "gl_overlay.h"
#include "gl_picture.h"
#include "gl_texture.h"
#include "gl_upload.h"
#include "player/gl_context.h"
#include "player/presenter.h"

namespace texcast::player {

class GlPresenter final : public Presenter {
 public:
  GlPresenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings);

  void upload(const TextureView& texture) override;
  void upload_ahead(const TextureView& texture, size_t ready_bytes) override {
    picture_.upload_ahead(texture, ready_bytes);
  }
  void drop_ahead() override { picture_.drop_ahead(); }
  std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) override;
  void clear_picture() override { picture_.clear(); }
  void draw(const Overlay& overlay) override;
  std::optional<ShownPicture> read_back() override;
  void present() override { context_->show(); }
  std::optional<UserInput> poll() override {
    upload_sets_.reclaim();  // here, because this is called often even while nothing new is shown
    return context_->poll();
  }
  void resize(int width, int height) override;
  void set_fullscreen(bool fullscreen) override { context_->set_fullscreen(fullscreen); }
  bool fullscreen() const override { return context_->fullscreen(); }
  void next_monitor() override { context_->next_monitor(); }
  void set_scale(ScaleMode mode) override { scale_ = mode; }
  void set_pointer_visible(bool visible) override { context_->set_pointer_visible(visible); }
  void set_title(const std::string& title) override { context_->set_title(title); }
  void set_playing(bool playing) override { context_->set_playing(playing); }
  int width() const override { return context_->size().width; }
  int height() const override { return context_->size().height; }
  nanoseconds refresh_period() const override { return context_->refresh_period(); }
  std::string renderer() const override;

 private:
  void warm_up();

  std::unique_ptr<GlContext> context_;  // first: the objects below need it to be destroyed
  GlUploadSets upload_sets_;
  TextureRing picture_;
  PictureRenderer picture_renderer_;
  OverlayRenderer overlay_renderer_;
  ScaleMode scale_;
};

}  // namespace texcast::player
