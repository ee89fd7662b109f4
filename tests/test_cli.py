import subprocess
import sys

from exam2bench.cli import main


def test_help_lists_the_commands():
    run = subprocess.run([sys.executable, "-m", "exam2bench.cli", "--help"], capture_output=True, text=True)
    assert run.returncode == 0
    assert "ingest" in run.stdout and "grade" in run.stdout


def test_an_unknown_command_is_a_usage_error():
    run = subprocess.run([sys.executable, "-m", "exam2bench.cli", "divine"], capture_output=True, text=True)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert main(["demo", "-o", str(tmp_path / "file" / "below")]) == 2
    told = capsys.readouterr().err
    assert str(tmp_path / "file") in told
    assert "Traceback" not in told
    assert len(told.strip().splitlines()) == 1
