// Asks a catalog for pages and counts, and reports how long one question takes, and how many bags
// the first answer has.
//
// usage: kitbag_catalogue ADDRESS; a question a line, as "topic=/camera/*<TAB>most=50". The keys
// are topic, type, tag (name=value), text, begin_ns, behind (a page behind so many bags, by its
// cursor), skip, most, and count (how far, instead of a page).

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/catalog.h"
#include "kitbag/session.h"

namespace {

using kitbag::Catalog;
using kitbag::CatalogQuery;

struct Question {
  CatalogQuery query;
  std::uint64_t count = 0;  ///< 0: a page is asked for
  std::uint64_t behind = 0;
};

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("no number: " + std::string(text));
  }
  return number;
}

void take(std::string_view key, const std::string& value, Question& question) {
  CatalogQuery& query = question.query;
  if (key == "topic") {
    query.query.select.topics.push_back(value);
  } else if (key == "type") {
    query.query.select.types.push_back(value);
  } else if (key == "tag") {
    std::size_t at = value.find('=');
    query.tags[value.substr(0, at)] = value.substr(at + 1);
  } else if (key == "text") {
    query.text = value;
  } else if (key == "begin_ns") {
    query.query.begin = kitbag::from_ns(number_of<std::int64_t>(value));
  } else if (key == "most") {
    query.most = number_of<std::uint64_t>(value);
  } else if (key == "skip") {
    query.skip = number_of<std::uint64_t>(value);
  } else if (key == "behind") {
    question.behind = number_of<std::uint64_t>(value);
  } else if (key == "count") {
    question.count = number_of<std::uint64_t>(value);
  } else {
    throw std::runtime_error("no key: " + std::string(key));
  }
}

Question question_of(const std::string& line) {
  Question question;
  std::string_view left = line;
  while (!left.empty()) {
    std::string_view part = left.substr(0, left.find('\t'));
    std::size_t at = part.find('=');
    if (at == std::string_view::npos) throw std::runtime_error("no value: " + std::string(part));
    take(part.substr(0, at), std::string(part.substr(at + 1)), question);
    left.remove_prefix(std::min(left.size(), part.size() + 1));
  }
  return question;
}

/// Of this process, without a server.
double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

std::uint64_t ask(Catalog& catalog, const Question& question) {
  if (question.count > 0) return catalog.count(question.query, question.count);
  std::uint64_t bags = 0;
  catalog.find(question.query, [&](const kitbag::CatalogBag& bag) { bags += bag.number > 0; });
  return bags;
}

int run(const std::string& address) {
  kitbag::Session session;
  Catalog catalog(address, session);
  std::uint64_t bags = 0;
  std::vector<double> seconds;
  double used = 0;
  for (std::string line; std::getline(std::cin, line);) {
    Question question = question_of(line);
    if (question.behind > 0) {
      CatalogQuery before{.skip = question.behind - 1, .most = 1, .has_details = false};
      catalog.find(before, [&](const kitbag::CatalogBag& bag) {
        question.query.after = kitbag::cursor_of(bag);
      });
    }
    const double cpu = cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t answer = ask(catalog, question);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    used += cpu_seconds() - cpu;
    if (seconds.size() == 1) bags = answer;
  }
  if (seconds.empty()) throw std::runtime_error("no questions");
  std::sort(seconds.begin(), seconds.end());
  std::cout << "{\"messages\": " << bags << ", \"wall_s\": " << seconds[seconds.size() / 2]
            << ", \"worst_s\": " << seconds.back()
            << ", \"cpu_s\": " << used / double(seconds.size()) << "}\n";
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    return run(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
