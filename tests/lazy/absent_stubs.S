#include "functions.S"
lazy_library "libtexcast-absent.so.7", "libtexcast-absent7", "nothing at all"
lazy_objects
lazy_objects_end
lazy_function absent_function
