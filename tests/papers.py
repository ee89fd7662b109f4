"""Small papers of many exam systems, typeset for the tests, and what structure must make of them.

Each is written for this test in the manner of its system; none is a real paper.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """A paper as HTML, its number of columns, and its leaves as `typeset.outline` writes them."""

    html: str
    leaves: tuple[str, ...]
    columns: int = 1


PAPERS: dict[str, Sample] = {
    "british_a_level": Sample(
        """<h2>GCE A Level Mathematics Paper 1</h2><p><b>INSTRUCTIONS TO CANDIDATES</b></p>
<p>1. Answer all questions.</p>
<p>2. Write your answers in the spaces provided.</p>
<p>3. The total mark for this paper is 24.</p>
<p><br/></p>
<table width="100%"><tr><td width="5%"><b>1</b></td><td width="6%"><b>(a)</b></td><td>Find the
derivative of f(x) = x<sup>3</sup> + 2x.</td><td width="6%"><b>[2]</b></td></tr>
<tr><td></td><td><b>(b)</b></td><td>Hence find the stationary points of the
curve.</td><td><b>[3]</b></td></tr>
<tr><td><b>2</b></td><td></td><td>A ball is thrown upwards with speed 20 m/s from a height of 3 m above
the ground.</td><td></td></tr>
<tr><td></td><td><b>(a)</b></td><td>(i) Calculate the greatest height
reached.</td><td><b>[3]</b></td></tr>
<tr><td></td><td></td><td>(ii) Calculate the time taken to reach the ground.</td><td><b>[4]</b></td></tr>
<tr><td></td><td><b>(b)</b></td><td>State one assumption that you have made.</td><td><b>[1]</b></td></tr>
<tr><td><b>3</b></td><td></td><td>Solve the equation 2sin x = 1 for 0 &lt; x &lt;
2.</td><td><b>[5]</b></td></tr>
<tr><td><b>4</b></td><td></td><td>Prove by induction that n<sup>3</sup> - n is divisible by
6.</td><td><b>[6]</b></td></tr>
</table>""",
        (
            "1/a short_answer 2",
            "1/b short_answer 3",
            "2/a/i short_answer 3",
            "2/a/ii short_answer 4",
            "2/b short_answer 1",
            "3 short_answer 5",
            "4 essay 6",
        ),
    ),
    "french_baccalaureat": Sample(
        """<h2>Baccalauréat général – Mathématiques</h2><p>Durée : 4 heures</p>
<p><b>Exercice 1 (5 points)</b></p>
<p>On considère la fonction f définie sur R par f(x) = x e<sup>-x</sup>.</p>
<p>1. Calculer f'(x).</p>
<p>2. a. Étudier le signe de f'(x).</p>
<p style="margin-left:14px">b. Dresser le tableau de variations de f.</p>
<p>3. Déterminer l'équation de la tangente au point d'abscisse 0.</p>
<p><b>Exercice 2 (4 points)</b></p>
<p>Une urne contient 3 boules rouges et 5 boules noires. On tire deux boules.</p>
<p>1. Quelle est la probabilité de tirer deux boules rouges ?</p>
<p>2. Calculer l'espérance du nombre de boules rouges.</p>
<p><b>Exercice 3 (6 points)</b></p>
<p>Pour chacune des questions suivantes, une seule réponse est exacte.</p>
<p>1. La suite (u) est :</p>
<p style="margin-left:14px">a. croissante</p>
<p style="margin-left:14px">b. décroissante</p>
<p style="margin-left:14px">c. constante</p>
<p>2. La limite de la suite est :</p>
<p style="margin-left:14px">a. 0</p>
<p style="margin-left:14px">b. 1</p>
<p style="margin-left:14px">c. 2</p>
<p><b>Exercice 4 (5 points)</b></p>
<p>1. Démontrer que pour tout entier n, u(n) est positif.</p>
<p>2. En déduire la limite de la suite.</p>""",
        (
            "1/1 short_answer",
            "1/2/a short_answer",
            "1/2/b short_answer",
            "1/3 short_answer",
            "2/1 short_answer",
            "2/2 short_answer",
            "3/1 single_choice [a b c]",
            "3/2 single_choice [a b c]",
            "4/1 short_answer",
            "4/2 short_answer",
        ),
    ),
    "german_abitur": Sample(
        """<h2>Abiturprüfung 2023 Mathematik</h2><p>Bearbeitungszeit: 270 Minuten</p>
