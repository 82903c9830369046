#include "export/hdf5/h5.h"

#include <charconv>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/system_error.h"

// libhdf5 may be built without locks, so all calls of this plugin are made under one. Whether it
// prints its errors is a setting of the library, which the program may use, too: it is switched off
// with the lock and put back with it.

namespace kitbag::hdf5 {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// What of the library's stack of errors a person can use: what the system has said, otherwise the
/// innermost sentence.
struct Reason {
  std::string first;
  std::string of_the_system;
  int number = 0;  ///< errno
};

herr_t look_at(unsigned /*depth*/, const H5E_error2_t* error, void* given) {
  auto* reason = static_cast<Reason*>(given);
  std::string text = error->desc ? error->desc : "";
  if (reason->first.empty()) reason->first = text;
  // The last ones, since a name of a file stands before them.
  constexpr std::string_view kNumber = ", errno = ";
  constexpr std::string_view kText = ", error message = '";
  std::size_t number = text.rfind(kNumber);
  std::size_t begin = text.rfind(kText);
  bool has_both = number != std::string::npos && begin != std::string::npos && number < begin;
  if (!has_both || !reason->of_the_system.empty()) return 0;
  number += kNumber.size();
  std::from_chars(text.data() + number, text.data() + begin, reason->number);
  begin += kText.size();
  reason->of_the_system = text.substr(begin, text.find('\'', begin) - begin);
  return 0;
}

[[noreturn]] void throw_reason() {
  Reason reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &reason);
  if (!reason.of_the_system.empty()) {
    throw SystemError(Error(ErrorCode::io, reason.of_the_system), reason.number);
  }
  throw Error(ErrorCode::io, "libhdf5: " + (reason.first.empty() ? "failed" : reason.first));
}

}  // namespace

Id::Id(hid_t id, herr_t (*close_by)(hid_t)) : id_(id), close_(close_by) {
  if (id < 0) throw_reason();
}

Id& Id::operator=(Id&& other) noexcept {
  if (this == &other) return *this;
  drop();
  id_ = std::exchange(other.id_, -1);
  close_ = other.close_;
  return *this;
}

void Id::close() {
  if (id_ >= 0) check(close_(std::exchange(id_, -1)));
}

void Id::drop() noexcept {
  if (id_ >= 0) close_(std::exchange(id_, -1));
}

void check(herr_t result) {
  if (result < 0) throw_reason();
}

Lock::Lock() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Lock::~Lock() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

Id text_type() {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE));
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  return type;
}

Id bool_type() {
  Id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  signed char value = 0;
  check(H5Tenum_insert(type.get(), "FALSE", &value));
  value = 1;
  check(H5Tenum_insert(type.get(), "TRUE", &value));
  return type;
}

Id utf8_links() {
  Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8));
  return links;
}

std::string c_text(std::string_view text, std::size_t& replaced) {
  std::string valid = valid_utf8(text, &replaced);
  for (std::size_t at = valid.find('\0'); at != std::string::npos; at = valid.find('\0', at)) {
    valid.replace(at, 1, "\xEF\xBF\xBD");
    ++replaced;
  }
  return valid;
}

void set_attribute(hid_t object, const char* name, std::string_view text) {
  std::size_t replaced = 0;
  std::string value = c_text(text, replaced);
  const char* begin = value.c_str();
  Id type = text_type();
  Id space(H5Screate(H5S_SCALAR), H5Sclose);
  Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
               H5Aclose);
  check(H5Awrite(attribute.get(), type.get(), static_cast<const void*>(&begin)));
}

}  // namespace kitbag::hdf5
