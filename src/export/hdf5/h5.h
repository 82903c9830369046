#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

// What is used of libhdf5: owners of its objects, and its errors as Error.
//
// The library has one state for the whole process, and need not have been built for several
// threads. So every call of it is made under one lock, those that close objects too.

namespace kitbag::hdf5 {

/// An object of the library, which is closed with its owner.
class Id {
 public:
  Id() = default;
  /// Throws Error (io) with what the library says if `id` is none.
  Id(hid_t id, herr_t (*close_by)(hid_t));
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept;
  ~Id() { drop(); }

  hid_t get() const { return id_; }
  /// Throws Error (io) if what is not written yet cannot be.
  void close();

 private:
  void drop() noexcept;

  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Throws Error (io) with what the library says if the call has failed.
void check(herr_t result);

/// Holds the lock, and keeps the library from printing its errors.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// Texts of any length, in UTF-8.
Id text_type();
/// Booleans as h5py stores them: an enumeration of one byte, FALSE and TRUE.
Id bool_type();
/// For links with names in UTF-8.
Id utf8_links();

/// A text as C knows it: a NUL, and a byte that is not UTF-8, becomes U+FFFD. Adds to `replaced`
/// how many.
std::string c_text(std::string_view text, std::size_t& replaced);

/// Attaches a text to an object.
void set_attribute(hid_t object, const char* name, std::string_view text);

}  // namespace kitbag::hdf5
