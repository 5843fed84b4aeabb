// gl_context_egl.cpp — OpenGL without any display server: an EGL context without a surface, drawing into a framebuffer
// object. Works on Mesa's llvmpipe and on GPUs whose driver has EGL.
#define EGL_NO_X11
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/ensure.h"
#include "contexts.h"
#include "player/gl_object.h"
#include "texcast/error.h"

namespace texcast::player {
namespace {

[[noreturn]] void no_surface(const std::string& what) {
  throw Error(ErrorKind::no_display,
              fmt::format("cannot draw off-screen: {}; install the packages libegl1 and libgl1-mesa-dri, or use "
                          "--no-window",
                          what));
}

bool has_extension(const char* list, std::string_view wanted) {
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == wanted) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Displays that may have a context, best first: GPUs before software; at last EGL's default.
std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> hardware;
  std::vector<EGLDisplay> software;
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (has_extension(client, "EGL_EXT_platform_base") && has_extension(client, "EGL_EXT_platform_device") &&
      has_extension(client, "EGL_EXT_device_enumeration")) {
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint count = 0;
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_FALSE) count = 0;
    for (EGLint i = 0; i < count; ++i) {
      EGLDeviceEXT device = devices[static_cast<size_t>(i)];
      const bool is_software =
          has_extension(eglQueryDeviceStringEXT(device, EGL_EXTENSIONS), "EGL_MESA_device_software");
      (is_software ? software : hardware).push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
    }
  }
  if (has_extension(client, "EGL_EXT_platform_base") && has_extension(client, "EGL_MESA_platform_surfaceless")) {
    void* no_native_display = EGL_DEFAULT_DISPLAY;
    hardware.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, no_native_display, nullptr));
  }
  hardware.insert(hardware.end(), software.begin(), software.end());
  hardware.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  return hardware;
}

EGLContext create_context(EGLDisplay display) {
  if (!has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) return EGL_NO_CONTEXT;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE) return EGL_NO_CONTEXT;
  constexpr std::array<EGLint, 5> kConfig = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, kConfig.data(), &config, 1, &count) == EGL_FALSE || count == 0) return EGL_NO_CONTEXT;
  constexpr std::array<EGLint, 7> kContext = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                                              3,
                                              EGL_CONTEXT_MINOR_VERSION_KHR,
                                              3,
                                              EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                              EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, kContext.data());
}

// An owned context, which is current.
class EglCurrent {
 public:
  EglCurrent() {
    if (!epoxy_has_egl()) no_surface("there is no EGL library");  // epoxy ends the program at the first call without
    for (EGLDisplay display : candidate_displays()) {
      if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) continue;
      display_ = display;
      context_ = create_context(display);
      if (context_ != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE)
        return;
      close();
    }
    no_surface("no EGL device has OpenGL 3.3");
  }
  EglCurrent(const EglCurrent&) = delete;
  EglCurrent& operator=(const EglCurrent&) = delete;
  ~EglCurrent() { close(); }

 private:
  void close() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
    context_ = EGL_NO_CONTEXT;
    // No eglTerminate(): EGL displays belong to the whole process, so it would end other users' contexts too, and Mesa
    // loses a little memory each time it unloads its driver.
  }
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

class EglSurface final : public GlContext {
 public:
  explicit EglSurface(const PresenterSettings& settings)
      : framebuffer_(GlFramebuffer::create()),
        pixels_(GlRenderbuffer::create()),
        size_is_given_(settings.width > 0 || settings.height > 0) {
    allocate({settings.width > 0 ? settings.width : kSlateSize.width,
              settings.height > 0 ? settings.height : kSlateSize.height});
  }

  Size size() const override { return size_; }
  unsigned framebuffer() const override { return framebuffer_.name(); }
  // Nothing is swapped, so "presented" means that the GPU has finished the picture.
  void show() override { glFinish(); }
  void resize(Size size) override {
    size_is_given_ = true;
    if (size != size_) allocate(size);
  }
  void offer_size(Size picture) override {
    if (!size_is_given_) resize(picture);
  }

 private:
  void allocate(Size size) {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    size_ = fit_down(size, {largest, largest});
    glBindRenderbuffer(GL_RENDERBUFFER, pixels_.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size_.width, size_.height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels_.name());
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      no_surface(fmt::format("no memory for {}x{} pixels", size_.width, size_.height));
  }

  EglCurrent current_;
  GlFramebuffer framebuffer_;
  GlRenderbuffer pixels_;
  Size size_;
  bool size_is_given_;
};

}  // namespace

std::unique_ptr<GlContext> make_egl_context(const PresenterSettings& settings) {
  return std::make_unique<EglSurface>(settings);
}

}  // namespace texcast::player
