#include "base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

namespace kitbag {

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> state{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  EVP_MD_CTX* state = context_->state.get();
  if (!state || EVP_DigestInit_ex(state, EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

Sha256::~Sha256() = default;

void Sha256::add(ByteView bytes) {
  EVP_DigestUpdate(context_->state.get(), bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  EVP_DigestFinal_ex(context_->state.get(), digest.data(), nullptr);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(std::span<const ByteView> pieces) {
  Sha256 sum;
  for (ByteView piece : pieces) sum.add(piece);
  return sum.finish();
}

}  // namespace kitbag
