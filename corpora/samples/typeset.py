"""Typesets the sample exam: paper.pdf, key.pdf, markscheme.pdf and scan.pdf, beside this file.

    python -m exam2bench.corpora.samples.typeset [FOLDER]

The same PyMuPDF writes the same bytes. The text was written for this project and may be used by anyone
for anything (CC0).
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image

from .content import KEY, PASSAGE, RULE_FOR_SEVERAL, SCHEME, TALE
from .press import INK, MARGIN, WIDTH, Press

HEADER = "Harbour City Entrance Examination|General Paper 綜合試卷"
GUTTER = 26.0
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) / 2


def paper() -> Press:
    """The question paper: a cover with directions, then four sections whose numbers start again."""
    press = Press(HEADER, "– {page} –")
    press.new_page()
    _cover(press)
    _reading(press)
    press.new_page()
    _reasoning(press)
    press.new_page()
    _science(press)
    press.new_page()
    _chinese(press)
    press.new_page()
    _writing(press)
    return press


def _cover(press: Press) -> None:
    press.text("Harbour City Entrance Examination", size=20, style="h", align="centre", after=2)
    press.text("General Paper 綜合試卷", size=14, style="s", align="centre", after=8)
    press.text("Time allowed: 1 hour 30 minutes      Total: 100 marks", align="centre", after=10)
    press.text("Instructions to candidates", style="b", after=2)
    for number, line in enumerate(
        (
            "Answer all questions. Write your answers in the answer booklet.",
            "The paper has four sections. In each section the numbers start again from 1.",
            "The marks for each question or part are shown in square brackets, or at the head of its group.",
        ),
        1,
    ):
        press.text(line, label=f"{number}.", hang=18, after=0)
    press.skip(8)
    rows = [
        ("Section", "Subject", "Questions", "Marks"),
        ("A", "Reading and reasoning", "11", "28"),
        ("B", "Physical science", "6", "27"),
        ("C", "中文", "9", "26"),
        ("D", "Writing", "2", "19"),
    ]
    press.table(rows, (70, 190, 80, 70), indent=34)
    press.skip(8)


def _heading(press: Press, text: str) -> None:
    press.text(text, size=13.5, style="h", after=4)


def _choices(
    press: Press, number: str, stem: str, options: list[str], *, hang: float = 20, letters: str = "ABCDE"
) -> None:
    """A question with one option to a line."""
    press.text(stem, label=number, hang=hang, after=1)
    for letter, option in zip(letters, options, strict=False):
        press.text(option, label=letter, indent=hang, hang=18, after=0)
    press.skip(8)


def _choices_in_row(
    press: Press, number: str, stem: str, options: list[str], width: float, *, hang: float = 20
) -> None:
    """A question with its options side by side."""
    press.text(stem, label=number, hang=hang, after=1)
    cells = list(zip("ABCDE", options, strict=False))
    press.row(cells, indent=hang, hang=18, widths=[width] * len(cells))
    press.skip(8)


def _reading(press: Press) -> None:
    _heading(press, "Section A: Reading and reasoning (28 marks)")
    press.text("<i>Questions 1–4: choose the <b>one</b> best answer. Each question carries 2 marks.</i>", after=6)
    press.text("Read the following passage and answer questions 1 and 2.", style="b", after=4)
    press.text(PASSAGE, indent=14, after=9)
    _choices(
        press,
        "1.",
        "Why was the wall built across the mouth of the harbour?",
        [
            "To protect the boats from storms",
            "To let ships stay afloat at any hour",
            "To carry the railway over the water",
            "To keep the mud out of the town",
        ],
    )
    _choices(
        press,
        "2.",
        "Which of these describes the wall best, as the passage sees it?",
        [
            "A success from the first day to the last",
            "A failure that everybody had expected",
            "A gain that brought a slow loss with it",
            "A danger that the town saw at once",
        ],
    )


def _reasoning(press: Press) -> None:
    _choices_in_row(press, "3.", "Which number comes next?  2, 6, 12, 20, 30, …", ["36", "40", "42", "44"], 90)
    _choices(
        press,
        "4.",
        "All the members of the harbour band can read music. Inés cannot read music. What follows?",
        [
            "Inés is not a member of the band.",
            "Inés plays no instrument.",
            "Nobody outside the band can read music.",
            "The band plays without sheet music.",
        ],
    )
    press.text("<i>Questions 5 and 6: choose <b>two</b> answers. Each question carries 3 marks.</i>", after=6)
    _choices_in_row(
        press,
        "5.",
        "Which two of these words are nearest in meaning to “brief”?",
        ["short", "heavy", "concise", "lengthy", "hollow"],
        84,
    )
    _choices_in_row(press, "6.", "Which two of these numbers are prime?", ["51", "53", "57", "59", "63"], 84)
    press.text("<i>Questions 7 and 8: write True or False. Each question carries 2 marks.</i>", after=6)
    press.text("A leap year has 366 days.", label="7.", hang=20, after=6)
    press.text("The sum of two odd numbers is always odd.", label="8.", hang=20, after=10)
    press.text(
        "Match each instrument (i)–(iv) with what it measures (A–E). One letter is not needed.",
        label="9.",
        hang=20,
        after=0,
    )
    press.marks("[4 marks]")
    pairs = [
        ("(i)", "barometer", "A", "wind speed"),
        ("(ii)", "thermometer", "B", "temperature"),
        ("(iii)", "ammeter", "C", "air pressure"),
        ("(iv)", "anemometer", "D", "electric current"),
        ("", "", "E", "humidity"),
    ]
    press.skip(3)
    for left, instrument, letter, quantity in pairs:
        press.row([(left, instrument), (letter, quantity)], indent=36, hang=24, widths=(190, 190))
    press.skip(8)
    press.text(
        "At sea level water freezes at ________ degrees Celsius and boils at ________ degrees Celsius.",
        label="10.",
        hang=24,
        after=0,
    )
    press.text("", after=0)
    press.marks("[4 marks]")
    press.skip(6)
    press.text("The past tense of the verb “to write” is ________.", label="11.", hang=24, after=0)
    press.marks("[2 marks]")


def _science(press: Press) -> None:
    _heading(press, "Section B: Physical science (27 marks)")
    press.text(
        "<i>Take the acceleration of free fall as <i>g</i> = 9.8 m/s<sup>2</sup>. "
        "Show your working where a calculation is asked for.</i>",
        after=8,
    )
    top = press.y
    press.column(MARGIN, COLUMN, top)
    press.text(
        "The graph shows how the speed of a tram changes after it leaves a stop. "
        "How far does the tram travel in the first 8 s?",
        label="1.",
        hang=18,
        after=0,
    )
    _speed_graph(press)
    press.row([("A", "24 m"), ("B", "36 m")], indent=18, hang=18, widths=(100, 100))
    press.row([("C", "42 m"), ("D", "48 m")], indent=18, hang=18, widths=(100, 100))
    press.text("", after=0)
    press.marks("[3 marks]")
    press.skip(8)
    press.text(
        "A stone falls from rest for 3.0 s. Calculate its speed, in m/s, at the end of that time. "
        "Air resistance may be neglected.",
        label="2.",
        hang=18,
        after=0,
    )
    _marks_below(press, "[3 marks]")
    press.text("The table shows the mass and the volume of four samples.", label="3.", hang=18, after=3)
    rows = [("Sample", "Mass / g", "Volume / cm<sup>3</sup>")]
    rows += [("P", "54", "20"), ("Q", "39", "5.0"), ("R", "96", "12"), ("S", "45", "30")]
    press.table(rows, (52, 62, 84), indent=18, height=17, size=9.5)
    press.text("Which sample has the greatest density?", label="(a)", indent=18, hang=22, after=0)
    _marks_below(press, "[2 marks]")
    press.text("Calculate the density of sample P in g/cm<sup>3</sup>.", label="(b)", indent=18, hang=22, after=0)
    _marks_below(press, "[3 marks]")
    press.column(MARGIN + COLUMN + GUTTER, COLUMN, top)
    press.text(
        "Sample S is a stone of irregular shape. Explain how its volume can be measured.",
        label="(c)",
        indent=18,
        hang=22,
        after=0,
    )
    _marks_below(press, "[4 marks]")
    press.text(
        "A thin lens of focal length <i>f</i> "
        "forms an image at the distance <i>v</i> of an object at the distance <i>u</i>, where",
        label="4.",
        hang=18,
        after=2,
    )
    centre = press.x + press.width / 2
    press.fraction(
        [("1", "<i>f</i>"), "  =  ", ("1", "<i>u</i>"), "  +  ", ("1", "<i>v</i>")], centre=centre, size=11.5
    )
    press.text("Find <i>v</i>, in cm, when <i>f</i> = 10 cm and <i>u</i> = 15 cm.", indent=18, after=0)
    _marks_below(press, "[3 marks]")
    press.text("Factorise <i>x</i><sup>2</sup> − 5<i>x</i> + 6.", label="5.", hang=18, after=0)
    _marks_below(press, "[3 marks]")
    press.text(
        "Draw a labelled circuit diagram in which two lamps in parallel are lit by one cell "
        "and are put out by one switch.",
        label="6.",
        hang=18,
        after=0,
    )
    _marks_below(press, "[6 marks]")


def _marks_below(press: Press, text: str) -> None:
    """The marks on a line of their own, at the right edge of the column."""
    press.text("", after=0)
    press.marks(text)
    press.skip(9)


def _speed_graph(press: Press) -> None:
    """Speed rises from 0 to 6 m/s in 4 s and stays there until 8 s."""
    left, right, base, height = press.x + 52, press.x + 200, press.y + 112, 84
    page = press.page

    def at(seconds: float, speed: float) -> pymupdf.Point:
        return pymupdf.Point(left + (right - left) * seconds / 9, base - height * speed / 7)

    for second in range(0, 9, 2):
        page.draw_line(at(second, 0), at(second, 6.6), color=(0.82, 0.84, 0.87), width=0.5)
        press.note(str(second), at(second, 0).x - 2.5, base + 11)
    for speed in (0, 2, 4, 6):
        page.draw_line(at(0, speed), at(8.6, speed), color=(0.82, 0.84, 0.87), width=0.5)
        press.note(str(speed), left - 12, at(0, speed).y + 3)
    page.draw_line(at(0, 0), at(9, 0), color=INK, width=0.9)
    page.draw_line(at(0, 0), at(0, 7), color=INK, width=0.9)
    page.draw_polyline([at(0, 0), at(4, 6), at(8, 6)], color=(0.1, 0.3, 0.6), width=1.6)
    press.note("time / s", right - 34, base + 23)
    press.note("speed / (m/s)", left - 30, base - height - 8)
    press.y = base + 32


def _chinese(press: Press) -> None:
    _heading(press, "Section C: 中文（26分）")
    press.text("一、單選題（占 8 分）", style="b", after=2)
    press.text("說明：第 1 題至第 4 題，每題有四個選項，其中只有一個是正確的選項。每題 2 分。", after=6)
    _row_of_four(press, "1.", "下列成語，何者用來形容人很多？", ["門可羅雀", "人山人海", "鴉雀無聲", "寥寥無幾"])
    _row_of_four(press, "2.", "「他年紀雖小，□□很懂事。」空格中填入下列何者最恰當？", ["所以", "或者", "但是", "而且"])
    press.text("3–4 為題組", style="b", after=2)
    press.text("閱讀下文，回答 3–4 題。", after=2)
    press.text(TALE, indent=14, after=7)
    _row_of_four(
        press, "3.", "林伯上塔，除了點燈以外，還做什麼事？", ["修理樓梯", "記錄風向和潮位", "清洗玻璃", "接待遊客"]
    )
    press.text("「燈會自己亮，可是風不會自己寫字」，這句話的意思最接近下列何者？", label="4.", hang=20, after=1)
    for letter, option in zip(
        "ABCD", ["自動控制常常故障", "燈塔的光不夠明亮", "仍有事情需要人來做", "風聲比燈光更重要"], strict=True
    ):
        press.text(option, label=f"({letter})", indent=20, hang=22, after=0)
    press.skip(9)
    press.text("二、多選題（占 10 分）", style="b", after=2)
    press.text(
        RULE_FOR_SEVERAL,
        after=6,
    )
    _row_of_four(press, "5.", "下列哪些動物是哺乳類？", ["鯨魚", "企鵝", "蝙蝠", "海豚", "鱷魚"])
    _row_of_four(press, "6.", "下列哪些數是 24 的因數？", ["5", "6", "8", "9", "12"])
    press.text("三、填充題（占 4 分）", style="b", after=2)
    press.text("說明：第 7 題至第 8 題，每題 2 分。", after=6)
    press.text("中國古代的四大發明是造紙術、印刷術、火藥和 ________。", label="7.", hang=20, after=6)
    press.text("在北半球，一年之中白天最長的節氣是 ________。", label="8.", hang=20, after=9)
    press.text("四、簡答題（占 4 分）", style="b", after=4)
    press.text("請用自己的話（三十字以內）說明林伯為什麼仍舊每天上塔。（4 分）", label="9.", hang=20)


def _row_of_four(press: Press, number: str, stem: str, options: list[str]) -> None:
    press.text(stem, label=number, hang=20, after=1)
    cells = [(f"({letter})", option) for letter, option in zip("ABCDE", options, strict=False)]
    press.row(cells, indent=20, hang=22, widths=[(press.width - 20) / len(cells)] * len(cells))
    press.skip(7)


def _writing(press: Press) -> None:
    _heading(press, "Section D: Writing (19 marks)")
    press.text("<i>Answer both questions.</i>", after=8)
    press.text(
        "“A town should keep its old buildings, even where new ones would be cheaper.” How far do you agree? "
        "Write an essay of 250 to 300 words.",
        label="1.",
        hang=20,
        after=0,
    )
    press.marks("[12 marks]")
    press.skip(14)
    press.text(
        "Kessel High School has 650 pupils. It wants to replace the paper notices on its board with a telephone app.",
        label="2.",
        hang=20,
        after=4,
    )
    press.text("Give one advantage of the app.", label="(a)", indent=20, hang=22, after=0)
    press.marks("[2 marks]")
    press.skip(8)
    press.text("One pupil in ten has no telephone.", label="(b)", indent=20, hang=22, after=4)
    press.text("How many pupils of the school is that?", label="(i)", indent=42, hang=22, after=0)
    press.marks("[2 marks]")
    press.skip(8)
    press.text("Suggest how the school could reach these pupils.", label="(ii)", indent=42, hang=22, after=0)
    press.marks("[3 marks]")
    press.skip(30)
    press.text("END OF PAPER", style="h", align="centre")


def key() -> Press:
    """The answer key: one ruled table."""
    press = Press("Harbour City Entrance Examination|Answer key", "Answer key – {page}")
    press.new_page()
    press.text("General Paper: answer key", size=16, style="h", align="centre", after=6)
    rows = [tuple(cell.strip() for cell in line.split("|")) for line in KEY.splitlines()]
    press.table([("Section", "Question", "Answer", "Marks"), *rows], (70, 90, 200, 60), indent=29, height=19.2)
    return press


def markscheme() -> Press:
    """The mark scheme: levels in marks for every question that is answered in prose or drawn."""
    press = Press("Harbour City Entrance Examination|Mark scheme", "Mark scheme – {page}")
    press.new_page()
    press.text("General Paper: mark scheme", size=16, style="h", align="centre", after=4)
    press.text(
        "Award the level that fits the answer best. Do not award marks between the levels.", align="centre", after=8
    )
    for line in SCHEME.splitlines():
        kind, text = line[:2].strip(), line[2:].strip()
        if kind in "#?" and press.y > 640:
            press.new_page()
        if kind == "#":
            press.skip(4)
            _heading(press, text)
        elif kind == "?":
            press.skip(6)
            press.text(text, after=2)
        elif kind == "=":
            press.skip(3)
            press.text(text, style="b", indent=14, after=1)
        else:
            label = "1 mark" if kind == "1" else f"{kind} marks"
            press.text(text, label=label, indent=14, hang=50, after=0)
    return press


def scan(source: Path) -> bytes:
    """A page of the paper as a photocopier would give it: grey, a little skew, with grain; no text layer."""
    page = pymupdf.open(source)[1]
    pixmap = page.get_pixmap(dpi=150, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    image = image.rotate(0.5, resample=Image.Resampling.BICUBIC, fillcolor=255)
    grain = np.random.default_rng(1871).normal(0, 5, (image.height, image.width))
    grey = np.clip(np.asarray(image, dtype=float) * 0.93 + 8 + grain, 0, 255).astype(np.uint8)
    stream = io.BytesIO()
    Image.fromarray(grey).save(stream, "JPEG", quality=38, optimize=True)
    document = pymupdf.Document()
    document.new_page(width=page.rect.width, height=page.rect.height).insert_image(page.rect, stream=stream.getvalue())
    document.set_metadata({})
    return document.tobytes(garbage=4, no_new_id=True)


def main(folder: Path) -> None:
    for name, press in (("paper", paper()), ("key", key()), ("markscheme", markscheme())):
        press.save(folder / f"{name}.pdf")
    (folder / "scan.pdf").write_bytes(scan(folder / "paper.pdf"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
