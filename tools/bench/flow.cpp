#include "bench/flow.h"

#include <algorithm>
#include <cstring>

#include "base/ensure.h"
#include "texcast/error.h"
#include "tuner/sample_frame.h"
#include "tuner/timing.h"

namespace texcast::bench {
namespace {

double rate(int64_t pieces, nanoseconds time) {
  return static_cast<double>(pieces) / in_seconds(std::max(time, nanoseconds(1)));
}

nanoseconds one_alone(const Flow& flow, const Clock& now) {
  const SteadyTime start = now();
  flow.begin();
  flow.end();
  return now() - start;
}

struct Slice {
  int64_t pieces = 0;
  nanoseconds time{};
};

Slice full_slice(const Flow& flow, nanoseconds length, const Clock& now) {
  for (int i = 0; i < flow.in_flight; ++i) flow.begin();
  flow.end();  // from here on, as many pieces end as begin
  Slice slice;
  const SteadyTime start = now();
  do {
    flow.begin();
    flow.end();
    ++slice.pieces;
    slice.time = now() - start;
  } while (slice.time < length);
  for (int i = 1; i < flow.in_flight; ++i) flow.end();
  return slice;
}

}  // namespace

std::vector<FlowRate> time_flows(const std::vector<Flow>& flows, const FlowSettings& settings, const Clock& now) {
  ENSURE(settings.rounds >= 1);
  std::vector<FlowRate> rates(flows.size());
  std::vector<std::vector<double>> rounds(flows.size());
  for (size_t i = 0; i < flows.size(); ++i) {
    ENSURE(flows[i].in_flight >= 1);
    // The first piece may include compilation. A second one is needed only if the first is too slow.
    nanoseconds alone = one_alone(flows[i], now);
    if (settings.one_is_enough > nanoseconds{} && alone >= settings.one_is_enough) alone = one_alone(flows[i], now);
    if (settings.one_is_enough > nanoseconds{} && alone >= settings.one_is_enough) {
      const double per_second = rate(1, alone);
      rates[i] = {per_second, per_second, per_second, 0, 1};
    }
  }
  for (int round = 0; round < settings.rounds; ++round)
    for (size_t i = 0; i < flows.size(); ++i) {
      if (rates[i].pieces > 0 && rates[i].rounds == 0) continue;
      const Slice slice = full_slice(flows[i], settings.slice, now);
      rounds[i].push_back(rate(slice.pieces, slice.time));
      rates[i].rounds = round + 1;
      rates[i].pieces += slice.pieces;
    }
  for (size_t i = 0; i < flows.size(); ++i) {
    if (rounds[i].empty()) continue;
    const auto [slowest, fastest] = std::minmax_element(rounds[i].begin(), rounds[i].end());
    rates[i].slowest = *slowest;
    rates[i].fastest = *fastest;
    rates[i].per_second = tuner::median(rounds[i]);
  }
  return rates;
}

UploadFlow::Way UploadFlow::make_way(const ocl::Device& device, const cl::CommandQueue& queue, size_t bytes) {
  if (bytes == 0) return {};
  Way way{.bytes = bytes, .queue = queue};
  way.pinned = cl::Buffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  way.on_device = cl::Buffer(device.context(), CL_MEM_READ_WRITE, bytes);
  way.host = queue.enqueueMapBuffer(way.pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
  std::memset(way.host, 0x55, bytes);  // memory never written to may be a single page of zeros, mapped many times
  queue.enqueueWriteBuffer(way.on_device, CL_TRUE, 0, bytes, way.host);
  return way;
}

UploadFlow::UploadFlow(const std::vector<const ocl::Device*>& devices, size_t frame_bytes, size_t bytes_back,
                       int in_flight)
    : lanes_(devices.size() * static_cast<size_t>(in_flight)) {
  struct Queues {
    cl::CommandQueue up, back;
  };
  std::vector<Queues> queues;
  for (const ocl::Device* device : devices) queues.push_back({device->make_queue(), device->make_queue()});
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const size_t d = i % devices.size();
    lanes_[i].up = make_way(*devices[d], queues[d].up, frame_bytes);
    lanes_[i].back = make_way(*devices[d], queues[d].back, bytes_back);
  }
}

UploadFlow::~UploadFlow() {
  try {
    for (Lane& lane : lanes_)
      for (Way* way : {&lane.up, &lane.back}) {
        if (way->host == nullptr) continue;
        way->queue.enqueueUnmapMemObject(way->pinned, way->host);
        way->queue.finish();
      }
  } catch (const cl::Error&) {
    // The device is lost, and so is its memory.
  }
}

void UploadFlow::begin() {
  Lane& l = lane(begun_++);
  l.up.queue.enqueueWriteBuffer(l.up.on_device, CL_FALSE, 0, l.up.bytes, l.up.host, nullptr, &l.up.done);
  l.up.queue.flush();
  if (l.back.bytes == 0) return;
  l.back.queue.enqueueReadBuffer(l.back.on_device, CL_FALSE, 0, l.back.bytes, l.back.host, nullptr, &l.back.done);
  l.back.queue.flush();
}

void UploadFlow::end() {
  Lane& l = lane(ended_++);
  l.up.done.wait();
  if (l.back.bytes != 0) l.back.done.wait();
}

Flow UploadFlow::flow() {
  return {.begin = [this] { begin(); }, .end = [this] { end(); }, .in_flight = static_cast<int>(lanes_.size())};
}

SampleFrames::SampleFrames(Encoder& encoder, const FrameFormat& format, int count)
    : pool_(encoder.frame_pool() ? encoder.frame_pool() : FramePool::create(format, static_cast<size_t>(count))) {
  for (int i = 0; i < count; ++i) {
    FrameLease frame = pool_->lend();
    if (!frame) throw Error(ErrorKind::failed, "there is no memory for the benchmark's frames");
    tuner::fill_sample(format, {frame.data(), pool_->placement().bytes}, static_cast<unsigned>(i + 1));
    frames_.push_back(std::move(frame));
  }
}

Flow EncoderFlow::flow() {
  return {.begin = [this] { encoder_->submit(frames_.next(), {}); },
          .end = [this] { encoder_->next(); },
          .in_flight = encoder_->capacity()};
}

}  // namespace texcast::bench
