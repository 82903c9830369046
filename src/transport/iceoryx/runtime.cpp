#include "transport/iceoryx/runtime.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iceoryx_hoofs/error_handling/error_handling.hpp>
#include <iceoryx_hoofs/internal/relocatable_pointer/base_relative_pointer.hpp>
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/internal/runtime/posh_runtime_impl.hpp>
#include <thread>
#include <utility>

// iceoryx ends the process where something is wrong: if RouDi does not run for a minute, if it
// refuses a port, if memory is damaged. Nothing of that may end a recording, so:
//
//   RouDi is looked for before it is needed, by connecting to its socket, to which nothing is sent,
//   and looked for again while messages flow. A RouDi that was started again has another socket
//   and other memory: then this process has to begin again too, and says so.
//
//   Ports are asked of the runtime and not made by the classes for users, which would use a port
//   that was refused.
//
//   RouDi removes a process that gives no sign of life for 1.5 s, for example because it was
//   paused, and does not tell it. So it is asked for something each second, as it does not answer
//   those that it does not know.
//
//   The library's handler of errors is replaced. It must not return from an error that is fatal to
//   the library, so it notes the error and keeps that thread for ever. Calls that may meet such an
//   error, or wait for RouDi, are therefore made on threads that can be left alone.
//
// The runtime ends with its last user, and tells RouDi, which otherwise would keep its ports until
// it misses its signs of life.

namespace kitbag::iceoryx_transport {

using iox::runtime::PoshRuntimeImpl;

/// The runtime of the library. Its maker has no other use for it than to call it and end it.
class Posh final : public PoshRuntimeImpl {
 public:
  explicit Posh(const iox::RuntimeName_t& name)
      : PoshRuntimeImpl(iox::cxx::optional<const iox::RuntimeName_t*>(&name)) {}
};

namespace {

/// How long the end of the runtime is waited for.
constexpr Duration kGoodbye = std::chrono::milliseconds(500);

/// How often RouDi is asked for something, and how many looks it may let pass until it answers.
/// They are as far apart as Runtime::kLook or more.
constexpr Duration kAskAgain = std::chrono::seconds(1);
constexpr int kMostLooks = 50;

// What the library's handler has noted. Never destroyed: threads of the library may outlive main().
struct Noted {
  std::mutex mutex;
  std::string fatal;  ///< the first fatal error
  std::string last;   ///< the last one of any kind
};
Noted& noted() {
  static auto* all = new Noted;
  return *all;
}

std::string fatal_error() {
  std::lock_guard lock(noted().mutex);
  return noted().fatal;
}

std::string given_up(const std::string& error) {
  return fmt::format("iceoryx has given up: {}; start this again", error);
}

/// What this thread does about a fatal error.
thread_local std::function<void(const std::string&)>* own_answer = nullptr;

void on_library_error(iox::Error error, const std::function<void()>& /*callback*/,
                      iox::ErrorLevel level) {
  {
    Noted& all = noted();
    std::lock_guard lock(all.mutex);
    all.last = iox::ErrorHandler::toString(error);
    if (level != iox::ErrorLevel::FATAL) return;
    if (all.fatal.empty()) all.fatal = all.last;
  }
  if (own_answer) (*own_answer)(given_up(fatal_error()));
  while (true) ::pause();
}

void prepare_library() {
  [[maybe_unused]] static auto* handler =
      new iox::cxx::GenericRAII(iox::ErrorHandler::setTemporaryErrorHandler(on_library_error));
  static std::once_flag once;
  std::call_once(once, [] {
    iox::log::LogManager::GetLogManager().SetDefaultLogLevel(
        iox::log::LogLevel::kOff, iox::log::LogLevelOutput::kHideLogLevel);
  });
}

/// Whose socket it is. Empty: there is no RouDi, for the reason in errno.
std::string look_for_roudi() {
  std::string path = fmt::format("{}{}", iox::platform::IOX_UDS_SOCKET_PATH_PREFIX,
                                 iox::roudi::IPC_CHANNEL_ROUDI_NAME);
  int file = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  struct stat status {};
  bool is_there = ::connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                  ::stat(path.c_str(), &status) == 0;
  int number = errno;
  ::close(file);
  errno = number;
  if (!is_there) return {};
  return fmt::format("{} {} {}.{}", status.st_dev, status.st_ino, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

Error no_roudi(int number, const std::string& shown) {
  bool is_absent = number == ENOENT || number == ECONNREFUSED;
  return {ErrorCode::io,
          is_absent
              ? "RouDi, the daemon of iceoryx, does not run; start iox-roudi"
              : fmt::format("cannot reach RouDi, the daemon of iceoryx: {}", std::strerror(number)),
          shown};
}

std::string own_name() {
  static std::atomic<int> made = 0;
  int number = made++;
  return number == 0 ? fmt::format("kitbag-{}", ::getpid())
                     : fmt::format("kitbag-{}-{}", ::getpid(), number);
}

template <class Text>
Text text_of(const std::string& text) {
  return Text(iox::cxx::TruncateToCapacity, text.c_str(), text.size());
}

/// The one of this process, and whether the last one has ended as it should.
struct Place {
  std::mutex mutex;
  std::weak_ptr<Runtime> runtime;
  bool is_spent = false;
};
Place& place() {
  static auto* the_place = new Place;
  return *the_place;
}

template <class Port>
Port* granted(Port* port, const char* what, const Name& name) {
  if (port) return port;
  std::lock_guard lock(noted().mutex);
  throw Error(ErrorCode::io, fmt::format("RouDi refuses a {} ({}, {}, {}): {}", what, name.service,
                                         name.instance, name.event, noted().last));
}

}  // namespace

/// Asks RouDi for something each second, on a thread that may never get an answer.
struct Runtime::Asking {
  explicit Asking(Posh& of) : posh(of) {}

  void begin(const std::shared_ptr<Asking>& self) {
    std::thread([self] {
      std::unique_lock lock(self->mutex);
      while (!self->stop.stop_requested()) {
        lock.unlock();
        auto* condition = self->posh.getMiddlewareConditionVariable();
        if (condition) condition->m_toBeDestroyed = true;
        lock.lock();
        ++self->answers;
        self->changed.wait_for(lock, self->stop.get_token(), kAskAgain, [] { return false; });
      }
      self->has_ended = true;
      self->changed.notify_all();
    }).detach();
  }
  void await_end() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return has_ended; });
  }

