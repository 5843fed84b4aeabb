// gl_context_sdl.cpp — a window with OpenGL on it, through SDL2.
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "gl_context.h"
#include "key_map.h"

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
  no_window(display ? fmt::format("the X server of DISPLAY={} does not answer", display) : "DISPLAY is not set");
}

// SDL's video system, counted by SDL itself.
struct SdlVideo {
  SdlVideo() {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");       // Ctrl-C is the program's: it has recordings to close
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");  // set_playing() decides
    SDL_SetHint(SDL_HINT_APP_NAME, "texcast");
    // Wayland cannot be there without this directory, and its library would print a line of its own about it.
    if (!std::getenv("XDG_RUNTIME_DIR")) SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11,KMSDRM");
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) no_display_found();
    // Where there is no display SDL falls back on drivers that show nothing: fine only for who asked for them.
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

Window open_window(const PresenterSettings& settings) {
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
  SDL_GL_SetAttribute(SDL_GL_STENCIL_SIZE, 0);
  Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
  if (settings.fullscreen) flags |= SDL_WINDOW_FULLSCREEN_DESKTOP;
  Window window(SDL_CreateWindow(settings.title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                 settings.width > 0 ? settings.width : kSlateSize.width,
                                 settings.height > 0 ? settings.height : kSlateSize.height, flags));
  if (!window) no_window(SDL_GetError());
  return window;
}

class SdlContext final : public GlContext {
 public:
  explicit SdlContext(const PresenterSettings& settings)
      : window_(open_window(settings)),
        context_(SDL_GL_CreateContext(window_.get())),
        size_is_given_(settings.width > 0 || settings.height > 0) {
    if (context_ == nullptr) no_window(fmt::format("no OpenGL 3.3 there ({})", SDL_GetError()));
    // Adaptive first: a frame that missed the refresh is swapped at once, not a whole refresh later.
    if (!settings.vsync || (SDL_GL_SetSwapInterval(-1) != 0 && SDL_GL_SetSwapInterval(1) != 0))
      SDL_GL_SetSwapInterval(0);
    SDL_StopTextInput();
    SDL_ShowCursor(settings.fullscreen ? SDL_DISABLE : SDL_ENABLE);
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

  void resize(Size size) override {
    size_is_given_ = true;
    SDL_SetWindowSize(window_.get(), size.width, size.height);
  }
  void offer_size(Size picture) override {
    if (size_is_given_ || fullscreen()) return;
    size_is_given_ = true;
    SDL_Rect desktop;
    if (SDL_GetDisplayUsableBounds(SDL_GetWindowDisplayIndex(window_.get()), &desktop) != 0) return;
    const Size size = fit_down(picture, {desktop.w, desktop.h});
    SDL_SetWindowSize(window_.get(), size.width, size.height);
    SDL_SetWindowPosition(window_.get(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED);
  }

  std::optional<Command> poll() override {
    for (SDL_Event event; SDL_PollEvent(&event) != 0;)
      if (const auto command = command_for_event(event)) return command;
    return std::nullopt;
  }

  void set_fullscreen(bool fullscreen) override {
    if (SDL_SetWindowFullscreen(window_.get(), fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0) == 0)
      SDL_ShowCursor(fullscreen ? SDL_DISABLE : SDL_ENABLE);
  }
  bool fullscreen() const override {
    return (SDL_GetWindowFlags(window_.get()) & SDL_WINDOW_FULLSCREEN_DESKTOP) == SDL_WINDOW_FULLSCREEN_DESKTOP;
  }
  void set_title(const std::string& title) override { SDL_SetWindowTitle(window_.get(), title.c_str()); }
  void set_playing(bool playing) override { playing ? SDL_DisableScreenSaver() : SDL_EnableScreenSaver(); }

 private:
  std::optional<Command> command_for_event(const SDL_Event& event) {
    switch (event.type) {
      case SDL_QUIT: return Command::quit;
      case SDL_KEYDOWN: return command_for_key(event.key.keysym.sym, event.key.repeat != 0);
      case SDL_MOUSEBUTTONDOWN:
        if (event.button.button == SDL_BUTTON_LEFT && event.button.clicks == 2) return Command::toggle_fullscreen;
        return std::nullopt;
      case SDL_WINDOWEVENT:
        if (event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED || event.window.event == SDL_WINDOWEVENT_EXPOSED)
          return Command::redraw;
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  SdlVideo video_;
  Window window_;
  SDL_GLContext context_;
  bool size_is_given_;
};

}  // namespace

std::unique_ptr<GlContext> make_sdl_context(const PresenterSettings& settings) {
  return std::make_unique<SdlContext>(settings);
}

}  // namespace texcast::player
