#include <isa-l/erasure_code.h>

#include "galois.h"

// ISA-L takes no const.
namespace texcast::transport::galois {
namespace {

unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes)); }
unsigned char** raw(const std::byte* const* ranges) {
  return reinterpret_cast<unsigned char**>(const_cast<std::byte**>(ranges));
}

}  // namespace

uint8_t inverse(uint8_t value) { return gf_inv(value); }

void make_tables(int sources, int rows, const uint8_t* factors, uint8_t* tables) {
  ec_init_tables(sources, rows, const_cast<uint8_t*>(factors), tables);
}

void multiply(int bytes, int sources, int rows, const uint8_t* tables, const std::byte* const* from,
              std::byte* const* results) {
  ec_encode_data(bytes, sources, rows, const_cast<uint8_t*>(tables), raw(from), raw(results));
}

void add(int bytes, int sources, int rows, int source, const uint8_t* tables, const std::byte* from,
         std::byte* const* results) {
  ec_encode_data_update(bytes, sources, rows, source, const_cast<uint8_t*>(tables), raw(from), raw(results));
}

}  // namespace texcast::transport::galois
