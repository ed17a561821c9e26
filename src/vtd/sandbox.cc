#include "vtd/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace holdfast::vtd {

// The sanitizers read files and start threads when they report: they have no filter.
#ifndef HOLDFAST_SANITIZED
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name this architecture for the system call filter"
#endif

// Everything VTD does after its start.
constexpr std::uint32_t kAllowed[] = {
    // the socket to the holder, checkpoints and answers
    SYS_recvmsg, SYS_sendmsg, SYS_read, SYS_pread64, SYS_write, SYS_lseek, SYS_close, SYS_memfd_create,
    // memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // the C library: clocks, locks, its own abort
    SYS_clock_gettime, SYS_gettimeofday, SYS_futex, SYS_getrandom, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_rt_sigaction, SYS_getpid, SYS_gettid, SYS_tgkill, SYS_exit, SYS_exit_group, SYS_restart_syscall,
};

sock_filter statement(std::uint16_t code, std::uint32_t value) { return {code, 0, 0, value}; }
sock_filter jump_if_equal(std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
  return {BPF_JMP | BPF_JEQ | BPF_K, then, otherwise, value};
}

std::vector<sock_filter> make_filter() {
  std::vector<sock_filter> filter;
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  filter.push_back(jump_if_equal(kArchitecture, 1, 0));
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  filter.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const std::uint32_t number : kAllowed) {
    filter.push_back(jump_if_equal(number, 0, 1));
    filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  return filter;
}

Result<> install_filter() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("lock the shadow terminal in", errno);
  std::vector<sock_filter> filter = make_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) {
    return fail_errno("lock the shadow terminal in", errno);
  }
  return {};
}

}  // namespace
#endif

Result<> enter_sandbox() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_DUMPABLE, 0);
#ifndef HOLDFAST_SANITIZED
  TRY(install_filter());
#endif
  return {};
}

}  // namespace holdfast::vtd
