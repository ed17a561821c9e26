// Writes a session's files in the background, in order, so that a slow disk never holds up the holder's loop.
//
// The thread shares nothing with its owner but a queue of finished bytes, lives only while there is something to write,
// and never logs: outcomes come back as values. It does not read, and does not know what the files mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sys.h"

namespace holdfast::store {

class FileWriter {
 public:
  using Ticket = std::uint64_t;
  struct Outcome {
    Ticket ticket;
    Result<> result;
  };

  // What waits, at most: bytes of content. A disk that is slower than this makes writes fail, not memory grow.
  static constexpr std::size_t kQueueBytesMax = 1u << 20;
  // The same in number, outcomes that nobody has taken included.
  static constexpr std::size_t kQueueWritesMax = 256;

  // `directory` (open) is where the files lie; it outlives the writer. Error: no descriptor left.
  static Result<std::unique_ptr<FileWriter>> create(int directory);
  // Writes what still waits, then returns.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Replaces a file as sys::replace_file_at does. A write of the same file that still waits is dropped in favour of
  // this one (durable if either was) and has no outcome of its own. Error: the queue is full, or no thread can be
  // started.
  Result<Ticket> replace(std::string name, std::string bytes, sys::Durable durable);
  // Appends with one write(2), making the file (mode 0600) if it is missing.
  Result<Ticket> append(std::string name, std::string bytes);

  // Readable while outcomes wait (an eventfd).
  int outcome_fd() const;
  // Takes the outcomes so far, in the order of the writes.
  std::vector<Outcome> take_outcomes();

 private:
  struct Shared;
  explicit FileWriter(std::unique_ptr<Shared> shared);
  Result<Ticket> enqueue(struct FileWrite write);

  std::unique_ptr<Shared> shared_;
};

}  // namespace holdfast::store
