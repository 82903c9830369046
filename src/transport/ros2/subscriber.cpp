#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "kitbag/calls.h"
#include "kitbag/error.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"
#include "transport/ros2/declarer.h"
#include "transport/ros2/graph.h"
#include "transport/ros2/intake.h"
#include "transport/ros2/readers.h"
#include "transport/ros2/reception.h"
#include "transport/ros2/services/bag_events.h"
#include "transport/ros2/services/bag_services.h"
#include "transport/ros2/services/event_topic.h"
#include "transport/ros2/services/service_server.h"
#include "transport/ros2/transport.h"
#include "transport/ros2/wait_set.h"
#include "transport/ros2/warn.h"

// One thread does everything: hears of publishers (here), listens to them (readers.cpp), asks for
// definitions (declarer.cpp), takes samples (intake.cpp).
//
// The thread polls: it wakes for samples or discovery, waits one more millisecond to gather, and
// then does all of it. DDS could call listeners instead, but these run on its receiving threads,
// and what they cost there is lost from the sockets' buffers.
//
// Publishers that exist already are discovered one by one within the first 200 ms. Only then are
// they looked at, best-effort ones first: which reader a publisher gets depends on the others of
// its topic.

namespace kitbag::ros2 {

namespace {

/// Samples are taken at most this often: those that come meanwhile are taken together, which costs
/// less than waking up for each.
constexpr dds_duration_t kGather = DDS_MSECS(1);
/// How often the rest is checked: what was lost, what does not match, answers that never come.
constexpr Duration kHousekeeping = std::chrono::milliseconds(100);
/// A channel is declared no sooner than this, so that all publishers of a running system are known.
constexpr Duration kSettle = std::chrono::milliseconds(200);
/// The threads of DDS may take this long to start, on a busy machine.
constexpr Duration kStarting = std::chrono::seconds(5);
constexpr std::size_t kPublishersAtOnce = 64;
constexpr Duration kBetweenLostEvents = std::chrono::seconds(1);
/// The most channels that are declared for a topic because other offers come later.
constexpr std::size_t kMostProfiles = 64;

/// The names and patterns that have a hidden part themselves: as in a shell, "*" matches nothing
/// hidden. Absent: there are none.
std::optional<Selector> selector_of_hidden(Selection select) {
  std::erase_if(select.topics, [](const auto& topic) { return !is_hidden(topic); });
  std::erase_if(select.topic_expressions, [](const auto& each) { return !is_hidden(each); });
  if (select.topics.empty() && select.topic_expressions.empty()) return std::nullopt;
  return Selector(select);
}

class Ros2Subscriber final : public Subscriber, private Discovery {
 public:
  Ros2Subscriber(const Settings& settings, const Subscription& wanted, Feed& feed,
                 const Session& session);
  ~Ros2Subscriber() override {
    server_.reset();
    stop();
    thread_.join();
  }

  void stop() override {
    is_stopped_ = true;
    wait_set_.wake();
  }
  std::optional<std::vector<LiveTopic>> topics() const override {
    return topics_of(participant_, settings_.hidden == Settings::Hidden::all);
  }

  void offer(Recorder& recorder) override;
  void tell(const FileChange& change) override {
    if (write_split_) write_split_->tell(split_event(change, node_));
  }

 private:
  bool is_running() const override { return is_discovering_; }
  void run(bool discovers) override;

  void run();
  void keep_house();
  void tell_lost();
  void look_at_all_again();
  bool knows(const dds_builtintopic_endpoint_t& publisher);

  void discover();
  void hear_of(dds_builtintopic_endpoint_t& publisher, dds_instance_handle_t handle);
  bool is_wanted(const TopicName& name);
  void tell_left_out() const;
  void add_profile(Topic& topic, const rosbag2::QosProfile& profile);
  void expect(const ExpectedTopic& expected);

