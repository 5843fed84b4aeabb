#include "slice_decoder.h"

#include <type_traits>
#include <variant>

#include "compact/copied_partitions.h"
#include "compact/slice_syntax.h"
#include "component_decoder.h"
#include "lookup_reader.h"
#include "opaque_component_decoder.h"
#include "transform_slice_decoder.h"

namespace texcast::compact {
namespace {

template <typename SubBlock, bool lossy>
bool decode_component(LookupReader<lossy>& reader, const SliceComponent& part, const Component& first,
                      const SliceHeader& head, const std::byte* reference, std::byte* texture, CodedMask& coded,
                      ReferenceReads* reads) {
  [[maybe_unused]] std::conditional_t<lossy, CopiedPartitions<SubBlock>, std::monostate> partitions;
  const CopiedPartitions<SubBlock>* copied = nullptr;
  if constexpr (lossy) {
    if (reference != nullptr) {
      partitions.load(part, head, reference, texture);
      copied = &partitions;
    }
  }
  ComponentDecoder<SubBlock, lossy> decoder(part, first, head, copied, reference, texture, coded, reads);
  return decoder.decode(reader);
}

bool decode_opaque(LookupReader<false>& reader, const SliceComponent& part, const Component& first,
                   const SliceHeader& head, const std::byte* reference, std::byte* texture, FirstHalves& halves,
                   ReferenceReads* reads) {
  OpaqueComponentDecoder decoder(part, first, head, reference, texture, halves, reads);
  return decoder.decode(reader);
}

template <bool lossy>
bool decode(const TileGrid& grid, const Slice& slice, Bytes bytes, const std::byte* reference, std::byte* texture,
            ReferenceReads* reads) {
  SliceHeader head{.form = {.lossy = lossy, .intra = reference == nullptr}};
  const auto tables_of = [&head](const Component& component) -> const LookupTables& {
    return lossy ? lossy_lookup_tables(static_cast<Content>(head.content), component.tables)
                 : lookup_tables(component.tables);
  };
  if (lossy && grid.is_opaque()) return false;
  LookupReader<lossy> reader(bytes);
  const Component& first = grid.component(0);
  reader.use(tables_of(first));
  if (!read_slice_header(reader, head)) return false;
  for (uint32_t tile = 0; tile < slice.tiles; ++tile) {
    const Slice only = slice.only(tile);
    reader.use(tables_of(first));
    if (!read_tile_header(reader, grid.blocks(first, only), head)) return false;
    CodedMask coded;
    [[maybe_unused]] FirstHalves halves;
    for (int i = 0; i < grid.component_count(); ++i) {
      const Component& component = grid.component(i);
      const SliceComponent part{component, grid.blocks(component, only), grid.blocks(component, {.tile = only.tile})};
      reader.use(tables_of(component));
      if constexpr (!lossy) {
        if (component.kind == SubBlockKind::opaque) {
          if (!decode_opaque(reader, part, first, head, reference, texture, halves, reads)) return false;
          continue;
        }
      }
      const bool is_valid =
          component.kind == SubBlockKind::channel
              ? decode_component<ChannelSubBlock, lossy>(reader, part, first, head, reference, texture, coded, reads)
              : decode_component<ColorSubBlock, lossy>(reader, part, first, head, reference, texture, coded, reads);
      if (!is_valid) return false;
    }
  }
  return reader.ended_well();
}

}  // namespace

bool decode_slice(const TileGrid& grid, const Slice& slice, Bytes coded, bool lossy, const std::byte* reference,
                  std::byte* texture, ReferenceReads* reads, const SliceSamples& samples) {
  if (lossy && is_transform_slice(coded, reference == nullptr))
    return decode_transform_slice(
        grid, slice, coded,
        {.reference = reference, .reference_samples = samples.reference, .texture = texture, .samples = samples.made},
        reads);
  return lossy ? decode<true>(grid, slice, coded, reference, texture, reads)
               : decode<false>(grid, slice, coded, reference, texture, reads);
}

}  // namespace texcast::compact
