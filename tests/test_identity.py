"""What a paper is: the language of its questions, its title, its form."""

from __future__ import annotations

import pytest

from exam2bench.ingest.draft import DraftPaper, DraftQuestion, DraftSection
from exam2bench.ingest.lines import Line, Reading
from exam2bench.ingest.page import Box, LayerTrust, Page, Word
from exam2bench.ingest.structure.identity import identify
from exam2bench.ingest.structure.language import detect_language

COLUMN = Box(50, 50, 550, 800)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Which of the following statements is true of the author of this text?", "en"),
        ("Quelle est la principale raison pour laquelle les auteurs ne sont pas du même avis?", "fr"),
        ("Welche der folgenden Aussagen über die Elektronen ist nicht richtig?", "de"),
        ("¿Cuál de las siguientes afirmaciones sobre el texto es la correcta según los autores?", "es"),
        ("Nos solicitan ir a la Delegación de Educación de Granada, el destino correcto es", "es"),
        ("Qual das afirmações sobre a energia não é correta no que se refere ao texto?", "pt"),
        ("Quale delle affermazioni che seguono è corretta nel testo della pagina?", "it"),
        ("Vilket av följande påståenden är inte sant och hur kan det visas?", "sv"),
        ("Aşağıdakilerden hangisi bir canlının özelliği olarak gösterilebilir ve ile", "tr"),
        ("Hãy xác định số lượng của các phần tử được cho trong dãy với những số này", "vi"),
        ("下列有關遺傳因子的分子組成及結構的研究，哪些正確？", "zh-Hant"),
        ("设随机变量的概率密度为，则下列选项正确的是哪个？", "zh-Hans"),
        ("次の文章を読んで、後の問いに答えなさい。", "ja"),
        ("다음 글의 주제로 가장 적절한 것은?", "ko"),
        ("Какое из следующих утверждений верно?", "ru"),
        ("निम्नलिखित में से कौन सा कथन सही है?", "hi"),
        ("12 + 7 = ?", "und"),
    ],
)
def test_languages(text, language):
    assert detect_language(text.split()) == language


def test_the_questions_decide_not_the_directions():
    asked = "Watching the sun rise from a sea of clouds is a must for all of the visitors"
    assert detect_language(["說明", "第1題至第10題為單選題", *asked.split()]) == "en"


def test_a_formulas_letters_are_of_no_language():
    assert detect_language(["设", "函数", "f(x)=x", "y", "a", "x", "的", "最大值", "为", "e", "o"]) == "zh-Hans"


def _line(text: str, y: float, size: float, first: int, confidence: float = 1.0) -> Line:
    words = tuple(
        Word(first + n, part, Box(60 + 70 * n, y, 120 + 70 * n, y + size), size=size, confidence=confidence)
        for n, part in enumerate(text.split(" "))
    )
    return Line(0, 0, words, Box(60, y, words[-1].box.x1, y + size), 0, 0, COLUMN)


def _identified(
    lines: list[Line], furniture: dict[tuple[int, int], str] | None = None, extra: tuple[Line, ...] = ()
) -> DraftPaper:
    by_index = {word.index: word for line in [*lines, *extra] for word in line.words}
    words = tuple(by_index.get(n, Word(n, "", Box(0, 0, 0, 0))) for n in range(max(by_index) + 1))
    pages = {(0, 0): Page(0, 0, 600, 850, 0, words, (), (), LayerTrust(usable=True))}
    question = DraftQuestion("1.", "1", stem=[lines[-1]])
    paper = DraftPaper(sections=[DraftSection(questions=[question])])
    identify(paper, [Reading(0, tuple(lines), furniture or {})], lines, pages, None)  # type: ignore[arg-type]
    return paper


ASK = _line("1. Which of these is the largest?", 300, 11, 40)


def test_the_title_is_the_largest_print_of_the_cover_with_its_large_neighbours():
    lines = [
        _line("Ministry of Education", 60, 11, 0),
        _line("National Entrance Examination", 80, 22, 5),
        _line("Physics and Chemistry", 110, 18, 10),
        _line("Answer all of the questions.", 150, 11, 15),
        ASK,
    ]
    assert _identified(lines).title == "National Entrance Examination Physics and Chemistry"


def test_handwriting_and_blank_lines_for_the_name_are_no_title():
    lines = [
        _line("corrected template used", 40, 30, 0, confidence=0.7),
        _line("Name: ________", 70, 20, 5),
        _line("Town Taxi Licence", 100, 16, 8),
        ASK,
    ]
    assert _identified(lines).title == "Town Taxi Licence"


def test_the_form_is_read_from_the_running_foot():
    foot = _line("Day 2 | Booklet 7", 820, 8, 60)
    furniture = {(0, word.index): "footer" for word in foot.words}
    assert _identified([_line("Grand Test of All", 80, 20, 0), ASK], furniture, (foot,)).form == "Day 2 | Booklet 7"
