#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/text.h"

// Recordings that overlap hold the same messages with the same log times, so that equal ones follow
// each other closely in time order: only messages with the current log time are remembered, by
// their SHA-256. Equal messages with different log times are no duplicates: a robot that stands
// still, or an empty message that is a signal, says the same again and means it.

namespace kitbag {
namespace {

constexpr std::size_t kMostAtOneTime = 1'000'000;

using Hash = std::array<unsigned char, 32>;

Hash hash_of(ByteView bytes) {
  Hash hash{};
  if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::unsupported, "the OpenSSL library does not support SHA-256");
  }
  return hash;
}

class Dedupe final : public Stage {
 public:
  explicit Dedupe(std::uint64_t* dropped) : dropped_(dropped) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (numbers_.size() <= channel->slot) numbers_.resize(channel->slot + 1);
    auto number = static_cast<std::uint32_t>(by_name_.size());
    auto [known, is_new] =
        by_name_.try_emplace({channel->topic, channel->type(), channel->encoding}, number);
    numbers_[channel->slot] = known->second;
    return channel;
  }

  void apply(Batch& batch) override {
    batch.drop_if([this](const Message& message) {
      if (message.log_time != time_) seen_.clear();
      time_ = message.log_time;
      auto [place, is_new] = seen_.emplace(numbers_[message.channel->slot], message.publish_time,
                                           message.data.size(), hash_of(message.data));
      if (seen_.size() > kMostAtOneTime) {
        throw Error(ErrorCode::limit,
                    fmt::format("more than a million messages have the log time {}; these are too "
                                "many to look for duplicates among them",
                                format_time(time_)));
      }
      if (!is_new && dropped_) ++*dropped_;
      return !is_new;
    });
  }

 private:
  std::uint64_t* dropped_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> by_name_;
  std::vector<std::uint32_t> numbers_;  ///< of topic, type and encoding, by slot
  Time time_ = Time::min();
  std::set<std::tuple<std::uint32_t, Time, std::size_t, Hash>> seen_;  ///< at `time_`
};

}  // namespace

std::unique_ptr<Stage> dedupe(std::uint64_t* dropped) {
  return std::make_unique<Dedupe>(dropped);
}

}  // namespace kitbag
