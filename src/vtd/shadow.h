// Shadow: the terminal of one session inside its VTD. Takes the holder's words one by one and answers them.
//
// Output comes from the shared ring, everything else over the socket (docs/vtd.md). It trusts the holder, and nothing
// that came from the program; what it cannot do is an error in an answer, what it does not understand ends it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "base/ring.h"
#include "vt/terminal.h"
#include "wire/vtd.h"

namespace holdfast::vtd {

// Where words to the holder go.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual Result<> send(const wire::vtd::FromVtd& message, int file) = 0;
};

class Shadow final : private vt::Sink {
 public:
  Shadow(RingView ring, Channel& channel, const Clock& clock);
  ~Shadow() override;

  // `file` came with the message. Error: VTD cannot go on.
  Result<> take(const wire::vtd::ToVtd& message, Fd file);

 private:
  Result<> start(const wire::vtd::Start& start, Fd file);
  Result<> go_on_from(const wire::vtd::Start& start, int file);
  Result<> parse_to(std::uint64_t end);
  Result<> skip_to(std::uint64_t to);
  Result<> resize(const wire::vtd::Resize& resize);
  void set_profile(const std::string& json_text);
  void settle_clusters();
  Result<> answer(const wire::vtd::Request& request);
  Result<> write_out(const wire::vtd::Request& request, int file, wire::vtd::Answer& answer);
  Result<> say_events();

  void reply(std::uint64_t offset, std::string_view bytes) override;
  void event(std::uint64_t offset, const vt::Event& event) override;

  RingView ring_;
  Channel& channel_;
  const Clock& clock_;
  std::unique_ptr<vt::Terminal> terminal_;
  vt::Profile client_ = vt::Profile::ghostty;  // the last client's terminal
  // Mode 2027.
  struct ClusterMode {
    bool wanted = true, shown = true;  // by the program; in force. The engine begins with it on
    std::optional<bool> fixed;         // what the last client's terminal does whatever it is told
    bool has_begun = false;            // with what the first terminal had
  };
  ClusterMode clusters_;
  std::vector<wire::vtd::Event> events_;  // of the slice being parsed
  Result<> sent_;                         // the first error inside a call of the engine
};

}  // namespace holdfast::vtd
