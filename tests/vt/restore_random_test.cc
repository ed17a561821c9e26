// Random programs: what no agent prints, but some program may.
#include "fixtures.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace holdfast;

namespace {

constexpr int kPrograms = 2500;
constexpr int kCutsPerProgram = 4;
// In a single column erasing a cell is erasing its row, which cuts the join to the row above and takes its mark: what is
// joined or marked there and blank cannot be said (docs/vt.md, "Restore").
constexpr int kColsMin = 2, kRowsMin = 1;

class Generator {
 public:
  explicit Generator(std::mt19937_64& random) : random_(random) {}

  vt_test::Script program(int number) {
    vt_test::Script script{"program " + std::to_string(number),
                           static_cast<std::uint16_t>(between(kColsMin, 14)),
                           static_cast<std::uint16_t>(between(kRowsMin, 7)),
                           {}};
    script.steps.emplace_back();
    for (int tokens = between(5, 60); tokens > 0; --tokens) {
      if (between(0, 40) == 0) {
        script.steps.push_back(
            {"", static_cast<std::uint16_t>(between(kColsMin, 14)), static_cast<std::uint16_t>(between(kRowsMin, 7))});
        script.steps.emplace_back();
      } else {
        script.steps.back().bytes += token();
      }
    }
    return script;
  }

 private:
  int between(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }
  std::string one_of(std::initializer_list<const char*> choices) {
    return *(choices.begin() + between(0, static_cast<int>(choices.size()) - 1));
  }
  std::string csi(const std::string& text) { return "\x1b[" + text; }
  std::string number(int low, int high) { return std::to_string(between(low, high)); }

  std::string token() {
    switch (between(0, 30)) {
      case 0:
      case 1:
      case 2:
        return one_of({"a", "bc", "hello", "x y", "wrap this text over rows", "   "});
      case 3:
        return one_of({"中", "Ａ", "日本", "語文字列"});
      case 4:
        return one_of({"e\u0301", "\u0308", "a\u0300\u0301", "👨‍👩‍👧", "❤️", "👍🏽", "🇩🇪", "😀︎", "é─│█"});
      case 5:
        return one_of({"\r\n", "\n", "\r", "\b", "\t", "\v"});
      case 6:
      case 7:
        return csi(number(0, 8) + ";" + number(0, 14) + "H");
      case 8:
        return csi(number(0, 5) + one_of({"A", "B", "C", "D", "E", "F", "G", "d", "`", "a", "e", "I", "Z"}));
      case 9:
        return csi(one_of({"", "0", "1", "2", "?0", "?1", "?2", "3"}) + one_of({"J", "K"}));
      case 10:
        return csi(one_of({"", "1", "2", "9"}) + one_of({"@", "P", "X", "L", "M", "S", "T"}));
      case 11:
        return csi(one_of({"2;4r", "r", "3r", "1;3r", "?69h", "?69l", "2;5s", "3;9s"}));
      case 12:
        return csi(one_of({"?6h", "?6l", "?7h", "?7l", "4h", "4l", "?45h", "?45l", "?2027h", "?2027l", "20h"}));
      case 13:
        return "\x1b" + one_of({"M", "D", "E", "7", "8", "7", "H", "N", "O", "n", "o", "~", "|", "V", "W", "=", ">"});
      case 14:
      case 15:
        return csi(one_of({"m", "1;31m", "44m", "4:3;58:5:9m", "7m", "38;2;1;2;3;48;5;77m", "0;2;3m", "49m", "53;9m",
                           "58:2::9:8:7;21m"}));
      case 16:
        return csi("?" + one_of({"47", "1047", "1049", "1049"}) + one_of({"h", "h", "l"}));
      case 17:
        return csi(one_of({"g", "3g", "?5W", "2b", "7b", "!p"}));
      case 18:
        return "\x1b" + one_of({"(0", "(B", ")0", "*A", "+0"}) + one_of({"", "\x0e", "\x0f"});
      case 19:
        return "\x1b]8;" + one_of({";", ";http://one", "id=x;http://two", ";http://one"}) + "\x1b\\";
      case 20:
        return csi(one_of({"1\"q", "0\"q", "2\"q"}));
      case 21:
        return "\x1b]133;" + one_of({"A", "B", "C", "D", "P;k=c", "P;k=r"}) + "\x1b\\";
      case 22:
        return csi(one_of({">5u", ">1u", "<u", "=3;1u", "=8;2u", "<9u"}));
      case 23:
        return one_of({"\x1b]2;title\x07", "\x1b]1;icon\x07", "\x1b[22;0t", "\x1b[23;0t", "\x1b]7;file://h/p\x07",
                       "\x1b]22;text\x07", "\x1b]9;4;1;30\x07", "\x1b]9;4;0\x07"});
      case 24:
        return csi("?" + one_of({"1", "5", "25", "12", "1000", "1002", "1006", "1004", "2004", "1007", "67", "66"}) +
                   one_of({"h", "l", "s", "r"}));
      case 25:
        return one_of({"\x1b]4;3;rgb:11/22/33\x07", "\x1b]10;#010203\x07", "\x1b]104\x07", "\x1b[4 q", "\x1b[0 q",
                       "\x1b[>4;2m", "\x1b[>4m", "\x1b[#{", "\x1b[#}"});
      case 26:
        return one_of({"\x1b#8", "\x1b[3J", "\x1b[22J", "\x1b[s", "\x1b[u", "\x1b[?2026h", "\x1b[?6s", "\x1b[?6r"});
      case 27:
        return image();
      case 28:
        return one_of({"\x1b[#P", "\x1b[#Q", "\x1b[2#P", "\x1b[1#Q", "\x1b]30001\x07", "\x1b]30101\x07", "\x1b[>1s",
                       "\x1b]5;1;#445566\x07", "\x1b]13;#778899\x07", "\x1b]21;cursor=#aabbcc;7=red\x07",
                       "\x1b]105\x07"});
      case 29:
        return one_of({"\x1b]22;>wait\x07", "\x1b]22;>a,b\x07", "\x1b]22;<\x07", "\x1b]22;=text\x07",
                       "\x1b]7501;state=working:id=1\x07", "\x1b]7501;state=idle\x07",
                       "\x1b]7501;state=clear:id=1\x07", "\x1b]7501;state=clear\x07"});
      default:
        return between(0, 9) == 0 ? "\x1b"
                                    "c"
                                  : std::string("z");
    }
  }

