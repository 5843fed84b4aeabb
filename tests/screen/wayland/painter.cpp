#include "painter.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace texcast::test {
namespace {

// wlr-layer-shell-unstable-v1, version 1, written by hand, as no package has its description.
extern const wl_interface kLayerSurface;
const wl_interface* const kNoTypes[4] = {};
const wl_interface* const kGetSurfaceTypes[] = {&kLayerSurface, &wl_surface_interface, &wl_output_interface, nullptr,
                                                nullptr};
const wl_message kShellRequests[] = {
    {"get_layer_surface", "no?ous", const_cast<const wl_interface**>(kGetSurfaceTypes)}};
const wl_interface kLayerShell{"zwlr_layer_shell_v1", 1, 1, kShellRequests, 0, nullptr};

const wl_interface** const kNone = const_cast<const wl_interface**>(kNoTypes);
const wl_message kSurfaceRequests[] = {{"set_size", "uu", kNone},
                                       {"set_anchor", "u", kNone},
                                       {"set_exclusive_zone", "i", kNone},
                                       {"set_margin", "iiii", kNone},
                                       {"set_keyboard_interactivity", "u", kNone},
                                       {"get_popup", "o", kNone},
                                       {"ack_configure", "u", kNone},
                                       {"destroy", "", kNone}};
enum SurfaceRequest : uint32_t { kSetAnchor = 1, kSetExclusiveZone = 2, kAckConfigure = 6 };
const wl_message kSurfaceEvents[] = {{"configure", "uuu", kNone}, {"closed", "", kNone}};
const wl_interface kLayerSurface{"zwlr_layer_surface_v1", 1, 8, kSurfaceRequests, 2, kSurfaceEvents};

struct LayerListener {
  void (*configure)(void*, wl_proxy*, uint32_t serial, uint32_t width, uint32_t height);
  void (*closed)(void*, wl_proxy*);
};

}  // namespace

Painter::Painter() : display_(wl_display_connect(nullptr)) {
  if (display_ == nullptr) throw std::runtime_error("no compositor");
  wl_registry* registry = wl_display_get_registry(display_);
  static const wl_registry_listener kGlobals{
      [](void* user, wl_registry* from, uint32_t name, const char* interface, uint32_t) {
        auto& self = *static_cast<Painter*>(user);
        const std::string_view what = interface;
        if (what == wl_compositor_interface.name)
          self.compositor_ = static_cast<wl_compositor*>(wl_registry_bind(from, name, &wl_compositor_interface, 4));
        if (what == wl_shm_interface.name)
          self.shm_ = static_cast<wl_shm*>(wl_registry_bind(from, name, &wl_shm_interface, 1));
        if (what == kLayerShell.name)
          self.shell_ = static_cast<wl_proxy*>(wl_registry_bind(from, name, &kLayerShell, 1));
      },
      [](void*, wl_registry*, uint32_t) {}};
  wl_registry_add_listener(registry, &kGlobals, this);
  wl_display_roundtrip(display_);
  wl_registry_destroy(registry);
  if (compositor_ == nullptr || shm_ == nullptr || shell_ == nullptr) throw std::runtime_error("no wlr-layer-shell");

  surface_ = wl_compositor_create_surface(compositor_);
  constexpr uint32_t kOverlay = 3, kAllSides = 15;
  layer_ =
      wl_proxy_marshal_constructor(shell_, 0, &kLayerSurface, nullptr, surface_, nullptr, kOverlay, "texcast test");
  static const LayerListener kEvents{
      [](void* user, wl_proxy* layer, uint32_t serial, uint32_t width, uint32_t height) {
        static_cast<Painter*>(user)->size_ = {0, 0, static_cast<int>(width), static_cast<int>(height)};
        wl_proxy_marshal(layer, kAckConfigure, serial);
      },
      [](void*, wl_proxy*) {}};
  wl_proxy_add_listener(layer_, reinterpret_cast<void (**)()>(const_cast<LayerListener*>(&kEvents)), this);
  wl_proxy_marshal(layer_, kSetAnchor, kAllSides);
  wl_proxy_marshal(layer_, kSetExclusiveZone, -1);
  wl_surface_commit(surface_);
  while (size_.width == 0 && wl_display_roundtrip(display_) >= 0) {
  }
}

Painter::~Painter() {
  for (Shared& shared : shared_) let_go(shared);
  for (wl_proxy* proxy : {layer_, reinterpret_cast<wl_proxy*>(surface_), shell_, reinterpret_cast<wl_proxy*>(shm_),
                          reinterpret_cast<wl_proxy*>(compositor_)})
    if (proxy) wl_proxy_destroy(proxy);
  wl_display_disconnect(display_);
}

screen::Rect Painter::size() {
  wl_display_roundtrip(display_);
  return size_;
}

void Painter::make(Shared& shared) {
  let_go(shared);
  shared.size = size_;
  shared.bytes = static_cast<size_t>(size_.width) * size_.height * 4;
  const int fd = memfd_create("painter", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(shared.bytes)) != 0) throw std::runtime_error("no shared memory");
  shared.texels = static_cast<uint32_t*>(mmap(nullptr, shared.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  wl_shm_pool* pool = wl_shm_create_pool(shm_, fd, static_cast<int>(shared.bytes));
  shared.buffer =
      wl_shm_pool_create_buffer(pool, 0, size_.width, size_.height, size_.width * 4, WL_SHM_FORMAT_XRGB8888);
  wl_shm_pool_destroy(pool);
  close(fd);
  static const wl_buffer_listener kReleased{[](void* user, wl_buffer*) { static_cast<Shared*>(user)->busy = false; }};
  wl_buffer_add_listener(shared.buffer, &kReleased, &shared);
}

void Painter::let_go(Shared& shared) {
  if (shared.buffer) wl_buffer_destroy(shared.buffer);
  if (shared.texels) munmap(shared.texels, shared.bytes);
  shared = {};
}

void Painter::draw(const std::vector<uint32_t>& texels, const screen::Rect& damage) {
  Shared* free = nullptr;
  while (free == nullptr) {
    for (Shared& shared : shared_)
      if (!shared.busy) free = &shared;
    if (free == nullptr && wl_display_dispatch(display_) < 0) throw std::runtime_error("the compositor is gone");
  }
  if (free->size != size_) make(*free);
  std::memcpy(free->texels, texels.data(), free->bytes);
  free->busy = true;
  wl_surface_attach(surface_, free->buffer, 0, 0);
  wl_surface_damage_buffer(surface_, damage.x, damage.y, damage.width, damage.height);
  wl_surface_commit(surface_);
  if (wl_display_roundtrip(display_) < 0) throw std::runtime_error("the compositor is gone");
}

}  // namespace texcast::test
