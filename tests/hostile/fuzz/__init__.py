"""Fuzzing: every reader of foreign text or bytes is fed mutations of a corpus, and held to three laws.

- Only the errors a reader documents come out of it, whatever goes in.
- Its work, counted in executed lines of ours, grows in proportion to its input; a clock of CPU time stops what
  executes no lines (a regular expression, a codec).
- What it has read and a writer wrote reads back the same, where there is a writer.

    python -m tests.hostile.fuzz --target wav --minutes 10
    python -m tests.hostile.fuzz --iterations 2000          # every target
    python -m tests.hostile.fuzz --target wav --try FILE    # one input, once

`targets` has every reader, `dictionaries` the words of their formats, `mutations` what is done to an input; `watch`
counts the work, `campaign` is the loop. Each file in `corpus/<target>` is an input of our own making; what was found
once is kept there as `found-*`. An input that uncovers new lines, or costs more per byte than any before, joins the
inputs of that campaign. The same seed gives the same campaign. Coverage and work come from `sys.settrace`, so no
extension module is needed, and the same campaigns run on every Python and system that dramaturg runs on.
"""
