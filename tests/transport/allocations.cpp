// Counts every operator new of the program, for tests of allocation-free code.
#include <atomic>
#include <cstdlib>
#include <new>

#include "support.h"

namespace {
std::atomic<uint64_t> allocated{0};
void* counted_or_null(size_t size) noexcept {
  ++allocated;
  return std::malloc(size ? size : 1);
}
void* counted(size_t size) {
  if (void* memory = counted_or_null(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace texcast::transport::test {
uint64_t allocations() { return allocated; }
}  // namespace texcast::transport::test
