import subprocess
import sys


def test_help_lists_the_commands():
    run = subprocess.run([sys.executable, "-m", "exam2bench.cli", "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert "ingest" in run.stdout and "grade" in run.stdout


def test_an_unknown_command_is_a_usage_error():
    run = subprocess.run([sys.executable, "-m", "exam2bench.cli", "divine"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
