#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string>
#include <string_view>

#include "base/path.h"
#include "storage/directory/files.h"

// A file of one of several writers is called BAG_HOST-PID-RANDOM_NUMBER.mcap. Host and process tell
// a person where it comes from. They do not make the name unique: containers share a name of the
// host, each with its own process 7, and processes come again after a reboot. The random letters
// do; and a file is created only where none is.

namespace kitbag::directory {

namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kRandomLetters = 6;
constexpr std::size_t kMostHost = 32;

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string host;
  for (char c : std::string_view(name.data())) {
    if (host.size() == kMostHost || c == '.') break;
    host += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  }
  return host.empty() ? "host" : host;
}

bool is_random(std::string_view text) {
  return text.size() == kRandomLetters && text.find_first_not_of(kLetters) == std::string::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// "robot1-4711-x7k2qf"
bool is_writer_name(std::string_view text) {
  std::size_t random = text.rfind('-');
  if (random == std::string_view::npos || random == 0) return false;
  std::size_t process = text.rfind('-', random - 1);
  return process != std::string_view::npos && process > 0 && is_random(text.substr(random + 1)) &&
         is_number(text.substr(process + 1, random - process - 1));
}

}  // namespace

std::string new_writer_name() {
  std::random_device random;
  std::string letters;
  for (std::size_t i = 0; i < kRandomLetters; ++i) letters += kLetters[random() % kLetters.size()];
  return fmt::format("{}-{}-{}", host_name(), ::getpid(), letters);
}

std::string writer_of(std::string_view path) {
  std::string_view name = file_name(path);
  if (name.ends_with(kPackedExtension)) name = stem(name);
  std::string_view base = stem(name);
  std::size_t number = base.rfind('_');
  if (number == std::string_view::npos || number == 0 || !is_number(base.substr(number + 1))) {
    return {};
  }
  std::size_t writer = base.rfind('_', number - 1);
  if (writer == std::string_view::npos) return {};
  std::string_view found = base.substr(writer + 1, number - writer - 1);
  return is_writer_name(found) ? std::string(found) : std::string();
}

std::string base_name(std::string_view folder) {
  std::string_view name = file_name(folder);
  bool is_name = !name.empty() && name != "." && name != ".." && !name.starts_with('.');
  return is_name ? std::string(name) : "bag";
}

}  // namespace kitbag::directory
