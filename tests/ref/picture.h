// picture.h — the photograph in tests/data, block by block.
#pragma once

#include <functional>

#include "ref/bc1.h"
#include "ref/bc4.h"

namespace picture {

// PSNR in dB over R, G and B of all blocks, encoded and decoded.
double bc1_psnr(const std::function<texcast::ref::Bc1Block(const texcast::ref::RgbBlock&)>& encode);
// PSNR over R, G and B after `there_and_back`.
double rgb_psnr(const std::function<texcast::ref::RgbBlock(const texcast::ref::RgbBlock&)>& there_and_back);
// PSNR of the green channel.
double bc4_psnr(const std::function<texcast::ref::Bc4Block(const texcast::ref::ChannelBlock&)>& encode);

// PSNR of the green channel after `there_and_back`.
double channel_psnr(const std::function<texcast::ref::ChannelBlock(const texcast::ref::ChannelBlock&)>& there_and_back);

}  // namespace picture
