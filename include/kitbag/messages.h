#pragma once

#include <iterator>
#include <memory>

#include "kitbag/export.h"
#include "kitbag/stream.h"

namespace kitbag {

/// A range over the messages of a source, for range-based for loops. A message, and everything it
/// points at, is valid until the iterator is incremented. One thread; call begin() only once. The
/// iterator throws what Source::read() throws.
class KITBAG_API Messages {
 public:
  /// Stands at a message, or at the end.
  class KITBAG_API Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;  ///< of C++
    using difference_type = std::ptrdiff_t;            ///< of C++
    using value_type = Message;                        ///< of C++

    /// Returns the message; valid until the iterator is incremented.
    const Message& operator*() const { return *at_; }
    /// Returns the same as a pointer.
    const Message* operator->() const { return at_; }
    /// Goes to the next message. Throws what Source::read() throws.
    Iterator& operator++() {
      if (++at_ == end_) owner_->next_batch(*this);
      return *this;
    }
    /// Goes to the next message.
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& iterator, std::default_sentinel_t) {
      return iterator.at_ == nullptr;
    }

   private:
    friend Messages;
    Messages* owner_ = nullptr;
    const Message* at_ = nullptr;  ///< null: the end
    const Message* end_ = nullptr;
  };

  /// Takes over the source.
  explicit Messages(std::unique_ptr<Source> source) : source_(std::move(source)) {}

  /// Reads the first message. Throws what Source::read() throws.
  Iterator begin();
  /// Returns what compares equal to an iterator at the end.
  static std::default_sentinel_t end() { return {}; }

 private:
  void next_batch(Iterator& iterator);

  std::unique_ptr<Source> source_;
  Batch batch_;
};

}  // namespace kitbag
