#include "vt/snapshot.h"

#include <cstdio>
#include <cstdlib>

#include "base/sys.h"
#include "base/text.h"
#include "vt/image_fixture.h"
#include "vt/restore.h"
#include "vt/snapshot_format.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

constexpr std::string_view kRich =
    "one\r\n\x1b[1;38;2;1;2;3;48;5;77mtwo 中文 "
    "e\u0301\x1b[m\r\n\x1b]8;;http://x\x1b\\link\x1b]8;id=a;http://y\x1b\\id\x1b]8;;\x1b\\\r\n"
    "0123456789012345\r\n\x1b]133;A\x1b\\$ "
    "\x1b]133;B\x1b\\ls\r\n\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?25l\x1b[?25s\x1b[>5u"
    "\x1b]2;title\x1b\\\x1b[22;0t\x1b]7;file://h/\x1b\\\x1b]4;1;rgb:01/02/"
    "03\x1b\\\x1b]11;#040506\x1b\\\x1b[3g\x1b[5G\x1bH"
    "\x1b[2;3r\x1b[3 q\x1b(0\x1b[4:3m\x1b[#{\x1b"
    "7\x1b[?1049h\x1b[7malt 😀\x1b[31\xe4";

// What came with version 1.1, before the rest.
const std::string kRicher =
    "\x1b]10;#0a0b0c\x1b\\\x1b]5;1;#0d0e0f\x1b\\\x1b[#P\x1b]14;#101112\x1b\\\x1b]22;text\x1b\\\x1b]22;>wait\x1b\\"
    "\x1b]7501;state=working:app=a\x1b\\\x1b]7501;state=blocked:id=b\x1b\\\x1b[>1s"
    "\x1b[1;30#{" +
    std::string(kRich.substr(0, kRich.find("\x1b[?1049h"))) + "\x1b[H" +
    graphics("a=T,i=1,p=2,f=24,s=1,v=2,c=2,r=1,z=-3,C=1,q=2", "012345") + graphics("a=T,I=9,f=100,q=2,C=1", png(20, 30)) +
    graphics("a=p,i=2,P=1,Q=2,H=-1,V=2,q=2") + graphics("a=T,i=5,t=f,U=1,s=3,v=4,q=2", "/file") +
    graphics("a=t,i=6,t=s,s=3,v=4,q=2", "/gone") + graphics("a=T,o=z,s=8,v=16,q=2", "deflated") + "\x1b[2;2H" +
    std::string(kRich.substr(kRich.find("\x1b[?1049h"), 8)) +
    graphics("a=T,i=7,p=8,f=24,s=2,v=2,x=1,X=2,P=3,Q=4,q=1,m=1", "0123") + std::string(kRich.substr(kRich.find("\x1b[7malt")));

std::string rich_snapshot() {
  Screen screen(12, 4);
  screen.feed(kRicher);
  return encode_snapshot(screen.state());
}

// The bytes with the checksums of all records made right again, so that a change in a payload reaches its decoder.
std::string with_right_checksums(std::string bytes) {
  std::size_t at = snapshot_format::kMagic.size() + 2;
  while (at + snapshot_format::kRecordOverhead <= bytes.size()) {
    std::size_t size = 0;
    for (int i = 3; i >= 0; --i)
      size = size << 8 | static_cast<unsigned char>(bytes[at + 2 + static_cast<std::size_t>(i)]);
    if (size > bytes.size() - at - snapshot_format::kRecordOverhead) break;
    std::uint32_t sum = crc32c(std::string_view(bytes).substr(at, 6 + size));
    for (std::size_t i = 0; i < 4; ++i, sum >>= 8) bytes[at + 6 + size + i] = static_cast<char>(sum);
    at += snapshot_format::kRecordOverhead + size;
  }
  return bytes;
}

// Of each version that was ever released: the file, and the bytes that made the terminal in it.
struct Golden {
  const char* file;
  std::string_view bytes;
};
const Golden kGoldens[] = {{"v1.hfsnap", kRich}, {"v1.1.hfsnap", kRicher}};

std::string golden_path(const char* file) {
  const char* root = std::getenv("HOLDFAST_SOURCE_DIR");
  return std::string(root ? root : ".") + "/tests/fixtures/snapshot/" + file;
}

}  // namespace

TEST_CASE("a snapshot brings everything back") {
  Screen screen(12, 4);
  screen.feed(kRicher);
  CHECK(screen.state().primary.graphics.images.size() == 5);
  CHECK(screen.state().alternate.graphics.upload);
  auto decoded = decode_snapshot(encode_snapshot(screen.state()));
  REQUIRE(decoded);
  CHECK(everything(*decoded) == everything(screen.terminal.mutable_state()));
  CHECK(encode_snapshot(*decoded) == encode_snapshot(screen.state()));
}

TEST_CASE("a decoded terminal goes on where the other stopped, inside a sequence too") {
  Screen screen(12, 4);
  screen.feed(kRich);
  Screen copy(12, 4);
  copy.terminal = Terminal(*decode_snapshot(encode_snapshot(screen.state())), Profile::ghostty);
  for (Screen* s : {&screen, &copy}) s->feed("\xb8\xad more\x1b[?1049l and back");
  CHECK(everything(copy.terminal.mutable_state()) == everything(screen.terminal.mutable_state()));
}

