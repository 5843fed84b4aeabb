#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/ensure.h"
#include "gl_cursor.h"
#include "gl_overlay.h"
#include "gl_picture.h"
#include "gl_texture.h"
#include "gl_upload.h"
#include "player/gl_context.h"
#include "player/presenter.h"
#include "texcast/frame.h"

namespace texcast::player {
namespace {

Orientation mirrored(Orientation orientation, Mirror mirror);

// Draws with OpenGL 3.3, in a window or off-screen.
class GlPresenter final : public Presenter {
 public:
  GlPresenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings);

  bool warm_up_more() override;
  bool takes(CodingId id) const override { return std::ranges::find(lacks_, id) == lacks_.end() && samples(id); }
  void upload(const TextureView& texture, const RowChanges& changes) override;
  void upload_ahead(const TextureView& texture, size_t ready_bytes, const RowChanges& changes) override {
    // The contents of an upload buffer are transferred without the CPU, so copying them now would be wasteful.
    if (!upload_sets_.find(texture.blocks)) picture_.upload_ahead(texture, ready_bytes, changes);
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
  std::optional<WindowPlace> place() const override { return context_->place(); }
  nanoseconds refresh_period() const override { return context_->refresh_period(); }
  uint64_t uploaded_bytes() const override { return picture_.uploaded_bytes(); }
  int largest_texture() const override;
  std::string renderer() const override;

 private:
  void warm_up(TextureFormat format);
  Orientation orientation_of(const TextureDesc& picture) const {
    return mirrored(rotate_.value_or(picture.orientation), mirror_);
  }
  Size size_of(const TextureDesc& picture) const;

  std::unique_ptr<GlContext> context_;  // first: the objects below need it to be destroyed
  GlUploadSets upload_sets_;
  TextureRing picture_;
  PictureRenderer picture_renderer_;
  CursorRenderer cursor_renderer_;
  OverlayRenderer overlay_renderer_;
  ScaleMode scale_;
  std::optional<Orientation> rotate_;  // overrides that of the pictures
  Mirror mirror_;
  std::optional<PixelAspect> aspect_{};  // of the whole picture
  const std::optional<PicturePart> part_;
  const std::vector<CodingId> lacks_;  // whatever OpenGL reports
  size_t warmed_up_ = 0;               // formats, by warm_up_more()
};

Orientation mirrored(Orientation orientation, Mirror mirror) {
  if (mirror == Mirror::none) return orientation;
  Turn turn = turn_of(orientation);
  if (mirror == Mirror::horizontal)
    turn = {-turn.xx, -turn.xy, turn.yx, turn.yy};
  else
    turn = {turn.xx, turn.xy, -turn.yx, -turn.yy};
  return nearest_orientation(turn.xx, turn.xy, turn.yx, turn.yy).value_or(orientation);
}

// Clears the area around the picture. A scissored clear of four thin rectangles is much cheaper in software than a
// clear of everything that the picture then covers.
void clear_around(Rect picture, Size target) {
  const int right = picture.x + picture.width;
  const int below = picture.y + picture.height;
  const Rect bars[] = {{0, 0, target.width, picture.y},
                       {0, below, target.width, target.height - below},
                       {0, picture.y, picture.x, picture.height},
                       {right, picture.y, target.width - right, picture.height}};
  glEnable(GL_SCISSOR_TEST);
  for (const Rect& bar : bars) {
    if (bar.width <= 0 || bar.height <= 0) continue;  // negative if the picture is cropped
    glScissor(bar.x, target.height - bar.y - bar.height, bar.width, bar.height);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

GlPresenter::GlPresenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings)
    : context_(std::move(context)),
      overlay_renderer_(settings.font_file),
      scale_(settings.scale),
      mirror_(settings.mirror),
      aspect_(settings.aspect),
      part_(settings.part),
      lacks_(settings.lacks) {
  picture_renderer_.set_exposure(settings.exposure);
  if (settings.rotate) rotate_ = orientation_turned(*settings.rotate);
  require_texture_formats();
  glDisable(GL_DITHER);
  warm_up(TextureFormat::bc1);
  glBindFramebuffer(GL_FRAMEBUFFER, context_->framebuffer());
  clear_around({1, 1, 1, 1}, {3, 3});  // the driver uses a shader of its own for clearing a part
}

// Drivers compile a shader when it first draws: on llvmpipe 35 ms unscaled and 70 ms scaled (2 and 3 ms if the driver's
// cache on disk has them). Before the stream begins that costs no frame. At the start only for BC1, the usual format;
// the others' 100 ms would delay every start.
void GlPresenter::warm_up(TextureFormat format) {
  constexpr int kSide = 12;  // not a power of two, like most pictures, as llvmpipe has separate shaders for these
  const TextureDesc desc{.format = format, .width = kSide, .height = kSide};
  const std::vector<std::byte> black(texture_layout(desc).total_bytes);
  picture_.set_part(std::nullopt);
  picture_.upload({desc, black}, {});
  picture_renderer_.prepare(picture_);
  glBindFramebuffer(GL_FRAMEBUFFER, context_->framebuffer());
  for (const int side : {kSide, kSide * 2}) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 0, 0);  // nothing of it is seen
    picture_renderer_.draw(picture_, {0, 0, side, side}, {kSide * 2, kSide * 2});
    glDisable(GL_SCISSOR_TEST);
  }
  glFinish();
  picture_.set_part(part_);
}

// The lossy formats of films and of screens.
bool GlPresenter::warm_up_more() {
  constexpr TextureFormat kLater[] = {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444};
  if (picture_.has_picture() || warmed_up_ == std::size(kLater)) return false;
  if (takes(CodingId::bc4)) warm_up(kLater[warmed_up_]);
  ++warmed_up_;
  return true;
}

// The displayed size, in square pixels.
Size GlPresenter::size_of(const TextureDesc& picture) const {
  const Orientation orientation = orientation_of(picture);
  PixelAspect aspect = picture.aspect;
  if (aspect_) aspect = aspect_for_shape(*aspect_, picture.width, picture.height, orientation).value_or(aspect);
  Size part{picture.width, picture.height};
  if (const auto rect = part_ ? rect_of(*part_, part) : std::nullopt) part = {rect->width, rect->height};
  const ShownSize shown = shown_size(part.width, part.height, aspect, orientation, kMaxFrameSize);
  return {shown.width, shown.height};
}

void GlPresenter::upload(const TextureView& texture, const RowChanges& changes) {
  context_->offer_size(size_of(texture.desc));
  upload_sets_.reclaim();
  if (const auto place = upload_sets_.find(texture.blocks)) {
    const GLuint buffer = place->set->begin_upload(place->slot);
    picture_.upload(texture, changes, UnpackPlace{buffer, place->offset});
    place->set->end_upload(place->slot);
  } else {
    picture_.upload(texture, changes);
  }
  picture_renderer_.prepare(picture_);
}

std::unique_ptr<UploadBuffers> GlPresenter::make_upload_buffers(size_t count, size_t bytes) {
  ENSURE(count >= 1 && bytes >= 1);
  return std::make_unique<GlUploadBuffers>(upload_sets_, count, bytes, GlUploadBuffers::persistent_mapping());
}

void GlPresenter::draw(const Overlay& overlay) {
  const Size target = context_->size();
  if (target.width < 1 || target.height < 1) return;  // minimised
  glBindFramebuffer(GL_FRAMEBUFFER, context_->framebuffer());
  if (picture_.has_picture()) {
    const Rect where = placement(size_of(picture_.desc()), target, scale_);
    glClearColor(0, 0, 0, 1);
    clear_around(where, target);
    picture_renderer_.draw(picture_, where, target, orientation_of(picture_.desc()));
    if (overlay.cursor != nullptr)
      cursor_renderer_.draw(*overlay.cursor, picture_.shown(), where, target, orientation_of(picture_.desc()));
  } else {
    glClearColor(0.09F, 0.11F, 0.14F, 1);  // the slate: distinct from a window that failed to paint
    glClear(GL_COLOR_BUFFER_BIT);
  }
  overlay_renderer_.draw(overlay, target);
}

std::optional<ShownPicture> GlPresenter::read_back() {
  const Size size = context_->size();
  ShownPicture shown{size.width, size.height, {}};
  const size_t row_bytes = static_cast<size_t>(size.width) * 3;
  shown.pixels.resize(row_bytes * static_cast<size_t>(size.height));
  glBindFramebuffer(GL_FRAMEBUFFER, context_->framebuffer());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, shown.pixels.data());
  for (size_t top = 0, bottom = static_cast<size_t>(size.height) - 1; top < bottom; ++top, --bottom) {
    auto* pixels = shown.pixels.data();
    std::swap_ranges(pixels + top * row_bytes, pixels + (top + 1) * row_bytes, pixels + bottom * row_bytes);
  }
  return shown;
}

void GlPresenter::resize(int width, int height) {
  ENSURE(width >= 1 && height >= 1 && width <= kMaxFrameSize && height <= kMaxFrameSize);
  context_->resize({width, height});
}

int GlPresenter::largest_texture() const {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  return largest;
}

std::string GlPresenter::renderer() const {
  return fmt::format("{}, OpenGL {}", reinterpret_cast<const char*>(glGetString(GL_RENDERER)),
                     epoxy_gl_version() / 10.0);
}

std::unique_ptr<Presenter> make_gl_presenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings) {
  return std::make_unique<GlPresenter>(std::move(context), settings);
}

}  // namespace texcast::player
