// gl_program.h — compiles and links a vertex and a fragment shader.
#pragma once

#include <string>
#include <string_view>

#include "player/gl_object.h"

namespace texcast::player {

// `name` is for messages. A shader of ours that a driver refuses throws Error{no_display} with the driver's log.
GlProgram link_program(std::string_view name, const std::string& vertex_source, const std::string& fragment_source);

// The location of a uniform; -1, which glUniform* ignores, where the compiler found it unused.
GLint uniform(const GlProgram& program, const char* name);

}  // namespace texcast::player
