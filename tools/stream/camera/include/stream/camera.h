// camera.h — the interface of devices from which other programs take pictures as from a camera, and the formats that
// they offer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "texcast/format.h"
#include "texcast/frame.h"

namespace texcast::stream {

// A picture that a camera can deliver, as place_tightly() lays it out.
struct CameraFormat {
  FrameFormat picture{};
  double fps = 0;  // at most; 0: any
  bool operator==(const CameraFormat&) const = default;
};

// The stream's picture: what a camera can be asked for.
struct CameraOffer {
  int width = 0, height = 0;  // of the picture (camera_size())
  double fps = 0;             // nominal; 0: not known
  bool operator==(const CameraOffer&) const = default;
};

// All members may be called on any thread, one call at a time, unless they say otherwise.
class Camera {
 public:
  virtual ~Camera() = default;
  // `changed` is called, on a thread of the camera, whenever wanted(), joined() or ended() may have changed; it must
  // not call the camera. Empty: nothing is called any more once this returns.
  virtual void notify(std::function<void()> changed) = 0;
  // The stream's picture from now on. The first call makes the camera visible to other programs. False: it cannot be
  // had at present; offer it again later.
  virtual bool offer(const CameraOffer& offer) = 0;
  // The format of the pictures that other programs read at present; nothing if nobody reads.
  virtual std::optional<CameraFormat> wanted() = 0;
  // A number that grows whenever a program begins to read, which must get a picture even if none is new.
  virtual uint64_t joined() = 0;
  // Sends a picture of that format, which wanted() has returned. Pictures with the same `version`, which is not 0, are
  // equal. False: no reader could take it; try again later.
  virtual bool send(const CameraFormat& format, Bytes picture, uint64_t version) = 0;
  // Why the camera has ended, as a line for a person; empty: it has not.
  virtual std::string ended() = 0;
};

// Programs expect rows without gaps, and some of them rows that are multiples of four bytes: the width is rounded down
// to a multiple of 4, the height to an even number, and the sides of smaller pictures are at least those. nullopt: the
// picture is smaller.
std::optional<CameraOffer> camera_size(int width, int height, double fps);

// The frame of an offer in a pixel format. Its matrix is BT.601 up to 576 lines, else BT.709, which is what programs
// assume that do not read it; its range is limited. RGB is full range.
FrameFormat camera_picture(const CameraOffer& offer, PixelFormat format);

// The pixel formats to offer, the best one first. I420 only if its rows have no gaps in any program's layout.
std::vector<PixelFormat> camera_pixel_formats(const CameraOffer& offer);

}  // namespace texcast::stream
