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

#include "../comes_true.h"
#include "texcast/image.h"
#include "x_server.h"

namespace texcast::test {

inline constexpr uint32_t kCanvasWidth = 320, kCanvasHeight = 180;
inline constexpr int kCanvasFps = 30;

// One at a time in a process, as libobs has one state.
class ObsSession {
 public:
  ObsSession();  // REQUIREs that it starts; skips(), and says so, if there is no Xvfb or no plugin
  ~ObsSession();
  ObsSession(const ObsSession&) = delete;
  ObsSession& operator=(const ObsSession&) = delete;

  bool skips() const { return skips_; }
  bool has_said(const std::string& words) const;  // the plugin, in OBS's log
  size_t lines() const;

 private:
  static void log(int level, const char* format, va_list arguments, void* self);

  const XServer x_server_{{}};
  bool skips_ = false;
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
// The plugin's source, which receives at the address; its filter, and the settings of that and of its output, which
// encode without a device. `more`: further members, R"(, "format": "bc1")".
std::string stream_settings(const std::string& address, const std::string& more = "");
Source stream_source(const std::string& address, const std::string& more = "");
Source send_filter(const std::string& destination, const std::string& more = "");
std::string send_settings(const std::string& destination, const std::string& more = "");

// The program of OBS: a scene of one source, until the end of the scope.
class Program {
 public:
  explicit Program(obs_source_t* source);
  ~Program() { obs_set_output_source(0, nullptr); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 private:
  const Scene scene_;
};

// The picture that a source draws at its own size, and the one that OBS makes of its scene, both as R G B A.
DecodedImage drawn_by(obs_source_t* source);
DecodedImage program_picture();

// The text of the property "state", in which the plugin says what is going on.
std::string state_of(obs_source_t* source);

}  // namespace texcast::test
