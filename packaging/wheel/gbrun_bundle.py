"""What gbrun.py loads and the command `gbrun` runs, as installed by pip: bin/, lib/."""
import os
import pathlib
import signal
import sys


def main():
    """This process becomes the program, with the signals that Python ignores as they were."""
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    os.execv(str(pathlib.Path(__file__).resolve().parent / "bin" / "gbrun"), ["gbrun", *sys.argv[1:]])
