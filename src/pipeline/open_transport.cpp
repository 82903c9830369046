#include "pipeline/open_transport.h"

#include "kitbag/transcode.h"

namespace kitbag {

namespace {

/// A source, and the registry that its stages look things up in.
class WithRegistry final : public Source {
 public:
  WithRegistry(std::unique_ptr<Source> source, std::shared_ptr<const Registry> registry)
      : registry_(std::move(registry)), source_(std::move(source)) {}

  ChannelsPtr channels() const override { return source_->channels(); }
  bool read(Batch& batch, const Wait& wait) override { return source_->read(batch, wait); }

 private:
  std::shared_ptr<const Registry> registry_;
  std::unique_ptr<Source> source_;
};

/// A bag whose messages are in another encoding than its own.
class TranscodedBag final : public Bag {
 public:
  TranscodedBag(BagPtr bag, std::string encoding, const Registry& registry)
      : bag_(std::move(bag)),
        encoding_(std::move(encoding)),
        registry_(std::make_shared<const Registry>(registry)) {
    summary_ = bag_->summary();
    summary_.channels = read({})->channels();
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read(const Query& query) const override {
    TranscodeOptions options;
    options.encoding = encoding_;
    auto source = through(bag_->read(query), transcode(std::move(options), *registry_));
    return std::make_unique<WithRegistry>(std::move(source), registry_);
  }

 private:
  BagPtr bag_;
  std::string encoding_;
  std::shared_ptr<const Registry> registry_;  ///< its own: sources outlive the one that was given
  Summary summary_;
};

}  // namespace

BagPtr open_transport(const Transport& transport, const Location& location,
                      const Registry& registry) {
  Location own = location;
  auto encoding = own.parameters.extract("encoding");
  BagPtr bag = transport.open(own);
  if (encoding.empty()) return bag;
  return std::make_shared<const TranscodedBag>(std::move(bag), encoding.mapped(), registry);
}

}  // namespace kitbag