  Settings settings_;
  Subscription wanted_;
  Session session_;
  Clock& clock_ = *session_.clock();
  Feed& feed_;
  Selector selector_;
  std::optional<Selector> hidden_selector_;  ///< what the selection says of hidden topics
  std::set<std::string> left_out_;           ///< hidden topics that it has selected otherwise
  Participant participant_;
  WaitSet wait_set_;
  Entity publications_;  ///< the built-in reader
  Entity has_publications_;
  Entity has_graph_;
  Readers readers_;
  Declarer declarer_;
  Intake intake_;
  std::set<dds_instance_handle_t> heard_of_;  ///< publishers, as long as they are there
  SteadyTime housekeeping_;
  SteadyTime settled_;  ///< before, publishers that are there already are awaited: see readers.cpp
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> is_discovering_ = true;
  std::atomic<bool> looks_again_ = false;  ///< at the publishers that it has passed over
  std::string node_ = "/" + settings_.node;
  std::optional<EventTopic> write_split_;
  std::optional<EventTopic> lost_topic_;
  LostMessages lost_;
  SteadyTime next_lost_;  ///< event, at the earliest
  std::thread thread_;
  std::optional<ServiceServer> server_;  ///< last: its thread uses the rest
};

Ros2Subscriber::Ros2Subscriber(const Settings& settings, const Subscription& wanted, Feed& feed,
                               const Session& session)
    : settings_(settings),
      wanted_(wanted),
      session_(session),
      feed_(feed),
      selector_(wanted.select),
      hidden_selector_(selector_of_hidden(wanted.select)),
      participant_(settings, clock_),
      wait_set_(participant_.get()),
      publications_(dds_create_reader(participant_.get(), DDS_BUILTIN_TOPIC_DCPSPUBLICATION,
                                      nullptr, nullptr),
                    "reader of publications"),
      has_publications_(wait_set_.watch(publications_)),
      has_graph_(wait_set_.watch(participant_.graph_reader())),
      readers_(settings, wanted.on_warning, participant_, wait_set_, session),
      declarer_(wanted.on_warning, participant_, readers_, feed, session),
      intake_(readers_, participant_, feed),
      settled_(clock_.steady() + kSettle) {
  for (const std::string& warning :
       {settings.middleware_warning, participant_.prepare_reception()}) {
    if (!warning.empty()) warn(wanted.on_warning, warning, settings.uri);
  }
  for (const ExpectedTopic& expected : wanted.expected) expect(expected);
  thread_ = std::thread([this] { run(); });
}

void Ros2Subscriber::offer(Recorder& recorder) {
  write_split_.emplace(participant_, kWriteSplit, kWriteSplitType);
  lost_topic_.emplace(participant_, kLost, kLostType);
  server_.emplace(participant_, node_, recorder_services(recorder, *this, clock_),
                  [this] { tell_lost(); });
}

/// On the thread of the services.
void Ros2Subscriber::tell_lost() {
  if (clock_.steady() < next_lost_) return;
  next_lost_ = clock_.steady() + kBetweenLostEvents;
  if (auto event = lost_.next(feed_, node_)) lost_topic_->tell(*event);
}

void Ros2Subscriber::run(bool discovers) {
  if (discovers && !is_discovering_) looks_again_ = true;
  is_discovering_ = discovers;
}

/// A new reader of publications gets all that there are.
void Ros2Subscriber::look_at_all_again() {
  // First: it is a condition of the reader, which is replaced.
  has_publications_ = {};
  publications_ = Entity(
      dds_create_reader(participant_.get(), DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
      "reader of publications");
  has_publications_ = wait_set_.watch(publications_);
}

/// It sends on a topic that is recorded.
bool Ros2Subscriber::knows(const dds_builtintopic_endpoint_t& publisher) {
  auto name = topic_name(publisher.topic_name, publisher.type_name);
  return name && std::any_of(readers_.topics().begin(), readers_.topics().end(),
                             [&](const Topic& topic) { return topic.name == *name; });
}

void Ros2Subscriber::run() {
  hurry_this_thread();  // the readers hold whatever it has not taken, however much that is
  try {
    while (!is_stopped_) {
      if (wait_set_.wait(kHousekeeping) && !is_stopped_) dds_sleepfor(kGather);
      discover();
      declarer_.work();
      declarer_.declare_those_ready(false);
      intake_.take_all();
      if (clock_.steady() >= housekeeping_) keep_house();
    }
    discover();
    declarer_.declare_those_ready(true);
    intake_.take_all();
    keep_house();
    tell_left_out();
    feed_.close();
  } catch (...) {
    feed_.fail(std::current_exception());
  }
}

void Ros2Subscriber::keep_house() {
  housekeeping_ = clock_.steady() + kHousekeeping;
  if (housekeeping_ < settled_ + kStarting) participant_.prepare_reception();
  readers_.tell_mismatches();
}

void Ros2Subscriber::discover() {
  participant_.read_graph();
  if (!is_stopped_ && clock_.steady() < settled_) return;
  if (looks_again_.exchange(false)) look_at_all_again();
  std::array<void*, kPublishersAtOnce> samples{};
  std::array<dds_sample_info_t, kPublishersAtOnce> infos{};
  dds_return_t count = 0;
  bool is_new = false;
  while ((count = dds_take(publications_.get(), samples.data(), infos.data(), samples.size(),
                           samples.size())) > 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (infos[i].instance_state != DDS_IST_ALIVE) heard_of_.erase(infos[i].instance_handle);
    }
    for (bool is_reliable : {false, true}) {  // see readers.cpp
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        auto* publisher = static_cast<dds_builtintopic_endpoint_t*>(samples[i]);
        bool is_there = infos[i].valid_data && infos[i].instance_state == DDS_IST_ALIVE;
        if (!is_there || offer_of(publisher->qos).is_reliable != is_reliable) continue;
        if (!is_discovering_ && !knows(*publisher)) continue;
        if (!heard_of_.insert(infos[i].instance_handle).second) continue;
        is_new = true;
        try {
          hear_of(*publisher, infos[i].instance_handle);
        } catch (const Error& error) {  // the others can be listened to all the same
          warn(wanted_.on_warning, error.message() + "; the publisher is left out",
               publisher->topic_name);
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
  Topic& topic = readers_.topic_of(*name, is_keyed, type_hash);
  Readers::learn_type_hash(topic, type_hash);
  Offer offer = offer_of(publisher.qos);
  Reader& reader = readers_.hear(topic, offer);
  auto [talker, is_new] = topic.talkers.try_emplace(handle, Talker{{}, {}, Arrivals(&reader)});
  talker->second.guid = guid_of(publisher.key);
  talker->second.offer = offer;
  if (!is_new) talker->second.arrivals.move_to(&reader);
  topic.is_xcdr2 |= is_xcdr2_alone(publisher.qos);
  if (!topic.channel && !topic.definition) declarer_.look_for_definition(topic, publisher);
  add_profile(topic, profile_of(publisher.qos));
}

bool Ros2Subscriber::is_wanted(const TopicName& name) {
  for (const ExpectedTopic& expected : wanted_.expected) {
    if (expected.topic == name.topic) return true;
  }
  if (!selector_.matches(name.topic, name.type)) return false;
  using Hidden = Settings::Hidden;
  if (!name.is_ros || !is_hidden(name.topic) || settings_.hidden == Hidden::all) return true;
  if (settings_.hidden == Hidden::calls && call_topic(name.topic, name.type)) return true;
  if (hidden_selector_ && hidden_selector_->matches(name.topic, name.type)) return true;
  left_out_.insert(name.topic);
  return false;
}

void Ros2Subscriber::tell_left_out() const {
  if (left_out_.empty()) return;
  bool is_one = left_out_.size() == 1;
  warn(wanted_.on_warning,
       std::to_string(left_out_.size()) + (is_one ? " hidden topic is" : " hidden topics are") +
           " left out, such as " + *left_out_.begin() +
           "; hidden=calls adds those of services and actions, hidden=1 all",
       settings_.uri);
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
  intake_.take_all();  // what came before belongs to the channel that there was
  topic.profiles.push_back(profile);
  declarer_.declare(topic);
}

/// Best effort, which every publisher gets along with: what one sends first is not lost.
void Ros2Subscriber::expect(const ExpectedTopic& expected) {
  auto name = topic_name(dds_topic(expected.topic), dds_type(expected.type));
  if (!name) return;
  Topic& topic = readers_.topic_of(*name, false, {});
  topic.settled = kNever;
  readers_.hear_anybody(topic);
  participant_.announce();
}

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Feed& feed, const Session& session) {
  return std::make_unique<Ros2Subscriber>(Settings::of(location, environment, "kitbag_recorder"),
                                          wanted, feed, session);
}

}  // namespace kitbag::ros2
