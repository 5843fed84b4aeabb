#include "pipelines.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

#include "../patience.h"
#include "../temporary_folder.h"
#include "texcast/frame_times.h"

namespace texcast::test {
namespace {

namespace fs = std::filesystem;

// Where GStreamer of this system has its plugins.
fs::path system_plugins() {
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<void*>(gst_version), &info) != 0);
  return fs::path(info.dli_fname).parent_path() / "gstreamer-1.0";
}

void load(const fs::path& file) {
  GError* error = nullptr;
  GstPlugin* plugin = gst_plugin_load_file(file.c_str(), &error);
  const std::string why = error != nullptr ? error->message : "";
  g_clear_error(&error);
  REQUIRE_MESSAGE(plugin != nullptr, file << ": " << why);
  gst_object_unref(plugin);
}

bool is_free(int port) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return free;
}

struct Log {
  std::mutex mutex;
  std::vector<std::string> lines;
};
Log& complaints() {
  static Log log;
  return log;
}

void keep_complaint(GstDebugCategory* category, GstDebugLevel level, const gchar*, const gchar*, gint, GObject* object,
                    GstDebugMessage* message, gpointer) {
  if (level > GST_LEVEL_WARNING) return;
  const std::string type = object != nullptr && G_IS_OBJECT(object) ? G_OBJECT_TYPE_NAME(object) : "";
  const std::string name = gst_debug_category_get_name(category);
  if (name != "texcast" && type.find("Texcast") == std::string::npos) return;
  Log& log = complaints();
  const std::lock_guard lock(log.mutex);
  log.lines.push_back(name + ": " + gst_debug_message_get(message));
}

}  // namespace

void use_gstreamer() {
  static const bool once = [] {
    static const TemporaryFolder folder;
    setenv("GST_REGISTRY", folder.file("registry.bin").c_str(), 1);
    setenv("GST_REGISTRY_FORK", "no", 1);
    setenv("GST_PLUGIN_SYSTEM_PATH_1_0", folder.file("none").c_str(), 1);
    setenv("GST_PLUGIN_PATH_1_0", folder.file("none").c_str(), 1);
    gst_init(nullptr, nullptr);
    for (const char* plugin :
         {"coreelements", "coretracers", "videotestsrc", "audiotestsrc", "videoconvertscale", "app"})
      load(system_plugins() / ("libgst" + std::string(plugin) + ".so"));
    load(fs::read_symlink("/proc/self/exe").parent_path() / "../../tools/gstreamer/libgsttexcast.so");
    return true;
  }();
  REQUIRE(once);
}

void Unref::operator()(GstElement* element) const {
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}

Pipeline::Pipeline(const std::string& description) {
  use_gstreamer();
  GError* error = nullptr;
  GstElement* made = gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  const std::string why = error != nullptr ? error->message : "";
  g_clear_error(&error);
  REQUIRE_MESSAGE(made != nullptr, description << ": " << why);
  if (!GST_IS_PIPELINE(made)) {  // a single element
    GstElement* pipeline = gst_pipeline_new(nullptr);
    gst_bin_add(GST_BIN(pipeline), made);
    made = pipeline;
  }
  pipeline_.reset(static_cast<GstElement*>(made));
  REQUIRE(pipeline_ != nullptr);
}

GstElement* Pipeline::element(const std::string& name) const {
  GstElement* element = gst_bin_get_by_name(GST_BIN(get()), name.c_str());
  REQUIRE(element != nullptr);
  gst_object_unref(element);
  return element;
}

Message Pipeline::wait(int types) const {
  GstBus* bus = gst_element_get_bus(get());
  Message message(gst_bus_timed_pop_filtered(bus, static_cast<GstClockTime>(kPatience.count()),
                                             static_cast<GstMessageType>(types)));
  gst_object_unref(bus);
  return message;
}

std::string Pipeline::wait_for_error() const {
  const Message message = wait(GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (!message || GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR) return "";
  GError* error = nullptr;
  gst_message_parse_error(message.get(), &error, nullptr);
  std::string text = error->message;
  g_clear_error(&error);
  return text;
}

Sample Pipeline::pull(const std::string& name) const {
  return Sample(
      gst_app_sink_try_pull_sample(GST_APP_SINK(element(name)), static_cast<GstClockTime>(kPatience.count())));
}

std::string address_of(GstElement* source) {
  for (const SteadyTime limit = steady_now() + kPatience; steady_now() < limit;) {
    gchar* text = nullptr;
    g_object_get(source, "send-to", &text, nullptr);
    const std::string addresses = text != nullptr ? text : "";
    g_free(text);
    if (!addresses.empty()) return addresses.substr(0, addresses.find(','));
    g_usleep(2000);
  }
  FAIL("the source has no address");
  return {};
}

bool is_decoded_by_device(GstElement* source) {
  GstStructure* stats = nullptr;
  g_object_get(source, "stats", &stats, nullptr);
  gboolean is_by_device = FALSE;
  CHECK(gst_structure_get_boolean(stats, "decoded-by-device", &is_by_device));
  gst_structure_free(stats);
  return is_by_device != FALSE;
}

int port_for_sound() {
  for (int n = 0; n < 1000; ++n) {
    const int port = 20000 + (static_cast<int>(getpid()) * 8 + n * 1000) % 12000;
    if (is_free(port) && is_free(port + 1) && is_free(port + 2) && is_free(port + 3)) return port;
  }
  FAIL("no four ports in a row are free");
  return 0;
}

DecodedImage rgb_of(GstSample* sample) {
  GstVideoInfo info;
  REQUIRE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
  GstVideoFrame frame;
  REQUIRE(gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ));
  DecodedImage image;
  image.resize(info.width, info.height, 3);
  const int step = GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < info.height; ++y) {
      const auto* row = static_cast<const uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, c)) +
                        y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, c);
      for (int x = 0; x < info.width; ++x)
        image.pixels[static_cast<size_t>(3 * (y * info.width + x) + c)] = row[x * step];
    }
  gst_video_frame_unmap(&frame);
  return image;
}

double psnr(const DecodedImage& a, const DecodedImage& b) {
  if (a.width != b.width || a.height != b.height) return 0;
  PsnrMeter meter;
  meter.add(a, b);
  return meter.psnr_db();
}

Complaints::Complaints() {
  use_gstreamer();
  {
    const std::lock_guard lock(complaints().mutex);
    complaints().lines.clear();
  }
  // In parentheses: the functions, not the macros, which compare with NULL.
  (gst_debug_remove_log_function)(gst_debug_log_default);
  (gst_debug_add_log_function)(keep_complaint, nullptr, nullptr);
  gst_debug_set_default_threshold(GST_LEVEL_WARNING);
}

Complaints::~Complaints() {
  gst_debug_set_default_threshold(GST_LEVEL_NONE);
  (gst_debug_remove_log_function)(keep_complaint);
}

std::vector<std::string> Complaints::lines() const {
  const std::lock_guard lock(complaints().mutex);
  return complaints().lines;
}

}  // namespace texcast::test