  // Images of one cell and more, placed, deleted, cut off: cells have 8 by 16 pixels.
  std::string image() {
    const std::string id = between(0, 3) == 0 ? "I=" + number(1, 2) : between(0, 5) == 0 ? "q=2" : "i=" + number(1, 4);
    const std::string where = one_of({"", ",p=1", ",p=2,C=1", ",C=1,c=2", ",c=3,r=2", ",r=4", ",X=3,Y=5,z=-1", ",U=1",
                                      ",P=1,H=-1,V=2", ",P=2,Q=1", ",x=1,y=1,w=3,h=2"});
    switch (between(0, 8)) {
      case 0:
        return "\x1b_Ga=d," + one_of({"d=a", "d=A", "d=i,i=1", "d=I,i=2", "d=N,I=1", "d=C", "d=p,x=2,y=1", "d=x,x=3",
                                     "d=y,y=2", "d=Z,z=-1", "d=r,x=2,y=3"}) + "\x1b\\";
      case 1:
        return "\x1b_Ga=t,f=24,s=2,v=1,m=1," + id + ";AAAA\x1b\\";
      case 2:
        return "\x1b_Gm=0;AAEC\x1b\\";
      case 3:
      case 4:
        return "\x1b_Ga=p," + id + where + "\x1b\\";
      case 5:
        return "\x1b_Ga=t,t=" + one_of({"f", "s"}) + ",s=20,v=40," + id + ";L2E=\x1b\\";
      case 6:  // nobody can look into it: its size is what the keys say
        return "\x1b_Ga=T,o=z,f=" + one_of({"32", "100"}) + ",s=" + number(1, 40) + ",v=" + number(1, 90) + "," + id + where +
               ";eJxj\x1b\\";
      default:
        return "\x1b_Ga=T,f=24,s=1,v=2," + id + where + ";AAECAwQF\x1b\\";
    }
  }

  std::mt19937_64& random_;
};

}  // namespace

TEST_CASE("random programs can be restored and decoded anywhere") {
  const std::uint64_t seed = vt_test::seed();
  MESSAGE("HOLDFAST_SEED=" << seed);
  std::mt19937_64 random(seed);
  Generator generator(random);
  std::vector<vt_test::Script> programs;
  for (int i = 0; i < kPrograms; ++i) programs.push_back(generator.program(i));
  int failures = 0;
  for (const vt_test::Script& script : programs) {
    std::vector<std::size_t> cuts{script.bytes()};
    for (int i = 1; i < kCutsPerProgram; ++i) cuts.push_back(random() % (script.bytes() + 1));
    std::ranges::sort(cuts);
    vt_test::play(script, cuts, [&](vt::Terminal& terminal, vt_test::Position at) {
      const std::string report = vt_test::check_cut(terminal, random, programs);
      if (report.empty() || ++failures > 8) return;
      std::string bytes;
      for (const vt_test::Step& step : script.steps) {
        bytes += step.cols ? " [" + std::to_string(step.cols) + "x" + std::to_string(step.rows) + "] " : step.bytes;
      }
      FAIL_CHECK(script.name << " " << script.cols << "x" << script.rows << ", step " << at.step << ", byte " << at.byte
                             << "\n"
                             << vt_test::shown(bytes) << "\n"
                             << report);
    });
  }
  CHECK(failures == 0);
}
