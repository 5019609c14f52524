"""The rules by which the kernel (Landlock) lets a bot read files of /proc: a list, and nothing else.

Every process can read in its own ``smaps``, ``pagemap`` and ``numa_maps`` what the kernel notes of each page
of the system's files, which is a memory from match to match. Mounts cannot cover these files, since each new
process has its own. A bot's first process keeps the files that runtimes read (Node's memory usage, the place
of the stack); other processes have none. All that lies outside /proc may be read as before.

The rules need system calls that no shell has, so a short program of Perl makes them: it starts in a sixth of
the time of a Python.
"""

from typing import Final

_FIGURES: Final = (
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "stat",
    "sys/kernel",
    "sys/vm",
    "uptime",
    "version",
)
_OF_FIRST: Final = ("cmdline", "limits", "maps", "stat", "statm", "status")
_SCRIPT: Final = r"""
my ($read, $refer) = (1 << 2, 1 << 13);
my $rules = syscall(444, pack("Q", $read | $refer), 8, 0);
$rules >= 0 or die "landlock_create_ruleset: $!\n";
sub allow {
    my $rights = shift;
    for (@_) {
        sysopen(my $file, $_, 010000000) or next;
        syscall(445, $rules, 1, pack("Ql", $rights, fileno $file), 0) == 0 or die "landlock_add_rule: $!\n";
    }
}
opendir(my $root, "/") or die "/: $!\n";
allow($refer, "/");
allow($read, map("/$_", grep(!/^(\.\.?|proc)$/, readdir $root)), map("/proc/$_", split(" ", shift)));
closedir($root);
syscall(446, $rules, 0) == 0 or die "landlock_restrict_self: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
"""
"""Calls 444 to 446 have these numbers on all machines; 010000000 is O_PATH. Landlock refuses to move a file
to another folder (``refer``) unless a rule allows it, which kernels before 5.19 do not know."""


def landlock_words(perl: str) -> list[str]:
    """The command that goes before a bot's and lets it read no file of /proc but those listed above."""
    listed = (*_FIGURES, *(f"self/{name}" for name in _OF_FIRST))
    return [perl, "-e", _SCRIPT, " ".join(listed)]
