#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "files/remote/ranges.h"
#include "kitbag/system_error.h"

// Some servers know no ranges, such as the one in Python's standard library. Their files are
// downloaded as a whole into a temporary file without a name.

namespace kitbag::remote {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

class DownloadedFile final : public ReadFile {
 public:
  DownloadedFile(TemporaryFile file, std::uint64_t size_bytes, std::string shown)
      : file_(std::move(file)), size_bytes_(size_bytes), shown_(std::move(shown)) {}

  std::uint64_t size() const override { return size_bytes_; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      ssize_t count = ::pread(::fileno(file_.get()), into.data() + done, into.size() - done,
                              static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        int number = errno;
        std::string text = std::string("cannot read what was downloaded: ") + std::strerror(number);
        throw SystemError(Error(ErrorCode::io, text, shown_), number);
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  TemporaryFile file_;
  std::uint64_t size_bytes_;
  std::string shown_;
};

}  // namespace

std::shared_ptr<const ReadFile> downloaded(const Address& address, const Found& found,
                                           Client& client) {
  auto fail = [&](const std::string& why) {
    return Error(ErrorCode::io, "cannot be downloaded: " + why, address.shown());
  };
  TemporaryFile file(std::tmpfile());
  auto fail_by = [&](int number) { return SystemError(fail(std::strerror(number)), number); };
  if (!file) throw fail_by(errno);
  std::uint64_t size_bytes = 0;
  int failure = 0;
  bool is_content = false;
  Request request = address.request(0, std::nullopt, {});
  request.begin = [&](const Answer& answer) { return is_content = answer.status == 200; };
  request.take = [&](ByteView bytes) {
    size_bytes += bytes.size();
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return true;
    failure = errno;
    return false;
  };
  Answer answer = client.run(request);
  if (failure == 0 && std::fflush(file.get()) != 0) failure = errno;
  if (failure != 0) throw fail_by(failure);
  if (answer.status != 200)
    throw fail("the server answers with HTTP " + std::to_string(answer.status));
  if (answer.failure != CURLE_OK) throw fail(answer.failure_text);
  // 0 if the server has not said it.
  if (found.size_bytes != 0 && found.size_bytes != size_bytes) {
    throw fail("the file was replaced meanwhile");
  }
  return std::make_shared<DownloadedFile>(std::move(file), size_bytes, address.shown());
}

}  // namespace kitbag::remote
