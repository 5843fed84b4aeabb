// device_encoders.cpp — make_on_devices() of encoders.h: decides what is built at once, and what while frames are
// encoded.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "devices/llvmpipe.h"
#include "encoders.h"
#include "ocl/program.h"
#include "stages/compare_stage.h"
#include "starting_encoder.h"
#include "texcast/error.h"
#include "texcast/tiles.h"
#include "tuner/tune.h"

namespace texcast {
namespace {

// Thrown through the tuner by a measurement that is not to begin.
struct Stopped {};

tuner::MakeRun until(const std::stop_token& stop, tuner::MakeRun make_run) {
  const auto look = [stop] {
    if (stop.stop_requested()) throw Stopped();
  };
  return [look, make_run = std::move(make_run)](const stages::StageSettings& settings) {
    look();
    return [look, run = make_run(settings)] {
      look();
      return run();
    };
  };
}

using Forms = std::vector<stages::StageSettings>;  // variants of the kernel, one per device

// The opened devices of an encoder. Makes encoders for them any number of times.
class Devices {
 public:
  Devices(const EncoderSettings& settings, std::vector<DeviceChoice> choices)
      : settings_(settings), choices_(std::move(choices)) {
    std::vector<DeviceInfo> infos;
    for (const DeviceChoice& choice : choices_)
      if (!choice.cpu_reference) infos.push_back(choice.device);
    opened_ = open_ocl_devices(settings, infos);
    if (!infos.empty()) tune_ = settings.tune ? *settings.tune : default_tune_mode();
  }

  const std::vector<ocl::Device>& opened() const { return opened_.devices; }
  // Applies to programs that are built from now on.
  void keep_later(const std::shared_ptr<ocl::UnkeptPrograms>& list) {
    for (ocl::Device& device : opened_.devices) device.keep_later(list);
  }

  bool times_forms() const {
    return std::any_of(opened().begin(), opened().end(), [&](const ocl::Device& device) {
      return tuner::times_forms(device, stage_settings(settings_), mode_on(device));
    });
  }
  Forms usual_forms() const { return forms(nullptr); }
  // The remembered variants, or those that are fastest after timing them now.
  Forms best_forms(const std::stop_token& stop = {}) const { return forms(&stop); }

  // Builds one encoder for all devices.
  std::unique_ptr<Encoder> make(const Forms& forms) const {
    auto encoders = make_ocl_encoders(settings_, opened_, forms);
    for (size_t i = 0; i < choices_.size(); ++i)
      if (choices_[i].cpu_reference)
        encoders.insert(encoders.begin() + static_cast<std::ptrdiff_t>(i), make_reference_encoder(settings_));
    if (encoders.size() == 1) return std::move(encoders.front());
    std::vector<std::string> names;
    for (const DeviceChoice& choice : choices_)
      names.push_back(choice.cpu_reference ? "cpu-reference" : "device " + std::to_string(choice.device.index));
    return make_dealing_encoder(std::move(encoders), std::move(names));
  }

  Beginning beginning() const {
    Beginning beginning{
        .pool = opened_.pool, .devices = static_cast<int>(choices_.size()), .bands = planned_bands(settings_, opened_)};
    for (const DeviceChoice& choice : choices_)
      beginning.device_name += (beginning.device_name.empty() ? "" : ", ") +
                               (choice.cpu_reference ? "cpu-reference" : name_of(choice.device));
    return beginning;
  }

 private:
  // On a CPU, which the frames need at the same time, variants are timed only on request: they differ by 7 to 8 % (PoCL
  // on 2 EPYC cores, bc1 cluster and cluster-search, groups of 32 to 256), and compiling each takes seconds.
  TuneMode mode_on(const ocl::Device& device) const {
    const bool beside = settings_.start == EncoderStart::at_once && tune_ == TuneMode::automatic;
    if (!beside || device.info().is_gpu || tuner::remembered(device, stage_settings(settings_))) return tune_;
    return TuneMode::off;
  }
  Forms forms(const std::stop_token* stop) const {  // null: the usual variants
    Forms forms;
    for (const ocl::Device& device : opened())
      forms.push_back(
          as_encoded(settings_, device,
                     tuner::choose(device, stage_settings(settings_), stop != nullptr ? mode_on(device) : TuneMode::off,
                                   stop != nullptr ? until(*stop, tuner::runs_on(device)) : nullptr)));
    return forms;
  }

