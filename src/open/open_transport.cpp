#include "open/open_transport.h"

#include "kitbag/session.h"
#include "kitbag/transcode.h"

namespace kitbag {

namespace {

/// A bag whose messages are in another encoding than its own.
class TranscodedBag final : public Bag {
 public:
  TranscodedBag(BagPtr bag, std::string encoding, const Session& session)
      : bag_(std::move(bag)), encoding_(std::move(encoding)), session_(session) {
    summary_ = bag_->summary();
    summary_.channels = read({})->channels();
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    TranscodeOptions options;
    options.encoding = encoding_;
    return through(bag_->read(query, wait), transcode(std::move(options), session_));
  }

 private:
  BagPtr bag_;
  std::string encoding_;
  Session session_;
  Summary summary_;
};

}  // namespace

BagPtr open_transport(const Transport& transport, const Location& location,
                      const Session& session) {
  Location own = location;
  auto encoding = own.parameters.extract("encoding");
  BagPtr bag = transport.open(own, session);
  if (encoding.empty()) return bag;
  return std::make_shared<const TranscodedBag>(std::move(bag), encoding.mapped(), session);
}

}  // namespace kitbag
