// descriptor_input.h — lets FFmpeg read standard input, a pipe or a FIFO, and stop while it waits for the writer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "input_spec.h"
#include "media/ffmpeg.h"

namespace texcast::media {

// Not thread-safe. Not movable, as FFmpeg holds its address.
class DescriptorInput {
 public:
  // Opens the FIFO of `spec`, or takes its descriptor, which stays open. `stopped` is asked ten times a second while
  // the writer is waited for. Throws Error{usage} for a terminal, and Error{input}.
  DescriptorInput(const InputSpec& spec, std::function<bool()> stopped);
  ~DescriptorInput();
  DescriptorInput(const DescriptorInput&) = delete;
  DescriptorInput& operator=(const DescriptorInput&) = delete;

  // For AVFormatContext::pb, with AVFMT_FLAG_CUSTOM_IO. Owned by this.
  AVIOContext* context() { return context_.get(); }
  bool is_empty() const { return bytes_ == 0; }  // so far
  // Whether the input is a file (`< clip.mp4`), which can be read from any place.
  bool can_seek() const { return can_seek_; }

 private:
  struct FreeContext {
    void operator()(AVIOContext* context) const;
  };
  static int read(void* self, uint8_t* to, int size);
  static int64_t seek(void* self, int64_t offset, int whence);
  int read_some(uint8_t* to, int size);

  Descriptor owned_;  // of a FIFO
  int fd_ = -1;
  bool can_seek_ = false;
  int64_t bytes_ = 0;
  std::function<bool()> stopped_;
  std::unique_ptr<AVIOContext, FreeContext> context_;
};

}  // namespace texcast::media
