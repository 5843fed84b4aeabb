// completion.h — tells that a device has done its part of a frame, so that nobody has to ask again and again.
//
// OpenCL's own callbacks are used where they are prompt. NVIDIA's come when the driver's thread next looks around: 7.7
// ms late at the median, 20 ms at worst (H100, driver 580), which is a whole frame; Oclgrind's do not come. There a
// thread of ours asks every 50 us, only while something is under way; waiting in the driver instead would keep a
// processor busy, because NVIDIA's clWaitForEvents spins.
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

  // What is called, on a thread of the driver's or of ours; empty: nothing. The one before is not called any more when
  // this returns.
  virtual void set(std::function<void()> call) { call_.set(std::move(call)); }
  // Calls it once the event is over or has failed. Events may be over in any order; several at about the same time may
  // be told of together.
  virtual void call_after(cl::Event& event) = 0;

 protected:
  Completion() = default;
  bool wanted() const { return call_.wanted(); }
  void tell() const { call_.tell(); }

 private:
  ProgressCall call_;
};

// By the driver's callbacks, which may come after whoever asked has gone.
std::shared_ptr<Completion> make_completion_callback();
// By a thread that asks.
std::shared_ptr<Completion> make_completion_watch();
// What serves this device best.
std::shared_ptr<Completion> make_completion(const DeviceInfo& device);

}  // namespace texcast
