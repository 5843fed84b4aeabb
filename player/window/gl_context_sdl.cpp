// gl_context_sdl.cpp — a window with OpenGL, through SDL2.
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "contexts.h"
#include "input_map.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

[[noreturn]] void no_window(const std::string& what) {
  throw Error(
      ErrorKind::no_display,
      fmt::format("cannot open a window: {}; set DISPLAY to a running X server (DISPLAY=:0), or use --offscreen "
                  "or --no-window",
                  what));
}

[[noreturn]] void no_display_found() {
  const char* display = std::getenv("DISPLAY");
  no_window(display ? fmt::format("the X server of DISPLAY={} does not respond", display) : "DISPLAY is not set");
}

// SDL's video system, counted by SDL itself.
struct SdlVideo {
  SdlVideo() {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // Ctrl-C is handled by the program, which has recordings to close
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");  // set_playing() decides
    SDL_SetHint(SDL_HINT_APP_NAME, "texcast");
    // Wayland needs this directory, and without it its library would print a message of its own.
    if (!std::getenv("XDG_RUNTIME_DIR")) SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11,KMSDRM");
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) no_display_found();
    // Without a display SDL falls back on drivers that show nothing, which is only wanted if it was requested.
    const std::string_view driver = SDL_GetCurrentVideoDriver();
    if ((driver == "dummy" || driver == "offscreen" || driver == "evdev") && !std::getenv("SDL_VIDEODRIVER")) {
      SDL_QuitSubSystem(SDL_INIT_VIDEO);
      no_display_found();
    }
  }
  SdlVideo(const SdlVideo&) = delete;
  SdlVideo& operator=(const SdlVideo&) = delete;
  ~SdlVideo() { SDL_QuitSubSystem(SDL_INIT_VIDEO); }
};

struct WindowCloser {
  void operator()(SDL_Window* window) const { SDL_DestroyWindow(window); }
};
using Window = std::unique_ptr<SDL_Window, WindowCloser>;

// Whether a part of the window, including its upper edge by which it can be moved, is on an existing monitor.
bool can_be_seen(const WindowPlace& place) {
  constexpr int kEnough = 64;
  const SDL_Rect edge = {place.x, place.y, std::max(place.width, kEnough), kEnough};
  for (int i = 0; i < SDL_GetNumVideoDisplays(); ++i) {
    SDL_Rect bounds, common;
    if (SDL_GetDisplayBounds(i, &bounds) == 0 && SDL_IntersectRect(&bounds, &edge, &common) == SDL_TRUE &&
        common.w >= kEnough && common.h >= kEnough / 2)
      return true;
  }
  return false;
}

// The place in the settings, if it can be used. SDL's video system must be open.
std::optional<WindowPlace> usable_place(const PresenterSettings& settings) {
  const auto& place = settings.place;
  if (!place || settings.monitor || settings.fullscreen || !can_be_seen(*place)) return std::nullopt;
  return place;
}

void set_vsync(Vsync wanted) {
  // A frame that missed the refresh is swapped at once, not a whole refresh later.
  if (wanted == Vsync::adaptive && SDL_GL_SetSwapInterval(-1) == 0) return;
  if (wanted != Vsync::off && SDL_GL_SetSwapInterval(1) == 0) return;
  SDL_GL_SetSwapInterval(0);
}

Window open_window(const PresenterSettings& settings) {
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_STENCIL_SIZE, 0);
  const Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
  const auto before = usable_place(settings);
  const bool sized = before && before->width > 0 && before->height > 0;
  const int place = settings.monitor ? SDL_WINDOWPOS_CENTERED_DISPLAY(monitor_index(*settings.monitor))
                                     : static_cast<int>(SDL_WINDOWPOS_CENTERED);
  const int width = settings.width > 0 ? settings.width : sized ? before->width : kSlateSize.width;
  const int height = settings.height > 0 ? settings.height : sized ? before->height : kSlateSize.height;
  Window window(SDL_CreateWindow(settings.title.c_str(), before ? before->x : place, before ? before->y : place, width,
                                 height, flags));
  if (!window) no_window(SDL_GetError());
  // Repeated, as the width of the window manager's border is only known now.
  if (before) SDL_SetWindowPosition(window.get(), before->x, before->y);
  return window;
}

