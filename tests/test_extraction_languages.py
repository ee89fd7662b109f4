"""Replies in many languages and shapes, each with what a careful reader takes from it; None where that is nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exam2bench.grade.extraction import extract_choice, extract_choices, extract_number, extract_yes_no

OPTIONS = {"A": "teddy bear", "B": "rabbit", "C": "cat", "D": "dog"}

CHOICES: dict[str | None, list[str]] = {
    "A": ["本题选A", "Let's go with A."],
    "B": [
        "选项B正确",
        "因此，答案选B。",
        "正确的选项是（B）",
        "我认为B是对的",
        "B是正确的",
        "选B，因为它有长耳朵",
        "答案不是A，而是B",
        "正解はBです。",
        "選択肢Bが正しい",
        "Bが正解です",
        "정답은 B입니다",
        "B가 정답입니다",
        "La bonne réponse est la B.",
        "La réponse correcte est donc l'option B",
        "Opción B",
        "Die richtige Lösung ist also B.",
        "A resposta correta é a letra B",
        "Правильный ответ - B.",
        "Het juiste antwoord is B",
        "Doğru cevap: B",
        "الإجابة الصحيحة هي B",
        "Đáp án: B",
        "คำตอบคือ B",
        "सही उत्तर B है",
        "התשובה היא B",
        "Η σωστή απάντηση είναι B",
        "I was torn between A and B, but I'd go with B.",
        "Answer: B (not A)",
        "It can't be A, C or D, so B",
        "Eliminating A, C, and D leaves B.",
        "Option (A) is incorrect. Option (B) is correct.",
        "option b is right",
        "If it were a toy, the answer would be A. But it has ears, so the answer is B.",
        "Answer: rabbit (option B)",
        '{"answer": "B"}',
        '{"final_answer": "(B)"}',
        "\\boxed{A} ... no wait, \\boxed{B}",
        "【B】",
        "Ⓑ",
        "B ✅",
    ],
    "C": [
        "综上所述，应选 C 项",
        "A不对，B也不对，C对",
        "答えは（C）",
        "したがって、Cとなります",
        "답은 C번입니다",
        "Réponse : C",
        "La respuesta es la opción C",
        "Richtig ist Antwort C",
        "Risposta: C",
        "Ответ — C",
        "Jawaban: C",
        "Rätt svar är C",
        "B or C? The answer is C.",
        '```json\n{"answer": "C"}\n```',
        "\\boxed{\\textbf{(C)}}",
        "**Answer:** **C**",
        "A? No. B? No. C? Yes! The answer is C",
        "A) teddy bear\nB) rabbit\nC) cat\nD) dog\n\nAnswer: C",
        "∴ C",
    ],
    "D": [
        "选择D项",
        "正しいのはDです",
        "C'est la réponse D",
        "La opción correcta es la D",
        "Letra D",
        "Верный вариант: D",
        "The answer is neither A nor C; it is D",
        "The options are A, B, C and D. I pick D",
        '{"working": "it is A-like", "answer": "D"}',
        "## Final Answer\n\n**(D)** dog",
        "So, D.",
    ],
    None: [
        "The answer is A, B",
        "Both A and C",
        "None of the above",
        "A. B. C. D.",
        "ABCD",
        "Between B and C, hard to say",
        "The answer is not A.",
        "The answer isn't B",
        "Answer: cat (option B)",
        "Vitamin D is key",
        "Type A or B blood",
        "As an AI, I can't see images, but A",
        "Based on Charles Darwin, A teddy",
        "B型血",
        "C语言",
        "🅱",
        "答案是A或B",
    ],
}


@pytest.mark.parametrize(("option", "reply"), [(key, reply) for key, replies in CHOICES.items() for reply in replies])
def test_one_option(option: str | None, reply: str) -> None:
    assert extract_choice(reply, OPTIONS).value == option


@pytest.mark.parametrize(
    ("options", "replies"),
    [
        (
            ("A", "C"),
            [
                "A、C",
                "Ａ，Ｃ",
                "正确答案是A和C",
                "正解はAとCです",
                "정답은 A, C입니다",
                "A et C",
                "A e C",
                "Ответ: A и C",
                "A+C",
                '["A","C"]',
                '{"answer": ["A", "C"]}',
                "A. teddy bear\nC. cat",
                "- A\n- C",
                "Options A and C are correct.",
                "The correct answers are (A) teddy bear and (C) cat.",
                "ANSWER: A, C (both animals)",
                "a, c",
                "\\boxed{A, C}",
            ],
        ),
        (("A", "C", "D"), ["A, C y D", "答案：ACD", "A, C und D"]),
        (("B",), ["Only B", "B"]),
        (
            None,
            ["A: yes\nB: no\nC: yes\nD: no", "I choose A, because ... and C", "A or C", "ANSWER: A, E", "ad", "None"],
        ),
    ],
)
def test_a_list_is_read_to_its_end_or_not_at_all(options: tuple[str, ...] | None, replies: list[str]) -> None:
    for reply in replies:
        assert extract_choices(reply, OPTIONS).value == options, reply


@pytest.mark.parametrize(
    ("value", "replies"),
    [
        (
            True,
            [
                "はい",
                "正しい",
                "맞습니다",
                "참",
                "Oui, c'est vrai",
                "Vrai",
                "Verdadero",
                "Wahr",
                "Richtig",
                "Верно",
                "صحيح",
                "Đúng",
                "Doğru",
                "对",
                "○",
                "✓",
                "T",
                "Answer: T",
                "It is not false.",
                "这个说法是正确的",
            ],
        ),
        (
            False,
            [
                "いいえ、違います",
                "誤り",
                "間違いです",
                "틀립니다",
                "거짓",
                "Faux",
                "Falso.",
                "Falsch",
                "Неверно",
                "خطأ",
                "Yanlış",
                "不对",
                "没有",
                "這句話是錯的",
                "该说法不正确",
                "×",
                "F",
                "True or false? False.",
                "Definitely not.",
                "Not at all",
                "The statement is not true.",
            ],
        ),
        (None, ["Yes and no", "true/false", "Absolutely!", "I don't know", "Nothing"]),
    ],
)
def test_yes_and_no(value: bool | None, replies: list[str]) -> None:
    for reply in replies:
        assert extract_yes_no(reply).value is value, reply


@pytest.mark.parametrize(
    ("value", "replies"),
    [
        ("7/2", ["The answer is 3.5", "Ответ: 3,5", "３．５"]),
        ("12", ["정답은 12", "(12)", "The answer is 12 because 3 rows of 4 make 12"]),
        ("-1/2", ["\\boxed{-\\frac{1}{2}}", "答え：−0.5"]),
        (
            None,
            ["Answer: 7 apples and 3 pears", "The answer is 3 or 4", "between 3 and 4", "\\boxed{2\\sqrt{3}}", "ten"],
        ),
    ],
)
def test_a_number_beside_another_is_not_picked(value: str | None, replies: list[str]) -> None:
    for reply in replies:
        assert extract_number(reply).value == (None if value is None else Fraction(value)), reply
