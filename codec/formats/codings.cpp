#include "base/misuse.h"
#include "texcast/coding.h"

namespace texcast {
namespace {

// Channels are numbered by colour model: 0 is colour (BC1, BC3) or data (BC4), 15 is alpha.
constexpr std::array kColorSample = {DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 0}};
constexpr std::array kAlphaThenColor = {
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 15, .is_alpha = true},
    DfdSample{.bit_offset = 64, .bit_length = 64, .channel = 0},
};
constexpr std::array kRedThenGreen = {
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 0},
    DfdSample{.bit_offset = 64, .bit_length = 64, .channel = 1},
};
// For signed codings. -1 is the value without an opposite, as in Khronos' own descriptors.
constexpr DfdSample as_signed(DfdSample sample) {
  sample.is_signed = true;
  sample.lower = 0x80000000;
  sample.upper = 0x7FFFFFFF;
  return sample;
}
constexpr std::array kSignedColorSample = {as_signed(kColorSample[0])};
constexpr std::array kSignedRedThenGreen = {as_signed(kRedThenGreen[0]), as_signed(kRedThenGreen[1])};
constexpr std::array kRgba = {
    DfdSample{.bit_offset = 0, .bit_length = 8, .channel = 0, .upper = 255},
    DfdSample{.bit_offset = 8, .bit_length = 8, .channel = 1, .upper = 255},
    DfdSample{.bit_offset = 16, .bit_length = 8, .channel = 2, .upper = 255},
    DfdSample{.bit_offset = 24, .bit_length = 8, .channel = 15, .is_alpha = true, .upper = 255},
};
constexpr std::array kBgr = {
    DfdSample{.bit_offset = 0, .bit_length = 8, .channel = 2, .upper = 255},
    DfdSample{.bit_offset = 8, .bit_length = 8, .channel = 1, .upper = 255},
    DfdSample{.bit_offset = 16, .bit_length = 8, .channel = 0, .upper = 255},
};
// ETC2 has its own channel numbers: 2 is colour.
constexpr std::array kEtc2Color = {DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 2}};
constexpr std::array kEtc2AlphaThenColor = {
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 15, .is_alpha = true},
    DfdSample{.bit_offset = 64, .bit_length = 64, .channel = 2},
};
// The same bits hold colour and alpha.
constexpr std::array kEtc2ColorAndAlpha = {
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 2},
    DfdSample{.bit_offset = 0, .bit_length = 64, .channel = 15, .is_alpha = true},
};
constexpr std::array kBc7Sample = {DfdSample{.bit_offset = 0, .bit_length = 128, .channel = 0}};
// Floats from 0 or from -1 on; 1 is white.
constexpr std::array kFloats = {
    DfdSample{.bit_offset = 0, .bit_length = 128, .channel = 0, .is_float = true, .upper = 0x3F800000}};
constexpr std::array kSignedFloats = {DfdSample{.bit_offset = 0,
                                                .bit_length = 128,
                                                .channel = 0,
                                                .is_signed = true,
                                                .is_float = true,
                                                .lower = 0xBF800000,
                                                .upper = 0x3F800000}};
constexpr uint8_t kDfdRgbsda = 1, kDfdBc1 = 128, kDfdBc3 = 130, kDfdBc4 = 131, kDfdBc5 = 132, kDfdBc6h = 133,
                  kDfdBc7 = 134, kDfdEtc2 = 161, kDfdAstc = 162;  // khr_df_model_e

// OpenGL's enumerants, copied, as this module uses none of its headers.
constexpr uint32_t kGlRgb = 0x1907, kGlRgba = 0x1908, kGlBgr = 0x80E0, kGlRgb8 = 0x8051, kGlRgba8 = 0x8058,
                   kGlRgbS3tcDxt1 = 0x83F0, kGlRgbaS3tcDxt5 = 0x83F3, kGlRedRgtc1 = 0x8DBB, kGlRgRgtc2 = 0x8DBD,
                   kGlSignedRedRgtc1 = 0x8DBC, kGlSignedRgRgtc2 = 0x8DBE, kGlR11Eac = 0x9270, kGlSignedR11Eac = 0x9271,
                   kGlRg11Eac = 0x9272, kGlSignedRg11Eac = 0x9273, kGlRgb8Etc2 = 0x9274, kGlRgb8A1Etc2 = 0x9276,
                   kGlRgba8Etc2Eac = 0x9278, kGlRgbaBptc = 0x8E8C, kGlRgbBptcSignedFloat = 0x8E8E,
                   kGlRgbBptcUnsignedFloat = 0x8E8F, kGlRgbaAstc4x4 = 0x93B0;
