"""Never reads. Writes a growing number a line, as fast as 200 times a second, for ever."""
import itertools
import os
import select
import tty

tty.setraw(0)
for number in itertools.count():
    os.write(1, b"%d\r\n" % number)
    select.select([], [], [], 0.005)
