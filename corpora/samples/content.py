"""What the sample exam says: its longer texts, its key and its mark scheme."""

PASSAGE = (
    "Twice a day the water leaves the harbour of Kessel almost dry. For centuries the town lived by that rhythm: "
    "boats came in on the flood, unloaded on the sand, and left before the next ebb. When the railway arrived in "
    "1871, a wall was built across the mouth of the harbour so that ships could stay afloat at any hour. Trade grew "
    "at once. Only twenty years later did the town notice what it had lost: without the tide to sweep it out, the mud "
    "had risen by a metre and a half, and the deepest ships could no longer enter."
)
TALE = (
    "港口的老燈塔已經一百二十歲了。每天傍晚，守塔人林伯沿著螺旋梯走上九十九級臺階，點亮燈火，再把當天的風向和潮位"
    "寫在簿子裡。去年燈塔改為自動控制，不再需要有人點燈，林伯仍舊每天上塔。他說：「燈會自己亮，可是風不會自己寫字。」"
)
RULE_FOR_SEVERAL = (
    "說明：第 5 題至第 6 題，每題有五個選項，其中至少有一個是正確的選項。各題之選項獨立判定，所有選項均答對者，"
    "得 5 分；答錯 1 個選項者，得 3 分；答錯 2 個選項者，得 1 分；"
    "答錯多於 2 個選項或所有選項均未作答者，該題以零分計算。"
)

# section | question | answer | marks
KEY = """\
A | 1 | B | 2
A | 2 | C | 2
A | 3 | C | 2
A | 4 | A | 2
A | 5 | A, C | 3
A | 6 | B, D | 3
A | 7 | True | 2
A | 8 | False | 2
A | 9 | (i) C, (ii) B, (iii) D, (iv) A | 4
A | 10 | 0; 100 | 4
A | 11 | wrote | 2
B | 1 | B | 3
B | 2 | 29.4 m/s | 3
B | 3 (a) | R | 2
B | 3 (b) | 2.7 g/cm<sup>3</sup> | 3
B | 3 (c) | see mark scheme | 4
B | 4 | 30 cm | 3
B | 5 | (<i>x</i> − 2)(<i>x</i> − 3) | 3
B | 6 | see mark scheme | 6
C | 1 | B | 2
C | 2 | C | 2
C | 3 | B | 2
C | 4 | C | 2
C | 5 | ACD | 5
C | 6 | BCE | 5
C | 7 | 指南針 | 2
C | 8 | 夏至 | 2
C | 9 | see mark scheme | 4
D | 1 | see mark scheme | 12
D | 2 (a) | see mark scheme | 2
D | 2 (b)(i) | 65 | 2
D | 2 (b)(ii) | see mark scheme | 3"""

# "#" a section, "?" a question, "=" a criterion, a number: the level worth so many marks
SCHEME = """\
# Section B
? <b>3 (c)</b>  [4 marks]
4 Part-fill a measuring cylinder, read the level, lower the stone in until it is covered, read again; subtract.
3 The same, but the first reading is not mentioned.
2 Says that the stone displaces water, without saying how the volume is read.
0 No method that measures a volume.
? <b>6</b>  [6 marks]
= Circuit (4 marks)
4 Cell, switch and two lamps; the lamps in parallel, the switch in the common branch.
2 The lamps are in parallel, but the switch puts out only one of them.
0 The lamps are in series, or the circuit is not closed.
= Symbols and labels (2 marks)
2 Standard symbols, all parts labelled.
1 One symbol wrong or one label missing.
0 More than one symbol wrong or label missing.
# Section C
? <b>9</b>  [4 marks]
4 說出燈塔雖已自動化，林伯仍要記錄風向和潮位，並點出這份責任或心意。
2 只說出他要記錄風向和潮位，或只說出責任與心意。
0 沒有回答，或與文章無關。
# Section D
? <b>1</b>  [12 marks]
= Argument (6 marks)
6 A clear position, at least two developed reasons, and one opposing reason that is answered.
4 A clear position and two reasons, one of them developed.
2 A position with reasons that are only listed.
0 No position, or nothing on the question.
= Language (6 marks)
6 Varied and almost free of errors; the paragraphs lead the reader.
4 Some errors, none of which hides the meaning.
2 Errors that hide the meaning in places.
0 Cannot be followed.
? <b>2 (a)</b>  [2 marks]
2 One advantage with its reason, such as: notices reach everyone at once, wherever they are.
1 An advantage without a reason.
0 No advantage.
? <b>2 (b)(ii)</b>  [3 marks]
3 A way that works without a telephone and that the school can keep up, with how it would be done.
2 A way that works, without how it would be done.
1 A way that reaches only some of the pupils.
0 No way, or one that needs a telephone."""