constexpr std::string_view kS3tc = "GL_EXT_texture_compression_s3tc", kEs3 = "GL_ARB_ES3_compatibility",
                           kBptc = "GL_ARB_texture_compression_bptc", kAstcLdr = "GL_KHR_texture_compression_astc_ldr";

constexpr std::array kAstcSample = {DfdSample{.bit_offset = 0, .bit_length = 128, .channel = 0}};

// All lists have ASTC's sizes in the same order. DXGI has a typeless number one below each, and a gap between them.
constexpr Coding astc(CodingId id, std::string_view name, int width, int height) {
  const auto number = static_cast<uint32_t>(id) - static_cast<uint32_t>(CodingId::astc_4x4);
  const uint32_t vk = 157 + 2 * number, dxgi = 134 + 4 * number;
  return {.id = id,
          .name = name,
          .block_width = width,
          .block_height = height,
          .block_bytes = 16,
          .channels = 4,
          .sample_type = SampleType::unorm8,
          .vk = {.unorm = vk, .srgb = vk + 1},
          .dxgi = {.unorm = dxgi, .srgb = dxgi + 1, .first = dxgi - 1, .last = dxgi + 1},
          .dfd_model = kDfdAstc,
          .dfd_samples = kAstcSample,
          .gl = {.internal_format = kGlRgbaAstc4x4 + number, .extension = kAstcLdr, .family = "astc"}};
}

