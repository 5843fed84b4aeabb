// Counts every operator new of the program, for "allocates nothing a frame".
#include <atomic>
#include <cstdlib>
#include <new>

#include "support.h"

namespace {
std::atomic<uint64_t> allocated{0};
void* counted(size_t size) {
  ++allocated;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace texcast::transport::test {
uint64_t allocations() { return allocated; }
}  // namespace texcast::transport::test
