#include <mutex>
#include <utility>

#include "kitbag/bag.h"
#include "model/has_bookmarks.h"
#include "model/listed_times.h"

// A stage changes what messages are like, not which there are and when. So what a bag tells of its
// chunks, times and places holds for the bag behind stages, too. Each source and each bookmark
// needs a stage of its own, since a stage has a state.

namespace kitbag {
namespace {

using MakeStage = std::function<std::unique_ptr<Stage>()>;

std::unique_ptr<Source> staged(std::unique_ptr<Source> source, const MakeStage& make_stage);

class StagedBookmark final : public Bookmark {
 public:
  StagedBookmark(BookmarkPtr inside, MakeStage make_stage)
      : inside_(std::move(inside)), make_stage_(std::move(make_stage)) {}

  std::unique_ptr<Source> read(const Wait& wait) const override {
    return staged(inside_->read(wait), make_stage_);
  }

 private:
  BookmarkPtr inside_;
  MakeStage make_stage_;
};

class StagedSource final : public Source, public HasBookmarks {
 public:
  StagedSource(std::unique_ptr<Source> source, const MakeStage& make_stage)
      : make_stage_(make_stage), inside_(*source) {
    staged_ = through(std::move(source), make_stage());
  }

  ChannelsPtr channels() const override { return staged_->channels(); }
  bool read(Batch& batch, const Wait& wait) override { return staged_->read(batch, wait); }
  BookmarkPtr bookmark() const override {
    BookmarkPtr inside = bookmark_of(inside_);
    return inside ? std::make_shared<const StagedBookmark>(std::move(inside), make_stage_)
                  : nullptr;
  }

 private:
  MakeStage make_stage_;
  // The bookmark is that of the source within: places in a bag know nothing of stages.
  const Source& inside_;  ///< inside of `staged_`
  std::unique_ptr<Source> staged_;
};

std::unique_ptr<Source> staged(std::unique_ptr<Source> source, const MakeStage& make_stage) {
  return std::make_unique<StagedSource>(std::move(source), make_stage);
}

/// Gives one batch.
class OneBatch final : public Source {
 public:
  OneBatch(Batch batch, ChannelsPtr channels)
      : batch_(std::move(batch)), channels_(std::move(channels)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    if (is_given_) return false;
    is_given_ = true;
    batch = std::move(batch_);
    return true;
  }

 private:
  Batch batch_;
  ChannelsPtr channels_;
  bool is_given_ = false;
};

class StagedBag final : public Bag, public WrapsBag {
 public:
  StagedBag(BagPtr bag, MakeStage make_stage)
      : bag_(std::move(bag)), make_stage_(std::move(make_stage)) {
    auto stage = make_stage_();
    auto channels = std::make_shared<Channels>();
    for (const ChannelPtr& channel : *bag_->channels()) {
      channels->push_back(channel ? stage->map(channel) : nullptr);
    }
    channels_ = std::move(channels);
    outline_ = with_channels(bag_->outline());
  }

  const Bag& inside() const override { return *bag_; }
  const Summary& summary() const override {
    std::call_once(is_summarized_, [this] { summary_ = with_channels(bag_->summary()); });
    return summary_;
  }
  const Summary& outline() const override { return outline_; }
  std::unique_ptr<Source> read_messages(const Query& query, const Wait& wait) const override {
    return staged(bag_->read(query, wait), make_stage_);
  }
  Batch find_last(const LastQuery& query, const Wait& wait) const override {
    auto found = std::make_unique<OneBatch>(bag_->find_last(query, wait), bag_->channels());
    Batch last;
    through(std::move(found), make_stage_())->read(last, wait);
    return last;
  }
  std::vector<Extra> extras() const override { return bag_->extras(); }
  std::vector<ChunkSummary> chunks() const override { return bag_->chunks(); }
  std::vector<ChunkSummary> some_chunks(std::size_t most) const override {
    return bag_->some_chunks(most);
  }
  Promise promise() const override { return bag_->promise(); }
  Growth growth() const override { return bag_->growth(); }

 private:
  Summary with_channels(Summary summary) const {
    summary.channels = channels_;
    return summary;
  }

  BagPtr bag_;
  MakeStage make_stage_;
  ChannelsPtr channels_;
  Summary outline_;
  mutable std::once_flag is_summarized_;
  mutable Summary summary_;
};

}  // namespace

BagPtr through(BagPtr bag, std::function<std::unique_ptr<Stage>()> make_stage) {
  return std::make_shared<const StagedBag>(std::move(bag), std::move(make_stage));
}

}  // namespace kitbag
