"""A local server that speaks the providers' protocols, strictly, and fails on demand.

    with FakeServer(reply=lambda ask: {"answer": "42"}) as server:
        gateway = Gateway(f"openai:any@{server.url}/v1")

For tests, for users' dry runs (`exam2bench models serve-fake`) and for the benchmarks.
"""

from .faults import FAULTS, Faults
from .script import Ask, FakeReply, Script, load_script
from .server import FakeServer

__all__ = ["FAULTS", "Ask", "FakeReply", "FakeServer", "Faults", "Script", "load_script"]
