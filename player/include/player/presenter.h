// presenter.h — where pictures become visible: a window, an off-screen GPU surface, or nowhere.
//
// Example:
//     auto presenter = make_presenter({.kind = PresenterKind::window, .title = "texcast"});
//     presenter->upload(texture);
//     presenter->draw({.lines = lines});
//     presenter->present();
//
// Threads: a presenter is made, used and destroyed on one thread, the render thread (for a window that is the
// program's main thread, because SDL reads the window system's events there). Nothing here may be called elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "player/upload_buffers.h"
#include "texcast/format.h"

namespace texcast::player {

enum class PresenterKind {
  window,     // SDL2 window, OpenGL 3.3 core
  offscreen,  // OpenGL 3.3 core through EGL into a framebuffer object: needs no display server
  none,       // counts frames and touches no graphics library at all
};

struct PresenterSettings {
  PresenterKind kind = PresenterKind::window;
  // Size of the window or surface in pixels. 0: that of the first picture (a window is made to fit the desktop).
  int width = 0;
  int height = 0;
  std::string title = "texcast";
  bool fullscreen = false;
  bool vsync = true;  // windows: swap with the display's refresh, late frames at once where the driver can
  std::string font_file = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";  // package fonts-dejavu-core
};

// What a person asked for through the keyboard, the mouse or the window system.
enum class Command {
  quit,
  escape,  // leaves fullscreen, else quits
  toggle_osd,
  toggle_keys,
  toggle_fullscreen,
  toggle_pause,
  screenshot,
  seek_back_5s,
  seek_forward_5s,
  seek_back_60s,
  seek_forward_60s,
  redraw,  // the window was resized or uncovered
};

// Text over the picture. White monospaced characters on a translucent dark panel; UTF-8, of which the panel has
// the printable ASCII characters and a few more, others show as '?'.
enum class OverlayPlace { top_left, centre };
struct Overlay {
  std::span<const std::string> lines;  // none: no panel
  OverlayPlace place = OverlayPlace::top_left;
};

// Pixels as they were shown, bars and overlay included: tightly packed R G B, 8 bits each, top row first.
struct ShownPicture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;
};

class Presenter {
 public:
  virtual ~Presenter() = default;

  // Hands the blocks to the GPU and makes them the current picture; `texture.blocks` is not needed afterwards.
  // Misuse unless it has texture_layout's size. Allocates only when `texture.desc` changes. Throws
  // Error{no_display} when the GPU cannot have a texture of this size.
  // Blocks that lie in one of this presenter's upload buffers are read from there by the GPU; others are copied first.
  virtual void upload(const TextureView& texture) = 0;
  // Memory for uploads without that copy: `count` buffers of `bytes` (1 or more each, else misuse). Throws
  // Error{no_display} when the GPU has no room for them.
  virtual std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) = 0;
  // Forgets the current picture: draw() then shows the dark slate.
  virtual void clear_picture() = 0;
  // Draws the current picture as large as fits with its aspect kept, bars around it, and the overlay over it.
  virtual void draw(const Overlay& overlay) = 0;
  // The picture of the last draw(); only valid between draw() and present(). None where nothing is drawn (kind none).
  virtual std::optional<ShownPicture> read_back() = 0;
  // Puts what was drawn on the screen. Returns when the swap has returned (off-screen: when the GPU has finished).
  virtual void present() = 0;

  // The next thing that was asked for since the last call; nothing when there is no more.
  virtual std::optional<Command> poll() = 0;

  virtual void resize(int width, int height) = 0;  // pixels, 1..16384 (else misuse)
  virtual void set_fullscreen(bool fullscreen) = 0;
  virtual bool fullscreen() const = 0;
  virtual void set_title(const std::string& title) = 0;
  // While true the screen saver is kept away.
  virtual void set_playing(bool playing) = 0;

  virtual int width() const = 0;  // of the window or surface, pixels; 0 for kind none
  virtual int height() const = 0;
  virtual std::string renderer() const = 0;  // for a person: "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5"
};

// Throws Error{no_display}: no display for a window, no EGL device, an OpenGL without S3TC. The message says what to
// do.
std::unique_ptr<Presenter> make_presenter(const PresenterSettings& settings);

}  // namespace texcast::player
