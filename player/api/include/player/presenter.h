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

#include "formats/row_changes.h"
#include "frames/cursor.h"
#include "player/input.h"
#include "player/upload_buffers.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::player {

enum class PresenterKind {
  window,     // SDL2 window, OpenGL 3.3 core
  offscreen,  // OpenGL 3.3 core through EGL into a framebuffer object: needs no display server
  none,       // counts frames and touches no graphics library at all
};

// How a picture goes into a window of another size.
enum class ScaleMode {
  fit,    // all of it, bars beside it
  fill,   // the whole window, what sticks out is cut off
  exact,  // a texel a pixel, in the middle; where pixels are not square, stretched to shown_size()
};
const char* name(ScaleMode mode);  // "fit", "fill", "1:1"

// How swaps and the display's refresh go together, in windows. What the driver cannot do is done as the next one does
// it.
enum class Vsync {
  adaptive,  // with the refresh, but a frame that missed it at once
  on,        // with the refresh
  off,       // at once
};

// Of the picture as it is seen, after it was turned.
enum class Mirror { none, horizontal, vertical };  // left and right, top and bottom change places

// Of a window that is neither maximized nor fullscreen, in units of the desktop.
struct WindowPlace {
  int x = 0;  // of its left edge, its border not counted
  int y = 0;
  int width = 0;  // 0: that of the picture
  int height = 0;
  bool operator==(const WindowPlace&) const = default;
};

struct PresenterSettings {
  PresenterKind kind = PresenterKind::window;
  // Size of the window or surface in pixels. 0: that of the first picture (a window is made to fit the desktop).
  int width = 0;
  int height = 0;
  std::string title = "texcast";
  bool fullscreen = false;
  std::optional<int> monitor{};  // to open on, 1 is the first; unset: the window system chooses
  ScaleMode scale = ScaleMode::fit;
  // What is shown, where the pictures themselves are not to be believed (TextureDesc::orientation, aspect): degrees
  // clockwise (0, 90, 180, 270), and width : height of the whole picture as it is seen.
  std::optional<int> rotate{};
  std::optional<PixelAspect> aspect{};
  Mirror mirror = Mirror::none;
  double exposure = 0;  // stops by which linear light is shown brighter (frames/tone_map.h)
  Vsync vsync = Vsync::adaptive;
  // Where a window was before; not used where nobody would see it, as no monitor is there. Unset, or with `monitor` or
  // `fullscreen`: in the middle of one.
  std::optional<WindowPlace> place{};
  // Treated as what this GPU does not take, so that tests see what is done then.
  std::vector<CodingId> lacks{};
  std::string font_file = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";  // package fonts-dejavu-core
};

// Text over the picture: white monospaced characters on a translucent dark panel. UTF-8; the font has the printable
// characters of Latin-1 and a few more, others are shown as '?'. What stands before a tab is a name, and dimmer; what
// follows the tabs of a panel begins in one column.
enum class OverlayPlace { top_left, top_right, centre };
struct TextBlock {
  std::span<const std::string> lines;  // none: no panel
  OverlayPlace place = OverlayPlace::top_left;
};

// A bar along the bottom of the picture. Parts of the duration are 0..1.
struct SeekBar {
  double played = 0;                // up to here
  std::optional<double> pointed{};  // the part under the mouse, where it is on the bar
  std::string position{};           // label left of the bar: "1:23"
  std::string duration{};           // label right of it
  std::string pointed_at{};         // label over the mouse: the time there
  bool operator==(const SeekBar&) const = default;
};

struct Overlay {
  std::span<const TextBlock> texts;
  const SeekBar* seek_bar = nullptr;
  const Cursor* cursor = nullptr;  // the pointer of the desktop that the picture is of, under all else
  bool dim = false;                // darkens the picture, but not what lies over it: it is an old one
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

  // Whether the GPU samples blocks of that coding, and upload() takes textures of it.
  virtual bool takes(CodingId /*coding*/) const { return true; }
  // Begins what upload() of such textures needs first where that takes long. None: nothing is needed any more. Else
  // what is being done, in words for the display; upload() would wait for it. Throws as upload().
  virtual std::optional<std::string> prepare(const TextureDesc& /*desc*/) { return std::nullopt; }
  // How the current picture was made into what the GPU takes ("bc1, transcoded on …"); empty: it is shown as it came.
  virtual std::string shown_as() const { return {}; }
  // Hands the blocks to the GPU and makes them the current picture; `texture.blocks` is not read after the call.
  // Misuse unless it has texture_layout's size. Allocates only when `texture.desc` changes. Throws
  // Error{no_display} when the GPU cannot have a texture of this size, or does not take its codings.
  // Blocks that lie in one of this presenter's upload buffers are read from there by the GPU; others are copied first.
  // What differs from a picture that this still has of the sequence in `changes` is taken alone.
  virtual void upload(const TextureView& texture, const RowChanges& changes) = 0;
  void upload(const TextureView& texture) { upload(texture, {}); }
  // Begins to upload the next texture, of which only the first `ready_bytes` are final so far. May be called again as
  // more of them are; upload() is then given the same desc, memory and changes, and does the rest. If the texture is
  // not uploaded after all, drop_ahead() must be called before another one is. Does nothing where nothing is gained by
  // it.
  virtual void upload_ahead(const TextureView& /*texture*/, size_t /*ready_bytes*/, const RowChanges& /*changes*/) {}
  void upload_ahead(const TextureView& texture, size_t ready_bytes) { upload_ahead(texture, ready_bytes, {}); }
  virtual void drop_ahead() {}
  // Memory for uploads without that copy: `count` buffers of `bytes` (1 or more each, else misuse). Throws
  // Error{no_display} when the GPU has no room for them.
  virtual std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) = 0;
  // Forgets the current picture: draw() then shows the dark slate.
  virtual void clear_picture() = 0;
  // Draws the current picture with its aspect kept, bars around it, and the overlay over it.
  virtual void draw(const Overlay& overlay) = 0;
  // What the last draw() drew. Call it between draw() and present(). None where nothing is drawn (kind none).
  virtual std::optional<ShownPicture> read_back() = 0;
  // Puts what was drawn on the screen. Returns when the swap has returned (off-screen: when the GPU has finished).
  virtual void present() = 0;

  // The next thing that was asked for since the last call; nothing when there is no more.
  virtual std::optional<UserInput> poll() = 0;

  virtual void resize(int width, int height) = 0;  // pixels, 1..16384 (else misuse)
  virtual void set_fullscreen(bool fullscreen) = 0;
  virtual bool fullscreen() const = 0;
  virtual void next_monitor() = 0;  // fullscreen on the next one, the first after the last
  virtual void set_scale(ScaleMode mode) = 0;
  virtual void set_pointer_visible(bool visible) = 0;
  virtual void set_title(const std::string& title) = 0;
  // While true the screen saver is kept away.
  virtual void set_playing(bool playing) = 0;

  virtual int width() const = 0;  // of the window or surface, pixels; 0 for kind none
  virtual int height() const = 0;
  // Where the window is to open the next time: with a size only where a person gave it one. None: there is no window,
  // or it tells nothing (maximized, fullscreen from the beginning).
  virtual std::optional<WindowPlace> place() const { return std::nullopt; }
  // Between two refreshes, where present() waits for them; 0: it does not, or nobody knows.
  virtual nanoseconds refresh_period() const { return {}; }
  virtual int largest_texture() const { return 0; }  // texels, either side; 0: any
  virtual std::string renderer() const = 0;          // for a person: "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5"
};

}  // namespace texcast::player
