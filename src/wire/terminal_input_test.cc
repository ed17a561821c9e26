#include "wire/terminal_input.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace holdfast::wire;

namespace {

struct Token {
  InputKind kind;
  std::string bytes;
  friend bool operator==(const Token&, const Token&) = default;
};

std::vector<Token> scan(std::string_view bytes, bool flush = false) {
  InputScanner scanner;
  std::vector<Token> out;
  const auto keep = [&](const InputToken& t) { out.push_back({t.kind, std::string(t.bytes)}); };
  scanner.feed(bytes, keep);
  if (flush) scanner.flush(keep);
  return out;
}

// Neighbouring pieces of one kind joined: how a run is cut into pieces is not part of the contract.
std::vector<Token> joined(const std::vector<Token>& tokens) {
  std::vector<Token> out;
  for (const auto& token : tokens) {
    if (!out.empty() && out.back().kind == token.kind) out.back().bytes += token.bytes;
    else out.push_back(token);
  }
  return out;
}

struct Row {
  std::string bytes;
  InputKind kind;
};

const std::vector<Row> kRows{
    {"a", InputKind::key},
    {"\r", InputKind::key},
    {"\x03", InputKind::key},
    {"\xc3\xa4", InputKind::key},
    {"\033[A", InputKind::key},
    {"\033[1;5A", InputKind::key},
    {"\033OP", InputKind::key},
    {"\033[[A", InputKind::key},
    {"\033[3~", InputKind::key},
    {"\033[27;5;13~", InputKind::key},
    {"\033[97u", InputKind::key},
    {"\033[97;5u", InputKind::key},
    {"\033[97;5:1u", InputKind::key},
    {"\033[97;1:2u", InputKind::key},
    {"\033[97;5:3u", InputKind::key_release},
    {"\033[1;1:3A", InputKind::key_release},
    {"\033[3;1:3~", InputKind::key_release},
    {"\033[Z", InputKind::key},
    {"\033x", InputKind::key},
    {"\033[I", InputKind::focus_in},
    {"\033[O", InputKind::focus_out},
    {"\033[<0;10;5M", InputKind::mouse},
    {"\033[<0;10;5m", InputKind::mouse},
    {"\033[32;10;5M", InputKind::mouse},
    {"\033[M !!", InputKind::mouse},
    {"\033[M\x20\xc4\x80!", InputKind::mouse},
    {"\033[1;1;1;1&w", InputKind::mouse},
    {"\033[?62;22c", InputKind::reply},
    {"\033[>1;10;0c", InputKind::reply},
    {"\033[12;40R", InputKind::reply},
    {"\033[?12;40;1R", InputKind::reply},
    {"\033[0n", InputKind::reply},
    {"\033[?997;1n", InputKind::reply},
    {"\033[?2026;2$y", InputKind::reply},
    {"\033[?1u", InputKind::reply},
    {"\033[4;600;800t", InputKind::reply},
    {"\033[48;24;80;384;640t", InputKind::reply},
    {"\033]11;rgb:1111/2222/3333\033\\", InputKind::reply},
    {"\033]11;rgb:1111/2222/3333\a", InputKind::reply},
    {"\033P>|ghostty 1.2.0\033\\", InputKind::reply},
    {"\033_Gi=1;OK\033\\", InputKind::reply},
    {"\033[200~two\033[Alines\033[201~", InputKind::paste},
};

}  // namespace

TEST_CASE("each thing a terminal sends is of its kind") {
  for (const auto& row : kRows) {
    CAPTURE(row.bytes);
    CHECK(joined(scan(row.bytes)) == std::vector<Token>{{row.kind, row.bytes}});
  }
}

TEST_CASE("a token cut at any byte is still one token") {
  for (const auto& row : kRows) {
    for (std::size_t cut = 1; cut < row.bytes.size(); ++cut) {
      CAPTURE(row.bytes);
      CAPTURE(cut);
      InputScanner scanner;
      std::vector<Token> out;
      const auto keep = [&](const InputToken& t) { out.push_back({t.kind, std::string(t.bytes)}); };
      scanner.feed(std::string_view(row.bytes).substr(0, cut), keep);
      scanner.feed(std::string_view(row.bytes).substr(cut), keep);
      CHECK(joined(out) == std::vector<Token>{{row.kind, row.bytes}});
      CHECK_FALSE(scanner.pending());
    }
  }
}

TEST_CASE("all rows in one stream come out in order, byte for byte") {
  std::string stream, back;
  for (const auto& row : kRows) stream += row.bytes;
  for (const auto& token : scan(stream)) back += token.bytes;
  CHECK(back == stream);
}

