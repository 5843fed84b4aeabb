// obs_session.h — libobs with the plugin, drawing on an Xvfb of its own, and what tests do with it.
#pragma once

#include <obs.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../patience.h"
#include "texcast/image.h"

namespace texcast::test {

inline constexpr uint32_t kCanvasWidth = 320, kCanvasHeight = 180;
inline constexpr int kCanvasFps = 30;

// One at a time in a process, as libobs has one state.
class ObsSession {
 public:
  ObsSession();  // REQUIREs that it starts; skips() if there is no Xvfb or no plugin
  ~ObsSession();
  ObsSession(const ObsSession&) = delete;
  ObsSession& operator=(const ObsSession&) = delete;

  bool skips() const { return skips_; }
  bool has_said(const std::string& words) const;  // the plugin, in OBS's log
  size_t lines() const;

 private:
  static void log(int level, const char* format, va_list arguments, void* self);

  bool skips_ = false;
  pid_t x_server_ = -1;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

struct DataRelease {
  void operator()(obs_data_t* data) const { obs_data_release(data); }
};
struct SourceRelease {
  void operator()(obs_source_t* source) const { obs_source_release(source); }
};
struct SceneRelease {
  void operator()(obs_scene_t* scene) const { obs_scene_release(scene); }
};
struct OutputRelease {
  void operator()(obs_output_t* output) const { obs_output_release(output); }
};
using Data = std::unique_ptr<obs_data_t, DataRelease>;
using Source = std::unique_ptr<obs_source_t, SourceRelease>;
using Scene = std::unique_ptr<obs_scene_t, SceneRelease>;
using Output = std::unique_ptr<obs_output_t, OutputRelease>;

Data data_of(const std::string& json);
Source make_source(const char* id, const std::string& settings);

// The picture that a source draws at its own size, and the one that OBS makes of its scene, both as R G B A.
DecodedImage drawn_by(obs_source_t* source);
DecodedImage program_picture();

// The text of the property "state", in which the plugin says what is going on.
std::string state_of(obs_source_t* source);

template <typename Done>
[[nodiscard]] bool comes_true(Done&& done) {
  for (const auto limit = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < limit;) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace texcast::test
