#include "storage/directory/last_messages.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "model/kept_message.h"

// The files are asked from the one that ends last. metadata.yaml gives the end of each file, so a
// channel for which something later than that was found is settled, and files in which every
// channel is settled are not opened. By publish time nothing is settled before all files were
// asked.
//
// Channels that have no message before a time cost most, since every file is asked for them, and a
// player that seeks asks again and again. So this is remembered, by channel and up to the latest
// time asked.

namespace kitbag::directory {

/// One search: what was found so far, by slot of the directory.
class LastMessages::Search {
 public:
  Search(const Store& store, const LastQuery& query)
      : store_(store), query_(query), found_(store.summary().channels->size()) {
    query_.slots.resize(found_.size(), 0);
    // Channels of one topic share its count where metadata.yaml does not tell them apart, as a
    // latched channel and that of its repeats; so one that has none may have all of it.
    const Summary& summary = store.summary();
    std::set<std::string_view> with_messages;
    for (std::uint32_t slot = 0; slot < found_.size(); ++slot) {
      if (summary.message_counts[slot] > 0) with_messages.insert((*summary.channels)[slot]->topic);
    }
    for (std::uint32_t slot = 0; slot < found_.size(); ++slot) {
      if (!with_messages.contains((*summary.channels)[slot]->topic)) query_.slots[slot] = 0;
    }
  }

  void pass_over(std::uint32_t slot) { query_.slots[slot] = 0; }

  void run(const Wait& wait) {
    std::vector<std::size_t> order;
    const auto& members = store_.members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      bool is_later = query_.by == TimeField::log_time && members[i].declared->start >= query_.time;
      if (members[i].declared->messages > 0 && !is_later) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(members[a].declared->end, a) > std::pair(members[b].declared->end, b);
    });
    for (std::size_t member : order) {
      Time bound = std::min(members[member].declared->end, query_.time);
      if (is_settled(bound)) return;
      throw_if_stopped(wait);
      ask(member, bound, wait);
    }
  }

  Batch take() {
    std::vector<KeptMessage> all;
    for (auto& found : found_) {
      if (found) all.push_back(std::move(found->kept));
    }
    return batch_of(std::move(all), store_.summary().channels, query_.by);
  }
  bool is_missing(std::uint32_t slot) const { return query_.slots[slot] != 0 && !found_[slot]; }

 private:
  struct Found {
    KeptMessage kept;
    std::size_t member;
  };

  /// No file that ends by `bound` has a later message of the channel.
  bool is_settled(std::uint32_t slot, Time bound) const {
    return query_.slots[slot] == 0 || (found_[slot] && found_[slot]->kept.time(query_.by) > bound);
  }
  bool is_settled(Time bound) const {
    // metadata.yaml knows log times only.
    if (query_.by == TimeField::publish_time) return false;
    for (std::uint32_t slot = 0; slot < found_.size(); ++slot) {
      if (!is_settled(slot, bound)) return false;
    }
    return true;
  }

  void ask(std::size_t member, Time bound, const Wait& wait) {
    BagPtr bag = store_.open(member);
    if (!bag) return;
    bool is_by_log_time = query_.by == TimeField::log_time;
    LastQuery own = query_;
    own.slots.clear();
    std::vector<std::uint32_t> slots;  // of the directory, by slot of the file
    for (const ChannelPtr& channel : *bag->channels()) {
      auto slot =
          channel && store_.is_given(member, *channel) ? store_.find_slot(channel) : std::nullopt;
      bool is_open = slot && query_.slots[*slot] != 0;
      if (is_open && is_by_log_time) is_open = !is_settled(*slot, bound);
      own.slots.push_back(is_open ? 1 : 0);
      slots.push_back(slot.value_or(0));
    }
    if (std::find(own.slots.begin(), own.slots.end(), 1) == own.slots.end()) return;
    Batch last = bag->find_last(own, wait);
    for (const Message& message : std::as_const(last).messages()) {
      std::uint32_t slot = slots[message.channel->slot];
      KeptMessage kept = keep(message);
      kept.slot = slot;
      std::optional<Found>& known = found_[slot];
      // Of equal times the message of the later file is the later one.
      auto key = [&](const Found& found) {
        return std::pair(found.kept.time(query_.by), found.member);
      };
      Found found{std::move(kept), member};
      if (!known || key(*known) <= key(found)) known = std::move(found);
    }
  }

  const Store& store_;
  LastQuery query_;
  std::vector<std::optional<Found>> found_;
};

Batch LastMessages::find(const LastQuery& query, const Wait& wait) {
  Search search(*store_, query);
  bool may_remember = query.by == TimeField::log_time;
  if (may_remember) {
    std::lock_guard lock(mutex_);
    for (const auto& [slot, until] : silent_until_) {
      if (query.time <= until) search.pass_over(slot);
    }
  }
  search.run(wait);
  if (may_remember) {
    std::lock_guard lock(mutex_);
    for (std::uint32_t slot = 0; slot < store_->summary().channels->size(); ++slot) {
      if (!search.is_missing(slot)) continue;
      Time& until = silent_until_.try_emplace(slot, query.time).first->second;
      until = std::max(until, query.time);
    }
  }
  return search.take();
}

}  // namespace kitbag::directory
