#include "measure/pipeline.h"

#include <fmt/core.h>

#include <deque>
#include <memory>

#include "measure/sample_frame.h"
#include "stages/stage.h"
#include "upload_flow.h"

namespace texcast::measure {
namespace {

// Frames as a decoder hands them on, gone through again and again: in the encoder's own memory where it has a pool.
class SampleFrames {
 public:
  SampleFrames(Encoder& encoder, const FrameFormat& format, int count)
      : pool_(encoder.frame_pool() ? encoder.frame_pool() : FramePool::create(format, static_cast<size_t>(count))) {
    for (int i = 0; i < count; ++i) {
      FrameLease frame = pool_->lend();
      if (!frame) throw Error(ErrorKind::failed, "no memory for the frames to measure with");
      fill_sample(format, {frame.data(), pool_->placement().bytes}, static_cast<unsigned>(i + 1));
      frames_.push_back(std::move(frame));
    }
  }
  FrameView next() { return frames_[next_++ % frames_.size()].view(); }

 private:
  std::shared_ptr<FramePool> pool_;
  std::vector<FrameLease> frames_;
  size_t next_ = 0;
};

class EncoderFlow {
 public:
  explicit EncoderFlow(const EncoderSettings& settings)
      : encoder_(make_encoder(settings)), frames_(*encoder_, settings.source, settings.frames_in_flight + 1) {}
  Flow flow() {  // borrows this object
    return {.begin = [this] { encoder_->submit(frames_.next(), {}); },
            .end = [this] { encoder_->next(); },
            .in_flight = encoder_->capacity()};
  }
  const Encoder& encoder() const { return *encoder_; }

 private:
  std::unique_ptr<Encoder> encoder_;
  SampleFrames frames_;
};

std::vector<PipelineTiming> wanted(const std::string& only) {
  std::vector<PipelineTiming> all;
  for (const TextureFormat texture : kTextureFormats)
    for (const Quality quality : kQualities)
      if (has_quality(texture, quality) &&
          fmt::format("{} {}", name(texture), name(quality)).find(only) != std::string::npos)
        all.push_back({.texture = texture, .quality = quality, .method = method_for(texture, quality)});
  return all;
}

}  // namespace

void work_out(PipelineReport& report) {
  UploadLimit& upload = report.upload;
  upload.gigabytes_per_second = upload.frames.per_second * static_cast<double>(upload.frame_bytes) / 1e9;
  for (PipelineTiming& t : report.qualities)
    t.percent_of_upload = upload.frames.per_second > 0 ? 100 * t.frames.per_second / upload.frames.per_second : 0;
}

PipelineReport time_pipeline(const ocl::Device& device, const PipelineSettings& settings, const Progress& progress) {
  PipelineReport report;
  report.upload.frame_bytes = stages::place_source(settings.source).bytes;
  report.qualities = wanted(settings.only);
  try {
    UploadFlow upload(device, report.upload.frame_bytes, settings.frames_in_flight);
    std::deque<EncoderFlow> encoders;  // a deque: its flows borrow
    std::vector<PipelineTiming*> timed;
    std::vector<Flow> flows = {upload.flow()};
    for (PipelineTiming& timing : report.qualities) {
      if (progress) progress(fmt::format("building {} {}", name(timing.texture), name(timing.quality)));
      try {
        encoders.emplace_back(EncoderSettings{.source = settings.source,
                                              .texture = timing.texture,
                                              .quality = timing.quality,
                                              .device = std::to_string(device.info().index),
                                              .frames_in_flight = settings.frames_in_flight});
        flows.push_back(encoders.back().flow());
        timed.push_back(&timing);
      } catch (const Error& error) {
        timing.failure = first_line(error.what());
      }
    }
    if (progress) progress(fmt::format("timing {} pipelines in turn", flows.size()));
    const std::vector<FlowRate> rates = time_flows(flows, settings.flow);
    report.upload.frames = rates[0];
    for (size_t i = 0; i < timed.size(); ++i) {
      timed[i]->frames = rates[i + 1];
      timed[i]->stages = encoders[i].encoder().last_stage_times();
    }
  } catch (const cl::Error& error) {
    throw ocl::device_error(error, device.info());
  }
  work_out(report);
  return report;
}

}  // namespace texcast::measure
