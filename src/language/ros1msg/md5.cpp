#include "language/ros1msg/md5.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <map>

#include "kitbag/error.h"

// The text that ROS 1 hashes (genmsg/gentools.py, compute_md5_text), for example of a message with
// a constant and two fields:
//
//     byte OK=0
//     2176decaed89ff3cc0b5ad4d0c5d1b14 header
//     float64[9] gains
//
// Constants stand in front, wherever they are in the file. In place of a nested type stands its own
// sum, without the brackets of a list: a point and a list of points have the same sum. The sum of a
// channel is compared by every subscriber and every reader of the bag, so these oddities have to be
// kept, and byte and int8 are two words although they are one type.

namespace kitbag::ros1msg {
namespace {

std::string md5_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_md5(), nullptr) != 1) {
    throw Error(ErrorCode::unsupported, "the OpenSSL library does not support MD5");
  }
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", hash[i]);
  return hex;
}

/// Sums of a set of definitions, each computed once: types that are used again and again would
/// otherwise cost as much as their paths, which may be very many.
class Md5Sums {
 public:
  explicit Md5Sums(const Definitions& definitions) : names_(by_name(definitions)) {}

  const std::string& of(const Definition& definition) {
    auto [place, is_new] = sums_.try_emplace(&definition);
    if (!is_new && !place->second.empty()) return place->second;
    if (!is_new) fail(ErrorCode::corrupt, definition, "contains itself");
    if (++nesting_ > kMaxNesting) {
      fail(ErrorCode::corrupt, definition,
           fmt::format("is nested more than {} levels deep", kMaxNesting));
    }
    std::string sum = md5_of(text_of(definition));
    --nesting_;
    return sums_[&definition] = std::move(sum);
  }

 private:
  [[noreturn]] static void fail(ErrorCode code, const Definition& definition,
                                const std::string& what) {
    throw Error(code, fmt::format("definition of {}: it {}", definition.name, what));
  }

  /// Comments and spaces gone, constants in front, nested types replaced by their sums.
  std::string text_of(const Definition& definition) {
    std::string text;
    for (const Constant& constant : definition.constants) text += constant.declaration + '\n';
    for (const Field& field : definition.fields) text += type_of(field, definition) + '\n';
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::string type_of(const Field& field, const Definition& user) {
    if (is_builtin(field.type)) return field.type + field.brackets + ' ' + field.name;
    const Definition* nested = find(names_, field, user);
    if (!nested) {
      fail(ErrorCode::not_found, user, fmt::format("uses {}, which is missing", field.type));
    }
    return of(*nested) + ' ' + field.name;
  }

  Names names_;
  std::map<const Definition*, std::string> sums_;  ///< empty: being computed
  std::size_t nesting_ = 0;
};

}  // namespace

std::string md5sum(const Definitions& definitions) {
  return Md5Sums(definitions).of(definitions.front());
}

std::string md5sum_v1(const Definitions& definitions) {
  std::string all;
  for (const Definition& each : definitions) all += each.text;
  return md5_of(all);
}

}  // namespace kitbag::ros1msg
