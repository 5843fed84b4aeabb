// kernel_programs FOLDER — writes the programs that the stages have a GPU's driver build as FOLDER/NAME.cl, with their
// options in FOLDER/NAME.options, for compilers of devices that are not present. Prints a line for each:
//   NAME <tab> kind <tab> kernels of `fast` and `normal` in it, joined by commas, or - <tab> all settings that it is
//   built for
// The kind is `kernel`: every kernel in every form, from NV12; `variant`: every source in both kinds of memory, each
// with the two ways to load it, as integers (range) and as floats (refinement), and blocks with black; or `cpu`: a form
// that no GPU runs. A program that serves several kernels is written once.
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "format_families.h"
#include "frames/color.h"
#include "kernel_plan.h"
#include "ocl/program.h"
#include "stages/source_argument.h"
#include "texcast/coding.h"

using namespace texcast;
using namespace texcast::stages;

namespace {

struct Program {
  std::string name;  // of the first settings that need it
  std::string what;
  std::string text;
  std::string options;
  std::set<std::string> live_kernels;
  std::string uses;
};

// Kernels that must keep up with live video. Form::row16 is made for CPUs; GPUs run it only in benchmarks. ASTC's
// single kernel, which decides, fits and writes, spills.
bool is_live(const StageSettings& settings) {
  if (is_astc(plane_coding(settings.texture, 0).id)) return false;
  const bool fast_or_normal = settings.method == method_for(settings.texture, Quality::fast) ||
                              settings.method == method_for(settings.texture, Quality::normal);
  return (fast_or_normal || settings.method == Method::range) && settings.form != Form::row16;
}

std::string use_name(const StageSettings& settings) {
  const char* const forms[] = {".wide", ".group", ".row16"};
  std::string use(name(settings.texture));
  use.append(".").append(name(settings.method)).append(forms[static_cast<size_t>(settings.form)]);
  if (settings.options.allow_black) use += ".black";
  use.append(".").append(name(settings.source.pixel_format));
  if (settings.only_changed) use += ".changed";
  return settings.source_memory == SourceMemory::image ? use + ".image" : use;
}

class Programs {
 public:
  void add(const std::string& what, const StageSettings& settings) {
    const std::vector<KernelPlan> plans = plans_for(settings);
    for (const KernelPlan& plan : plans) {
      const std::string use = use_name(settings);
      add(what, plan, &plan == &plans.front() ? use : use + "." + plan.kernel, is_live(settings));
    }
  }

  void add(const std::string& what, const KernelPlan& plan, const std::string& use, bool live) {
    Program wanted;
    wanted.name = use;
    wanted.what = what;
    wanted.text = ocl::program_source(plan.file);
    wanted.options = ocl::kLanguageOption + plan.options;
    const auto [at, fresh] = places_.try_emplace(wanted.options + "\n" + wanted.text, programs_.size());
    if (fresh) programs_.push_back(wanted);
    Program& program = programs_[at->second];
    if (live) program.live_kernels.insert(plan.kernel);
    program.uses += (program.uses.empty() ? "" : " ") + use;
  }

  void write(const std::string& folder) const {
    for (const Program& program : programs_) {
      std::ofstream text(folder + "/" + program.name + ".cl"), options(folder + "/" + program.name + ".options");
      text << program.text;
      options << program.options << "\n";
      if (!text.flush() || !options.flush()) throw std::runtime_error("cannot write into " + folder);
      std::string kernels;
      for (const std::string& kernel : program.live_kernels) kernels += (kernels.empty() ? "" : ",") + kernel;
      std::cout << program.name << "\t" << program.what << "\t" << (kernels.empty() ? "-" : kernels) << "\t"
                << program.uses << "\n";
    }
  }

