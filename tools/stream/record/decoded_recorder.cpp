#include "decoded_recorder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/stage_time.h"
#include "media/picture_recorder.h"
#include "media/picture_writer.h"
#include "stream/decoded_picture.h"

namespace texcast::stream {
namespace {

// The longest gap of a stream that is filled with pictures. In a longer one it stood still or began again.
constexpr nanoseconds kLongestGap = std::chrono::seconds(10);

class DecodedRecorder : public media::Recorder {
 public:
  explicit DecodedRecorder(const media::RecorderSettings& settings) : picture_(settings.texture) {}

  void write(const TextureView& texture, nanoseconds pts) override {
    const DecodedImage& image = [&]() -> const DecodedImage& {
      const StageTimer timer(report_.pack);
      return picture_.of(texture);
    }();
    const StageTimer timer(report_.write);
    if (!begin_) begin_ = pts;
    put(image, pts - *begin_);
    ++report_.frames;
  }

  media::RecorderProgress progress() const override {
    return {.bytes = report_.bytes,
            .disk = report_.write.wall - report_.write.cpu,
            .work = report_.pack.wall + report_.write.cpu};
  }

 protected:
  virtual void put(const DecodedImage& image, nanoseconds time) = 0;
  const DecodedPicture& picture() const { return picture_; }
  media::RecorderReport report_;

 private:
  DecodedPicture picture_;
  std::optional<nanoseconds> begin_;
};

class NutRecorder final : public DecodedRecorder {
 public:
  explicit NutRecorder(const media::RecorderSettings& settings)
      : DecodedRecorder(settings),
        file_({.pipe = settings.pipe,
               .width = picture().width(),
               .height = picture().height(),
               .channels = picture().channels(),
               .samples = picture().samples(),
               .aspect = picture().aspect(),
               .fps = settings.fps,
               .sound = settings.sound}) {
    report_.files.push_back(settings.path);
  }
  media::RecorderReport finish() override {
    if (!std::exchange(finished_, true)) report_.bytes = file_.finish();
    return report_;
  }

 private:
  void put(const DecodedImage& image, nanoseconds time) override {
    file_.write(image, time);
    report_.bytes = file_.bytes();
  }
  media::PictureRecorder file_;
  bool finished_ = false;
};

class Y4mRecorder final : public DecodedRecorder {
 public:
  explicit Y4mRecorder(const media::RecorderSettings& settings)
      : DecodedRecorder(settings),
        period_(frame_period(settings.fps)),
        file_(media::make_picture_writer({.width = picture().width(),
                                          .height = picture().height(),
                                          .fps = settings.fps,
                                          .channels = picture().channels(),
                                          .samples = picture().samples(),
                                          .aspect = picture().aspect(),
                                          .pipe = settings.pipe})) {
    report_.files.push_back(settings.path);
  }
  media::RecorderReport finish() override {
    file_->finish();
    report_.bytes = file_->bytes();
    return report_;
  }

 private:
  void put(const DecodedImage& image, nanoseconds time) override {
    if (time - last_time_ > kLongestGap) left_out_ += time - last_time_ - period_;
    last_time_ = time;
    const int64_t place = (time - left_out_ + period_ / 2) / period_;
    while (written_ > 0 && written_ < place) put_one(last_);
    if (place + 1 < written_) return;  // more frames than the nominal rate has
    put_one(image);
    last_ = image;
  }
  void put_one(const DecodedImage& image) {
    file_->write(image, written_++ * period_);
    report_.bytes = file_->bytes();
  }

  const nanoseconds period_;
  std::unique_ptr<media::PictureWriter> file_;
  DecodedImage last_;
  nanoseconds last_time_{};
  nanoseconds left_out_{};  // of long gaps
  int64_t written_ = 0;
};

std::string extension_of(const std::string& name) { return std::filesystem::path(name).extension(); }

}  // namespace

bool holds_pictures(const std::string& name) { return extension_of(name) == ".nut" || extension_of(name) == ".y4m"; }

std::unique_ptr<media::Recorder> make_decoded_recorder(const media::RecorderSettings& settings) {
  if (extension_of(settings.path) == ".nut") return std::make_unique<NutRecorder>(settings);
  return std::make_unique<Y4mRecorder>(settings);
}

}  // namespace texcast::stream