class SdlContext final : public GlContext {
 public:
  explicit SdlContext(const PresenterSettings& settings)
      : window_(open_window(settings)),
        context_(SDL_GL_CreateContext(window_.get())),
        place_(usable_place(settings)),
        size_is_kept_(place_ && place_->width > 0 && place_->height > 0),
        size_is_given_(settings.width > 0 || settings.height > 0 || size_is_kept_) {
    if (context_ == nullptr) no_window(fmt::format("the display has no OpenGL 3.3 ({})", SDL_GetError()));
    set_vsync(settings.vsync);
    SDL_StopTextInput();
    SDL_ShowCursor(SDL_ENABLE);
    if (settings.fullscreen) set_fullscreen(true);
  }
  ~SdlContext() override {
    SDL_ShowCursor(SDL_ENABLE);
    SDL_GL_DeleteContext(context_);
  }
  SdlContext(const SdlContext&) = delete;
  SdlContext& operator=(const SdlContext&) = delete;

  Size size() const override {
    Size size;
    SDL_GL_GetDrawableSize(window_.get(), &size.width, &size.height);
    return size;
  }
  unsigned framebuffer() const override { return 0; }
  void show() override { SDL_GL_SwapWindow(window_.get()); }
  nanoseconds refresh_period() const override {
    SDL_DisplayMode mode{};
    const int display = SDL_GetWindowDisplayIndex(window_.get());
    if (SDL_GL_GetSwapInterval() == 0 || SDL_GetCurrentDisplayMode(display, &mode) != 0 || mode.refresh_rate < 1)
      return {};
    return nanoseconds(std::chrono::seconds(1)) / mode.refresh_rate;
  }

  void resize(Size size) override {
    size_is_given_ = true;
    set_drawable_size(size);
  }
  void offer_size(Size picture) override {
    if (size_is_given_ || fullscreen()) return;
    size_is_given_ = true;
    const int display = SDL_GetWindowDisplayIndex(window_.get());
    SDL_Rect desktop;
    if (SDL_GetDisplayUsableBounds(display, &desktop) != 0) return;
    int top = 0, left = 0, bottom = 0, right = 0;  // the window manager's border, if it has reported one
    SDL_GetWindowBordersSize(window_.get(), &top, &left, &bottom, &right);
    const PointerScale scale = pixels_a_unit();
    const auto room = [](int all, int border, double pixels) {
      return std::max(1, static_cast<int>((all - border) * pixels));
    };
    set_drawable_size(
        fit_down(picture, {room(desktop.w, left + right, scale.x), room(desktop.h, top + bottom, scale.y)}));
    if (place_) return;
    const int centre = static_cast<int>(SDL_WINDOWPOS_CENTERED_DISPLAY(display));
    SDL_SetWindowPosition(window_.get(), centre, centre);
  }
  std::optional<WindowPlace> place() const override {
    if ((SDL_GetWindowFlags(window_.get()) & (SDL_WINDOW_MAXIMIZED | SDL_WINDOW_MINIMIZED)) != 0) return std::nullopt;
    if (fullscreen() && !before_fullscreen_) return std::nullopt;
    const char* driver = SDL_GetCurrentVideoDriver();
    if (driver == nullptr || std::string_view(driver) == "wayland")
      return std::nullopt;  // Wayland does not tell windows where they are
    SDL_Rect now{};
    SDL_GetWindowPosition(window_.get(), &now.x, &now.y);
    SDL_GetWindowSize(window_.get(), &now.w, &now.h);
    if (before_fullscreen_) now = *before_fullscreen_;
    const bool by_hand = size_is_kept_ || now.w != own_size_.width || now.h != own_size_.height;
    return WindowPlace{now.x, now.y, by_hand ? now.w : 0, by_hand ? now.h : 0};
  }

  std::optional<UserInput> poll() override {
    for (SDL_Event event; SDL_PollEvent(&event) != 0;)
      if (auto input = input_of(event, pixels_a_unit())) return input;
    return std::nullopt;
  }

