#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "transport/ros2/descriptions.h"
#include "transport/ros2/heard.h"
#include "transport/ros2/reception.h"
#include "transport/ros2/transport.h"
#include "transport/ros2/type_hashes.h"
#include "transport/ros2/type_object.h"

// One thread does everything: hears of publishers, asks for definitions, takes samples. A sample is
// stamped and copied where DDS receives it (raw_type.cpp), so that it may wait in its reader
// meanwhile; the large ones go into the feed as they are, without another copy.
//
// Publishers of one topic may offer different qualities. Each is heard by a reader that asks for
// just what it offers, so a topic may have several readers; a sample counts where its publisher
// belongs. But a node whose publisher offers less than a reader asks for warns of that reader. So
// reliable publishers are heard as best-effort ones where there are such on the topic, until one of
// their messages is missing.

namespace kitbag::ros2 {

namespace {

/// Samples are taken so often at most: those that come meanwhile are taken together, which costs
/// less than waking for each.
constexpr dds_duration_t kGather = DDS_MSECS(1);
/// How often the rest is looked at: what was lost, what does not match, answers that never come.
constexpr Duration kHousekeeping = std::chrono::milliseconds(100);
/// A channel is declared when its definition is there, or after this. Its samples wait.
constexpr Duration kDefinitionPatience = std::chrono::seconds(2);
/// And no sooner than this, so that all publishers of a running system are known.
constexpr Duration kSettle = std::chrono::milliseconds(200);
/// As long the threads of DDS may take to begin, on a machine that has much else to do.
constexpr Duration kStarting = std::chrono::seconds(5);
constexpr std::size_t kEventsAtOnce = 64;
/// So many channels at most are declared for a topic because other offers come later.
constexpr std::size_t kMostProfiles = 64;
/// Of the GUIDs of Cyclone DDS (RTPS vendor 0x0110).
constexpr std::array<std::byte, 2> kCyclone = {std::byte{0x01}, std::byte{0x10}};

class Ros2Subscriber final : public Subscriber {
 public:
  Ros2Subscriber(const Settings& settings, const Subscription& wanted, Feed& feed,
                 const Session& session);
  ~Ros2Subscriber() override {
    stop();
    thread_.join();
  }

  void stop() override {
    is_stopped_ = true;
    dds_set_guardcondition(wake_.get(), true);
  }

 private:
  void run();
  void wait();
  void keep_house();

  void discover();
  void hear_of(dds_builtintopic_endpoint_t& publisher, dds_instance_handle_t handle);
  bool is_wanted(const TopicName& name) const;
  Topic& topic_of(const TopicName& name, bool is_keyed, const std::string& type_hash);
  void add_profile(Topic& topic, const rosbag2::QosProfile& profile);
  void learn_type_hash(Topic& topic, const std::string& type_hash);
  static Offer heard_as(const Topic& topic, Offer offer);
  Reader& reader_for(Topic& topic, const Offer& offer);
  Reader& add_reader(Topic& topic, const Offer& offer, const Qos& qos);
  void look_for_definition(Topic& topic, dds_builtintopic_endpoint_t& publisher);
  void expect(const ExpectedTopic& expected);

  void declare_those_ready(bool at_once);
  bool awaits_definition(Topic& topic);
  void declare(Topic& topic);
  Entity watch(const Entity& reader);

  void take_all();
  void take(Reader& reader);
  void push_taken();

  void count_missing(Topic& topic, Talker& talker, std::uint64_t missing);
  void hear_reliably();
  void tell_mismatches(const Reader& reader);
  void warn(const std::string& what, const std::string& topic) const {
    if (wanted_.on_warning) {
      wanted_.on_warning(Error(ErrorCode::unsupported, what, topic));
    }
  }

