// texture_stage.h — a stage of one kernel whose source is a texture: its first argument the blocks, its second what it
// writes, its third what it has to know of their sizes, its fourth local memory where it has any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernel_plan.h"
#include "stages/stage.h"

namespace texcast::stages {

// Throws Error{no_device} when the kernel does not build on the device.
std::unique_ptr<Stage> make_texture_stage(const ocl::Device& device, const KernelPlan& plan,
                                          std::span<const std::byte> sizes);

}  // namespace texcast::stages