TEST_CASE("a lone escape waits, and is a key when nothing follows") {
  CHECK(scan("\033").empty());
  CHECK(scan("\033", true) == std::vector<Token>{{InputKind::key, "\033"}});
  CHECK(scan("\033]", true) == std::vector<Token>{{InputKind::key, "\033]"}});
  CHECK(joined(scan("\033\033[A")) == std::vector<Token>{{InputKind::key, "\033\033[A"}});
}

TEST_CASE("an answer that arrives in two halves with a pause between stays an answer") {
  InputScanner scanner;
  std::vector<Token> out;
  const auto keep = [&](const InputToken& t) { out.push_back({t.kind, std::string(t.bytes)}); };
  scanner.feed("\033]11;rgb:11", keep);
  scanner.flush(keep);
  scanner.feed("11/2222/3333\033\\x", keep);
  CHECK(joined(out) == std::vector<Token>{{InputKind::reply, "\033]11;rgb:1111/2222/3333\033\\"},
                                          {InputKind::key, "x"}});
}

TEST_CASE("a control character inside an unfinished string is a key again") {
  const auto tokens = joined(scan("\033]hello\r"));
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[1] == Token{InputKind::key, "\r"});
  CHECK(joined(scan("\033]\x03")) == std::vector<Token>{{InputKind::key, "\033]\x03"}});
}

TEST_CASE("a long clipboard answer passes in pieces without being held") {
  InputScanner scanner;
  std::string out;
  bool all_replies = true;
  const auto keep = [&](const InputToken& t) {
    out += t.bytes;
    all_replies = all_replies && t.kind == InputKind::reply;
  };
  const std::string answer = "\033]52;c;" + std::string(100'000, 'A') + "\033\\";
  for (std::size_t i = 0; i < answer.size(); i += 1000) scanner.feed(std::string_view(answer).substr(i, 1000), keep);
  CHECK(out == answer);
  CHECK(all_replies);
}

TEST_CASE("a further piece says so, also when it is nothing but the end of the string") {
  InputScanner scanner;
  std::vector<std::string> begun, further;
  const auto keep = [&](const InputToken& t) { (t.continues ? further : begun).emplace_back(t.bytes); };
  const std::string head = "\033]52;c;" + std::string(8000, 'a');
  scanner.feed(head, keep);
  CHECK(begun == std::vector<std::string>{head});
  CHECK_FALSE(scanner.pending());
  CHECK(scanner.is_amid_token());
  scanner.feed("\033", keep);
  scanner.feed("\\", keep);
  CHECK(further == std::vector<std::string>{"\033\\"});
  CHECK_FALSE(scanner.is_amid_token());
  scanner.feed("\033[0n\033[200~pasted", keep);
  CHECK(begun.back() == "\033[200~");
  CHECK(further.back() == "pasted");
  CHECK(scanner.is_amid_token());
  scanner.feed("\033[201~k", keep);
  CHECK(further.back() == "\033[201~");
  CHECK(begun.back() == "k");
  CHECK_FALSE(scanner.is_amid_token());
}

TEST_CASE("a string that begins in the middle of a long one is one of its own") {
  InputScanner scanner;
  std::vector<std::string> begun;
  const auto keep = [&](const InputToken& t) {
    if (!t.continues) begun.emplace_back(t.bytes);
  };
  const std::string head = "\033]52;c;" + std::string(8000, 'a');
  scanner.feed(head, keep);
  scanner.feed("\033]11;rgb:0/0/0\a", keep);
  CHECK(begun == std::vector<std::string>{head, "\033]11;rgb:0/0/0\a"});
}

TEST_CASE("nothing that looks like a key inside a paste is one") {
  InputScanner scanner;
  scanner.feed("\033[200~abc", [](const InputToken&) {});
  bool only_paste = true;
  scanner.feed("\x1c\033[<0;1;1M\033[20", [&](const InputToken& t) { only_paste &= t.kind == InputKind::paste; });
  scanner.feed("1~", [&](const InputToken& t) { only_paste &= t.kind == InputKind::paste; });
  CHECK(only_paste);
  scanner.feed("k", [&](const InputToken& t) { CHECK(t.kind == InputKind::key); });
}

TEST_CASE("all 256 byte values come out as they went in, a byte at a time") {
  std::string all, back;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  all += all;
  InputScanner scanner;
  const auto keep = [&](const InputToken& t) { back += t.bytes; };
  for (const char c : all) scanner.feed({&c, 1}, keep);
  scanner.flush(keep);
  CHECK(back == all);
}
