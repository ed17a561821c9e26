#include "base/text.h"

#include <doctest/doctest.h>

namespace holdfast {

TEST_CASE("base64 as RFC 4648 has it, both ways") {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    CHECK(base64(plain) == coded);
    CHECK(*base64_decode(coded) == plain);
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  CHECK(*base64_decode(base64(all)) == all);
  CHECK(*base64_decode("Zm8") == "fo");
  for (const char* bad : {"Z", "Zg=a", "Z m8", "Zm9v\n", "====", "Zm9_"}) CHECK_FALSE(base64_decode(bad));
}

TEST_CASE("hex is lower case") { CHECK(hex(std::string("\x00\xab\xff", 3)) == "00abff"); }

TEST_CASE("text of others cannot act on the terminal that shows it") {
  CHECK(printable("plain é 日 🙂") == "plain é 日 🙂");
  CHECK(printable("a\x1b[31m\nb\x7f") ==
        "a\uFFFD[31m\uFFFD"
        "b\uFFFD");
  CHECK(printable("\u009b31m") ==
        "\uFFFD"
        "31m");
  CHECK(printable("x\xff\xc0\x80y") == "x\uFFFD\uFFFD\uFFFDy");
  CHECK(printable("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(printable("cut \xe6\x97") == "cut \uFFFD\uFFFD");
  CHECK(printable("ab\u202Egnp.exe\u2066") == "abgnp.exe");
}

TEST_CASE("long text is cut by code points and the cut is marked") {
  CHECK(printable("ééééé", 5) == "ééééé");
  CHECK(printable("éééééé", 5) == "ééééé…");
}

TEST_CASE("a shell reads a quoted word back as it was") {
  CHECK(shell_quoted("plain/path-1.2") == "plain/path-1.2");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's $HOME") == R"('it'\''s $HOME')");
  CHECK(shell_quoted("~") == "'~'");
}

TEST_CASE("each slip of a finger is one edit, a swap of neighbours too") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("build", "build") == 0);
  for (const char* slip : {"biuld", "bild", "buiild", "buikd"}) CHECK(edit_distance("build", slip) == 1);
  CHECK(edit_distance("build", "") == 5);
  CHECK(edit_distance("abc", "xyz") == 3);
}

TEST_CASE("signals have their names, or their numbers") {
  CHECK(signal_name(15) == "SIGTERM");
  CHECK(signal_name(77) == "signal 77");
}

TEST_CASE("crc32c has its known values, whole and in pieces") {
  CHECK(crc32c("") == 0);
  CHECK(crc32c("123456789") == 0xE3069283u);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAu);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43u);
  CHECK(crc32c("6789", crc32c("12345")) == 0xE3069283u);
}

}  // namespace holdfast
