// case_ledger.h — the ledger as a test program uses it: one entry a test case, on one device.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ledger.h"
#include "reached_objects.h"

namespace texcast::test {

struct CaseName {
  std::string file;
  std::string suite;
  std::string name;
};

class CaseLedger {
 public:
  // `surroundings`: lines that are the same for every case. `hash_now`: of inputs, and of the "data NAME" of
  // tests/data.
  CaseLedger(Ledger& ledger, ReachedObjects objects, std::string surroundings, Ledger::HashNow hash_now);

  // Begins a case. The entry that vouches for it, where there is one: the case need not run.
  std::optional<LedgerEntry> begin(const CaseName& test);
  // What the case under way reads, from any thread. An input without a hash, or with two different ones, is something
  // that no later run can compare: the case gets no entry.
  void note_input(const std::string& name, const std::string& hash);
  void note_message(const std::string& message);
  // Ends it. A case that passed, with assertions and inputs, gets an entry.
  void end(bool passed, int assertions, const std::string& date);

  // "ledger: 44 cases with 1240 assertions checked here, 18 cases with 310 assertions as checked on 2026-11-20"
  std::string summary() const;

 private:
  Ledger& ledger_;
  ReachedObjects objects_;
  std::string surroundings_;
  Ledger::HashNow hash_now_;

  std::mutex mutex_;  // of what the case under way notes
  std::map<std::string, std::string> inputs_;
  std::vector<std::string> messages_;
  std::optional<std::string> key_;  // nothing: the case gets no entry
  bool vouched_ = false;

  struct Count {
    int cases = 0, assertions = 0;
  };
  Count here_, from_ledger_;
  std::string first_date_, last_date_;
};

}  // namespace texcast::test
