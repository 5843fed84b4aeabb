// presenter.h — displays pictures: in a window, on an off-screen GPU surface, or nowhere.
//
// Example:
//     auto presenter = make_presenter({.kind = PresenterKind::window, .title = "texcast"});
//     presenter->upload(texture);
//     presenter->draw({.lines = lines});
//     presenter->present();
//
// Threads: a presenter is created, used and destroyed on one thread, the render thread (for a window this must be the
// program's main thread, because SDL reads the window system's events there). Nothing here may be called on other
// threads.
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
#include "player/picture_part.h"
#include "player/upload_buffers.h"
#include "texcast/format.h"
#include "texcast/frame_times.h"

namespace texcast::player {

enum class PresenterKind {
  window,     // SDL2 window, OpenGL 3.3 core
  offscreen,  // OpenGL 3.3 core through EGL into a framebuffer object: needs no display server
  none,       // counts frames and uses no graphics library
};

// How a picture is scaled into a window of another size.
enum class ScaleMode {
  fit,    // the whole picture, with bars beside it
  fill,   // the whole window, the picture is cropped
  exact,  // one pixel per texel, centred; non-square pixels are stretched to shown_size()
};
const char* name(ScaleMode mode);  // "fit", "fill", "1:1"

// How swaps are synchronised with the display's refresh, in windows. If the driver does not support a mode, the next
// one is used.
enum class Vsync {
  adaptive,  // with the refresh, but a late frame at once
  on,        // with the refresh
  off,       // at once
};

// Applies to the picture as displayed, after its rotation.
enum class Mirror { none, horizontal, vertical };  // exchanges left and right, top and bottom

// The place of a window that is neither maximized nor fullscreen, in units of the desktop.
struct WindowPlace {
  int x = 0;  // of its left edge, without its border
  int y = 0;
  int width = 0;  // 0: that of the picture
  int height = 0;
  bool operator==(const WindowPlace&) const = default;
};

struct PresenterSettings {
  PresenterKind kind = PresenterKind::window;
  // Size of the window or surface in pixels. 0: that of the first picture (a window is limited to the desktop).
  int width = 0;
  int height = 0;
  std::string title = "texcast";
  bool fullscreen = false;
  std::optional<int> monitor{};  // the monitor to open on, 1 is the first; unset: the window system chooses
  ScaleMode scale = ScaleMode::fit;
  // Overrides wrong metadata of the pictures (TextureDesc::orientation, aspect): degrees clockwise (0, 90, 180, 270),
  // and width : height of the whole displayed picture.
  std::optional<int> rotate{};
  std::optional<PixelAspect> aspect{};
  Mirror mirror = Mirror::none;
  // Only this part of each picture is uploaded and displayed; as a whole picture is, so scale, aspect, rotation and the
  // size of the window are those of the part.
  std::optional<PicturePart> part{};
  double exposure = 0;  // stops by which linear light is displayed brighter (frames/tone_map.h)
  Vsync vsync = Vsync::adaptive;
  // Previous place of the window; ignored if no monitor shows that place. Unset, or with `monitor` or `fullscreen`:
  // centred on a monitor.
  std::optional<WindowPlace> place{};
  // Codings that are treated as unsupported by this GPU, for tests of the fallback.
  std::vector<CodingId> lacks{};
  std::string font_file = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";  // package fonts-dejavu-core
};

// Text over the picture: white monospaced characters on a translucent dark panel. UTF-8; the font has the printable
// characters of Latin-1 and a few more, others are shown as '?'. Text before a tab is a name, and dimmer; the texts
// after the tabs of a panel are aligned in one column.
enum class OverlayPlace { top_left, top_right, centre };
struct TextBlock {
  std::span<const std::string> lines;  // empty: no panel
  OverlayPlace place = OverlayPlace::top_left;
};

// A bar along the bottom of the picture. Positions are fractions of the duration, 0..1.
struct SeekBar {
  double played = 0;                // up to here
  std::optional<double> pointed{};  // the position under the mouse, if that is on the bar
  std::string position{};           // label left of the bar: "1:23"
  std::string duration{};           // label right of it
  std::string pointed_at{};         // label over the mouse: the time there
  bool operator==(const SeekBar&) const = default;
};

struct Overlay {
  std::span<const TextBlock> texts;
  const SeekBar* seek_bar = nullptr;
  const Cursor* cursor = nullptr;  // the pointer of the captured desktop, below everything else
  bool dim = false;                // darkens the picture, but not the overlay, to mark it as old
};

// Pixels as drawn, including bars and overlay: tightly packed R G B, 8 bits each, top row first.
struct ShownPicture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;
};

