#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrow/row_reader.h"
#include "columns/row_visitor.h"
#include "columns/test_columns.h"
#include "kitbag/session.h"
#include "payload/field_steps.h"
#include "tests/fuzz/targets.h"
#include "tests/support/values.h"

// Payloads as rows: what is read by fields is what the decoder gives, if both read it.

namespace kitbag::fuzz {
namespace {

constexpr std::uint32_t kTypes = 64;

const Session& session() {
  static const Session kSession;
  return kSession;
}

/// A type, with some of its fields.
struct Case {
  const Codec* codec;
  TypePtr type;
  std::vector<std::string> paths;
};

std::vector<Case> make_cases() {
  std::vector<Case> all;
  for (const Codec& codec : session().registry().codecs) {
    if (!codec.row_reader) continue;
    bool has_idl = codec.encoding == "cdr";
    const Language* language = find_language(session().registry(), codec.language);
    for (std::uint32_t number = 0; number < kTypes; ++number) {
      std::mt19937 random(number);
      TypePtr type = test::TypeMaker(random, has_idl).make();
      try {
        if (language && language->adapt && !has_idl) type = language->adapt(*type);
        codec.encoder(type, {});
      } catch (const Error&) {
        continue;
      }
      std::vector<std::string> paths = all_paths(*type);
      if (paths.empty()) continue;
      std::shuffle(paths.begin(), paths.end(), random);
      paths.resize(std::min<std::size_t>(paths.size(), 1 + random() % 5));
      all.push_back({&codec, type, paths});
    }
  }
  return all;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = make_cases();
  return kCases;
}

/// The number of a case, then a payload.
void run_columns(ByteView bytes) {
  if (bytes.size() < 2) return;
  auto number = std::to_integer<std::size_t>(bytes[0]) | std::to_integer<std::size_t>(bytes[1])
                                                             << 8;
  const Case& chosen = cases()[number % cases().size()];
  ByteView payload = bytes.subspan(2);
  test::Selected read(*chosen.type, chosen.paths);
  test::Selected visited(*chosen.type, chosen.paths);
  auto reader = chosen.codec->row_reader(chosen.type, read.target());
  if (!reader) return;
  bool is_read = reader->read(payload);
  auto visitor = make_row_visitor(visited.target(), session());
  visitor->begin();
  bool is_decoded = true;
  try {
    chosen.codec->decoder(chosen.type)->decode(payload, *visitor);
  } catch (const Error&) {
    is_decoded = false;
  }
  if (is_read && is_decoded) {
    if (read.rows() != visited.rows()) std::abort();
    return;
  }
  // A row that is taken back leaves nothing behind.
  read.truncate(0);
  visited.truncate(0);
  if (read.rows() != test::Selected(*chosen.type, chosen.paths).rows()) std::abort();
  if (visited.rows() != test::Selected(*chosen.type, chosen.paths).rows()) std::abort();
}

std::vector<std::string> columns_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t number = 0; number < cases().size(); ++number) {
    const Case& each = cases()[number];
    std::mt19937 random(static_cast<std::uint32_t>(number));
    auto encoder = each.codec->encoder(each.type, {});
    Arena arena;
    encoder->begin(arena);
    test::tell_random(*each.type, random, *encoder);
    std::string seed{static_cast<char>(number & 0xff), static_cast<char>(number >> 8)};
    seeds.push_back(seed.append(as_text(encoder->end())));
  }
  return seeds;
}

}  // namespace

void add_columns(std::map<std::string, Target>& all) {
  all["columns"] = {run_columns, columns_seeds};
}

}  // namespace kitbag::fuzz
