"""From a free-text reply to an answer, without luck: what is not said, or said in two ways, is not guessed."""

from .choice import extract_choice
from .choices import extract_choices
from .number import extract_number
from .reply import Extraction
from .yes_no import extract_yes_no

__all__ = ["Extraction", "extract_choice", "extract_choices", "extract_number", "extract_yes_no"]
