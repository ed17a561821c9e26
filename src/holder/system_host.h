// SystemHost: the machine as a holder process has it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "holder/host.h"
#include "pty/process_tree.h"
#include "store/file_writer.h"

namespace holdfast::holder {

class SystemHost final : public Host {
 public:
  struct Session {
    std::string id, name, socket;
    pid_t keeper = -1, program = -1;
  };
  // The descriptors are those of base/roles.h.
  static Result<std::unique_ptr<SystemHost>> create(Session session);

  Result<Shadow> start_shadow() override;
  int end_shadow(pid_t pid) override;
  Duration shadow_time(pid_t pid) override;
  bool is_shadow_at_work(pid_t pid) override;
  void keep_checkpoint(int file) override;
  void give_memory_back() override;
  Result<> set_terminal_size(const pty::Size& size) override;
  std::string foreground_command() override;
  Result<> signal_foreground(int signal_number) override;
  void hang_up_program() override;
  void kill_tree(pid_t shadow) override;
  bool is_tree_empty(pid_t shadow) override;
  void save_manifest(std::string text, Durable durable) override;
  bool is_manifest_saved() override;
  int saved_fd() const override { return writer_ ? writer_->outcome_fd() : -1; }
  Result<> renew_places() override;
  Result<> remove_session() override;

 private:
  SystemHost(Session session, std::unique_ptr<store::FileWriter> writer)
      : session_(std::move(session)), writer_(std::move(writer)) {}
  std::vector<pty::Process> tree(pid_t shadow) const;
  void leave_other_sessions(const std::vector<pty::Process>& all, std::vector<pty::Process>& found) const;

  enum class Made : std::uint8_t { nothing, anew };
  Result<Made> renew_record();
  Result<> renew_name();
  Result<> renew_socket();
  Result<> replace_descriptor(Fd made, int number);
  void give_to_keeper(int fd, int number) const;
  void queue_manifest();
  void take_outcomes();

  Session session_;
  std::unique_ptr<store::FileWriter> writer_;  // none once the session is removed from disk
  std::string manifest_;                       // the newest
  Durable durable_ = Durable::no;
  store::FileWriter::Ticket unsaved_ = 0;  // of it, until its outcome is known
  bool name_due_ = false;                  // the directory was made anew, the name could not be given back yet
};

}  // namespace holdfast::holder
