// The settings of filter and output, as OBS stores them.
#include "send_options.h"

#include <doctest/doctest.h>
#include <obs-data.h>

#include <memory>
#include <string>

using namespace texcast;

namespace {

struct Release {
  void operator()(obs_data_t* data) const { obs_data_release(data); }
};

obs::SendOptions options_of(const std::string& json) {
  const std::unique_ptr<obs_data_t, Release> data(obs_data_create_from_json(json.c_str()));
  obs::set_send_defaults(data.get());
  const auto options = obs::send_options_of(data.get());
  REQUIRE(options);
  return *options;
}

}  // namespace

TEST_CASE("the quality of blocks is also that of a lossy stream's blocks") {
  const std::string begin = R"({"destination": "rtp://127.0.0.1:9", "sound": "none", "coding": "crf")";
  const obs::SendOptions usual = options_of(begin + "}"), best = options_of(begin + R"(, "quality": "best"})");
  CHECK(usual.stream.quality == Quality::fast);
  CHECK(best.stream.quality == Quality::best);
  CHECK(best.stream.crf == 23);
}
