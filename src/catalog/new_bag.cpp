#include "catalog/new_bag.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/sha256.h"
#include "catalog/drops.h"
#include "catalog/fingerprint.h"
#include "catalog/pyramid_reader.h"
#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"
#include "model/listed_times.h"
#include "payload/field_steps.h"

// A bag is opened once, and read once unless only its index is wanted: numbers and pictures are
// taken in the same pass. Damage that comes up on the way is gathered from on_problem; remarks are
// none.
//
// Channels that are one for the catalog are added up. If messages of one of them cannot be decoded,
// nothing is known of the numbers of all, so there is no pyramid.

namespace kitbag::catalog {
namespace {

std::string hash_of(const Schema* schema) {
  if (!schema || schema->language.empty()) return {};
  ByteView pieces[] = {as_bytes(schema->language), as_bytes("\n"), as_bytes(schema->text)};
  return sha256(pieces);
}

/// A line for each field that messages of the channel can have.
std::optional<std::string> fields_of(const Channel& channel, const Session& session) {
  if (!is_decodable(channel, session)) return std::nullopt;
  try {
    TypePtr type = type_of(channel, session);
    if (!type) return std::nullopt;
    return fmt::format("{}", fmt::join(all_paths(*type), "\n"));
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return std::nullopt;
  }
}

/// Channels of one topic, type and definition are one: the publishers of a topic are not told
/// apart.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

Key key_of(const Channel& channel) {
  return {channel.topic, channel.type(), channel.encoding, hash_of(channel.schema.get())};
}

void add(const Pyramid& from, Pyramid& to) {
  to.messages.resize(from.messages.size());
  for (std::size_t i = 0; i < from.messages.size(); ++i) to.messages[i] += from.messages[i];
  for (const auto& [path, parts] : from.fields) {
    auto& sums = to.fields[path];
    sums.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      NumberPart& sum = sums[i];
      const NumberPart& part = parts[i];
      if (part.count == 0) continue;
      bool is_first = sum.count == 0;
      sum.least = is_first ? part.least : std::min(sum.least, part.least);
      sum.most = is_first ? part.most : std::max(sum.most, part.most);
      sum.count += part.count;
      sum.mean += (part.mean - sum.mean) * double(part.count) / double(sum.count);
    }
  }
}

/// Counts the messages over time. Not by message_timeline(), which takes all channels of a topic
/// and type together.
void add_densities(const Bag& bag, std::size_t buckets, const Wait& wait,
                   std::map<Key, NewChannel>& channels) {
  const Summary& summary = bag.summary();
  if (summary.messages == 0) return;
  std::vector<std::uint8_t> slots;
  std::vector<std::vector<std::uint64_t>*> densities;
  for (const ChannelPtr& channel : *summary.channels) {
    slots.push_back(channel ? 1 : 0);
    densities.push_back(channel ? &channels.at(key_of(*channel)).topic.density : nullptr);
    if (channel) densities.back()->resize(buckets);
  }
  // So that the end of the bag is within the last one.
  Duration whole = saturating_difference(summary.start, summary.end);
  Duration bucket(whole.count() / static_cast<std::int64_t>(buckets) + 1);
  auto count = [&](Time time, std::uint32_t slot) {
    if (slot >= densities.size() || !densities[slot]) return;
    Duration since = saturating_difference(summary.start, time);
    auto index = static_cast<std::size_t>(std::max<std::int64_t>(0, since / bucket));
    ++(*densities[slot])[std::min(index, buckets - 1)];
  };
  if (const auto* listing = find_listed_times(bag)) {
    auto take = [&](std::span<const ListedTime> times) {
      for (const ListedTime& each : times) count(each.time, each.slot);
    };
    return listing->list_times(slots, {}, take, wait);
  }
  auto source = bag.read({}, wait);
  for (Batch batch; source->read(batch, wait); batch.clear()) {
    throw_if_stopped(wait);
    for (const Message& message : std::as_const(batch).messages()) {
      count(message.log_time, message.channel->slot);
    }
  }
}

std::vector<NewChannel> channels_of(const Bag& bag, const Parts& parts,
                                    const CatalogAddOptions& options, const Session& session) {
  const Summary& summary = bag.summary();
  std::vector<ChannelNumbers> numbers;
  std::vector<std::vector<NewPicture>> pictures(summary.channels->size());
  if (options.reads_messages) {
    PictureTaker taker(bag, session, options.stop);
    numbers = read_numbers(
        bag, parts, session, [&](const Message& message) { taker.take(message); }, options.stop);
    for (NewPicture& each : taker.finish()) pictures.at(each.slot).push_back(std::move(each));
  }
  std::map<Key, NewChannel> made;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    Key key = key_of(*channel);
    auto [place, is_new] = made.try_emplace(key);
    NewChannel& of_key = place->second;
    if (is_new) {
      of_key.topic = {channel->topic, channel->type(), channel->encoding, std::get<3>(key)};
      of_key.fields = fields_of(*channel, session);
      of_key.schema = channel->schema;
      if (options.reads_messages) {
        of_key.pyramid.emplace().messages.assign(parts.count, 0);
      }
    }
    if (slot < summary.message_counts.size()) {
      of_key.topic.messages += summary.message_counts[slot];
    }
    std::move(pictures[slot].begin(), pictures[slot].end(), std::back_inserter(of_key.pictures));
    if (options.reads_messages) of_key.topic.undecoded += numbers[slot].undecoded;
    if (!of_key.pyramid) continue;
    // Without messages there is nothing to decode, and all is known.
    std::uint64_t messages =
        slot < summary.message_counts.size() ? summary.message_counts[slot] : 1;
    if (!numbers[slot].is_decoded && messages > 0) {
      of_key.pyramid.reset();
    } else if (numbers[slot].is_decoded) {
      add(numbers[slot].pyramid, *of_key.pyramid);
    }
  }
  add_densities(bag, parts.count, {options.stop, kNever}, made);
  std::vector<NewChannel> channels;
  channels.reserve(made.size());
  for (auto& [key, channel] : made) channels.push_back(std::move(channel));
  return channels;
}

}  // namespace

NewBag look_at_bag(const std::string& path, const CatalogAddOptions& options,
                   const DefinitionPaths& definitions, const Session& session) {
  NewBag made;
  ReadOptions read = options.read;
  OnProblem given = options.read.on_problem;
  auto damage = std::make_shared<Damage>();
  read.on_problem = [damage, given](const Error& problem) {
    if (problem.code() != ErrorCode::remark) damage->add(problem);
    if (given) given(problem);
  };
  BagPtr bag = session.open(path, read);
  const Summary& summary = bag->summary();
  made.bag.fingerprint = fingerprint(path, *bag, session);
  made.bag.format = summary.format;
  made.bag.size_bytes = summary.size_bytes;
  made.bag.start = summary.start;
  made.bag.end = summary.end;
  made.bag.messages = summary.messages;
  made.bag.added = session.clock()->wall();
  made.parts = parts_of(summary.start, summary.end);
  bag = defined(std::move(bag), definitions, session);
  made.channels = channels_of(*bag, made.parts, options, session);
  made.bag.drops = drops_of(*bag);
  made.detail = options.reads_messages ? Detail::messages : Detail::index;
  made.bag.problems = damage->count();
  if (damage->count() > 0) made.bag.damage = damage->worst().message();
  return made;
}

}  // namespace kitbag::catalog
