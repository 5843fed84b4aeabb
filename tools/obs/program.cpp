#include "parts.h"
namespace texcast::obs {
void register_program() {}
void prepare_program() {}
void release_program() {}
}  // namespace texcast::obs
