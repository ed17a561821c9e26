// Known faults of the two engines we compare with, as data: what differs, and why that is not ours to mend.
//   engine: whose fault. difference: matches a line of differences(). when: further condition (optional).

export const RESTORE = [];

export const CASES = [];