<p><b>Aufgabe 1 (20 BE)</b></p>
<p>Gegeben ist die Funktion f mit f(x) = x<sup>2</sup> - 4.</p>
<p>1.1 Bestimmen Sie die Nullstellen von f. (4 BE)</p>
<p>1.2 Berechnen Sie den Flächeninhalt zwischen dem Graphen und der x-Achse. (6 BE)</p>
<p>1.3 Begründen Sie, dass f genau ein Minimum hat. (10 BE)</p>
<p><b>Aufgabe 2 (15 BE)</b></p>
<p>Ein Würfel wird zweimal geworfen.</p>
<p>2.1 Geben Sie die Ergebnismenge an. (5 BE)</p>
<p>2.2 Ermitteln Sie die Wahrscheinlichkeit für einen Pasch. (10 BE)</p>""",
        (
            "1/1.1 short_answer 4",
            "1/1.2 short_answer 6",
            "1/1.3 short_answer 10",
            "2/2.1 short_answer 5",
            "2/2.2 short_answer 10",
        ),
    ),
    "japanese_common_test": Sample(
        """<h2>令和6年度 大学入学共通テスト 物理</h2><p>注意事項</p>
<p>1 解答用紙に氏名を記入しなさい。</p>
<p>2 試験中に問題冊子の印刷不鮮明に気付いた場合は手を挙げなさい。</p>
<p>3 問題冊子の余白は適宜利用してよい。</p>
<p><br/></p>
<p><b>第1問 次の問い（問1～3）に答えよ。（配点 15）</b></p>
<p>問1 物体に働く力の大きさとして最も適当なものを、次の①～④のうちから一つ選べ。</p>
<p>① 1 N　　　　② 2 N　　　　③ 3 N　　　　④ 4 N</p>
<p>問2 次の文章中の空欄に入れる語として正しいものを選べ。</p>
<p>① 速度　　　　② 加速度　　　　③ 質量　　　　④ 時間</p>
<p>問3 電流の向きとして適当なものを選べ。</p>
<p>① 上向き　　　② 下向き　　　③ 左向き　　　④ 右向き</p>
<p><b>第2問 次の文章を読み、下の問い（問1～2）に答えよ。（配点 10）</b></p>
<p>なめらかな水平面上に質量の等しい二つの物体がある。一方の物体に初速度を与えたところ、もう一方の物体に衝突した。</p>
<p>問1 衝突後の速さを選べ。</p>
<p>① 1 m/s　　　② 2 m/s　　　③ 3 m/s　　　④ 4 m/s</p>
<p>問2 失われたエネルギーを選べ。</p>
<p>① 1 J　　　　② 2 J　　　　③ 3 J　　　　④ 4 J</p>""",
        (
            "1/1 single_choice [① ② ③ ④]",
            "1/2 single_choice [① ② ③ ④]",
            "1/3 single_choice [① ② ③ ④]",
            "2/1 single_choice [① ② ③ ④]",
            "2/2 single_choice [① ② ③ ④]",
        ),
    ),
    "vietnamese_multiple_choice": Sample(
        """<h2>ĐỀ THI THỬ TỐT NGHIỆP THPT 2024 - Môn: Toán</h2><p>Mã đề: 101</p>