  Settings settings_;
  Subscription wanted_;
  Session session_;
  Clock& clock_ = *session_.clock();
  Feed& feed_;
  TypeHashes type_hashes_{session_};
  Selector selector_;
  Participant participant_;
  Descriptions descriptions_;
  Entity publications_;  ///< the built-in reader
  Entity waiting_;       ///< the wait set
  Entity wake_;
  Entity has_publications_;
  Entity has_graph_;
  std::deque<Topic> topics_;  ///< places stay
  std::set<dds_instance_handle_t> heard_of_;
  std::vector<Taken> taken_;
  std::vector<std::pair<Topic*, Talker*>> unreliable_;  ///< that should be heard reliably
  SteadyTime housekeeping_;
  SteadyTime settled_;  ///< before, publishers that are there already are awaited: see heard_as()
  std::atomic<bool> is_stopped_ = false;
  std::thread thread_;
};

Ros2Subscriber::Ros2Subscriber(const Settings& settings, const Subscription& wanted, Feed& feed,
                               const Session& session)
    : settings_(settings),
      wanted_(wanted),
      session_(session),
      feed_(feed),
      selector_(wanted.select),
      participant_(settings, clock_),
      descriptions_(participant_, session_),
      settled_(clock_.steady() + kSettle) {
  for (const std::string& warning :
       {settings.middleware_warning, participant_.prepare_reception()}) {
    if (!warning.empty()) warn(warning, settings.uri);
  }
  dds_entity_t participant = participant_.get();
  publications_ =
      Entity(dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
             "reader of publications");
  waiting_ = Entity(dds_create_waitset(participant), "wait set");
  wake_ = Entity(dds_create_guardcondition(participant), "condition");
  has_publications_ = watch(publications_);
  has_graph_ = watch(participant_.graph_reader());
  require(dds_waitset_attach(waiting_.get(), wake_.get(), 0), "watch a condition");
  for (const ExpectedTopic& expected : wanted.expected) expect(expected);
  thread_ = std::thread([this] { run(); });
}

void Ros2Subscriber::run() {
  hurry_this_thread();  // the readers hold whatever it has not taken, however much that is
  try {
    while (!is_stopped_) {
      wait();
      discover();
      descriptions_.work();
      declare_those_ready(false);
      take_all();
      if (clock_.steady() >= housekeeping_) keep_house();
    }
    discover();
    declare_those_ready(true);
    take_all();
    keep_house();
    feed_.close();
  } catch (...) {
    feed_.fail(std::current_exception());
  }
}

void Ros2Subscriber::wait() {
  std::array<dds_attach_t, kEventsAtOnce> events{};
  auto patience =
      static_cast<dds_duration_t>(std::chrono::duration_cast<Duration>(kHousekeeping).count());
  dds_return_t count = dds_waitset_wait(waiting_.get(), events.data(), events.size(), patience);
  require(count, "wait for samples");
  if (count > 0 && !is_stopped_) dds_sleepfor(kGather);
}

void Ros2Subscriber::keep_house() {
  housekeeping_ = clock_.steady() + kHousekeeping;
  if (housekeeping_ < settled_ + kStarting) participant_.prepare_reception();
  for (Topic& topic : topics_) {
    if (!topic.has_override) continue;
    for (const Reader& reader : topic.readers) tell_mismatches(reader);
  }
}

// --- who is there ---

void Ros2Subscriber::discover() {
  participant_.read_graph();
  if (!is_stopped_ && clock_.steady() < settled_) return;
  std::array<void*, kEventsAtOnce> samples{};
  std::array<dds_sample_info_t, kEventsAtOnce> infos{};
  dds_return_t count = 0;
  bool is_new = false;
  while ((count = dds_take(publications_.get(), samples.data(), infos.data(), samples.size(),
                           samples.size())) > 0) {
    for (bool is_reliable : {false, true}) {  // for heard_as()
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        auto* publisher = static_cast<dds_builtintopic_endpoint_t*>(samples[i]);
        bool is_there = infos[i].valid_data && infos[i].instance_state == DDS_IST_ALIVE;
        if (!is_there || offer_of(publisher->qos).is_reliable != is_reliable) continue;
        if (!heard_of_.insert(infos[i].instance_handle).second) continue;
        is_new = true;
        try {
          hear_of(*publisher, infos[i].instance_handle);
        } catch (const Error& error) {  // the others can be listened to all the same
          warn(error.message() + "; the publisher is left out", publisher->topic_name);
        }
      }
    }
    dds_return_loan(publications_.get(), samples.data(), count);
  }
  if (is_new) participant_.announce();
}

void Ros2Subscriber::hear_of(dds_builtintopic_endpoint_t& publisher, dds_instance_handle_t handle) {
  if (participant_.is_here(publisher.participant_key)) return;
  auto name = topic_name(publisher.topic_name, publisher.type_name);
  if (!name || !is_wanted(*name)) return;
  constexpr unsigned kWriterWithKey = 0x02;  // RTPS 2.5, 9.3.1.2
  constexpr unsigned kKindBits = 0x3f;
  bool is_keyed = (publisher.key.v[15] & kKindBits) == kWriterWithKey;
  std::string type_hash = type_hash_in(user_data_of(publisher.qos));
  Topic& topic = topic_of(*name, is_keyed, type_hash);
  learn_type_hash(topic, type_hash);
  Offer offer = offer_of(publisher.qos);
  topic.offers.insert(offer);
  Reader& reader = reader_for(topic, heard_as(topic, offer));
  auto [talker, is_new] = topic.talkers.try_emplace(handle, Talker{{}, {}, Arrivals(&reader)});
  talker->second.guid = guid_of(publisher.key);
  talker->second.offer = offer;
  if (!is_new) talker->second.arrivals.move_to(&reader);
  topic.is_xcdr2 |= is_xcdr2_alone(publisher.qos);
  if (!topic.channel && !topic.definition) look_for_definition(topic, publisher);
  add_profile(topic, profile_of(publisher.qos));
}

void Ros2Subscriber::add_profile(Topic& topic, const rosbag2::QosProfile& profile) {
  if (topic.profiles.empty()) topic.settled = clock_.steady() + kSettle;
  if (!topic.channel) {
    topic.profiles.push_back(profile);
    return;
  }
  auto text = [](const rosbag2::QosProfile& one) {
    return rosbag2::print_qos({one}, rosbag2::QosForm::numbers);
  };
  for (const rosbag2::QosProfile& known : topic.profiles) {
    if (text(known) == text(profile)) return;
  }
  if (topic.profiles.size() >= kMostProfiles) return;
  take_all();  // what came before belongs to the channel that there was
  topic.profiles.push_back(profile);
  declare(topic);
}

/// Readers that there are may have been made before anybody told.
void Ros2Subscriber::learn_type_hash(Topic& topic, const std::string& type_hash) {
  if (!topic.type_hash.empty() || type_hash.empty()) return;
  topic.type_hash = type_hash;
  Qos qos(dds_create_qos());
  set_user_data(qos.get(), endpoint_user_data(type_hash));
  for (const Reader& reader : topic.readers) dds_set_qos(reader.entity.get(), qos.get());
}

bool Ros2Subscriber::is_wanted(const TopicName& name) const {
  for (const ExpectedTopic& expected : wanted_.expected) {
    if (expected.topic == name.topic) return true;
  }
  if (!selector_.matches(name.topic, name.type)) return false;
  const auto& named = wanted_.select.topics;
  bool is_named = std::find(named.begin(), named.end(), name.topic) != named.end();
  return is_named || settings_.with_hidden || !name.is_ros || !is_hidden(name.topic);
}

Topic& Ros2Subscriber::topic_of(const TopicName& name, bool is_keyed,
                                const std::string& type_hash) {
  for (Topic& topic : topics_) {
    if (topic.name == name && topic.is_keyed == is_keyed) return topic;
  }
  std::string on_wire = name.is_ros ? dds_topic(name.topic) : name.topic;
  std::string type = name.is_ros ? dds_type(name.type) : name.type;
  RawTopic raw = RawTopic::make(participant_.get(), on_wire, type, is_keyed, clock_);
  Topic& topic = topics_.emplace_back();
  topic.name = name;
  topic.is_keyed = is_keyed;
  topic.raw = std::move(raw);
  topic.type_hash = type_hash;
  auto wanted = settings_.qos.find(name.topic);
  if (wanted != settings_.qos.end()) {
    topic.has_override = true;
    add_reader(topic, {}, reader_qos(wanted->second));
  }
  return topic;
}

Offer Ros2Subscriber::heard_as(const Topic& topic, Offer offer) {
  if (!offer.is_reliable || offer.is_transient_local) return offer;
  Offer lesser = offer;
  lesser.is_reliable = false;
  return topic.offers.contains(lesser) ? lesser : offer;
}

Reader& Ros2Subscriber::reader_for(Topic& topic, const Offer& offer) {
  for (Reader& reader : topic.readers) {
    if (topic.has_override || reader.offer == offer) return reader;
  }
  return add_reader(topic, offer, reader_qos(offer));
}

Reader& Ros2Subscriber::add_reader(Topic& topic, const Offer& offer, const Qos& qos) {
  Reader& reader = topic.readers.emplace_back();
  reader.topic = &topic;
  reader.offer = offer;
  if (topic.name.is_ros) {
    std::string hash = topic.type_hash.empty() ? type_hashes_.of(topic.name.type) : topic.type_hash;
    set_user_data(qos.get(), endpoint_user_data(hash));
  }
  reader.entity =
      Entity(dds_create_reader(participant_.get(), topic.raw.entity.get(), qos.get(), nullptr),
             "reader of " + topic.name.topic);
  participant_.add_reader(reader.entity);
  if (topic.channel) reader.has_samples = watch(reader.entity);
  return reader;
}

/// Best effort, which every publisher gets along with: what one sends first is not lost.
void Ros2Subscriber::expect(const ExpectedTopic& expected) {
  auto name = topic_name(dds_topic(expected.topic), dds_type(expected.type));
  if (!name) return;
  Topic& topic = topic_of(*name, false, {});
  topic.settled = kNever;
  Offer least;
  least.is_reliable = false;
  if (topic.readers.empty()) add_reader(topic, least, reader_qos(least));
  participant_.announce();
}

// --- definitions ---

void Ros2Subscriber::look_for_definition(Topic& topic, dds_builtintopic_endpoint_t& publisher) {
  if (!topic.name.is_ros) {
    try {
      topic.definition = schema_of(participant_.get(), publisher);
    } catch (const Error& error) {
      warn(error.message() + "; its channel has no definition", topic.name.topic);
    }
    return;
  }
  Guid guid = guid_of(publisher.key);
  bool can_answer = std::equal(kCyclone.begin(), kCyclone.end(), guid.begin());
  if (!can_answer || topic.type_hash.empty()) return;
  if (!topic.source) topic.give_up = clock_.steady() + kDefinitionPatience;
  topic.source = guid;
}

void Ros2Subscriber::declare_those_ready(bool at_once) {
  for (Topic& topic : topics_) {
    if (topic.channel || topic.profiles.empty()) continue;
    SteadyTime now = clock_.steady();
    if (!at_once && now < topic.settled) continue;
    if (at_once || !awaits_definition(topic)) declare(topic);
  }
}

bool Ros2Subscriber::awaits_definition(Topic& topic) {
  if (!topic.source || topic.definition) return false;
  const std::string& type = topic.name.type;
  std::string node = participant_.node_of(*topic.source);  // which may tell later that it has it
  if (!node.empty()) descriptions_.ask(node, type, topic.type_hash);
  topic.definition = descriptions_.find(type, topic.type_hash);
  return !descriptions_.is_answered(type, topic.type_hash) && clock_.steady() < topic.give_up;
}

void Ros2Subscriber::declare(Topic& topic) {
  Channel channel;
  channel.topic = topic.name.topic;
  channel.encoding = "cdr";
  channel.schema = topic.definition;
  // Without a language it is no definition; in one, an empty text defines a type without fields.
  if (!channel.schema) {
    channel.schema = std::make_shared<const Schema>(Schema{topic.name.type, {}, {}});
  }
  channel.metadata["offered_qos_profiles"] =
      rosbag2::print_qos(topic.profiles, rosbag2::QosForm::numbers);
  if (!topic.type_hash.empty()) channel.metadata["topic_type_hash"] = topic.type_hash;
  if (topic.is_keyed) channel.metadata[kKeyedKey] = "true";
  if (topic.is_xcdr2) channel.metadata[kRepresentationKey] = kXcdr2;
  topic.channel = feed_.add(std::move(channel));
  for (Reader& reader : topic.readers) {
    if (!reader.has_samples) reader.has_samples = watch(reader.entity);
  }
}

// --- samples ---

/// A condition that wakes when the reader has something.
Entity Ros2Subscriber::watch(const Entity& reader) {
  Entity condition(dds_create_readcondition(reader.get(), DDS_ANY_STATE), "condition");
  require(dds_waitset_attach(waiting_.get(), condition.get(), 0), "watch a reader");
  return condition;
}

void Ros2Subscriber::take_all() {
  for (Topic& topic : topics_) {
    if (!topic.channel) continue;
    for (Reader& reader : topic.readers) take(reader);
  }
  push_taken();
  hear_reliably();
}

void Ros2Subscriber::take(Reader& reader) {
  Topic& topic = *reader.topic;
  take_raw(reader.has_samples.get(), [&](RawSamplePtr sample, const dds_sample_info_t& info) {
    // Of a publisher that was not heard of yet, the first reader that has something.
    auto talker = topic.talkers.find(info.publication_handle);
    if (talker == topic.talkers.end()) {
      Talker unknown{{}, reader.offer, Arrivals(&reader)};
      talker = topic.talkers.emplace(info.publication_handle, unknown).first;
    }
    auto verdict = talker->second.arrivals.arrived(&reader, sample->number);
    if (!verdict.counts) return;
    if (verdict.missing > 0) count_missing(topic, talker->second, verdict.missing);
    taken_.push_back({&topic, std::move(sample), from_ns(info.source_timestamp)});
  });
}

/// In the order in which they came in.
void Ros2Subscriber::push_taken() {
  std::stable_sort(taken_.begin(), taken_.end(), [](const Taken& a, const Taken& b) {
    return a.sample->received < b.sample->received;
  });
  for (Taken& each : taken_) {
    Message message{};
    message.channel = each.topic->channel.get();
    message.sequence = each.topic->sequence++;
    message.log_time = each.sample->received;
    message.publish_time = each.publish_time;
    message.data = each.sample->data();
    Owner owner;
    if (message.data.size() >= kLendBytes) owner = Owner(std::move(each.sample));
    feed_.push(message, owner);
  }
  taken_.clear();
}

// --- what goes wrong ---

/// `missing` messages before the last one that came. DDS itself does not tell: a publisher that
/// keeps the last ten says of those before only that they are not to be had.
void Ros2Subscriber::count_missing(Topic& topic, Talker& talker, std::uint64_t missing) {
  std::uint64_t last = talker.arrivals.last();
  if (topic.is_keyed) missing -= topic.raw.disposals_between(talker.guid, last - missing - 1, last);
  if (missing == 0) return;
  feed_.count_lost(*topic.channel, missing);
  if (talker.offer.is_reliable) unreliable_.emplace_back(&topic, &talker);
}

/// From now on, those of which something is missing although it need not be.
void Ros2Subscriber::hear_reliably() {
  bool is_new = false;
  for (auto [topic, talker] : std::exchange(unreliable_, {})) {
    std::size_t readers = topic->readers.size();
    talker->arrivals.move_to(&reader_for(*topic, talker->offer));
    is_new |= topic->readers.size() > readers;
  }
  if (is_new) participant_.announce();
}

void Ros2Subscriber::tell_mismatches(const Reader& reader) {
  dds_requested_incompatible_qos_status_t status{};
  if (dds_get_requested_incompatible_qos_status(reader.entity.get(), &status) != DDS_RETCODE_OK ||
      status.total_count_change == 0) {
    return;
  }
  warn("a publisher offers a lower quality of service than is requested: " +
           policy_name(status.last_policy_id) + "; its messages are not received",
       reader.topic->name.topic);
}

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<Ros2Subscriber>(Settings::of(location, environment, "kitbag_recorder"),
                                          wanted, feed, session);
}

}  // namespace kitbag::ros2
