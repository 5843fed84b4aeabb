// reached_objects.h — the object files whose code a test case may run, from the list that tests/ledger/list-objects
// makes of a build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texcast::test {

class ReachedObjects {
 public:
  // `list`: lines "object NUMBER SHA-256 PATH"; "data NUMBER NAME" for each file of tests/data that the object names;
  // and "reach PATH NUMBER…" for each object with test cases.
  explicit ReachedObjects(const std::string& list);

  struct Reached {
    std::string objects;                  // lines "object PATH SHA-256"
    std::vector<std::string> data_files;  // names in tests/data
  };
  // For the cases in a source file ("…/tests/kernels/bc7_check.cpp"). nullopt if no object is known to come from it.
  std::optional<Reached> of(const std::string& source_file) const;

 private:
  struct Object {
    std::string line;
    std::vector<std::string> data_files;
  };
  std::map<std::string, Object> objects_;                    // by number
  std::map<std::string, std::vector<std::string>> reached_;  // numbers, by the object's file name
};

}  // namespace texcast::test