  Posh& posh;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable_any changed;
  bool has_ended = false;  ///< with the lock, as what follows
  std::uint64_t answers = 0;
  std::uint64_t seen = 0;  ///< of the answers, by is_answered()
  int looks = 0;           ///< since then
  SteadyTime looked{};
};

/// Counts looks and not time, because none is lost while the process is paused.
bool Runtime::is_answered() const {
  if (!asking_) return true;
  std::lock_guard lock(asking_->mutex);
  SteadyTime now = std::chrono::steady_clock::now();
  if (std::exchange(asking_->seen, asking_->answers) != asking_->answers) asking_->looks = 0;
  if (now - asking_->looked >= kLook) {
    asking_->looked = now;
    ++asking_->looks;
  }
  return asking_->looks < kMostLooks;
}

std::shared_ptr<Runtime> Runtime::join(const std::string& shown, const std::stop_token& stop) {
  Place& the = place();
  std::lock_guard lock(the.mutex);
  if (auto runtime = the.runtime.lock()) {
    runtime->check(shown);
    return runtime;
  }
  prepare_library();
  std::string roudi = look_for_roudi();
  if (roudi.empty()) throw no_roudi(errno, shown);
  if (the.is_spent || !fatal_error().empty()) {
    throw Error(ErrorCode::io, "this process cannot join RouDi again; start it again", shown);
  }
  std::shared_ptr<Runtime> made(new Runtime);
  made->roudi_ = roudi;
  the.is_spent = true;
  made->posh_ = run<Posh*>(kRoudiPatience, stop, shown, fatal_error, [name = own_name()] {
    return new Posh(text_of<iox::RuntimeName_t>(name));
  });
  the.is_spent = false;
  the.runtime = made;
  made->asking_ = std::make_shared<Asking>(*made->posh_);
  made->asking_->begin(made->asking_);
  return made;
}

Runtime::~Runtime() {
  if (!posh_) return;
  bool is_well = failure().empty();
  std::lock_guard lock(place().mutex);
  place().is_spent = true;
  if (asking_) asking_->stop.request_stop();
  if (!is_well) return;
  try {
    run<bool>(kGoodbye, {}, {}, fatal_error, [posh = posh_, asking = asking_] {
      if (asking) asking->await_end();
      delete posh;
      return true;
    });
    iox::rp::BaseRelativePointer::unregisterAll();
    place().is_spent = false;
  } catch (const Error&) {
    // RouDi does not answer, so it cannot be told.
  }
}

OnFatal::OnFatal(std::function<void(const std::string& why)> what) : what_(std::move(what)) {
  own_answer = &what_;
}

OnFatal::~OnFatal() {
  own_answer = nullptr;
}

std::string Runtime::failure() const {
  if (std::string fatal = fatal_error(); !fatal.empty()) {
    return given_up(fatal);
  }
  std::string now = look_for_roudi();
  if (now == roudi_ && is_answered()) return {};
  if (now == roudi_) {
    return "RouDi, the daemon of iceoryx, does not answer, or has removed this process because it "
           "was paused; start this again";
  }
  if (now.empty() && errno != ENOENT && errno != ECONNREFUSED) return {};  // of this process
  return fmt::format(
      "RouDi, the daemon of iceoryx, has ended{}; a process cannot join another one: {}",
      now.empty() ? "" : " and runs again",
      now.empty() ? "start iox-roudi and then this again" : "start this again");
}

void Runtime::check(const std::string& shown) const {
  std::string why = failure();
  if (!why.empty()) throw Error(ErrorCode::io, why, shown);
}

iox::capro::ServiceDescription service_of(const Name& name) {
  return {text_of<iox::capro::IdString_t>(name.service),
          text_of<iox::capro::IdString_t>(name.instance),
          text_of<iox::capro::IdString_t>(name.event)};
}

iox::popo::PublisherPortData* Runtime::publisher(const Name& name,
                                                 const iox::popo::PublisherOptions& options) {
  return granted(posh_->getMiddlewarePublisher(service_of(name), options), "publisher", name);
}

iox::popo::SubscriberPortData* Runtime::subscriber(const Name& name,
                                                   const iox::popo::SubscriberOptions& options) {
  return granted(posh_->getMiddlewareSubscriber(service_of(name), options), "subscriber", name);
}

iox::popo::ConditionVariableData* Runtime::condition() {
  return granted(posh_->getMiddlewareConditionVariable(), "condition variable", Name());
}

}  // namespace kitbag::iceoryx_transport