TEST_CASE("the screens are complete before the history comes") {
  const std::string bytes = rich_snapshot();
  const std::string ready("\x0b\x00\x00\x00\x00\x00", 6), block("\x0c\x00", 2);
  const std::size_t ready_at = bytes.find(ready);
  REQUIRE(ready_at != std::string::npos);
  CHECK(bytes.find(block, ready_at) != std::string::npos);
}

TEST_CASE("snapshots of all versions that were released can be read for ever") {
  for (const Golden& golden : kGoldens) {
    CAPTURE(golden.file);
    const auto bytes = sys::read_file(golden_path(golden.file));
    REQUIRE(bytes);
    auto decoded = decode_snapshot(*bytes);
    REQUIRE(decoded);
    Screen screen(12, 4);
    screen.feed(golden.bytes);
    CHECK(everything(*decoded) == everything(screen.terminal.mutable_state()));
  }
}

// A format that changes gets a new minor version, and a golden file of its own beside those before it: this test, run with
// HOLDFAST_WRITE_GOLDEN=1, writes what is last in kGoldens.
TEST_CASE("the golden file of the newest version is what is written today") {
  const Golden& newest = *std::prev(std::end(kGoldens));
  Screen screen(12, 4);
  screen.feed(newest.bytes);
  const std::string bytes = encode_snapshot(screen.state());
  if (std::getenv("HOLDFAST_WRITE_GOLDEN")) {
    std::FILE* file = std::fopen(golden_path(newest.file).c_str(), "wb");
    REQUIRE(file);
    CHECK(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
    REQUIRE(std::fclose(file) == 0);
  }
  const auto golden = sys::read_file(golden_path(newest.file));
  REQUIRE(golden);
  CHECK(hex(*golden) == hex(bytes));
}

TEST_CASE("a snapshot cut off at any byte is an error") {
  const std::string bytes = rich_snapshot();
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_FALSE(decode_snapshot(std::string_view(bytes).substr(0, n)));
  CHECK_FALSE(decode_snapshot(bytes + "x"));
}

TEST_CASE("any flipped bit is an error") {
  const std::string good = rich_snapshot();
  for (std::size_t i = 0; i < good.size(); ++i) {
    // The minor version is the one byte that may differ.
    if (i == snapshot_format::kMagic.size() + 1) continue;
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1 << i % 8);
    CHECK_FALSE(decode_snapshot(bad));
  }
}

TEST_CASE("contents that lie, under right checksums, give an error or a sound terminal") {
  const std::string good = rich_snapshot();
  for (std::size_t i = snapshot_format::kMagic.size() + 2; i < good.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x1b, 0x7f, 0xff}) {
      CAPTURE(i);
      CAPTURE(value);
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      auto decoded = decode_snapshot(with_right_checksums(bad));
      if (!decoded) continue;
      // What was let through must work: it is printed into, scrolled, resized and written out.
      Terminal terminal(*std::move(decoded), Profile::ghostty);
      Screen sink;
      terminal.feed("\x1b\\\x1b[999;999Htext 中 \x1b[?1049l\r\n\r\n\x1b[H\x1b[L\x1b[P\x1b[20b", sink);
      CHECK(broken_invariants(terminal.state()) == "");
      terminal.resize({7, 3, 0, 0}, sink);
      CHECK(broken_invariants(terminal.state()) == "");
      std::string out;
      terminal.feed("\x1b\\\x1b_Gm=0;\x1b\\\x1b_Ga=T,f=24,s=1,v=1;AAEC\x1b\\\x1b[#Q\x1b]22;<\x1b\\\n\n\n", sink);
      write_undo(terminal.state(), -1, out);
      write_restore(terminal.mutable_state(), {}, out);
      CHECK_FALSE(out.empty());
    }
  }
}

TEST_CASE("an unknown record is skipped, a missing or doubled one is an error") {
  const std::string good = rich_snapshot();
  const std::size_t first = snapshot_format::kMagic.size() + 2;
  const auto record_end = [&](std::size_t at) {
    return at + snapshot_format::kRecordOverhead + static_cast<unsigned char>(good[at + 2]) +
           (static_cast<std::size_t>(static_cast<unsigned char>(good[at + 3])) << 8);
  };
  const std::string unknown(
      "\x99\x01\x03\x00\x00\x00"
      "abc\x00\x00\x00\x00",
      13);
  CHECK(decode_snapshot(with_right_checksums(good.substr(0, first) + unknown + good.substr(first))));
  const std::size_t second = record_end(first);
  CHECK_FALSE(decode_snapshot(good.substr(0, first) + good.substr(second)));
  CHECK_FALSE(decode_snapshot(good.substr(0, second) + good.substr(first)));
}

TEST_CASE("a newer major version is refused by name, other bytes are no snapshot") {
  std::string newer = rich_snapshot();
  newer[snapshot_format::kMagic.size()] = 2;
  const auto refused = decode_snapshot(newer);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::refused);
  CHECK(refused.error().problem.find("version 2") != std::string::npos);
  const auto garbage = decode_snapshot("{\"screen\":[]}");
  REQUIRE_FALSE(garbage);
  CHECK(garbage.error().problem == "this is not a snapshot");
}

}  // namespace holdfast::vt
