#include "kitbag/base64.h"

#include <openssl/evp.h>

#include <climits>

namespace kitbag {

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > INT_MAX) return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                              reinterpret_cast<const unsigned char*>(text.data()),
                              static_cast<int>(text.size()));
  if (count < 0) return std::nullopt;
  std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(count) - padding);
  return bytes;
}

}  // namespace kitbag
