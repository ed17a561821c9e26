#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

std::string asked(const std::string& bytes, Profile profile = Profile::ghostty) {
  return Screen(10, 4, profile).feed(bytes).replies;
}

}  // namespace

TEST_CASE("device attributes are Ghostty's or xterm's") {
  CHECK(asked("\x1b[c") == "\x1b[?62;22;52c");
  CHECK(asked("\x1b[0c") == "\x1b[?62;22;52c");
  CHECK(asked("\x1bZ") == "\x1b[?62;22;52c");
  CHECK(asked("\x1b[1c").empty());
  CHECK(asked("\x1b[>c") == "\x1b[>1;10;0c");
  CHECK(asked("\x1b[=c") == "\x1bP!|00000000\x1b\\");
  CHECK(asked("\x1b[c", Profile::xterm) == "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28;29c");
  CHECK(asked("\x1b[>c", Profile::xterm) == "\x1b[>41;400;0c");
}

TEST_CASE("status and cursor position") {
  CHECK(asked("\x1b[5n") == "\x1b[0n");
  CHECK(asked("\x1b[3;4H\x1b[6n") == "\x1b[3;4R");
  CHECK(asked("0123456789\x1b[6n") == "\x1b[1;10R");
  CHECK(asked("\x1b[?6n") == "\x1b[?1;1R");
  CHECK(asked("\x1b[?15n").empty());
  CHECK(asked("\x1b[?15n", Profile::xterm) == "\x1b[?13n");
  CHECK(asked("\x05").empty());
}

TEST_CASE("XTVERSION and the colour scheme are the client's") {
  Screen s;
  ClientProfile client;
  client.name = "kitty\x1b[31m";
  client.version = "0.40 1";
  client.dark = false;
  s.terminal.set_client_profile(client);
  CHECK(s.feed("\x1b[>q").take_replies() == "\x1bP>|kitty[31m 0.401\x1b\\");  // nothing but plain characters of it
  CHECK(s.feed("\x1b[?996n").take_replies() == "\x1b[?997;2n");
  CHECK(asked("\x1b[>0q") == "\x1bP>|ghostty 1.2.0\x1b\\");
  CHECK(asked("\x1b[?996n") == "\x1b[?997;1n");
}

TEST_CASE("DECRQM: set, reset, unknown, ANSI and private") {
  CHECK(asked("\x1b[?25$p") == "\x1b[?25;1$y");
  CHECK(asked("\x1b[?2004$p") == "\x1b[?2004;2$y");
  CHECK(asked("\x1b[?2026h\x1b[?2026$p") == "\x1b[?2026;1$y");
  CHECK(asked("\x1b[?2027$p") == "\x1b[?2027;1$y");
  CHECK(asked("\x1b[?9999$p") == "\x1b[?9999;0$y");
  CHECK(asked("\x1b[?5522$p") == "\x1b[?5522;0$y");
  CHECK(asked("\x1b[4$p") == "\x1b[4;2$y");
  CHECK(asked("\x1b[99$p") == "\x1b[99;0$y");
  CHECK(asked("\x1b[?1049h\x1b[?1049$p") == "\x1b[?1049;1$y");
  CHECK(asked("\x1b[?1003h\x1b[?1000$p") == "\x1b[?1000;2$y");
}

TEST_CASE("DECRQSS: SGR, margins, cursor shape, protection, level, sizes") {
  CHECK(asked("\x1b[1;31m\x1bP$qm\x1b\\") == "\x1bP1$r0;1;31m\x1b\\");
  CHECK(asked("\x1b[4:3;38;2;1;2;3;48;5;200;58;5;9;97m\x1bP$qm\x1b\\") == "\x1bP1$r0;4:3;97;48:5:200;58:5:9m\x1b\\");
  CHECK(asked("\x1b[38;2;1;2;3m\x1bP$qm\x1b\\") == "\x1bP1$r0;38:2::1:2:3m\x1b\\");
  CHECK(asked("\x1b[2;3r\x1bP$qr\x1b\\") == "\x1bP1$r2;3r\x1b\\");
  CHECK(asked("\x1b[?69h\x1b[2;3s\x1bP$qs\x1b\\") == "\x1bP1$r2;3s\x1b\\");
  CHECK(asked("\x1b[5 q\x1bP$q q\x1b\\") == "\x1bP1$r5 q\x1b\\");
  CHECK(asked("\x1b[1\"q\x1bP$q\"q\x1b\\") == "\x1bP1$r1\"q\x1b\\");
  CHECK(asked("\x1bP$q\"p\x1b\\") == "\x1bP1$r64;1\"p\x1b\\");
  CHECK(asked("\x1bP$qt\x1b\\") == "\x1bP1$r4t\x1b\\");
  CHECK(asked("\x1bP$q$|\x1b\\") == "\x1bP1$r10$|\x1b\\");
  CHECK(asked("\x1bP$qevil\x1b\\") == "\x1bP0$r\x1b\\");
}

