// Every codec of the registry: random values of random types come back as they were, and random
// bytes do no harm.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "kitbag/kitbag.h"
#include "tests/support/values.h"

namespace kitbag::test {
namespace {

constexpr int kTypes = 500;
constexpr int kValuesOfType = 20;  // 10,000 a codec

class CodecSuite : public ::testing::TestWithParam<Codec> {
 protected:
  /// A random type as the codec's language has it; null: that cannot say it.
  TypePtr random_type(std::mt19937& random) const {
    bool has_idl = GetParam().encoding == "cdr";  // which alone has optional fields and ids
    const Language* language = find_language(session_.registry(), GetParam().language);
    for (;;) {
      TypePtr type = TypeMaker(random, has_idl).make();
      if (has_idl || !language || !language->adapt) return type;
      try {
        TypePtr adapted = language->adapt(*type);
        GetParam().encoder(adapted, {});
        return adapted;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      }
    }
  }

  struct Sample {
    TypePtr type;
    std::vector<std::byte> payload;
  };

  /// A random value of a random type.
  Sample random_sample(std::mt19937& random) const {
    Sample sample{random_type(random), {}};
    auto encoder = GetParam().encoder(sample.type, {});
    Arena arena;
    encoder->begin(arena);
    tell_random(*sample.type, random, *encoder);
    ByteView payload = encoder->end();
    sample.payload.assign(payload.begin(), payload.end());
    return sample;
  }

  static bool is_refused_by(Decoder& decoder, ByteView payload) {
    Listing found;
    try {
      decoder.decode(payload, found);
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  /// Payloads that do not say where they end: one cut between two fields is whole.
  bool has_open_end() const { return GetParam().encoding == "protobuf"; }

  Session session_;
};

TEST_P(CodecSuite, RandomValuesComeBackAsTheyWere) {
  std::mt19937 random(7);
  for (int i = 0; i < kTypes; ++i) {
    TypePtr type = random_type(random);
    auto encoder = GetParam().encoder(type, {});
    auto decoder = GetParam().decoder(type);
    Arena arena;
    for (int k = 0; k < kValuesOfType; ++k) {
      Listing listed;
      Both both(listed, *encoder);
      encoder->begin(arena);
      tell_random(*type, random, both);
      ByteView payload = encoder->end();
      Listing found;
      decoder->decode(payload, found);
      ASSERT_EQ(found.values, listed.values) << "type " << i << ", value " << k;
    }
  }
}

/// Packed values are the same as those passed one by one.
TEST_P(CodecSuite, PackedOrNotIsTheSame) {
  std::mt19937 random(11);
  for (int i = 0; i < kTypes; ++i) {
    Sample sample = random_sample(random);
    auto encoder = GetParam().encoder(sample.type, {});
    Arena arena;
    encoder->begin(arena);
    GetParam().decoder(sample.type)->decode(sample.payload, *encoder);
    ASSERT_TRUE(std::ranges::equal(sample.payload, encoder->end())) << i;
  }
}

/// What decoders give becomes a Value, and gives the same again: as it is, and after it was fitted
/// to its own type field by field.
TEST_P(CodecSuite, ValuesHoldWhatPayloadsSay) {
  std::mt19937 random(19);
  for (int i = 0; i < kTypes; ++i) {
    Sample sample = random_sample(random);
    auto decoder = GetParam().decoder(sample.type);
    Listing wanted;
    decoder->decode(sample.payload, wanted);
    ValueBuilder builder;
    builder.begin(sample.payload);
    decoder->decode(sample.payload, builder);
    Value value = builder.end();
    Listing found;
    visit(value, found);
    ASSERT_EQ(found.values, wanted.values);
    Listing fitted;
    visit(fit(value, *sample.type), fitted);
    ASSERT_EQ(fitted.values, wanted.values);
  }
}

TEST_P(CodecSuite, CutPayloadsAreRefused) {
  std::mt19937 random(13);
  for (int i = 0; i < kTypes; ++i) {
    Sample sample = random_sample(random);
    auto decoder = GetParam().decoder(sample.type);
    for (std::size_t size = 0; size < sample.payload.size(); ++size) {
      bool is_refused = is_refused_by(*decoder, ByteView(sample.payload).first(size));
      ASSERT_TRUE(is_refused || has_open_end()) << i << ", cut at " << size;
    }
  }
}

TEST_P(CodecSuite, RandomBytesDoNoHarm) {
  std::mt19937 random(17);
  for (int i = 0; i < kTypes; ++i) {
    Sample sample = random_sample(random);
    auto decoder = GetParam().decoder(sample.type);
    for (int k = 0; k < kValuesOfType; ++k) {
      std::vector<std::byte> harmed = sample.payload;
      for (int n = 0; n < 3 && !harmed.empty(); ++n) {
        harmed[random() % harmed.size()] = static_cast<std::byte>(random());
      }
      is_refused_by(*decoder, harmed);
    }
  }
}

std::string encoding_name(const ::testing::TestParamInfo<Codec>& info) {
  return std::string(info.param.encoding);
}

/// A descriptor of another program may call a number of four bytes one of two.
TEST(ProtobufCodec, NumbersOfAListHaveTheWidthOfTheirWord) {
  Session session;
  for (auto [kind, word, packed, payload] :
       {std::tuple{Kind::int16, "sfixed32", std::string("\1\0\376\377", 4),
                   std::string("\n\x08\1\0\0\0\376\377\377\377", 10)},
        {Kind::uint8, "fixed64", std::string("\7\xff"),
         std::string("\n\x10\7\0\0\0\0\0\0\0\xff\0\0\0\0\0\0\0", 18)}}) {
    TypeBuilder builder;
    Type& made = builder.add(Kind::structure, "p.T");
    const Type& list = builder.sequence(builtin_type(kind));
    made.fields.push_back({.name = "f", .type = &list, .id = 1, .word = word});
    TypePtr type = builder.finish(made);
    auto encoder = find_codec(session.registry(), "protobuf")->encoder(type, {});
    Arena arena;
    encoder->begin(arena);
    encoder->begin_struct(*type);
    encoder->field(type->fields[0]);
    encoder->begin_array(list, 2);
    encoder->packed(*list.element, as_bytes(packed));
    encoder->end_array();
    encoder->end_struct();
    EXPECT_EQ(as_text(encoder->end()), payload) << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, CodecSuite, ::testing::ValuesIn(standard_registry().codecs),
                         encoding_name);

}  // namespace
}  // namespace kitbag::test
