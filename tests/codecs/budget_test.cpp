// What a definition of a few lines may cost, and texts that are not what they should be, in every
// encoding.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <type_traits>

#include "kitbag/kitbag.h"

namespace kitbag {
namespace {

/// Counts the values that it gets, and keeps the last text.
class Counter final : public LeafVisitor<Counter> {
 public:
  void begin_struct(const Type&) override { ++count; }
  void field(const Field&) override { ++count; }
  void end_struct() override {}
  void begin_array(const Type&, std::size_t) override { ++count; }
  void end_array() override {}
  template <class Value>
  void leaf(const Type&, Value value) {
    ++count;
    if constexpr (std::is_same_v<Value, std::string_view>) last_text = value;
  }

  std::uint64_t count = 0;
  std::string last_text;
};

Type& structure(TypeBuilder& builder, const std::string& name,
                const std::vector<const Type*>& parts) {
  Type& type = builder.add(Kind::structure, name);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    type.fields.push_back({.name = "f" + std::to_string(i),
                           .type = parts[i],
                           .id = static_cast<std::uint32_t>(i + 1)});
  }
  return type;
}

class CodecBudget : public ::testing::TestWithParam<Codec> {
 protected:
  Session session_;

  /// The most values that small payloads of every kind have by `type`.
  std::uint64_t most_visited(const TypePtr& type) {
    std::uint64_t most = 0;
    std::unique_ptr<Decoder> decoder;
    try {
      decoder = GetParam().decoder(type);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      return 0;
    }
    using namespace std::string_literals;
    for (const std::string& payload :
         {""s, "{}"s, "{\"f0\":[]}"s, "\n\0"s, std::string(1000, '\0'),
          "\0\1\0\0"s + std::string(2000, '\0'), "\0\3\0\0"s + std::string(2000, '\0'),
          "\0\7\0\0"s + std::string(2000, '\0'), "\0\x0b\0\0"s + std::string(2000, '\0')}) {
      Counter counter;
      try {
        decoder->decode(as_bytes(payload), counter);
      } catch (const Error&) {
      }
      most = std::max(most, counter.count);
    }
    return most;
  }
};

TEST_P(CodecBudget, NestedArraysOfNothingComeToAnEnd) {
  for (auto extensibility :
       {Extensibility::fixed, Extensibility::appendable, Extensibility::by_id}) {
    TypeBuilder builder;
    const Type* inner = &structure(builder, "p/Empty", {});
    for (int level = 0; level < 3; ++level) {
      Type& outer =
          structure(builder, "p/L" + std::to_string(level), {&builder.array(*inner, 60'000)});
      outer.extensibility = extensibility;
      inner = &outer;
    }
    EXPECT_LT(most_visited(builder.finish(*inner)), 1'000'000U);
  }
}

TEST_P(CodecBudget, DefaultsOfWhatIsNotThereComeToAnEnd) {
  for (auto extensibility :
       {Extensibility::fixed, Extensibility::appendable, Extensibility::by_id}) {
    TypeBuilder builder;
    const Type& numbers = builder.array(builtin_type(Kind::float64), 1'000'000'000);
    Type& type = structure(builder, "p/T", {&builtin_type(Kind::uint8), &numbers});
    type.extensibility = extensibility;
    EXPECT_LT(most_visited(builder.finish(type)), 1'000'000U);
  }
}

TEST_P(CodecBudget, TextsThatAreNotUtf8AreCarriedOrCounted) {
  for (Kind kind : {Kind::text, Kind::wide_text}) {
    TypeBuilder builder;
    TypePtr type = builder.finish(structure(builder, "p/T", {&builtin_type(kind)}));
    const Language* language = find_language(session_.registry(), GetParam().language);
    if (GetParam().encoding != "cdr" && language->adapt) type = language->adapt(*type);
    auto encoder = GetParam().encoder(type, {});
    Arena arena;
    encoder->begin(arena);
    encoder->begin_struct(*type);
    encoder->field(type->fields[0]);
    encoder->text(*type->fields[0].type, "caf\xe9!");
    encoder->end_struct();
    Counter counter;
    GetParam().decoder(type)->decode(encoder->end(), counter);
    bool is_replaced = encoder->replaced_bytes() > 0;
    EXPECT_EQ(counter.last_text, is_replaced ? "caf\ufffd!" : "caf\xe9!");
    EXPECT_EQ(encoder->replaced_bytes(), is_replaced ? 1U : 0U);
  }
}

TEST(JsonBudget, BytesThatAreLeftOutTakeNoMemory) {
  TypeBuilder builder;
  const Type& list = builder.sequence(builtin_type(Kind::uint8));
  TypePtr type = builder.finish(structure(builder, "p/T", {&list}));
  CodecOptions options;
  options.bytes = CodecOptions::Bytes::omit;
  Session session;
  auto encoder = find_codec(session.registry(), "json")->encoder(type, options);
  auto most_kib = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
  };
  auto before = most_kib();
  Arena arena;
  for (int message = 0; message < 64; ++message) {
    encoder->begin(arena);
    encoder->begin_struct(*type);
    encoder->field(type->fields[0]);
    encoder->begin_array(list, 1 << 20);
    for (int i = 0; i < 1 << 20; ++i) encoder->unsigned_integer(*list.element, 7);
    encoder->end_array();
    encoder->end_struct();
    EXPECT_EQ(as_text(encoder->end()), R"({"f0":null})");
  }
  EXPECT_LT(most_kib() - before, 32 * 1024);
}

INSTANTIATE_TEST_SUITE_P(Codecs, CodecBudget, ::testing::ValuesIn(standard_registry().codecs),
                         [](const auto& instance) { return std::string(instance.param.encoding); });

}  // namespace
}  // namespace kitbag
