#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <new>

#include "base/little_endian.h"
#include "kitbag/compare.h"
#include "kitbag/error.h"

// The digest of a topic is over its messages in the order in which they come, each as its log time
// and its payload. So it says the same for two formats of one recording, and does not depend on how
// topics are interleaved, on chunks or on compression.
//
// Lengths are not hashed, so a forger could move bytes from a payload into the time behind it. A
// digest compares recordings, and proves nothing against somebody who makes one for that purpose.

namespace kitbag {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_) throw std::bad_alloc();
    check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
  }

  void add(ByteView bytes) { check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }

  /// Lower-case hex; nothing may be added after it.
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), hash.data(), &size));
    std::string hex;
    for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", hash[i]);
    return hex;
  }

 private:
  static void check(int result) {
    if (result != 1) {
      throw Error(ErrorCode::unsupported, "the OpenSSL library does not support SHA-256");
    }
  }

  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

struct Running {
  std::uint64_t messages = 0;
  Sha256 sha256;

  void add(const Message& message) {
    std::array<std::byte, 8> time;
    store_le(time.data(), to_ns(message.log_time));
    sha256.add(time);
    sha256.add(message.data);
    ++messages;
  }
};

/// The running digests by topic and type; a message finds its own by slot.
class Digests {
 public:
  void add(const Message& message) { of(*message.channel).add(message); }

  std::vector<TopicDigest> finish() {
    std::vector<TopicDigest> digests;
    digests.reserve(by_name_.size());
    for (auto& [name, running] : by_name_) {
      digests.push_back({name.first, name.second, running.messages, running.sha256.finish()});
    }
    return digests;
  }

 private:
  Running& of(const Channel& channel) {
    if (channel.slot >= by_slot_.size()) by_slot_.resize(channel.slot + 1);
    Running*& running = by_slot_[channel.slot];
    if (!running) running = &by_name_[{channel.topic, channel.type()}];
    return *running;
  }

  std::map<std::pair<std::string, std::string>, Running> by_name_;
  std::vector<Running*> by_slot_;
};

}  // namespace

std::vector<TopicDigest> digest(Source& source, std::stop_token stop) {
  Digests digests;
  Batch batch;
  while (!stop.stop_requested() && source.read(batch, Wait{stop, kNever})) {
    for (const Message& message : batch.messages()) digests.add(message);
    batch.clear();
  }
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the digest was stopped");
  return digests.finish();
}

}  // namespace kitbag
