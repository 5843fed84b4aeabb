// case_ledger.h — the ledger of a test program: one entry per test case, on one device.
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
  // `surroundings`: lines that are the same for every case. `hash_now`: hashes an input by its name; "data NAME" is a
  // file of tests/data.
  CaseLedger(Ledger& ledger, ReachedObjects objects, std::string surroundings, Ledger::HashNow hash_now);

  // Begins a case. Returns the entry that vouches for it: the case need not run then.
  std::optional<LedgerEntry> begin(const CaseName& test);
  // Notes an input of the current case, from any thread. If an input has no hash, or two different ones, no later run
  // can compare it: the case gets no entry.
  void note_input(const std::string& name, const std::string& hash);
  void note_message(const std::string& message);
  // Ends the case. It gets an entry if it passed, and has assertions and inputs.
  void end(bool passed, int assertions, const std::string& date);

  // "ledger: 44 cases with 1240 assertions checked here, 18 cases with 310 assertions as checked on 2026-11-20"
  std::string summary() const;

 private:
  Ledger& ledger_;
  ReachedObjects objects_;
  std::string surroundings_;
  Ledger::HashNow hash_now_;

  std::mutex mutex_;  // protects the current case's notes
  std::map<std::string, std::string> inputs_;
  std::vector<std::string> messages_;
  std::optional<std::string> key_;  // nullopt: the case gets no entry
  bool vouched_ = false;

  struct Count {
    int cases = 0, assertions = 0;
  };
  Count here_, from_ledger_;
  std::string first_date_, last_date_;
};

}  // namespace texcast::test
