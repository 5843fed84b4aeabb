// Runs the kernel tests on one device. Exit code 77, which CTest shows as skipped, if that device does not exist.
// TEXCAST_TEST_LEDGER in the environment is a folder that records cases that passed on an interpreter or a CPU: a case
// is not run again while all its inputs are the same (tests/ledger). TEXCAST_TEST_ALL=1 runs all of them.
// TEXCAST_TEST_SHARES names a folder through which processes that run the same tests divide the cases between them.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <cstdlib>
#include <memory>

#include "check.h"
#include "device_ledger.h"
#include "ledger/case_ledger.h"
#include "shared_cases.h"
#include "texcast/error.h"

namespace {

using texcast::test::CaseLedger;
using texcast::test::LedgerEntry;

// The ledger of this run, and the current case. It is a global, as test cases are functions without arguments.
struct Run {
  std::unique_ptr<CaseLedger> ledger;
  std::map<const doctest::TestCaseData*, void (*)()> cases;
  const doctest::TestCaseData* current = nullptr;
  std::optional<LedgerEntry> entry;  // vouches for the current case
  std::optional<check::SharedCases> shared;
};
Run& run() {
  static Run run;
  return run;
}

// Replaces every test case's function: runs it, or repeats the messages of the entry.
void run_or_tell() {
  const auto& entry = run().entry;
  if (!entry) return run().cases.at(run().current)();
  fmt::print("as checked on {}, {} assertions: {}\n", entry->date, entry->assertions, run().current->m_name);
  for (const std::string& message : entry->messages) MESSAGE(message);
}

class LedgerListener : public doctest::IReporter {
 public:
  explicit LedgerListener(const doctest::ContextOptions& options) : options_(options) {}
  void test_case_start(const doctest::TestCaseData& test) override {
    run().current = &test;
    if (run().ledger) run().entry = run().ledger->begin({test.m_file.c_str(), test.m_test_suite, test.m_name});
    judged_ = !options_.no_throw && !test.m_may_fail && !test.m_should_fail && test.m_expected_failures == 0;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (run().shared) run().shared->take_next();
    if (!run().ledger) return;
    const bool passed =
        judged_ && stats.testCaseSuccess && stats.numAssertsFailedCurrentTest == 0 && stats.failure_flags == 0;
    run().ledger->end(passed, stats.numAssertsCurrentTest, fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))));
  }
  void log_message(const doctest::MessageData& message) override {
    if (run().ledger) run().ledger->note_message(message.m_string.c_str());
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {
    if (run().shared) run().shared->take_next();
  }
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void test_case_skipped(const doctest::TestCaseData& test) override {
    if (run().shared && run().shared->is_taken(test)) run().shared->take_next();  // filtered out
  }

 private:
  const doctest::ContextOptions& options_;
  bool judged_ = false;
};
REGISTER_LISTENER("ledger", 1, LedgerListener);

// doctest cannot count a case without running it, so that its registered function is replaced.
void put_ledger_before_cases() {
  for (const doctest::detail::TestCase& registered : doctest::detail::getRegisteredTests()) {
    auto& test = const_cast<doctest::detail::TestCase&>(registered);
    run().cases[&test] = std::exchange(test.m_test, run_or_tell);
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("TEXCAST_TUNE", "off", 0);  // only the tuner's own tests wait for it
  try {
    const auto& info = check::device().info();
    fmt::print("device: {} ({}, driver {})\n", info.name, info.platform, info.driver);
  } catch (const texcast::Error& error) {
    fmt::print("SKIP: {}\n", error.what());
    return 77;
  }
  doctest::Context context(argc, argv);
  context.setOption("duration", true);  // so that every log shows the duration of each test
  // llvmpipe is another compiler than PoCL's, so that it tests what most users use. PoCL and Oclgrind test all other
  // formats.
  if (check::slow_compiler() && !check::has_all()) {
    constexpr const char* kSeldom =
        "*alpha_check*,*astc_check*,*bc6h_check*,*bc7_check*,*devices_check*,*eac_check*,*etc_check*,*table_check*,"
        "*tuner_check*";
    context.addFilter("source-file-exclude", kSeldom);
    fmt::print("kernels_test: SKIP: {}: llvmpipe compiles for minutes; TEXCAST_TEST_ALL=1 tests them\n", kSeldom);
  }
  if (const char* folder = std::getenv("TEXCAST_TEST_SHARES")) run().shared.emplace(folder);
  const auto ledger = check::open_ledger();
  if (ledger) {
    run().ledger = ledger->make_cases();
    put_ledger_before_cases();
  }
  const int status = context.run();
  if (ledger) {
    ledger->close();
    fmt::print("{}\n", run().ledger->summary());
  }
  return status;
}