TEST_CASE("XTGETTCAP answers from our own table, in our own hex") {
  CHECK(asked("\x1bP+q544e\x1b\\") == "\x1bP1+r544E=787465726D2D67686F73747479\x1b\\");
  CHECK(asked("\x1bP+q436F;52474\x32\x1b\\") == "\x1bP1+r436F=323536\x1b\\\x1bP1+r524742=38\x1b\\");
  CHECK(asked("\x1bP+q5463\x1b\\") == "\x1bP1+r5463\x1b\\");
  CHECK(asked("\x1bP+q4d73\x1b\\").starts_with("\x1bP1+r4D73=1B5D35323B"));
  CHECK(asked("\x1bP+q7a7a7a\x1b\\") == "\x1bP0+r\x1b\\");
  CHECK(asked("\x1bP+qzz;\x1b\\") == "\x1bP0+r\x1b\\");
}

TEST_CASE("keyboard queries") {
  CHECK(asked("\x1b[?u") == "\x1b[?0u");
  CHECK(asked("\x1b[>5u\x1b[?u") == "\x1b[?5u");
  CHECK(asked("\x1b[>4;2m\x1b[?4m") == "\x1b[>4;2m");
}

TEST_CASE("colour queries end as they were asked, and say what the program set or the client has") {
  CHECK(asked("\x1b]10;?\a") == "\x1b]10;rgb:ffff/ffff/ffff\a");
  CHECK(asked("\x1b]11;?\x1b\\") == "\x1b]11;rgb:2828/2c2c/3434\x1b\\");
  CHECK(asked("\x1b]11;#102030\a\x1b]11;?\a") == "\x1b]11;rgb:1010/2020/3030\a");
  CHECK(asked("\x1b]10;?;?\a") == "\x1b]10;rgb:ffff/ffff/ffff\a\x1b]11;rgb:2828/2c2c/3434\a");
  CHECK(asked("\x1b]4;1;?;196;?\a") == "\x1b]4;1;rgb:cdcd/0000/0000\a\x1b]4;196;rgb:ffff/0000/0000\a");
  CHECK(asked("\x1b]17;?\a").empty());
  Screen s;
  ClientProfile client;
  client.palette[1] = 0xaabbcc;
  s.terminal.set_client_profile(client);
  CHECK(s.feed("\x1b]4;1;?\a").replies == "\x1b]4;1;rgb:aaaa/bbbb/cccc\a");
}

TEST_CASE("sizes in cells and pixels") {
  CHECK(asked("\x1b[14t") == "\x1b[4;64;80t");
  CHECK(asked("\x1b[16t") == "\x1b[6;16;8t");
  CHECK(asked("\x1b[18t") == "\x1b[8;4;10t");
  CHECK(asked("\x1b[19t") == "\x1b[9;4;10t");
  Screen s;
  s.terminal.resize({10, 4, 100, 80}, s);
  CHECK(s.feed("\x1b[14t\x1b[16t").replies == "\x1b[4;80;100t\x1b[6;20;10t");
}

TEST_CASE("what a program could use to type is not answered") {
  CHECK(asked("\x1b]2;rm -rf\a\x1b[21t\x1b[20t").empty());
  CHECK(asked("\x1b]52;c;?\a").empty());
  CHECK(asked("\x1b]7501;?\a").empty());
  CHECK(asked("\x1b[8;5;5t").empty());
}

TEST_CASE("DECRQCRA sums characters and attributes in the xterm profile") {
  CHECK(asked("A\x1b[7;1;1;1;1;1*y", Profile::xterm) == "\x1bP7!~FFBF\x1b\\");
  CHECK(asked("\x1b[1;1;1;1;1;1*y", Profile::xterm) == "\x1bP1!~FFE0\x1b\\");
  CHECK(asked("A\x1b[7;1;1;1;1;1*y").empty());
}

TEST_CASE("one feed is answered with a bounded number of bytes") {
  std::string flood;
  for (int i = 0; i < 100'000; ++i) flood += "\x1b[c";
  Screen s;
  s.feed(flood);
  CHECK(s.replies.size() <= 64 * 1024);
  CHECK(s.replies.size() > 60 * 1024);
  s.take_replies();
  CHECK(s.feed("\x1b[c").replies == "\x1b[?62;22;52c");
}

}  // namespace holdfast::vt
