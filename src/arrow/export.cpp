#include <array>
#include <cstring>
#include <deque>

#include "arrow/column.h"

// What is handed over by the Arrow C data interface. Each array and each schema owns what it points
// at: consumers may keep a child and release its parent.

namespace kitbag::arrow {

namespace {

/// Where an empty buffer points: consumers expect an address, and some read the first offset of an
/// array without values.
alignas(Memory::kAlignment) constexpr std::array<std::byte, Memory::kAlignment> kNothing{};

struct HeldArray {
  std::vector<Memory> memory;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  ArrowArray dictionary{};
};

void release_array(ArrowArray* array) {
  auto* held = static_cast<HeldArray*>(array->private_data);
  for (ArrowArray& child : held->children) {
    if (child.release) child.release(&child);
  }
  if (held->dictionary.release) held->dictionary.release(&held->dictionary);
  delete held;
  array->release = nullptr;
}

struct HeldSchema {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
  ArrowSchema dictionary{};
};

void release_schema(ArrowSchema* schema) {
  auto* held = static_cast<HeldSchema*>(schema->private_data);
  for (ArrowSchema& child : held->children) {
    if (child.release) child.release(&child);
  }
  if (held->dictionary.release) held->dictionary.release(&held->dictionary);
  delete held;
  schema->release = nullptr;
}

/// As the C data interface has it: a count, and keys and values behind their sizes, all of 32 bits
/// in the byte order of the machine.
std::string encode_metadata(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string bytes;
  auto add_size = [&](std::size_t size) {
    auto number = static_cast<std::int32_t>(size);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add_size(pairs.size());
  for (const auto& [name, value] : pairs) {
    for (const std::string& each : {name, value}) {
      add_size(each.size());
      bytes += each;
    }
  }
  return bytes;
}

}  // namespace

void export_schema(const ColumnType& type, ArrowSchema* out) {
  auto held = std::make_unique<HeldSchema>();
  held->format = type.format;
  held->name = type.name;
  if (!type.metadata.empty()) held->metadata = encode_metadata(type.metadata);
  held->children.resize(type.children.size());
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    held->child_pointers.push_back(&held->children[i]);
    export_schema(type.children[i], &held->children[i]);
  }
  // The format of the column is that of the indexes; the values have a schema of their own.
  if (type.layout == Layout::dictionary) export_schema(text_type({}), &held->dictionary);
  *out = {held->format.c_str(),
          held->name.c_str(),
          held->metadata.empty() ? nullptr : held->metadata.data(),
          type.is_nullable ? ARROW_FLAG_NULLABLE : 0,
          static_cast<std::int64_t>(held->children.size()),
          held->child_pointers.data(),
          held->dictionary.release ? &held->dictionary : nullptr,
          release_schema,
          held.get()};
  held.release();
}

void Column::move_to(ArrowArray* out, std::span<const std::string> dictionary) {
  auto held = std::make_unique<HeldArray>();
  std::size_t buffers = 0;
  held->memory.reserve(3);
  auto add_buffer = [&](Memory& memory) {
    held->buffers.at(buffers++) = memory.empty() ? kNothing.data() : memory.data();
    std::size_t used = memory.size();
    held->memory.push_back(std::move(memory));
    memory = Memory(pool_);
    // The next batch is like this one. If this one is released before, its memory is still in the
    // processor's cache.
    memory.expect(used);
  };
  if (null_count_ > 0) {
    pad_validity();
    add_buffer(validity_);
  } else {
    ++buffers;
    validity_.shrink(0);
  }
  if (has_offsets(type_.layout)) add_buffer(offsets_);
  if (has_values(type_.layout)) add_buffer(values_);
  held->children.resize(children_.size());
  for (std::size_t i = 0; i < children_.size(); ++i) {
    held->child_pointers.push_back(&held->children[i]);
    children_[i].move_to(&held->children[i], dictionary);
  }
  if (type_.layout == Layout::dictionary) {
    const ColumnType texts = text_type({});
    Column column(texts, pool_, replaced_bytes_);
    for (const std::string& text : dictionary) column.add_text(text);
    column.move_to(&held->dictionary);
  }
  *out = {static_cast<std::int64_t>(length_),
          static_cast<std::int64_t>(null_count_),
          0,
          static_cast<std::int64_t>(buffers),
          static_cast<std::int64_t>(held->children.size()),
          held->buffers.data(),
          held->child_pointers.data(),
          held->dictionary.release ? &held->dictionary : nullptr,
          release_array,
          held.get()};
  held.release();
  length_ = validity_bits_ = null_count_ = 0;
  begin_offsets();
}

}  // namespace kitbag::arrow
