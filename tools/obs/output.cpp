#include "parts.h"
namespace texcast::obs {
void register_output() {}
}  // namespace texcast::obs
