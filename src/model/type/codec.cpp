#include "kitbag/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/little_endian.h"
#include "kitbag/error.h"

// Encoders write into an Arena, a list of blocks in which each message is contiguous. A message
// that outgrows its block moves to a larger one, half as large again, and blocks belong to the
// batch afterwards. They come back to the pool when the last reader of the batch lets go, often on
// another thread: hence the lock, which is taken for blocks and not for messages. Without the pool,
// the system would clear new pages for each batch.

namespace kitbag {

namespace {

/// `depth`: a type may contain itself, and so may the default of a union.
void visit_zero(const Type& type, Visitor& visitor, std::size_t depth = 0);
void visit_default(const Field& field, Visitor& visitor, std::size_t depth);

/// Payloads of this size come by the hundred in one block.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kBlockBytes = 16 << 10;  // a sanitizer gets a larger block from the system
#else
constexpr std::size_t kBlockBytes = 256 << 10;
#endif
/// So much is kept for batches to come: that of a few which wait in queues.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kMostPooledBytes = 0;  // the sanitizer finds reads of released memory
#else
constexpr std::size_t kMostPooledBytes = 16 << 20;
#endif

/// Takes the values of flat types out of bytes that are known to be there.
class Unpacker {
 public:
  Unpacker(const std::byte* at, Visitor& visitor) : at_(at), visitor_(visitor) {}

  void value(const Type& type) {
    if (type.kind == Kind::structure) {
      visitor_.begin_struct(type);
      for (const Field& field : type.fields) {
        visitor_.field(field);
        // Most of what lies flat in messages of robots; the call saved is a tenth of all.
        if (field.type->kind == Kind::float64) {
          visitor_.real(*field.type, take<double>());
        } else {
          value(*field.type);
        }
      }
      visitor_.end_struct();
    } else if (type.kind == Kind::array) {
      visitor_.begin_array(type, type.length);
      visitor_.packed(*type.element, {at_, type.flat_bytes});
      visitor_.end_array();
      at_ += type.flat_bytes;
    } else {
      scalar(type, type.kind == Kind::enumeration ? type.base : type.kind);
    }
  }

 private:
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  void scalar(const Type& type, Kind kind) {
    switch (kind) {
      case Kind::boolean:
        return visitor_.boolean(type, take<std::uint8_t>() != 0);
      case Kind::int8:
        return visitor_.integer(type, take<std::int8_t>());
      case Kind::int16:
        return visitor_.integer(type, take<std::int16_t>());
      case Kind::int32:
        return visitor_.integer(type, take<std::int32_t>());
      case Kind::int64:
        return visitor_.integer(type, take<std::int64_t>());
      case Kind::uint16:
      case Kind::wide_char:
        return visitor_.unsigned_integer(type, take<std::uint16_t>());
      case Kind::uint32:
        return visitor_.unsigned_integer(type, take<std::uint32_t>());
      case Kind::uint64:
        return visitor_.unsigned_integer(type, take<std::uint64_t>());
      case Kind::float32:
        return visitor_.real(type, static_cast<double>(take<float>()));
      case Kind::float64:
        return visitor_.real(type, take<double>());
      default:
        return visitor_.unsigned_integer(type, take<std::uint8_t>());
    }
  }

