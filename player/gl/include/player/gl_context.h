// gl_context.h — an OpenGL 3.3 core context with a surface to draw on, and the presenter that draws there. The module
// `window` implements contexts: a window, or memory.
//
// Thread: created, used and destroyed on one thread, the render thread; while it exists it is current there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "player/geometry.h"
#include "player/presenter.h"

namespace texcast::player {

// The parts of a Presenter that OpenGL alone cannot do; functions of the same name are documented there. The defaults
// are those of a context without a window.
class GlContext {
 public:
  virtual ~GlContext() = default;
  virtual Size size() const = 0;                             // of the surface, pixels; 0 while minimised
  virtual unsigned framebuffer() const = 0;                  // GL name of the target to draw into and to read from
  virtual void show() = 0;                                   // swaps, or waits for the GPU
  virtual nanoseconds refresh_period() const { return {}; }  // 0: show() does not wait for the display
  virtual void resize(Size size) = 0;                        // pixels
  virtual void offer_size(Size /*picture*/) {}               // adopts a picture's size if no size was requested
  virtual std::optional<UserInput> poll() { return std::nullopt; }
  virtual void set_fullscreen(bool /*fullscreen*/) {}
  virtual bool fullscreen() const { return false; }
  virtual void next_monitor() {}
  virtual std::optional<WindowPlace> place() const { return std::nullopt; }
  virtual void set_pointer_visible(bool /*visible*/) {}
  virtual void set_title(const std::string& /*title*/) {}
  virtual void set_playing(bool /*playing*/) {}
};

// Draws with OpenGL into `context`, which it then owns. Throws Error{no_display} if that cannot sample the required
// formats.
std::unique_ptr<Presenter> make_gl_presenter(std::unique_ptr<GlContext> context, const PresenterSettings& settings);

inline constexpr Size kSlateSize{1280, 720};  // of a window or surface before the first picture

}  // namespace texcast::player