  void set_fullscreen(bool fullscreen) override {
    if (fullscreen && !this->fullscreen()) {
      remember_place();
      if (has_no_border()) cover_display();
    }
    if (SDL_SetWindowFullscreen(window_.get(), fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0) != 0) return;
    if (!fullscreen && before_fullscreen_) place_window(*std::exchange(before_fullscreen_, std::nullopt));
    set_pointer_visible(!fullscreen);
  }
  void next_monitor() override {
    const int next = next_monitor_index(SDL_GetWindowDisplayIndex(window_.get()), SDL_GetNumVideoDisplays());
    const int centre = static_cast<int>(SDL_WINDOWPOS_CENTERED_DISPLAY(next));
    if (fullscreen()) SDL_SetWindowFullscreen(window_.get(), 0);  // a fullscreen window cannot be moved
    remember_place();
    if (before_fullscreen_) before_fullscreen_->x = before_fullscreen_->y = centre;
    SDL_SetWindowPosition(window_.get(), centre, centre);
    set_fullscreen(true);
  }
  void set_pointer_visible(bool visible) override { SDL_ShowCursor(visible ? SDL_ENABLE : SDL_DISABLE); }
  bool fullscreen() const override {
    return (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_FULLSCREEN_DESKTOP) == SDL_WINDOW_FULLSCREEN_DESKTOP;
  }
  void set_title(const std::string& title) override { SDL_SetWindowTitle(window_.get(), title.c_str()); }
  void set_playing(bool playing) override { playing ? SDL_DisableScreenSaver() : SDL_EnableScreenSaver(); }

 private:
  Size window_size() const {
    Size units;
    SDL_GetWindowSize(window_.get(), &units.width, &units.height);
    return units;
  }
  // SDL sizes windows in units of the desktop, OpenGL draws pixels.
  PointerScale pixels_a_unit() const {
    const Size units = window_size();
    const Size pixels = size();
    if (units.width < 1 || units.height < 1 || pixels.width < 1 || pixels.height < 1) return {};
    return {static_cast<double>(pixels.width) / units.width, static_cast<double>(pixels.height) / units.height};
  }
  void set_drawable_size(Size pixels) {
    const PointerScale scale = pixels_a_unit();
    own_size_ = {std::max(1, static_cast<int>(pixels.width / scale.x)),
                 std::max(1, static_cast<int>(pixels.height / scale.y))};
    SDL_SetWindowSize(window_.get(), own_size_.width, own_size_.height);
  }

  // Fullscreen is done by the window manager. Without one, as on machines that show nothing but this player, the window
  // has to cover the display by itself. A window without borders is taken as a sign that there is no window manager;
  // for a window manager that draws no borders the call is harmless.
  bool has_no_border() const {
    int top = 0, left = 0, bottom = 0, right = 0;
    SDL_GetWindowBordersSize(window_.get(), &top, &left, &bottom, &right);
    return top + left + bottom + right == 0 && (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_MAXIMIZED) == 0;
  }
  void cover_display() {
    SDL_Rect bounds;
    if (SDL_GetDisplayBounds(SDL_GetWindowDisplayIndex(window_.get()), &bounds) == 0) place_window(bounds);
  }
  // Needed because SDL does not remember it for a window that moves from monitor to monitor.
  void remember_place() {
    if (before_fullscreen_ || (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_MAXIMIZED) != 0) return;
    SDL_Rect& place = before_fullscreen_.emplace();
    SDL_GetWindowPosition(window_.get(), &place.x, &place.y);
    SDL_GetWindowSize(window_.get(), &place.w, &place.h);
  }
  void place_window(const SDL_Rect& place) {
    SDL_SetWindowSize(window_.get(), place.w, place.h);
    SDL_SetWindowPosition(window_.get(), place.x, place.y);
  }

  SdlVideo video_;
  Window window_;
  SDL_GLContext context_;
  const std::optional<WindowPlace> place_;  // where it opened, if that was specified
  const bool size_is_kept_;                 // its previous size was specified too
  bool size_is_given_;
  Size own_size_ = window_size();  // set by the program last, units of the desktop
  std::optional<SDL_Rect> before_fullscreen_;
};

}  // namespace

std::unique_ptr<GlContext> make_sdl_context(const PresenterSettings& settings) {
  return std::make_unique<SdlContext>(settings);
}

int monitor_index(int monitor) {
  const int count = SDL_GetNumVideoDisplays();
  if (monitor >= 1 && monitor <= count) return monitor - 1;
  std::string list;
  for (int i = 0; i < count; ++i) {
    SDL_Rect bounds{};
    SDL_GetDisplayBounds(i, &bounds);
    const char* name = SDL_GetDisplayName(i);
    list += fmt::format("{}{}: {} ({}x{})", i == 0 ? "" : ", ", i + 1, name ? name : "?", bounds.w, bounds.h);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no monitor {}; there are {}", monitor, list));
}

int next_monitor_index(int current, int count) {
  return count < 1 || current < 0 || current + 1 >= count ? 0 : current + 1;
}

}  // namespace texcast::player