  const std::byte* at_;
  Visitor& visitor_;
};

void visit_zero(const Type& type, Visitor& visitor, std::size_t depth) {
  if (depth > 2 * kMaxTypeDepth) {
    throw Error(ErrorCode::corrupt, "the default value of a field is nested too deep");
  }
  if (is_text(type.kind)) return visitor.text(type, {});
  if (type.kind == Kind::any) return visitor.nothing(type);
  if (is_real(type.kind)) return visitor.real(type, 0);
  if (is_scalar(type.kind)) {
    if (type.kind == Kind::boolean) return visitor.boolean(type, false);
    if (type.kind == Kind::enumeration && !type.enumerators.empty()) {
      return visitor.integer(type, type.enumerators.front().value);
    }
    return visitor.integer(type, 0);
  }
  if (is_list(type.kind)) {
    std::uint64_t count = type.kind == Kind::array ? type.length : 0;
    visitor.begin_array(type, count);
    for (std::uint64_t i = 0; i < count; ++i) visit_zero(*type.element, visitor, depth + 1);
    return visitor.end_array();
  }
  visitor.begin_struct(type);
  // A union has its discriminator, which is 0 or the first enumerator, and the branch of 0.
  bool is_union = type.kind == Kind::tagged_union;
  for (const Field& field : type.fields) {
    if (is_union && field.index > 0 && &field != find_branch(type, 0)) continue;
    visitor.field(field);
    visit_default(field, visitor, depth + 1);
  }
  visitor.end_struct();
}

void visit_default(const Field& field, Visitor& visitor, std::size_t depth) {
  if (field.default_value) {
    visit_literal(*field.type, *field.default_value, visitor);
  } else if (field.is_optional) {
    visitor.nothing(*field.type);
  } else {
    visit_zero(*field.type, visitor, depth);
  }
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// Literals are as texts write them: 1 may be the default of a double or a bool.
void visit_integer(const Type& type, std::int64_t value, Visitor& visitor) {
  if (is_real(type.kind)) return visitor.real(type, static_cast<double>(value));
  if (type.kind == Kind::boolean) return visitor.boolean(type, value != 0);
  visitor.integer(type, value);
}

}  // namespace

const Field* find_branch(const Type& type, std::int64_t label) {
  const Field* by_default = nullptr;
  for (std::size_t i = 1; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    auto found = std::find(field.labels.begin(), field.labels.end(), label);
    if (found != field.labels.end()) return &field;
    if (field.is_default) by_default = &field;
  }
  return by_default;
}

void Visitor::packed(const Type& type, ByteView bytes) {
  unpack(type, bytes, *this);
}

void unpack(const Type& type, ByteView bytes, Visitor& visitor) {
  if (type.flat_bytes == 0) return;
  Unpacker unpacker(bytes.data(), visitor);
  for (std::size_t i = 0; i < bytes.size() / type.flat_bytes; ++i) unpacker.value(type);
}

void visit_default(const Field& field, Visitor& visitor) {
  visit_default(field, visitor, 0);
}

void visit_literal(const Type& type, const Literal& literal, Visitor& visitor) {
  std::visit(Overloaded{
                 [&](bool value) { visit_integer(type, value ? 1 : 0, visitor); },
                 [&](std::int64_t value) { visit_integer(type, value, visitor); },
                 [&](std::uint64_t value) { visitor.unsigned_integer(type, value); },
                 [&](double value) { visitor.real(type, value); },
                 [&](const std::string& value) { visitor.text(type, value); },
                 [&](const std::vector<Literal>& values) {
                   visitor.begin_array(type, values.size());
                   for (const Literal& each : values) visit_literal(*type.element, each, visitor);
                   visitor.end_array();
                 },
             },
             literal.value);
}

/// Blocks that are free. The system takes long to give pages that were just given back.
class Arena::Pool {
 public:
  Block take(std::size_t size) {
    std::lock_guard lock(mutex_);
    // From the back: what came back last may still be in the processor's cache.
    for (std::size_t i = free_.size(); i-- > 0;) {
      if (free_[i].size < size) continue;
      Block found = std::exchange(free_[i], std::move(free_.back()));
      free_.pop_back();
      bytes_ -= found.size;
      return found;
    }
    return {std::make_unique_for_overwrite<std::byte[]>(size), size};
  }

  void give_back(std::vector<Block>& blocks) {
    std::lock_guard lock(mutex_);
    for (Block& each : blocks) keep(each);
  }
  void give_back(Block& block) {
    std::lock_guard lock(mutex_);
    keep(block);
  }

 private:
  void keep(Block& block) {
    if (bytes_ + block.size > kMostPooledBytes) return;
    bytes_ += block.size;
    free_.push_back(std::move(block));
  }

  std::mutex mutex_;
  std::vector<Block> free_;
  std::size_t bytes_ = 0;
};

Arena::Arena() : pool_(std::make_shared<Pool>()) {}
Arena::~Arena() = default;

// The limit is looked at only here: what fits into one block harms nobody.
void Arena::grow(std::size_t count) {
  auto open = static_cast<std::size_t>(at_ - begin_);
  if (count > most_ || open > most_ - count) {
    throw Error(
        ErrorCode::limit,
        fmt::format("the encoded message exceeds {} bytes, far more than the payload", most_));
  }
  std::size_t size = std::max(kBlockBytes, open + count + open / 2);
  Block block = pool_->take(size);
  size_ += block.size;
  if (open > 0) std::memcpy(block.bytes.get(), begin_, open);
  // What held nothing but the payload that moves is of use to others.
  if (open > 0 && blocks_.back().bytes.get() == begin_) {
    size_ -= blocks_.back().size;
    pool_->give_back(blocks_.back());
    blocks_.pop_back();
  }
  begin_ = block.bytes.get();
  at_ = begin_ + open;
  end_ = begin_ + block.size;
  blocks_.push_back(std::move(block));
}

Owner Arena::release() {
  struct Blocks {
    Blocks(std::vector<Block> owned, std::shared_ptr<Pool> owner)
        : all(std::move(owned)), pool(std::move(owner)) {}
    ~Blocks() { pool->give_back(all); }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    std::vector<Block> all;
    std::shared_ptr<Pool> pool;
  };
  auto blocks = std::make_shared<Blocks>(std::exchange(blocks_, {}), pool_);
  begin_ = at_ = end_ = nullptr;
  size_ = 0;
  return blocks;
}

}  // namespace kitbag
