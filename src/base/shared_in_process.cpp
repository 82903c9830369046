#include "base/shared_in_process.h"

#include <pthread.h>

namespace kitbag {

std::mutex& fork_lock() {
  static std::mutex mutex;
  static const int watched =
      ::pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  (void)watched;  // without memory for it, a fork is as dangerous as before
  return mutex;
}

}  // namespace kitbag