constexpr std::array kCodings = {
    Coding{.id = CodingId::bc1,
           .name = "BC1",
           .block_bytes = 8,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           // The RGB formats, without the hole of index 3; the RGBA ones are read.
           .vk = {.unorm = 131, .srgb = 132, .first = 131, .last = 134},
           .dxgi = {.unorm = 71, .srgb = 72, .first = 70, .last = 72},
           .dds_fourccs = {fourcc('D', 'X', 'T', '1'), 0},
           .dfd_model = kDfdBc1,
           .dfd_samples = kColorSample,
           .gl = {.internal_format = kGlRgbS3tcDxt1, .extension = kS3tc, .family = "s3tc"},
           .hap_texture = 0xB},
    Coding{.id = CodingId::bc3,
           .name = "BC3",
           .block_bytes = 16,
           .channels = 4,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 137, .srgb = 138, .first = 137, .last = 138},
           .dxgi = {.unorm = 77, .srgb = 78, .first = 76, .last = 78},
           .dds_fourccs = {fourcc('D', 'X', 'T', '5'), 0},
           .dfd_model = kDfdBc3,
           .dfd_samples = kAlphaThenColor,
           .gl = {.internal_format = kGlRgbaS3tcDxt5, .extension = kS3tc, .family = "s3tc"},
           .hap_texture = 0xE},
    Coding{.id = CodingId::bc4,
           .name = "BC4",
           .block_bytes = 8,
           .channels = 1,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 139},
           .dxgi = {.unorm = 80, .first = 79, .last = 80},
           .dds_fourccs = {fourcc('B', 'C', '4', 'U'), fourcc('A', 'T', 'I', '1')},
           .dfd_model = kDfdBc4,
           .dfd_samples = kColorSample,
           .swizzle = "rrr1",
           .gl = {.internal_format = kGlRedRgtc1, .family = "rgtc"},
           .hap_texture = 0x1},
    Coding{.id = CodingId::bc5,
           .name = "BC5",
           .block_bytes = 16,
           .channels = 2,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 141},
           .dxgi = {.unorm = 83, .first = 82, .last = 83},
           .dds_fourccs = {fourcc('B', 'C', '5', 'U'), fourcc('A', 'T', 'I', '2')},
           .dfd_model = kDfdBc5,
           .dfd_samples = kRedThenGreen,
           .gl = {.internal_format = kGlRgRgtc2, .family = "rgtc"}},
    // BC1 with the channels Y', Cb, Cr. No standard has it, so only texcast interprets it correctly.
    Coding{.id = CodingId::bc1_ycbcr,
           .name = "DXTY",
           .block_bytes = 8,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .dds_fourccs = {fourcc('D', 'X', 'T', 'Y'), 0},
           .gl = {.internal_format = kGlRgbS3tcDxt1, .extension = kS3tc, .family = "s3tc"}},
    // Two pixels of 4:2:2, one texel in OpenGL. KTX2 could hold them for display through a sampler conversion, which
    // few readers have.
    Coding{.id = CodingId::uyvy,
           .name = "UYVY",
           .block_width = 2,
           .block_height = 1,
           .block_bytes = 4,
           .is_compressed = false,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .dds_fourccs = {fourcc('U', 'Y', 'V', 'Y'), 0},
           .gl = {.internal_format = kGlRgba8, .pixel_format = kGlRgba},
           .pair_order = {0, 1, 2, 3}},
    Coding{.id = CodingId::yuyv,
           .name = "YUY2",
           .block_width = 2,
           .block_height = 1,
           .block_bytes = 4,
           .is_compressed = false,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .dxgi = {.unorm = 107},
           .dds_fourccs = {fourcc('Y', 'U', 'Y', '2'), 0},
           .gl = {.internal_format = kGlRgba8, .pixel_format = kGlRgba},
           .pair_order = {1, 0, 3, 2}},
    Coding{.id = CodingId::rgba8,
           .name = "RGBA8",
           .block_width = 1,
           .block_height = 1,
           .block_bytes = 4,
           .is_compressed = false,
           .channels = 4,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 37, .srgb = 43},
           .dxgi = {.unorm = 28, .srgb = 29},
           .masks = {32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}},
           .dfd_model = kDfdRgbsda,
           .dfd_samples = kRgba,
           .gl = {.internal_format = kGlRgba8, .pixel_format = kGlRgba}},
    Coding{.id = CodingId::rgb8,
           .name = "RGB8",
           .block_width = 1,
           .block_height = 1,
           .block_bytes = 3,
           .is_compressed = false,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 23, .srgb = 29},
           .masks = {24, {0xFF, 0xFF00, 0xFF0000, 0}},
           .dfd_model = kDfdRgbsda,
           .dfd_samples = std::span(kRgba).first<3>(),
           .gl = {.internal_format = kGlRgb8, .pixel_format = kGlRgb}},
    Coding{.id = CodingId::bgr8,
           .name = "BGR8",
           .block_width = 1,
           .block_height = 1,
           .block_bytes = 3,
           .is_compressed = false,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 30, .srgb = 36},
           .masks = {24, {0xFF0000, 0xFF00, 0xFF, 0}},
           .dfd_model = kDfdRgbsda,
           .dfd_samples = kBgr,
           .gl = {.internal_format = kGlRgb8, .pixel_format = kGlBgr}},
    // DXGI has no EAC. The FourCCs are those that other tools write; the ones of the signed codings are texcast's own.
    Coding{.id = CodingId::eac_r11,
           .name = "EAC R11",
           .block_bytes = 8,
           .channels = 1,
           .sample_type = SampleType::unorm16,
           .vk = {.unorm = 153},
           .dds_fourccs = {fourcc('E', 'A', 'C', '1'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kColorSample,
           .swizzle = "rrr1",
           .gl = {.internal_format = kGlR11Eac, .extension = kEs3, .family = "etc2"}},
    Coding{.id = CodingId::eac_r11_signed,
           .name = "EAC R11 signed",
           .block_bytes = 8,
           .channels = 1,
           .sample_type = SampleType::unorm16,
           .vk = {.unorm = 154},
           .dds_fourccs = {fourcc('E', 'A', '1', 'S'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kSignedColorSample,
           .swizzle = "rrr1",
           .gl = {.internal_format = kGlSignedR11Eac, .extension = kEs3, .family = "etc2"},
           .is_signed = true},
    Coding{.id = CodingId::eac_rg11,
           .name = "EAC RG11",
           .block_bytes = 16,
           .channels = 2,
           .sample_type = SampleType::unorm16,
           .vk = {.unorm = 155},
           .dds_fourccs = {fourcc('E', 'A', 'C', '2'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kRedThenGreen,
           .gl = {.internal_format = kGlRg11Eac, .extension = kEs3, .family = "etc2"}},
    Coding{.id = CodingId::eac_rg11_signed,
           .name = "EAC RG11 signed",
           .block_bytes = 16,
           .channels = 2,
           .sample_type = SampleType::unorm16,
           .vk = {.unorm = 156},
           .dds_fourccs = {fourcc('E', 'A', '2', 'S'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kSignedRedThenGreen,
           .gl = {.internal_format = kGlSignedRg11Eac, .extension = kEs3, .family = "etc2"},
           .is_signed = true},
    Coding{.id = CodingId::bc4_signed,
           .name = "BC4 signed",
           .block_bytes = 8,
           .channels = 1,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 140},
           .dxgi = {.unorm = 81},
           .dds_fourccs = {fourcc('B', 'C', '4', 'S'), 0},
           .dfd_model = kDfdBc4,
           .dfd_samples = kSignedColorSample,
           .swizzle = "rrr1",
           .gl = {.internal_format = kGlSignedRedRgtc1, .family = "rgtc"},
           .is_signed = true},
    Coding{.id = CodingId::bc5_signed,
           .name = "BC5 signed",
           .block_bytes = 16,
           .channels = 2,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 142},
           .dxgi = {.unorm = 84},
           .dds_fourccs = {fourcc('B', 'C', '5', 'S'), 0},
           .dfd_model = kDfdBc5,
           .dfd_samples = kSignedRedThenGreen,
           .gl = {.internal_format = kGlSignedRgRgtc2, .family = "rgtc"},
           .is_signed = true},
    // Covers ETC1 too, whose blocks are a subset of ETC2's. DXGI has no ETC; the FourCCs are those that other tools
    // write.
    Coding{.id = CodingId::etc2,
           .name = "ETC2",
           .block_bytes = 8,
           .channels = 3,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 147, .srgb = 148},
           .dds_fourccs = {fourcc('E', 'T', 'C', '2'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kEtc2Color,
           .gl = {.internal_format = kGlRgb8Etc2, .extension = kEs3, .family = "etc2"}},
    Coding{.id = CodingId::etc2_alpha,
           .name = "ETC2 with EAC alpha",
           .block_bytes = 16,
           .channels = 4,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 151, .srgb = 152},
           .dds_fourccs = {fourcc('E', 'T', 'C', 'A'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kEtc2AlphaThenColor,
           .gl = {.internal_format = kGlRgba8Etc2Eac, .extension = kEs3, .family = "etc2"}},
    Coding{.id = CodingId::etc2_a1,
           .name = "ETC2 with punch-through alpha",
           .block_bytes = 8,
           .channels = 4,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 149, .srgb = 150},
           .dds_fourccs = {fourcc('E', 'T', 'C', 'P'), 0},
           .dfd_model = kDfdEtc2,
           .dfd_samples = kEtc2ColorAndAlpha,
           .gl = {.internal_format = kGlRgb8A1Etc2, .extension = kEs3, .family = "etc2"}},
    Coding{.id = CodingId::bc7,
           .name = "BC7",
           .block_bytes = 16,
           .channels = 4,
           .sample_type = SampleType::unorm8,
           .vk = {.unorm = 145, .srgb = 146, .first = 145, .last = 146},
           .dxgi = {.unorm = 98, .srgb = 99, .first = 97, .last = 99},
           .dfd_model = kDfdBc7,
           .dfd_samples = kBc7Sample,
           .gl = {.internal_format = kGlRgbaBptc, .extension = kBptc, .family = "bptc"},
           .hap_texture = 0xC},
    Coding{.id = CodingId::bc6h,
           .name = "BC6H",
           .block_bytes = 16,
           .channels = 3,
           .sample_type = SampleType::half,
           .vk = {.unorm = 143},
           .dxgi = {.unorm = 95, .first = 94, .last = 95},
           .dfd_model = kDfdBc6h,
           .dfd_samples = kFloats,
           .gl = {.internal_format = kGlRgbBptcUnsignedFloat, .extension = kBptc, .family = "bptc"},
           .hap_texture = 0x2},
    Coding{.id = CodingId::bc6h_signed,
           .name = "BC6H signed",
           .block_bytes = 16,
           .channels = 3,
           .sample_type = SampleType::half,
           .vk = {.unorm = 144},
           .dxgi = {.unorm = 96},
           .dfd_model = kDfdBc6h,
           .dfd_samples = kSignedFloats,
           .gl = {.internal_format = kGlRgbBptcSignedFloat, .extension = kBptc, .family = "bptc"},
           .hap_texture = 0x3},
    astc(CodingId::astc_4x4, "ASTC 4x4", 4, 4),
    astc(CodingId::astc_5x4, "ASTC 5x4", 5, 4),
    astc(CodingId::astc_5x5, "ASTC 5x5", 5, 5),
    astc(CodingId::astc_6x5, "ASTC 6x5", 6, 5),
    astc(CodingId::astc_6x6, "ASTC 6x6", 6, 6),
    astc(CodingId::astc_8x5, "ASTC 8x5", 8, 5),
    astc(CodingId::astc_8x6, "ASTC 8x6", 8, 6),
    astc(CodingId::astc_8x8, "ASTC 8x8", 8, 8),
    astc(CodingId::astc_10x5, "ASTC 10x5", 10, 5),
    astc(CodingId::astc_10x6, "ASTC 10x6", 10, 6),
    astc(CodingId::astc_10x8, "ASTC 10x8", 10, 8),
    astc(CodingId::astc_10x10, "ASTC 10x10", 10, 10),
    astc(CodingId::astc_12x10, "ASTC 12x10", 12, 10),
    astc(CodingId::astc_12x12, "ASTC 12x12", 12, 12),
};

}  // namespace

std::span<const Coding> codings() { return kCodings; }

const Coding& coding(CodingId id) {
  const auto index = static_cast<size_t>(id);
  REQUIRE_USE(index < kCodings.size() && kCodings[index].id == id, "there is no such coding");
  return kCodings[index];
}

std::string printable_fourcc(uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i, value >>= 8) {
    const char c = static_cast<char>(value & 0xFF);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

}  // namespace texcast