<p><b>Câu 1.</b> Cho hàm số y = x<sup>3</sup> - 3x. Hàm số đồng biến trên khoảng nào?</p>
<p>A. (-1; 1). &#8195;&#8195;&#8195; B. (1; +∞). &#8195;&#8195;&#8195; C. (-2; 0). &#8195;&#8195;&#8195;
D. (0; 2).</p>
<p><b>Câu 2.</b> Tập xác định của hàm số y = ln x là</p>
<p>A. R. &#8195;&#8195;&#8195;&#8195; B. (0; +∞). &#8195;&#8195;&#8195;&#8195; C. [0; +∞).
&#8195;&#8195;&#8195;&#8195; D. R \\ {0}.</p>
<p><b>Câu 3.</b> Số phức z = 3 + 4i có môđun bằng</p>
<p>A. 3. &#8195;&#8195;&#8195;&#8195; B. 4. &#8195;&#8195;&#8195;&#8195; C. 5.
&#8195;&#8195;&#8195;&#8195; D. 7.</p>
<p><b>Câu 4.</b> Đạo hàm của hàm số y = sin x là</p>
<p>A. cos x. &#8195;&#8195;&#8195;&#8195; B. -cos x.</p>
<p>C. sin x. &#8195;&#8195;&#8195;&#8195; D. -sin x.</p>""",
        (
            "1 single_choice [A B C D]",
            "2 single_choice [A B C D]",
            "3 single_choice [A B C D]",
            "4 single_choice [A B C D]",
        ),
    ),
    "russian_exam": Sample(
        """<h2>Единый государственный экзамен. Вариант 7</h2><p><b>Часть 1</b></p>
<p>1. Какое из следующих чисел является простым?</p>
<p>А) 21 &#8195;&#8195;&#8195; Б) 23 &#8195;&#8195;&#8195; В) 25 &#8195;&#8195;&#8195; Г) 27</p>
<p>2. Выберите верное утверждение.</p>
<p>А) Солнце вращается вокруг Земли.</p>
<p>Б) Земля вращается вокруг Солнца.</p>
<p>В) Луна является звездой.</p>
<p>Г) Марс больше Юпитера.</p>
<p>3. Столица Франции — это</p>
<p>А) Лондон &#8195;&#8195;&#8195; Б) Берлин &#8195;&#8195;&#8195; В) Париж &#8195;&#8195;&#8195; Г)
Рим</p>
<p><b>Часть 2</b></p>
<p>4. Решите уравнение x<sup>2</sup> - 5x + 6 = 0. (2 балла)</p>
<p>5. Докажите, что сумма углов треугольника равна 180 градусам. (3 балла)</p>""",
        (
            "1 single_choice [А Б В Г]",
            "2 single_choice [А Б В Г]",
            "3 single_choice [А Б В Г]",
            "4 short_answer 2",
            "5 short_answer 3",
        ),
    ),
    "american_two_columns": Sample(
        """<h3>Section 1: Reading</h3><p><b>DIRECTIONS</b></p>
<p>Each passage below is followed by a number of questions. Choose the best answer to each question.</p>
<p><b>Questions 1-3 are based on the following passage.</b></p>
<p>The old lighthouse stood at the edge of the cliff, its white paint long since peeled away by the salt
wind. Every evening Martin climbed the spiral stairs and lit the lamp, although no ship had passed that
coast for eleven years. He told himself that it was a matter of principle, and the villagers, who had
little else to be proud of, agreed with him.</p>
<p>When the letter from the ministry came he left it unopened on the kitchen table for three days.</p>
<p><b>1</b></p>
<p>The main purpose of the passage is to</p>
<p>A) describe a shipwreck.</p>
<p>B) introduce a character who keeps to his duty.</p>
<p>C) criticise the ministry.</p>
<p>D) explain how lighthouses work.</p>
<p><b>2</b></p>
<p>As used in the passage, “principle” most nearly means</p>
<p>A) chief.</p>
<p>B) rule of conduct.</p>
<p>C) money.</p>
<p>D) origin.</p>
<p><b>3</b></p>
<p>It can reasonably be inferred that the villagers</p>
<p>A) were poor.</p>
<p>B) disliked Martin.</p>
<p>C) respected what Martin did.</p>
<p>D) worked for the ministry.</p>""",
        (
            "1 single_choice [A B C D]",
            "2 single_choice [A B C D]",
            "3 single_choice [A B C D]",
        ),
        columns=2,
    ),
    "indian_board": Sample(
        """<h3>CENTRAL BOARD EXAMINATION — PHYSICS</h3><p>Maximum Marks: 30 &#8195; Time: 1 hour</p>
<p><b>General Instructions:</b></p>
<p>(i) All questions are compulsory.</p>
<p>(ii) Section A has multiple choice questions of 1 mark each.</p>
<p>(iii) Use of calculators is not allowed.</p>
<p><b>SECTION A</b></p>
<p>Q.1 The SI unit of electric charge is</p>
<p>(a) ampere &#8195;&#8195; (b) coulomb &#8195;&#8195; (c) volt &#8195;&#8195; (d) ohm</p>
<p>Q.2 Which of the following is a scalar quantity?</p>
<p>(a) force &#8195;&#8195; (b) velocity &#8195;&#8195; (c) energy &#8195;&#8195; (d) momentum</p>
<p>Q.3 The dimension of work is</p>
<p>(a) ML<sup>2</sup>T<sup>-2</sup> &#8195;&#8195; (b) MLT &#8195;&#8195; (c) ML &#8195;&#8195; (d) T</p>
<p><b>SECTION B</b> (Each question carries 3 marks)</p>
<p>Q.4 State Ohm's law and draw a circuit to verify it.</p>
<p>Q.5 Derive the expression for the capacitance of a parallel plate capacitor.</p>
<p style="text-align:center">OR</p>
<p>Explain the principle of a transformer.</p>
<p>Q.6 Define drift velocity. Why does it depend on temperature?</p>""",
        (
            "1 single_choice [a b c d]",
            "2 single_choice [a b c d]",
            "3 single_choice [a b c d]",
            "4 drawing 3",
            "5 short_answer 3",
            "6 short_answer 3",
        ),
    ),
    "korean_csat": Sample(
        """<h2>2024학년도 국어 영역</h2><p><b>[1～3] 다음 글을 읽고 물음에 답하시오.</b></p>
<p>독서는 글을 통해 필자와 대화하는 과정이다. 독자는 글의 내용을 그대로
받아들이는 것이 아니라 자신의 배경지식을 활용하여 의미를 재구성한다.
이러한 과정에서 독자는 글에 드러나지
않은 내용을 추론하기도 하고, 글의 내용을 비판적으로 평가하기도 한다.</p>
<p>따라서 같은 글을 읽더라도 독자에 따라 서로 다른 의미를 구성할 수 있다.</p>
<p>1. 윗글의 내용과 일치하지 않는 것은?</p>
<p>① 독서는 대화의 과정이다.</p>
<p>② 독자는 의미를 재구성한다.</p>
<p>③ 독자는 추론을 하기도 한다.</p>
<p>④ 같은 글은 같은 의미를 준다.</p>
<p>⑤ 독자는 배경지식을 활용한다.</p>
<p>2. 윗글에 대한 설명으로 가장 적절한 것은? [3점]</p>
<p>① 정의와 예시를 사용한다.</p>
<p>② 대조를 사용한다.</p>
<p>③ 인용을 사용한다.</p>
<p>④ 통계를 제시한다.</p>
<p>⑤ 질문으로 시작한다.</p>
<p>3. &lt;보기&gt;를 바탕으로 윗글을 이해한 것으로 옳은 것만을 있는 대로 고른 것은?</p>
<p style="margin-left:20px">ㄱ. 독자는 능동적이다.</p>
<p style="margin-left:20px">ㄴ. 글의 의미는 고정되어 있다.</p>
<p style="margin-left:20px">ㄷ. 비판적 평가도 독서의 일부이다.</p>
<p>① ㄱ &#8195;&#8195; ② ㄴ &#8195;&#8195; ③ ㄱ, ㄷ &#8195;&#8195; ④ ㄴ, ㄷ &#8195;&#8195; ⑤ ㄱ, ㄴ, ㄷ</p>""",
        (
            "1 single_choice [① ② ③ ④ ⑤]",
            "2 single_choice [① ② ③ ④ ⑤] 3",
            "3 single_choice [① ② ③ ④ ⑤]",
        ),
    ),
    "spanish_options": Sample(
        """<h2>Prueba de acceso a la universidad – Historia</h2><p>Instrucciones: conteste a todas las
preguntas.</p>
<p><b>Opción A</b></p>
<p><b>Pregunta 1.</b> (2 puntos) Explique las causas de la crisis de 1898.</p>
<p><b>Pregunta 2.</b> (3 puntos) Comente el siguiente texto:</p>
<p>«La soberanía reside esencialmente en la Nación, y por lo mismo pertenece a ésta exclusivamente el
derecho de establecer sus leyes fundamentales.»</p>
<p>a) Clasifique el texto.</p>
<p>b) Señale las ideas principales.</p>
<p><b>Opción B</b></p>
<p><b>Pregunta 1.</b> (2 puntos) Defina el concepto de desamortización.</p>
<p><b>Pregunta 2.</b> (3 puntos) Describa la evolución de la Segunda República.</p>""",
        (
            "1 short_answer 2",
            "2/a short_answer",
            "2/b short_answer",
            "1 short_answer 2",
            "2 short_answer 3",
        ),
    ),
    "hong_kong_dse": Sample(
        """<h2>香港中學文憑考試 中國歷史 試卷一</h2><p>考生須知</p>
<p>1. 本卷共三題，全部作答。</p>
<p>2. 每題二十五分。</p>
<p><br/></p>
<p>1. 細閱以下資料，並回答問題。</p>
<p>資料一：商鞅變法使秦國富強，為日後統一六國奠定基礎。</p>
<p>（a）指出商鞅變法的兩項內容。（4分）</p>
<p>（b）試評論商鞅變法的成效。（6分）</p>
<p>2. 下列哪項是漢武帝的措施？</p>
<p>A. 推恩令</p>
<p>B. 科舉制</p>
<p>C. 行省制</p>
<p>D. 均田制</p>
<p>3. 辛亥革命的結果是什麼？</p>
<p>A. 推翻滿清</p>
<p>B. 統一六國</p>
<p>C. 建立漢朝</p>
<p>D. 開通運河</p>""",
        (
            "1/a short_answer 4",
            "1/b short_answer 6",
            "2 single_choice [A B C D]",
            "3 single_choice [A B C D]",
        ),
    ),
    "american_select_all": Sample(
        """<h3>Verbal Reasoning</h3><p><b>Directions:</b> For each blank select one entry. Select all that apply
where so marked.</p>
<p>1. Which of the following statements about the experiment can be inferred? Consider each of the
choices separately and select all that apply.</p>
<p>A The experiment was repeated.</p>
<p>B The sample was small.</p>
<p>C The result was published.</p>
<p>2. The word “candid” most nearly means</p>
<p>A honest</p>
<p>B cruel</p>
<p>C quick</p>
<p>D timid</p>
<p>E rare</p>
<p>3. Choose two answers that complete the sentence with the same meaning: The plan was ______ from the
start.</p>
<p>A doomed</p>
<p>B fated</p>
<p>C clever</p>
<p>D cheap</p>
<p>E loud</p>
<p>F new</p>""",
        (
            "1 multiple_choice [A B C]",
            "2 single_choice [A B C D E]",
            "3 multiple_choice [A B C D E F]",
        ),
    ),
    "italian_mixed": Sample(
        """<h2>Esame di Stato – Fisica</h2><p>1) Una massa di 2 kg è soggetta a una forza di 10 N. Calcola
l'accelerazione.</p>
<p>2) Enuncia il primo principio della termodinamica.</p>
<p>3) Vero o falso: l'energia cinetica dipende dal quadrato della velocità.</p>
<p>4) Completa la frase: la carica dell'elettrone vale ________ coulomb.</p>
<p>5) Disegna il grafico velocità-tempo di un moto uniformemente accelerato.</p>""",
        (
            "1 short_answer",
            "2 short_answer",
            "3 true_false",
            "4 fill_in_blank",
            "5 drawing",
        ),
    ),
    "cambridge_multiple_choice": Sample(
        """<h3>Cambridge International AS Level Economics 9708/12 May/June 2023</h3><p>1 hour</p>
<p>You must answer on the multiple choice answer sheet.</p>
<p><b>INSTRUCTIONS</b></p>
<p>&#8226; There are thirty questions on this paper. Answer all questions.</p>
<p>&#8226; For each question there are four possible answers A, B, C and D.</p>
<p><br/></p>
<p><b>1</b>&#8195; What is an example of a positive statement?</p>
<p style="margin-left:20px"><b>A</b>&#8195; Taxes should be lower.</p>
<p style="margin-left:20px"><b>B</b>&#8195; Inflation rose to 5% last year.</p>
<p style="margin-left:20px"><b>C</b>&#8195; Trade ought to be free.</p>
<p style="margin-left:20px"><b>D</b>&#8195; Wages must be fair.</p>
<p><b>2</b>&#8195; The table shows the output of two countries.</p>
<p>Which country has a comparative advantage in wheat?</p>
<p style="margin-left:20px"><b>A</b>&#8195; country X only</p>
<p style="margin-left:20px"><b>B</b>&#8195; country Y only</p>
<p style="margin-left:20px"><b>C</b>&#8195; both countries</p>
<p style="margin-left:20px"><b>D</b>&#8195; neither country</p>
<p><b>3</b>&#8195; Which statement about demand is correct?</p>
<p style="margin-left:20px">1&#8195; It always falls when price falls.</p>
<p style="margin-left:20px">2&#8195; It depends on income.</p>
<p style="margin-left:20px">3&#8195; It is shown by a curve.</p>
<p style="margin-left:20px"><b>A</b>&#8195; 1 only</p>
<p style="margin-left:20px"><b>B</b>&#8195; 1 and 2</p>
<p style="margin-left:20px"><b>C</b>&#8195; 2 and 3</p>
<p style="margin-left:20px"><b>D</b>&#8195; 1, 2 and 3</p>
<p><b>4</b>&#8195; What causes a movement along a supply curve?</p>
<p style="margin-left:20px"><b>A</b>&#8195; a change in price</p>
<p style="margin-left:20px"><b>B</b>&#8195; a change in technology</p>
<p style="margin-left:20px"><b>C</b>&#8195; a subsidy</p>
<p style="margin-left:20px"><b>D</b>&#8195; a tax</p>""",
        (
            "1 single_choice [A B C D]",
            "2 single_choice [A B C D]",
            "3 single_choice [A B C D]",
            "4 single_choice [A B C D]",
        ),
    ),
    "international_baccalaureate": Sample(
        """<h3>Physics Higher Level Paper 2</h3><p>Instructions to candidates</p>
<p>&#8226; Answer all questions.</p>
<p>&#8226; The maximum mark for this examination paper is [20 marks].</p>
<p><br/></p>
<p><b>1.</b> A student investigates a pendulum.</p>
<p style="margin-left:14px">(a) Define simple harmonic motion. [2]</p>
<p style="margin-left:14px">(b) The period is 2.0 s.</p>
<p style="margin-left:28px">(i) Calculate the length of the pendulum. [3]</p>
<p style="margin-left:28px">(ii) Outline why the amplitude decreases. [2]</p>
<p style="margin-left:14px">(c) Sketch, on the axes, the variation with time of the displacement. [3]</p>
<p><b>2.</b> This question is about electric fields.</p>
<p style="margin-left:14px">(a) State Coulomb's law. [2]</p>
<p style="margin-left:14px">(b) Two point charges are 3 cm apart. Determine the force between them.
[4]</p>
<p style="margin-left:14px">(c) Discuss whether the force is attractive. [4]</p>""",
        (
            "1/a short_answer 2",
            "1/b/i short_answer 3",
            "1/b/ii short_answer 2",
            "1/c drawing 3",
            "2/a short_answer 2",
            "2/b short_answer 4",
            "2/c essay 4",
        ),
    ),
    "chinese_gaokao": Sample(
        """<h2>2023年普通高等学校招生全国统一考试 数学</h2><p>注意事项：</p>
<p>1．答卷前，考生务必将自己的姓名填写在答题卡上。</p>
<p>2．回答选择题时，选出每小题答案后，用铅笔把答题卡上对应题目的答案标号涂黑。</p>
<p>3．考试结束后，将本试卷和答题卡一并交回。</p>
<p>一、选择题：本题共3小题，每小题5分，共15分。在每小题给出的四个选项中，只有一项是符合题目要求的。</p>
<p>1．设集合A＝{1，2}，B＝{2，3}，则A∩B＝</p>
<p>A．{1}　　　　B．{2}　　　　C．{3}　　　　D．{1，2，3}</p>
<p>2．复数z满足z(1＋i)＝2，则z＝</p>
<p>A．1－i　　　　B．1＋i　　　　C．－1＋i　　　　D．－1－i</p>
<p>3．已知向量a＝(1，2)，则|a|＝</p>
<p>A．1　　　　B．2　　　　C．√5　　　　D．5</p>
<p>二、选择题：本题共2小题，每小题6分，共12分。在每小题给出的选项中，有多项符合题目要求。全部选对的得6分，部分选对的得部分分，有选错的得0分。</p>
<p>4．下列函数中是增函数的有</p>
<p>A．y＝x</p>
<p>B．y＝2x</p>
<p>C．y＝－x</p>
<p>D．y＝x＋1</p>
<p>5．下列命题正确的有</p>
<p>A．若a＞b，则a＋c＞b＋c</p>
<p>B．若a＞b，则ac＞bc</p>
<p>C．若a＞b＞0，则√a＞√b</p>
<p>D．若a＞b，则a²＞b²</p>
<p>三、填空题：本题共2小题，每小题5分，共10分。</p>
<p>6．若sin x＝1，则cos x＝________．</p>
<p>7．曲线y＝x²在点(1，1)处的切线方程为________．</p>
<p>四、解答题：本题共2小题，共27分。解答应写出文字说明、证明过程或演算步骤。</p>
<p>8．（12分）</p>
<p>已知数列{a}是等差数列。</p>
<p>（1）求a的通项公式；</p>
<p>（2）求前n项和。</p>
<p>9．（15分）</p>
<p>设函数f(x)＝x³－3x。</p>
<p>（1）讨论f(x)的单调性；</p>
<p>（2）证明：f(x)有三个零点。</p>""",
        (
            "1 single_choice [A B C D] 5",
            "2 single_choice [A B C D] 5",
            "3 single_choice [A B C D] 5",
            "4 multiple_choice [A B C D] 6",
            "5 multiple_choice [A B C D] 6",
            "6 fill_in_blank 5",
            "7 fill_in_blank 5",
            "8/1 short_answer",
            "8/2 short_answer",
            "9/1 short_answer",
            "9/2 essay",
        ),
    ),
    "american_class_test": Sample(
        """<h3>Biology Midterm Exam</h3><p>Name: ______________ &#8195; Date: __________</p>
<p><b>Part I: Multiple Choice (2 points each)</b></p>
<p>1. Which organelle produces ATP?</p>
<p>a) nucleus</p>
<p>b) mitochondrion</p>
<p>c) ribosome</p>
<p>d) vacuole</p>
<p>2. DNA is made of</p>
<p>a) amino acids</p>
<p>b) nucleotides</p>
<p>c) lipids</p>
<p>d) sugars</p>
<p><b>Part II: True or False (1 point each)</b></p>
<p>3. All bacteria are harmful. &#8195; T &#8195; F</p>
<p>4. Enzymes are proteins. &#8195; T &#8195; F</p>
<p><b>Part III: Fill in the Blank (2 points each)</b></p>
<p>5. The powerhouse of the cell is the ____________.</p>
<p>6. Water moves across membranes by ____________.</p>
<p><b>Part IV: Short Answer (5 points each)</b></p>
<p>7. Explain the difference between mitosis and meiosis.</p>
<p>8. Draw and label a plant cell.</p>
<p><b>Part V: Essay (20 points)</b></p>
<p>9. Discuss how natural selection leads to adaptation. Use at least three examples.</p>""",
        (
            "1 single_choice [a b c d] 2",
            "2 single_choice [a b c d] 2",
            "3 true_false 1",
            "4 true_false 1",
            "5 fill_in_blank 2",
            "6 fill_in_blank 2",
            "7 short_answer 5",
            "8 drawing 5",
            "9 essay 20",
        ),
    ),
    "business_english": Sample(
        """<h3>PART 5</h3><p><b>Directions:</b> A word or phrase is missing in each of the sentences below. Select
the best answer.</p>
<p>101. The manager asked that the report ------- by Friday.</p>
<p>(A) finish</p>
<p>(B) be finished</p>
<p>(C) finishing</p>
<p>(D) finishes</p>
<p>102. Ms. Lee has worked here ------- ten years.</p>
<p>(A) since</p>
<p>(B) for</p>
<p>(C) during</p>
<p>(D) by</p>
<p>103. All visitors must ------- at the front desk.</p>
<p>(A) register</p>
<p>(B) registering</p>
<p>(C) registration</p>
<p>(D) registered</p>
<h3>PART 6</h3><p><b>Questions 104-106 refer to the following e-mail.</b></p>
<p>To: All staff. We are pleased to ---104--- that the new cafeteria will open on Monday. It is
---105--- on the second floor and will serve breakfast and lunch. Staff can pay with their cards,
---106--- is easy to use.</p>
<p>104. (A) announce</p>
<p style="margin-left:24px">(B) announced</p>
<p style="margin-left:24px">(C) announcing</p>
<p style="margin-left:24px">(D) announcement</p>
<p>105. (A) locate</p>
<p style="margin-left:24px">(B) located</p>
<p style="margin-left:24px">(C) locating</p>
<p style="margin-left:24px">(D) location</p>
<p>106. (A) who</p>
<p style="margin-left:24px">(B) what</p>
<p style="margin-left:24px">(C) which</p>
<p style="margin-left:24px">(D) where</p>""",
        (
            "101 single_choice [A B C D]",
            "102 single_choice [A B C D]",
            "103 single_choice [A B C D]",
            "104 single_choice [A B C D]",
            "105 single_choice [A B C D]",
            "106 single_choice [A B C D]",
        ),
    ),
}
