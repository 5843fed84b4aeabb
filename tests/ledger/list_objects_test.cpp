// Compiles object files, and checks which of them the list says that a test case reaches.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "data_folder.h"
#include "reached_objects.h"
#include "temporary_folder.h"

using namespace texcast::test;

namespace {

// A program of five files in a folder: one has a test case, and one is not reached.
class Program {
 public:
  Program() {
    write("shared.h", "inline int twice(int x) { return 2 * x; }\nint reference(int);\n");
    write("main.cpp", "int main() {}\n");
    write("one_check.cpp", "#include \"shared.h\"\nint check() { return reference(3); }\n");
    write("reference.cpp",
          "#include \"shared.h\"\nint table(int);\nint reference(int x) { return table(twice(x)); }\n");
    write("table.cpp", "int table(int x) { return x + 1; }\nconst char* file() { return \"kodim05_192x128.rgb\"; }\n");
    write("other.cpp", "int reference(int);\nint other(int x) { return reference(x); }\n");
    write("embedded.cpp", "const char* text() { return \"kernel\"; }\n");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.file(name)) << text; }
  // Objects that the cases of one_check.cpp reach.
  std::string reached(std::string* data = nullptr) {
    run("cd " + folder_.path.string() +
        " && mkdir -p checks.dir && for f in main one_check; do c++ -c $f.cpp -o checks.dir/$f.cpp.o || exit 1; done"
        " && for f in reference table other embedded; do c++ -c $f.cpp -o $f.cpp.o || exit 1; done"
        " && find $PWD -name '*.o' > objects && " +
        source_folder() + "/tests/ledger/list-objects list.cpp objects $PWD /checks.dir/ " + source_folder() +
        "/tests/data 'embedded.cpp' main.cpp.o");
    std::ifstream in(folder_.file("list.cpp"));
    std::ostringstream text;
    text << in.rdbuf();
    const auto reached = ReachedObjects(text.str()).of("./tests/one_check.cpp");
    REQUIRE(reached);
    if (data != nullptr && !reached->data_files.empty()) *data = reached->data_files.front();
    return reached->objects;
  }

 private:
  static void run(const std::string& command) { REQUIRE(std::system(("set -e; " + command).c_str()) == 0); }
  TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("list-objects: exactly the objects that symbols lead to, and their data files") {
  Program program;
  std::string data;
  const std::string reached = program.reached(&data);
  for (const char* const name :
       {"checks.dir/one_check.cpp.o ", "checks.dir/main.cpp.o ", "object reference.cpp.o ", "object table.cpp.o "})
    CHECK(has(reached, name));
  CHECK_FALSE(has(reached, "other.cpp.o"));
  CHECK_FALSE(has(reached, "embedded.cpp.o"));
  CHECK(data == "kodim05_192x128.rgb");
  // The list is the same in another folder. Each change to a reached file changes it; a change to the other does not.
  CHECK(Program().reached() == reached);
  program.write("other.cpp", "int reference(int);\nint other(int x) { return reference(x) + 1; }\n");
  CHECK(program.reached() == reached);
  program.write("shared.h", "inline int twice(int x) { return 3 * x; }\nint reference(int);\n");
  const std::string header = program.reached();
  CHECK(header != reached);
  program.write("table.cpp",
                "int table(int x) { return x + 2; }\nconst char* file() { return \"kodim05_192x128.rgb\"; }\n");
  const std::string table = program.reached();
  CHECK(table != header);
  program.write("one_check.cpp", "#include \"shared.h\"\nint check() { return reference(4); }\n");
  CHECK(program.reached() != table);
}
