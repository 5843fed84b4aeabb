// screencopy_shim.cpp — preloaded into xdg-desktop-portal-wlr. Its version 0.7.0 (Debian 12) refuses a compositor that
// draws without a GPU, as that announces no format for DMA-BUFs, although they are not used then. The shim announces
// one.
#include <dlfcn.h>
#include <wayland-client-core.h>

#include <cstdint>
#include <cstring>

namespace {

using Function = void (*)();

// The events of zwlr_screencopy_frame_v1, in their order.
struct Listener {
  void (*buffer)(void*, void*, uint32_t format, uint32_t width, uint32_t height, uint32_t stride);
  Function flags, ready, failed, damage;
  void (*linux_dmabuf)(void*, void*, uint32_t format, uint32_t width, uint32_t height);
  void (*buffer_done)(void*, void*);
};

constexpr uint32_t kXrgb8888 = 0x34325258;  // DRM_FORMAT_XRGB8888
const Listener* theirs = nullptr;
Listener ours{};
uint32_t width = 0, height = 0;
bool has_dmabuf = false;

}  // namespace

extern "C" int wl_proxy_add_listener(wl_proxy* proxy, Function* functions, void* data) {
  static const auto next =
      reinterpret_cast<decltype(&wl_proxy_add_listener)>(dlsym(RTLD_NEXT, "wl_proxy_add_listener"));
  if (std::strcmp(wl_proxy_get_class(proxy), "zwlr_screencopy_frame_v1") != 0) return next(proxy, functions, data);
  theirs = reinterpret_cast<const Listener*>(functions);
  ours = *theirs;
  ours.buffer = [](void* user, void* frame, uint32_t format, uint32_t w, uint32_t h, uint32_t stride) {
    width = w;
    height = h;
    theirs->buffer(user, frame, format, w, h, stride);
  };
  ours.linux_dmabuf = [](void* user, void* frame, uint32_t format, uint32_t w, uint32_t h) {
    has_dmabuf = true;
    theirs->linux_dmabuf(user, frame, format, w, h);
  };
  ours.buffer_done = [](void* user, void* frame) {
    if (!has_dmabuf) theirs->linux_dmabuf(user, frame, kXrgb8888, width, height);
    theirs->buffer_done(user, frame);
  };
  return next(proxy, reinterpret_cast<Function*>(&ours), data);
}
