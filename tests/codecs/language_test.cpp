// Every language of the registry: what it prints it reads again, and foreign text does no harm.

#include <gtest/gtest.h>

#include "kitbag/kitbag.h"
#include "tests/support/values.h"

namespace kitbag::test {
namespace {

constexpr int kLanguageTypes = 500;

class LanguageSuite : public ::testing::TestWithParam<Language> {
 protected:
  /// A random type as the language has it.
  TypePtr random_type(std::mt19937& random) const {
    for (;;) {
      TypePtr type = TypeMaker(random, false).make();
      if (!GetParam().adapt) return type;
      try {
        TypePtr adapted = GetParam().adapt(*type);
        GetParam().print(*adapted);
        return adapted;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      }
    }
  }
};

class PrintedLanguage : public LanguageSuite {};

TEST_P(PrintedLanguage, ReadsWhatItPrints) {
  std::mt19937 random(23);
  for (int i = 0; i < kLanguageTypes; ++i) {
    TypePtr type = random_type(random);
    Schema schema = GetParam().print(*type);
    TypePtr again = GetParam().parse(schema);
    ASSERT_TRUE(same_shape(*type, *again)) << schema.text;
    ASSERT_EQ(GetParam().print(*again), schema);
  }
}

TEST_P(PrintedLanguage, DamagedTextDoesNoHarm) {
  std::mt19937 random(29);
  for (int i = 0; i < kLanguageTypes; ++i) {
    Schema schema = GetParam().print(*random_type(random));
    for (int k = 0; k < 20; ++k) {
      Schema harmed = schema;
      for (int n = 0; n < 3 && !harmed.text.empty(); ++n) {
        std::size_t at = random() % harmed.text.size();
        if (random() % 2 == 0) {
          harmed.text[at] = static_cast<char>(random());
        } else {
          harmed.text.resize(at);
        }
      }
      try {
        GetParam().parse(harmed);
      } catch (const Error&) {
      }
    }
  }
}

TEST_P(LanguageSuite, ForeignTextDoesNoHarm) {
  std::mt19937 random(31);
  for (int i = 0; i < 5000; ++i) {
    Schema schema{"a/B", std::string(GetParam().name), std::string(random() % 200, '\0')};
    for (char& c : schema.text) c = static_cast<char>(random());
    try {
      GetParam().parse(schema);
    } catch (const Error&) {
    }
  }
}

std::string language_name(const ::testing::TestParamInfo<Language>& info) {
  return std::string(info.param.name);
}

/// The others are only read.
std::vector<Language> printed_languages() {
  std::vector<Language> languages = standard_registry().languages;
  std::erase_if(languages, [](const Language& language) { return !language.print; });
  return languages;
}

INSTANTIATE_TEST_SUITE_P(Languages, LanguageSuite,
                         ::testing::ValuesIn(standard_registry().languages), language_name);
INSTANTIATE_TEST_SUITE_P(Languages, PrintedLanguage, ::testing::ValuesIn(printed_languages()),
                         language_name);

}  // namespace
}  // namespace kitbag::test
