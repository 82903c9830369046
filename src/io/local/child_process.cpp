#include "io/local/child_process.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <new>

#include "kitbag/error.h"

namespace kitbag {

ChildStart::ChildStart() {
  if (::posix_spawn_file_actions_init(&files_) != 0) throw std::bad_alloc();
  if (::posix_spawnattr_init(&signals_) != 0) {
    ::posix_spawn_file_actions_destroy(&files_);
    throw std::bad_alloc();
  }
  // What our process ignores or keeps for one thread is none of the child's business.
  sigset_t set;
  sigemptyset(&set);
  ::posix_spawnattr_setsigmask(&signals_, &set);
  sigaddset(&set, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&signals_, &set);
  ::posix_spawnattr_setflags(&signals_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

ChildStart::~ChildStart() {
  ::posix_spawn_file_actions_destroy(&files_);
  ::posix_spawnattr_destroy(&signals_);
}

void ChildStart::give(const Descriptor& file, int as) {
  if (::posix_spawn_file_actions_adddup2(&files_, file.get(), as) != 0) throw std::bad_alloc();
}

void ChildStart::close_from(int first) {
  if (::posix_spawn_file_actions_addclosefrom_np(&files_, first) != 0) throw std::bad_alloc();
}

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const ChildStart& start) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  // posix_spawn() takes them as char* for the sake of old programs, and changes nothing.
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int number =
      ::posix_spawnp(&id_, words[0], start.files(), start.signals(), words.data(), ::environ);
  if (number == 0) {
    on_leave_.emplace([id = id_] { ::kill(id, SIGKILL); });
    return;
  }
  if (number == ENOENT) {
    throw Error(ErrorCode::not_found,
                fmt::format("the program {} is not installed, or not in PATH", arguments[0]));
  }
  throw system_error("run it", number, arguments[0]);
}

ChildProcess::~ChildProcess() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  wait();
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0) {
    if (errno != EINTR) break;  // all children are reaped elsewhere: status unknown
  }
  on_leave_.reset();
  id_ = 0;
  // As shells count it.
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace kitbag
