#include "kitbag/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <climits>

namespace kitbag {

std::string encode_base64(ByteView bytes) {
  constexpr std::size_t kPiece = 3 << 18;  // EVP counts in int
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4 + 1);
  while (!bytes.empty()) {
    ByteView piece = bytes.first(std::min(kPiece, bytes.size()));
    bytes = bytes.subspan(piece.size());
    std::size_t at = text.size();
    text.resize(at + (piece.size() + 2) / 3 * 4 + 1);  // and the NUL that EVP_EncodeBlock() appends
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data() + at),
                    reinterpret_cast<const unsigned char*>(piece.data()),
                    static_cast<int>(piece.size()));
    text.pop_back();
  }
  return text;
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > INT_MAX) return std::nullopt;
  std::size_t end = std::min(text.find('='), text.size());
  std::size_t padding = text.size() - end;
  bool is_padding = padding <= 2 && text.find_first_not_of('=', end) == std::string_view::npos;
  if (!is_padding) return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  int count = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                              reinterpret_cast<const unsigned char*>(text.data()),
                              static_cast<int>(text.size()));
  // EVP_DecodeBlock() passes over blanks around the text, and counts what padding stands for as
  // bytes.
  if (count < 0 || static_cast<std::size_t>(count) != bytes.size()) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace kitbag
