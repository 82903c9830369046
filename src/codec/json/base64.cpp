#include "codec/json/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace kitbag::json {

void put_base64(ByteView bytes, Arena& arena) {
  constexpr std::size_t kPiece = 3 << 18;  // EVP counts in int
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    ByteView piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
    std::size_t size = (piece.size() + 2) / 3 * 4;
    // One more byte for the NUL that EVP_EncodeBlock() appends.
    auto* to = reinterpret_cast<unsigned char*>(arena.extend(size + 1));
    EVP_EncodeBlock(to, reinterpret_cast<const unsigned char*>(piece.data()),
                    static_cast<int>(piece.size()));
    arena.shrink(1);
  }
}

}  // namespace kitbag::json
