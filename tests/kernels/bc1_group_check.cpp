// BC1 in the form of Perminov's paper, and all variants that the paper's tables compare, compared with codec/ref, byte
// for byte.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "bench/lspiro.h"
#include "check.h"

using namespace texcast;
using stages::Form;
using Variant = stages::LspiroVariant;

namespace {

struct NamedVariant {
  const char* name;
  Variant variant;
};

// Each choice alone, and combined as in the tables.
const std::vector<NamedVariant> kVariants = {
    {"insertion sort", {.sort = Variant::Sort::insertion}},
    {"natural layout", {.layout = Variant::Layout::natural}},
    {"insertion sort, natural layout", {.sort = Variant::Sort::insertion, .layout = Variant::Layout::natural}},
    {"channels in turn", {.channels = Variant::Channels::in_turn}},
    {"separate kernels", {.kernels = Variant::Kernels::separate}},
    {"line in floats", {.line_in_floats = true}},
    {"everything at once",
     {.layout = Variant::Layout::natural,
      .channels = Variant::Channels::in_turn,
      .kernels = Variant::Kernels::separate,
      .line_in_floats = true}},
};

}  // namespace

TEST_CASE("bc1 in the paper's form, with any number of blocks per work-group") {
  for (const int per_group : check::tiny_only() ? std::vector{1, 2} : std::vector{1, 6, 16})
    for (const auto size : check::sizes()) {
      if (size.width > 1000 && per_group != 6) continue;
      for (const Method method : {Method::range, Method::lspiro1})
        check::check_all_patterns({check::rgba(size), TextureFormat::bc1, method, Form::group, per_group},
                                  fmt::format("bc1 {} group of {}", name(method), per_group));
    }
}

TEST_CASE("the paper's variants of LSpiro step 1 give the same bytes") {
  // 13x9 has an incomplete work-group.
  const auto sizes = check::tiny_only() ? std::vector<check::Size>{{13, 9}} : std::vector<check::Size>{{127, 95}};
  const bool one_size = check::spared_on_cpu("variants with a block a group");
  for (const auto& [name, variant] : kVariants)
    for (const int per_group : one_size ? std::vector{10} : std::vector{1, 10})
      for (const auto size : sizes)
        check::check_all_patterns({.source = check::rgba(size),
                                   .method = Method::lspiro1,
                                   .form = Form::group,
                                   .blocks_per_group = per_group,
                                   .lspiro = variant},
                                  fmt::format("bc1 lspiro1 group of {}, {}", per_group, name));
}

TEST_CASE("a register limit changes no byte") {
  if (!stages::limits_registers(check::device())) {
    MESSAGE("SKIP: a register limit: ", check::device().info().name, " does not support it");
    return;
  }
  check::check_all_patterns({.source = check::rgba({127, 95}),
                             .method = Method::lspiro1,
                             .form = Form::group,
                             .lspiro = {.max_registers = 32}},
                            "bc1 lspiro1 group, 32 registers");
}

TEST_CASE("every figure of the paper's tables is measured, and its blocks are the reference's") {
  // 27 programs to compile; "the paper's variants" above tests the same kernels.
  const std::string device_name = check::device().info().name;
  if (check::slow_compiler() || device_name.find("pthread") != std::string::npos) {
    MESSAGE("SKIP: bc1 by a work-group: not on CPUs; Oclgrind and GPUs run it");
    return;
  }
  const ocl::Device& device = check::device();
  const auto tables = bench::repeat_lspiro_tables(
      device, {.timing = {.rounds = 1, .warm_up = 0}, .shrink = check::tiny_only() ? 64 : 16});
  REQUIRE(tables.size() == 3);
  for (const bench::LspiroTable& t : tables)
    for (const bench::LspiroRow& row : t.rows)
      for (const bench::LspiroCell& cell : row.cells) {
        CAPTURE(row.name);
        CHECK(cell.wrong_blocks == 0);
        CHECK(cell.paper_ms > 0);
        const bool limited = row.name.find("registers") != std::string::npos;
        if (limited && !stages::limits_registers(device)) {
          CHECK(cell.time.rounds == 0);
          CHECK_FALSE(cell.why_not.empty());
        } else {
          CHECK(cell.time.rounds == 1);
          CHECK(cell.time.median_us > 0);
        }
      }
}
