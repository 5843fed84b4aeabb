// program.cpp — the item of OBS's menu Tools that sends the program.
//
// Its dialogue is OBS's own for the properties of a source: a private source that shows nothing holds the settings.
// They are kept in the plugin's folder of OBS's configuration.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#include <obs-frontend-api.h>
#include <obs-module.h>
#include <util/platform.h>

#include <mutex>
#include <string>

#include "messages.h"
#include "parts.h"
#include "send_options.h"
#include "state_property.h"

namespace texcast::obs {
namespace {

constexpr const char* kId = "texcast_program";

// Called on OBS's window's thread, or on the one of the test.
class Program {
 public:
  void prepare() {
    char* const folder = obs_module_config_path("");
    if (folder) os_mkdirs(folder);
    bfree(folder);
    char* const file = obs_module_config_path("program.json");
    file_ = file ? file : "";
    bfree(file);
    obs_data_t* const data =
        os_file_exists(file_.c_str()) ? obs_data_create_from_json_file_safe(file_.c_str(), "bak") : nullptr;
    settings_ = obs_source_create_private(kId, text("Output.Name"), data);
    obs_data_release(data);
    obs_frontend_add_tools_menu_item(
        text("Program.Menu"), [](void* self) { static_cast<Program*>(self)->ask(); }, this);
    obs_frontend_add_event_callback(on_event, this);
  }

  void release() {
    stop();
    obs_source_release(settings_);
    settings_ = nullptr;
  }

  void start() {
    stop();
    obs_data_t* const data = obs_source_get_settings(settings_);
    output_ = obs_output_create("texcast_output", text("Output.Name"), data, nullptr);
    obs_data_release(data);
    if (output_ && obs_output_start(output_)) return;
    const char* const error = output_ ? obs_output_get_last_error(output_) : nullptr;
    error_ = error ? error : "OBS did not start the output";
    say(LogLevel::warning, error_);
    end();
  }

  void stop() {
    error_.clear();
    end();
  }

  std::string status() const {
    if (!output_) return error_.empty() ? text("Status.Stopped") : error_;
    calldata_t call{};
    std::string status;
    if (proc_handler_call(obs_output_get_proc_handler(output_), "status", &call))
      if (const char* const told = calldata_string(&call, "status")) status = told;
    calldata_free(&call);
    return status;
  }

  void save(obs_data_t* data) const {
    if (!file_.empty()) obs_data_save_json_safe(data, file_.c_str(), "tmp", "bak");
  }

 private:
  void end() {
    if (!output_) return;
    obs_output_force_stop(output_);
    obs_output_release(output_);
    output_ = nullptr;
  }

  void ask() { obs_frontend_open_source_properties(settings_); }

  void start_if_automatic() {
    obs_data_t* const data = obs_source_get_settings(settings_);
    if (obs_data_get_bool(data, "automatic")) start();
    obs_data_release(data);
  }

  // OBS cannot change its profile while an output runs.
  static void on_event(obs_frontend_event event, void* self) {
    auto& program = *static_cast<Program*>(self);
    if (event == OBS_FRONTEND_EVENT_FINISHED_LOADING || event == OBS_FRONTEND_EVENT_PROFILE_CHANGED)
      program.start_if_automatic();
    if (event == OBS_FRONTEND_EVENT_PROFILE_CHANGING) program.stop();
    if (event == OBS_FRONTEND_EVENT_EXIT) program.release();
  }

  std::string file_;
  obs_source_t* settings_ = nullptr;
  obs_output_t* output_ = nullptr;
  std::string error_;  // of the last start
};

Program& program() {
  static Program the;
  return the;
}

obs_properties_t* program_properties(void* /*data*/) {
  obs_properties_t* const all = obs_properties_create();
  add_state(all, program().status());
  obs_properties_add_button(all, "start", text("Send.Start"), [](obs_properties_t* shown, obs_property_t*, void*) {
    program().start();
    return show_state(shown, program().status());
  });
  obs_properties_add_button(all, "stop", text("Send.Stop"), [](obs_properties_t* shown, obs_property_t*, void*) {
    program().stop();
    return show_state(shown, program().status());
  });
  add_refresh_button(
      all, [](obs_properties_t* shown, obs_property_t*, void*) { return show_state(shown, program().status()); });
  add_send_properties(all);
  obs_properties_add_bool(all, "automatic", text("Send.Auto"));
  return all;
}

}  // namespace

void register_program() {
  obs_source_info info{};
  info.id = kId;
  info.type = OBS_SOURCE_TYPE_INPUT;
  info.output_flags = OBS_SOURCE_CAP_DISABLED;  // not in the list of sources to add
  info.get_name = [](void*) { return text("Output.Name"); };
  info.create = [](obs_data_t*, obs_source_t* source) -> void* { return source; };
  info.destroy = [](void*) {};
  info.get_defaults = set_send_defaults;
  info.get_properties = program_properties;
  info.update = [](void*, obs_data_t* data) { program().save(data); };
  obs_register_source(&info);
}

void prepare_program() { program().prepare(); }
void release_program() { program().release(); }

}  // namespace texcast::obs
