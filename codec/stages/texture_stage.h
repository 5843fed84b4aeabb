// texture_stage.h — a stage of one kernel whose source is a texture: its first argument is the blocks, its second the
// output, its third the sizes, its fourth local memory, if it has any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernel_plan.h"
#include "stages/stage.h"

namespace texcast::stages {

// Throws Error{no_device} if the kernel does not build on the device.
std::unique_ptr<Stage> make_texture_stage(const ocl::Device& device, const KernelPlan& plan,
                                          std::span<const std::byte> sizes);

}  // namespace texcast::stages
