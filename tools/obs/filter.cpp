#include "parts.h"
namespace texcast::obs {
void register_filter() {}
}  // namespace texcast::obs
