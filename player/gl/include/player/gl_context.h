// gl_context.h — an OpenGL 3.3 core context with something to draw on, and whatever comes with it (window, events).
// One thread; while it lives its context is current on that thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "player/geometry.h"
#include "player/presenter.h"

namespace texcast::player {

class GlContext {
 public:
  virtual ~GlContext() = default;
  virtual Size size() const = 0;                             // of the target, pixels
  virtual unsigned framebuffer() const = 0;                  // GL name of the target to draw into and to read from
  virtual void show() = 0;                                   // swap, or wait for the GPU
  virtual nanoseconds refresh_period() const { return {}; }  // 0: show() does not wait for the display
  virtual void resize(Size size) = 0;                        // asked for by us
  virtual void offer_size(Size /*picture*/) {}               // the first picture's size, where nobody asked for another
  virtual std::optional<UserInput> poll() { return std::nullopt; }
  virtual void set_fullscreen(bool /*fullscreen*/) {}
  virtual bool fullscreen() const { return false; }
  virtual void next_monitor() {}
  virtual void set_pointer_visible(bool /*visible*/) {}
  virtual void set_title(const std::string& /*title*/) {}
  virtual void set_playing(bool /*playing*/) {}
};

// Draws with OpenGL into `context`. Throws Error{no_display} where that cannot sample our textures.
std::unique_ptr<Presenter> make_gl_presenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings);

inline constexpr Size kSlateSize{1280, 720};  // until the first picture tells a better one

}  // namespace texcast::player