 private:
  std::vector<Program> programs_;
  std::map<std::string, size_t> places_;  // by options and text
};

FrameFormat source_frame(PixelFormat pixel_format) {
  const ColorRange range = is_rgb(pixel_format) ? ColorRange::full : ColorRange::limited;
  return {.pixel_format = pixel_format, .width = 1920, .height = 1080, .color = {.range = range}};
}

// ASTC's block sizes between these use the same kernel with other numbers.
bool is_outermost_astc(TextureFormat format) {
  return format == TextureFormat::astc_4x4 || format == TextureFormat::astc_12x12;
}

void add_kernels(Programs& programs) {
  const FrameFormat nv12 = source_frame(PixelFormat::nv12);
  for (const TextureFormat texture : test::one_format_a_family())
    for (const Method method : kMethods)
      for (const Form form : {Form::wide, Form::group, Form::row16}) {
        StageSettings settings{.source = nv12, .texture = texture, .method = method, .form = form};
        const bool in_next_program = method == Method::lspiro2;  // that of lspiro3 has all three steps
        if (in_next_program || !has_method(texture, method) || !has_form(settings)) continue;
        programs.add(form == Form::row16 ? "cpu" : "kernel", settings);
        settings.options.allow_black = form == Form::wide && has_option(texture, method, MethodOption::black);
        if (settings.options.allow_black) programs.add("variant", settings);
      }
  for (const TextureFormat from : {TextureFormat::ycocg_bc4_420, TextureFormat::ycocg_bc4_444}) {
    const KernelPlan plan = plan_repack({.from = from, .width = 1920, .height = 1080});
    programs.add("kernel", plan, std::string(name(from)) + ".hap-q", true);
  }
  for (const Format& format : formats()) {
    if (!can_decode(format.id)) continue;
    const bool is_kernel = !is_astc(format.planes[0].coding) || is_outermost_astc(format.id);
    programs.add(is_kernel ? "kernel" : "variant", plan_decode({format.id, 1920, 1080}),
                 std::string(format.name) + ".texels", true);
  }
  KernelPlan picture;
  picture.file = "decode/picture.cl";
  picture.kernel = "picture_of_texels";
  picture.options = " -DMODEL=2 -DPICTURE_FORMAT=1 -DCHROMA_ACROSS=2 -DCHROMA_DOWN=2";  // YCoCg-BC4 to NV12
  programs.add("kernel", picture, "ycocg-bc4.nv12", true);
  programs.add("kernel", plan_compare(nv12, 64), "compare-tiles", true);
  programs.add("kernel", plan_memory_floor({.source = nv12}), "memory-floor", true);
}

void add_compact(Programs& programs) {
  const auto add = [&](const std::string& file, const std::string& options, const std::string& use) {
    KernelPlan plan;
    plan.file = "compact/" + file;
    plan.options = options;
    programs.add("kernel", plan, use, false);
  };
  for (const bool channel : {false, true}) {
    const std::string of = channel ? "-channels" : "-colors", options = channel ? "-DCHANNEL=1" : "-DCHANNEL=0";
    add("motion.cl", options, "compact-motion" + of);
    add("lossless.cl", options, "compact-lossless" + of);
  }
  add("lossy.cl", "-DCHANNEL=1 -DLOSSY_ITEMS=32", "compact-lossy");
  add("half_pel_search.cl", "-DCHANNEL=1", "compact-half-pel-search");
  for (const std::string name :
       {"source_texels", "changes", "window_index", "complexity", "rd_symbols", "transform_source", "transform_planes",
        "transform_symbols", "transform_choose", "transform_fit"})
    add(name + ".cl", "-DCHANNEL=1", "compact-" + name);
  add("transform_decide.cl", "-DCHANNEL=1 -DDECIDE_ITEMS=32 -DACROSS=2 -DDOWN=2", "compact-transform_decide");
  add("source_picture.cl", stages::source_defines({.pixel_format = PixelFormat::nv12}), "compact-source");
  add("decode.cl", "-DCHANNEL=1", "compact-decode");
  add("reconstruct_transform.cl", "-DCHANNEL=1", "compact-reconstruct-transform");
  add("lossless_code.cl", "", "compact-lossless_code");
  add("rans.cl", "", "compact-rans");
}

void add_sources(Programs& programs) {
  for (const TextureFormat texture : {TextureFormat::bc1, TextureFormat::ycocg_bc4_420})
    programs.add("variant", {.source = source_frame(PixelFormat::nv12), .texture = texture, .only_changed = true});
  programs.add("variant",
               {.source = source_frame(PixelFormat::rgba), .texture = TextureFormat::bc4, .method = Method::refine});
  for (int value = 0; value < kPixelFormatCount; ++value)
    for (const SourceMemory memory : {SourceMemory::buffer, SourceMemory::image}) {
      // One that loads integers and one that loads floats, in turns.
      const StageSettings settings{.source = source_frame(static_cast<PixelFormat>(value)),
                                   .method = value % 2 == 0 ? Method::range : Method::refine,
                                   .source_memory = memory};
      if (has_form(settings)) programs.add("variant", settings);
    }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: kernel_programs FOLDER");
  Programs programs;
  add_kernels(programs);
  add_compact(programs);
  add_sources(programs);
  programs.write(argv[1]);
} catch (const std::exception& error) {
  std::cerr << "kernel_programs: " << error.what() << "\n";
  return 1;
}
