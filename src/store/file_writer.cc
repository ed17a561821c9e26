#include "store/file_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>

namespace holdfast::store {
namespace {

// Bytes; the thread's frames are small, those of a sanitizer are not.
#ifdef HOLDFAST_SANITIZED
constexpr std::size_t kStackBytes = 1u << 20;
#else
constexpr std::size_t kStackBytes = 64u << 10;
#endif

}  // namespace

struct FileWrite {
  enum class Kind { replace, append };
  Kind kind;
  std::string name, bytes;
  sys::Durable durable;
  FileWriter::Ticket ticket = 0;
};

namespace {

Result<> carry_out(int directory, const FileWrite& write) {
  if (write.kind == FileWrite::Kind::replace) {
    return sys::replace_file_at(directory, write.name, write.bytes, write.durable);
  }
  const Fd file = TRY(sys::open_at(directory, write.name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600));
  return sys::write_all(file.get(), write.bytes);
}

}  // namespace

struct FileWriter::Shared {
  int directory;
  Fd outcome_event;

  std::mutex mutex;  // guards all below
  std::deque<FileWrite> queue;
  std::size_t queue_bytes = 0;
  Ticket next_ticket = 1;
  std::vector<Outcome> outcomes;
  // none: never started, or joined. finished: has seen an empty queue and touches nothing any more; to be joined.
  enum class Thread { none, running, finished } thread_state = Thread::none;
  pthread_t thread{};

  static void* run(void* argument);
  Result<> start_thread();
  void join_thread();
};

void* FileWriter::Shared::run(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  std::unique_lock lock(shared.mutex);
  while (!shared.queue.empty()) {
    const FileWrite write = std::move(shared.queue.front());
    shared.queue.pop_front();
    shared.queue_bytes -= write.bytes.size();
    lock.unlock();
    auto result = carry_out(shared.directory, write);
    lock.lock();
    shared.outcomes.push_back({write.ticket, std::move(result)});
    ::eventfd_write(shared.outcome_event.get(), 1);
  }
  // An idle thread would keep its stack: the next write starts another.
  shared.thread_state = Thread::finished;
  return nullptr;
}

Result<> FileWriter::Shared::start_thread() {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  // Signals are the loop's business.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&thread, &attributes, &Shared::run, this);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) return fail_errno("start the thread that writes files", error);
  thread_state = Thread::running;
  return {};
}

void FileWriter::Shared::join_thread() {
  ::pthread_join(thread, nullptr);
  thread_state = Thread::none;
}

Result<std::unique_ptr<FileWriter>> FileWriter::create(int directory) {
  auto shared = std::make_unique<Shared>();
  shared->directory = directory;
  shared->outcome_event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!shared->outcome_event) return fail_errno("prepare the writing of files", errno);
  return std::unique_ptr<FileWriter>(new FileWriter(std::move(shared)));
}

FileWriter::FileWriter(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}

FileWriter::~FileWriter() {
  // Only the owner starts and joins, so the state can become `finished` meanwhile, but nothing else.
  std::unique_lock lock(shared_->mutex);
  const bool to_join = shared_->thread_state != Shared::Thread::none;
  lock.unlock();
  if (to_join) shared_->join_thread();
}

Result<FileWriter::Ticket> FileWriter::replace(std::string name, std::string bytes, sys::Durable durable) {
  return enqueue({FileWrite::Kind::replace, std::move(name), std::move(bytes), durable});
}

Result<FileWriter::Ticket> FileWriter::append(std::string name, std::string bytes) {
  return enqueue({FileWrite::Kind::append, std::move(name), std::move(bytes), sys::Durable::no});
}

Result<FileWriter::Ticket> FileWriter::enqueue(FileWrite write) {
  const std::lock_guard lock(shared_->mutex);
  auto& queue = shared_->queue;
  const auto superseded = std::find_if(queue.begin(), queue.end(), [&](const FileWrite& waiting) {
    return write.kind == FileWrite::Kind::replace && waiting.kind == FileWrite::Kind::replace &&
           waiting.name == write.name;
  });
  const std::size_t freed = superseded != queue.end() ? superseded->bytes.size() : 0;
  const bool full = queue.size() + shared_->outcomes.size() >= kQueueWritesMax && superseded == queue.end();
  if (full || shared_->queue_bytes - freed + write.bytes.size() > kQueueBytesMax) {
    return fail(ErrorKind::failed, "write " + write.name, "the disk does not keep up");
  }
  write.ticket = shared_->next_ticket++;
  const Ticket ticket = write.ticket;
  shared_->queue_bytes += write.bytes.size() - freed;
  if (superseded != queue.end()) {
    if (superseded->durable == sys::Durable::yes) write.durable = sys::Durable::yes;
    queue.erase(superseded);
  }
  queue.push_back(std::move(write));

  if (shared_->thread_state == Shared::Thread::running) return ticket;
  if (shared_->thread_state == Shared::Thread::finished) shared_->join_thread();
  if (auto started = shared_->start_thread(); !started) {
    shared_->queue_bytes -= queue.back().bytes.size();
    queue.pop_back();
    return std::unexpected(std::move(started).error());
  }
  return ticket;
}

int FileWriter::outcome_fd() const { return shared_->outcome_event.get(); }

std::vector<FileWriter::Outcome> FileWriter::take_outcomes() {
  const std::lock_guard lock(shared_->mutex);
  eventfd_t count;
  ::eventfd_read(shared_->outcome_event.get(), &count);
  return std::exchange(shared_->outcomes, {});
}

}  // namespace holdfast::store
