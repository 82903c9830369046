#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "server/http/message.h"

namespace kitbag::server {

/// Bounds how many answers of a kind are under way. Any thread.
class Places {
 public:
  /// `refusal` is the answer to a client when all places are taken.
  Places(std::size_t most, std::string refusal) : most_(most), refusal_(std::move(refusal)) {}

  /// A place, until it is destroyed. Throws Refusal (503). The object outlives it.
  std::shared_ptr<void> take() {
    if (++taken_ > most_) {
      --taken_;
      throw Refusal(503, refusal_);
    }
    return {this, [](Places* places) { --places->taken_; }};
  }

 private:
  std::size_t most_;
  std::string refusal_;
  std::atomic<std::size_t> taken_ = 0;
};

/// An answer that keeps its place until it was sent.
class PlacedStream final : public BodyStream {
 public:
  PlacedStream(std::shared_ptr<void> place, std::unique_ptr<BodyStream> stream)
      : place_(std::move(place)), stream_(std::move(stream)) {}

  bool next(std::string& text, std::stop_token stop) override {
    return stream_->next(text, std::move(stop));
  }
  void rest() override { stream_->rest(); }
  TextPairs trailers() const override { return stream_->trailers(); }

 private:
  std::shared_ptr<void> place_;
  std::unique_ptr<BodyStream> stream_;
};

}  // namespace kitbag::server
