#include "x_mirror.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xcb/shm.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errno_text.h"
#include "base/log.h"
#include "few_rects.h"
#include "texcast/error.h"

namespace texcast::screen {
namespace {

constexpr size_t kMostRequests = 24;  // for a picture: each costs as much as some ten kilobytes
constexpr uint32_t kAllPlanes = ~0U;

size_t bytes_of(const Rect& rect) { return static_cast<size_t>(area_of(rect)) * 4; }

}  // namespace

MappedMemory::MappedMemory(size_t bytes) : bytes_(bytes), descriptor_(memfd_create("texcast-screen", MFD_CLOEXEC)) {
  if (descriptor_.valid() && ftruncate(descriptor(), static_cast<off_t>(bytes)) == 0) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(), 0);
    if (mapped != MAP_FAILED) {
      data_ = static_cast<std::byte*>(mapped);
      return;
    }
  }
  throw Error(ErrorKind::failed, fmt::format("no memory for a picture of the screen: {}", errno_text(errno)));
}

MappedMemory::~MappedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      descriptor_(std::move(other.descriptor_)) {}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

XMirror::~XMirror() { detach(); }

void XMirror::detach() {
  if (segment_ != 0) xcb_shm_detach(display_.get(), std::exchange(segment_, 0));
}

void XMirror::resize(int width, int height) {
  detach();
  format_.width = width;
  format_.height = height;
  const size_t bytes = static_cast<size_t>(width) * static_cast<size_t>(height) * 4;
  memory_ = MappedMemory(is_shared_ ? 2 * bytes : bytes);
  if (!is_shared_) return;
  const int passed = fcntl(memory_.descriptor(), F_DUPFD_CLOEXEC, 0);  // sending closes it
  if (passed >= 0) {
    segment_ = xcb_generate_id(display_.get());
    if (display_.accepted(xcb_shm_attach_fd_checked(display_.get(), segment_, passed, 0))) return;
  }
  segment_ = 0;
  is_shared_ = false;
  log_debug("the X display {} refuses shared memory: its pictures come through the connection", display_.name());
}

FrameView XMirror::view() const {
  FrameView view{.format = format_};
  view.planes[0] = {memory_.data(), static_cast<std::ptrdiff_t>(format_.width) * 4};
  return view;
}

void XMirror::blacken(const Rect& rect) {
  for (int y = rect.y; y < rect.y + rect.height; ++y) std::fill_n(row(y) + rect.x, rect.width, 0xFF000000U);
}

void XMirror::copy_in(const Rect& rect, const std::byte* pixels) {
  const size_t row_bytes = static_cast<size_t>(rect.width) * 4;
  for (int y = 0; y < rect.height; ++y)
    std::memcpy(row(rect.y + y) + rect.x, pixels + static_cast<size_t>(y) * row_bytes, row_bytes);
}

bool XMirror::fetch(xcb_drawable_t from, int x, int y, const Rect& there, std::vector<Rect>& rects) {
  join_to(rects, kMostRequests);
  // Whole rows are not copied through the second half of the memory, which costs more than a quarter of them.
  for (Rect& rect : rects)
    if (there.width == format_.width && 4 * rect.width >= 3 * format_.width) rect.x = 0, rect.width = format_.width;
  int64_t area = 0;
  for (const Rect& rect : rects) area += area_of(rect);
  // The room behind the picture has the picture's size, and joined rectangles may overlap.
  if (area > int64_t{format_.width} * format_.height) {
    Rect all = rects[0];
    for (const Rect& rect : rects) all = around(all, rect);
    rects.assign(1, all);
  }
  const bool done = segment_ != 0 ? fetch_shared(from, x, y, rects) : fetch_sent(from, x, y, rects);
  for (const Rect& rect : rects) fetched_bytes_ += bytes_of(rect);
  return done;
}

// All requests are sent before the first reply is waited for.
bool XMirror::fetch_shared(xcb_drawable_t from, int x, int y, std::span<const Rect> rects) {
  std::array<xcb_shm_get_image_cookie_t, kMostRequests> cookies{};
  const size_t picture_bytes = bytes_of({0, 0, format_.width, format_.height});
  const auto is_whole_rows = [&](const Rect& rect) { return rect.width == format_.width; };
  size_t behind = picture_bytes;
  for (size_t i = 0; i < rects.size(); ++i) {
    const Rect& rect = rects[i];
    const size_t offset =
        is_whole_rows(rect) ? static_cast<size_t>(rect.y) * static_cast<size_t>(rect.width) * 4 : behind;
    if (!is_whole_rows(rect)) behind += bytes_of(rect);
    cookies[i] =
        xcb_shm_get_image(display_.get(), from, static_cast<int16_t>(x + rect.x), static_cast<int16_t>(y + rect.y),
                          static_cast<uint16_t>(rect.width), static_cast<uint16_t>(rect.height), kAllPlanes,
                          XCB_IMAGE_FORMAT_Z_PIXMAP, segment_, static_cast<uint32_t>(offset));
  }
  bool done = true;
  behind = picture_bytes;
  for (size_t i = 0; i < rects.size(); ++i) {
    const bool came = display_.reply(xcb_shm_get_image_reply, cookies[i]) != nullptr;
    done = done && came;
    if (is_whole_rows(rects[i])) continue;
    if (came) copy_in(rects[i], memory_.data() + behind);
    behind += bytes_of(rects[i]);
  }
  return done;
}

bool XMirror::fetch_sent(xcb_drawable_t from, int x, int y, std::span<const Rect> rects) {
  std::array<xcb_get_image_cookie_t, kMostRequests> cookies{};
  for (size_t i = 0; i < rects.size(); ++i)
    cookies[i] = xcb_get_image(display_.get(), XCB_IMAGE_FORMAT_Z_PIXMAP, from, static_cast<int16_t>(x + rects[i].x),
                               static_cast<int16_t>(y + rects[i].y), static_cast<uint16_t>(rects[i].width),
                               static_cast<uint16_t>(rects[i].height), kAllPlanes);
  bool done = true;
  for (size_t i = 0; i < rects.size(); ++i) {
    const auto image = display_.reply(xcb_get_image_reply, cookies[i]);
    const bool came = image && static_cast<size_t>(xcb_get_image_data_length(image.get())) >= bytes_of(rects[i]);
    done = done && came;
    if (came) copy_in(rects[i], reinterpret_cast<const std::byte*>(xcb_get_image_data(image.get())));
  }
  return done;
}

}  // namespace texcast::screen
