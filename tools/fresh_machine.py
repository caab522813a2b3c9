"""Build and test Blockfall from nothing on a fresh Debian: `sudo python3 tools/fresh_machine.py debian-13`.

It makes the system with debootstrap (`apt-get install debootstrap`; two minutes; kept for the next time), copies a
clean clone of this repository's last commit into it, and runs `make run` and `make test` there, or the given commands:

    sudo python3 tools/fresh_machine.py sid 'make lint' '.venv/bin/pytest tests/core'

The system sees this machine's kernel and network, its own processes and nothing else of this machine. It is entered by
`unshare` and `pivot_root`: below a mere chroot Linux refuses the user namespaces that the grading sandbox needs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITES = {"debian-12": "bookworm", "debian-13": "trixie", "sid": "sid"}
PACKAGES = ("ca-certificates", "g++", "git", "make", "python3-dev", "python3-venv")
PLACE = "root/blockfall"
"""The clone's folder in the system."""
TAKEN = ("http_proxy", "https_proxy", "no_proxy", "PIP_CERT", "PIP_DEFAULT_TIMEOUT", "PIP_INDEX_URL")
"""Variables of this machine's environment that say how to reach the network."""
SHARED = ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt")
"""This machine's files that say the same."""

ENTER = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t sysfs sys sys
mount -t tmpfs -o mode=755 dev dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=1777 tmp tmp
mkdir -p old
pivot_root . old
umount -l old
cd "$2"
sh -c "$3"
"""
"""Run the command $3 in the folder $2 of the system $1. The shell stays: process 1 collects orphans."""

VERSIONS = """
. /etc/os-release; echo "$PRETTY_NAME ($(cat /etc/debian_version)), $(uname -m)"
python3 --version; g++ --version | head -1
test ! -x .venv/bin/pip || .venv/bin/pip list --format freeze | grep -iE '^(numpy|mypy|pydantic|nicegui)=' | xargs
"""


def mirror() -> str:
    """Return the address from which this machine's own apt gets Debian."""
    asked = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(SITE) $(REPO_URI)", "Created-By: Packages"]
    lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    found = [line.split()[-1] for line in lines if line.startswith("Debian ") and "security" not in line]
    if not found:
        sys.exit("this machine's apt has no Debian mirror; name one with --mirror")
    return found[0].rstrip("/")


def make(system: Path, suite: str, address: str) -> None:
    """Install a minimal Debian with what Blockfall needs into a new folder."""
    part = system.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    include = f"--include={','.join(PACKAGES)}"
    subprocess.run(["debootstrap", "--variant=minbase", include, suite, part, address], check=True)
    part.rename(system)


def inside(system: Path, command: str, folder: str = f"/{PLACE}") -> int:
    """Run a shell command in the system, and return its exit status."""
    taken = {name: os.environ[name] for name in TAKEN if name in os.environ}
    environment = taken | {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    environment |= {"HOME": "/root", "LANG": "C.UTF-8", "TERM": os.environ.get("TERM", "dumb")}
    own = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc"]
    return subprocess.run([*own, "sh", "-c", ENTER, "sh", system, folder, command], env=environment).returncode


def main() -> int:
    """Make the system if there is none yet, copy a clone in, and run the commands until one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("machine", choices=SUITES)
    parser.add_argument("commands", nargs="*", default=["make run", "make test"], help="instead of the two")
    parser.add_argument("--new", action="store_true", help="make the system anew")
    parser.add_argument("--keep", action="store_true", help="keep what the last time installed and built")
    parser.add_argument("--mirror", help="the address of a Debian mirror; by default this machine's own")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "machines", help="for the systems")
    given = parser.parse_intermixed_args()  # options may stand among the commands
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        sys.exit("this needs root, and debootstrap: sudo apt-get install debootstrap")
    system = given.folder.resolve() / given.machine
    if given.new:
        shutil.rmtree(system, ignore_errors=True)
    if not system.exists():
        make(system, SUITES[given.machine], given.mirror or mirror())
    for name in SHARED:
        shutil.copy(Path("/", name), system / name)
    clone = system / PLACE
    if not given.keep:
        shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "init", "--quiet", clone], check=True)
    subprocess.run(["git", "fetch", "--quiet", ROOT, "HEAD"], cwd=clone, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", "FETCH_HEAD"], cwd=clone, check=True)
    for command in given.commands:
        began = time.monotonic()
        status = inside(system, command)
        print(f"{given.machine}: status {status} after {time.monotonic() - began:.0f} s: {command}", flush=True)
        if status:
            break
    inside(system, VERSIONS)
    return status


if __name__ == "__main__":
    sys.exit(main())
