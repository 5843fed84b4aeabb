// completion.h — reports that a device has done its part of a frame, so that callers need not poll.
//
// OpenCL's own callbacks are used if they are prompt. NVIDIA's come when the driver's thread next wakes: 7.7 ms late at
// the median, 20 ms at worst (H100, driver 580), which is a whole frame; Oclgrind's never come. For these a thread
// polls every 50 us, only while commands are pending. Waiting in the driver instead would keep a processor busy,
// because NVIDIA's clWaitForEvents spins.
#pragma once

#include <functional>
#include <memory>

#include "ocl/device.h"
#include "progress_call.h"
#include "texcast/device.h"

namespace texcast {

// Thread-safe.
class Completion {
 public:
  virtual ~Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // Sets the function that is called, on a thread of the driver or of texcast; empty: none. The previous function is
  // not called any more when this returns.
  virtual void set(std::function<void()> call) { call_.set(std::move(call)); }
  // Calls the function once the event is complete or has failed. Events may complete in any order; one call may report
  // several that complete at about the same time.
  virtual void call_after(cl::Event& event) = 0;

 protected:
  Completion() = default;
  bool wanted() const { return call_.wanted(); }
  void tell() const { call_.tell(); }

 private:
  ProgressCall call_;
};

// Uses the driver's callbacks, which may come after the object was released.
std::shared_ptr<Completion> make_completion_callback();
// Uses a polling thread.
std::shared_ptr<Completion> make_completion_watch();
// The better one for this device.
std::shared_ptr<Completion> make_completion(const DeviceInfo& device);

}  // namespace texcast