class Presenter {
 public:
  virtual ~Presenter() = default;

  // Whether the GPU can sample blocks of that coding, and upload() takes textures of it.
  virtual bool takes(CodingId /*coding*/) const { return true; }
  // Starts slow preparations that upload() of such textures needs. Returns nothing if none are pending, else a
  // description for the display of what is being done, for which upload() would wait. Throws as upload() does.
  virtual std::optional<std::string> prepare(const TextureDesc& /*desc*/) { return std::nullopt; }
  // Call it while there is no picture and nothing to do: prepares what takes long with the first picture, for one more
  // of the formats that streams usually have. It may block for a tenth of a second. False: there was nothing more.
  virtual bool warm_up_more() { return false; }
  // How the current picture was converted for the GPU ("bc1, transcoded on …"); empty: it is displayed unchanged.
  virtual std::string shown_as() const { return {}; }
  // Passes the blocks to the GPU and makes them the current picture; `texture.blocks` is only read during the call.
  // Misuse unless it has texture_layout's size. Allocates only when `texture.desc` changes. Throws Error{no_display} if
  // the GPU cannot have a texture of this size, or does not support its codings. Blocks in one of this presenter's
  // upload buffers are read from there by the GPU; others are copied first. If this still has a picture of the sequence
  // in `changes`, only what differs from it is uploaded.
  virtual void upload(const TextureView& texture, const RowChanges& changes) = 0;
  void upload(const TextureView& texture) { upload(texture, {}); }
  // Starts uploading the next texture, of which only the first `ready_bytes` are final so far. May be called again as
  // more of them are final; upload() is then called with the same desc, memory and changes, and uploads the rest. If
  // the texture is not uploaded after all, drop_ahead() must be called before another one is. Does nothing if it would
  // not help.
  virtual void upload_ahead(const TextureView& /*texture*/, size_t /*ready_bytes*/, const RowChanges& /*changes*/) {}
  void upload_ahead(const TextureView& texture, size_t ready_bytes) { upload_ahead(texture, ready_bytes, {}); }
  virtual void drop_ahead() {}
  // Creates memory for uploads without a copy: `count` buffers of `bytes` (both 1 or more, else misuse). Throws
  // Error{no_display} if the GPU has no room for them.
  virtual std::unique_ptr<UploadBuffers> make_upload_buffers(size_t count, size_t bytes) = 0;
  // Drops the current picture: draw() then shows the dark slate.
  virtual void clear_picture() = 0;
  // Draws the current picture with its aspect preserved, bars around it, and the overlay over it.
  virtual void draw(const Overlay& overlay) = 0;
  // The result of the last draw(). Call it between draw() and present(). Nothing if nothing is drawn (kind none).
  virtual std::optional<ShownPicture> read_back() = 0;
  // Displays what was drawn. Returns when the swap has returned (off-screen: when the GPU has finished).
  virtual void present() = 0;

  // The next command since the previous call; nothing if there are no more.
  virtual std::optional<UserInput> poll() = 0;

  virtual void resize(int width, int height) = 0;  // pixels, 1..16384 (else misuse)
  virtual void set_fullscreen(bool fullscreen) = 0;
  virtual bool fullscreen() const = 0;
  virtual void next_monitor() = 0;  // fullscreen on the next one, which is the first after the last
  virtual void set_scale(ScaleMode mode) = 0;
  virtual void set_pointer_visible(bool visible) = 0;
  virtual void set_title(const std::string& title) = 0;
  // While true the screen saver is inhibited.
  virtual void set_playing(bool playing) = 0;

  virtual int width() const = 0;  // of the window or surface, pixels; 0 for kind none
  virtual int height() const = 0;
  // The place at which the window should open the next time; its size is set only if a person chose it. Nothing: there
  // is no window, or its place is meaningless (maximized, fullscreen from the beginning).
  virtual std::optional<WindowPlace> place() const { return std::nullopt; }
  // Time between two refreshes if present() waits for them; 0: it does not, or the period is unknown.
  virtual nanoseconds refresh_period() const { return {}; }
  // The size of all blocks that were passed to the GPU so far.
  virtual uint64_t uploaded_bytes() const { return 0; }
  virtual int largest_texture() const { return 0; }  // texels, either side; 0: no limit
  virtual std::string renderer() const = 0;          // for a person: "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5"
};

}  // namespace texcast::player