  EncoderSettings settings_;
  std::vector<DeviceChoice> choices_;
  TuneMode tune_ = TuneMode::off;
  OclDevices opened_;
};

// Returns the encoder of the first variants, if there are any, and then that of the fastest. Frames go through the
// device while variants are timed, so a single measurement is less precise than on an idle device. But the variants
// take turns, so that a busy moment affects all of them alike, each time is the device's own for one command, and the
// median counts.
class InSteps {
 public:
  // `unkept`: the list of the devices.
  InSteps(Devices devices, std::shared_ptr<ocl::UnkeptPrograms> unkept, std::optional<Forms> first)
      : devices_(std::move(devices)), unkept_(std::move(unkept)), first_(std::move(first)) {
    devices_.keep_later(unkept_);
  }

  std::unique_ptr<Encoder> operator()(const std::stop_token& stop) {
    unkept_->keep();  // of the previous call, whose encoder is in use by now
    if (stop.stop_requested()) return nullptr;
    if (first_) return devices_.make(*std::exchange(first_, std::nullopt));
    if (std::exchange(timed_, true) || !devices_.times_forms()) return nullptr;
    try {
      const Forms best = devices_.best_forms(stop);
      return same(best, devices_.usual_forms()) ? nullptr : devices_.make(best);
    } catch (const Stopped&) {
      return nullptr;
    } catch (const Error& error) {
      log_warning("keeping the usual variant of the kernel: {}", error.what());
      return nullptr;
    }
  }

 private:
  static bool same(const Forms& a, const Forms& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return tuner::tuning_of(x) == tuner::tuning_of(y); });
  }
  Devices devices_;
  std::shared_ptr<ocl::UnkeptPrograms> unkept_;
  std::optional<Forms> first_;
  bool timed_ = false;
};

// Whether the first programs must be compiled. Logs it.
bool must_compile(const Devices& devices, const Forms& forms) {
  for (size_t i = 0; i < forms.size(); ++i) {
    const ocl::Device& opened = devices.opened()[i];
    const bool is_built = stages::programs_to_compile(opened, forms[i]) == 0 &&
                          (!forms[i].only_changed || stages::CompareStage::is_built(opened, forms[i].source));
    if (is_built) continue;
    ocl::tell_of_compiling(opened.info(), "until then the processor can encode");
    return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Encoder> make_on_devices(const EncoderSettings& asked, const std::vector<DeviceChoice>& choices) {
  EncoderSettings settings = asked;
  if (choices.size() > 1) settings.compare = false;  // none of them has the previous frame
  if (!has_tile_blocks(settings.texture)) settings.compare = false;
  // Its compiler (Mesa 22.3) crashes on kernels in which some items return early.
  for (const auto& choice : choices)
    if (is_llvmpipe(choice.device)) settings.compare = false;
  const Devices devices(settings, choices);
  if (settings.start == EncoderStart::when_built) return devices.make(devices.best_forms());
  const bool times = devices.times_forms();
  const Forms first = times ? devices.usual_forms() : devices.best_forms();
  const bool compiles = must_compile(devices, first);
  if (!compiles && !times) return devices.make(first);
  const auto unkept = std::make_shared<ocl::UnkeptPrograms>();
  Beginning beginning = devices.beginning();
  beginning.compilers_step_back = [unkept] { unkept->compilers().step_back(); };
  if (!compiles) beginning.encoder = devices.make(first);
  return make_starting_encoder(settings, std::move(beginning),
                               InSteps(devices, unkept, compiles ? std::optional(first) : std::nullopt));
}

}  // namespace texcast
