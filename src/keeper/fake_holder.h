// Another side of the test executable: run as keeper it is the real keeper, run as holder it is a puppet that does what
// a test tells it over the session's socket, one letter a command.
#pragma once

namespace holdfast::keeper {

enum HolderCommand : char {
  kSayPid = 'p',      // its pid
  kSayKeeper = 'k',   // its parent's pid
  kSayProgram = 'g',  // the program's pid, as its arguments have it
  kSayFiles = 'f',    // the numbers of its open descriptors
  kSayOutput = 'o',   // what the program prints next
  kSayRing = 'r',     // the first size in the ring
  kSayNote = 'n',     // the keeper's next word: kind, status, restarts, last status
  kRelock = 'l',      // makes another lock file, locks it and gives it to the keeper
  kPutAside = 'a',    // gives the keeper a new checkpoint
  kSayAside = 's',    // what stands in the one it was started with
  kFinish = 'x',      // ends as one whose session is over
  kCrash = 'c',       // ends as one that failed
};

}  // namespace holdfast::keeper
