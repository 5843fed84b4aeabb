// exceptions_wasm.cpp — WebAssembly has no unwinder here (clang's -fignore-exceptions), so an exception says what it is
// and traps. That ends the instance; session.js makes another one.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>

extern "C" {

void* __cxa_allocate_exception(size_t bytes) noexcept { return std::malloc(bytes); }

// All exceptions of this program are std::exception.
void __cxa_throw(void* thrown, void* /*type*/, void (* /*destroy*/)(void*)) {
  std::fprintf(stderr, "texcast: %s\n", static_cast<std::exception*>(thrown)->what());
  std::abort();
}
}
