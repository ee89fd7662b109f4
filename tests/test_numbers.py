"""Numbers, units and short texts: what equals what."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exam2bench.grade.marks import KeyFault
from exam2bench.grade.numbers import decimal_comma, magnitude, quantities, read_number, readings, round_figures
from exam2bench.grade.quantities import QuantityKey
from exam2bench.grade.text_match import TextKey, normalize_text
from exam2bench.grade.units import convert, is_unit_like
from exam2bench.schemas.grading import Normalization, NumericRule


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("½", "1/2"),
        ("1/2", "1/2"),
        ("0.5", "1/2"),
        (r"\frac{1}{2}", "1/2"),
        (r"$\dfrac12$", "1/2"),
        (".5", "1/2"),
        ("2½", "5/2"),
        ("2 1/2", "5/2"),
        (r"2\frac{1}{2}", "5/2"),
        ("-2 1/2", "-5/2"),
        ("-3/4", "-3/4"),
        ("3 / 4", "3/4"),
        ("1,000", "1000"),
        ("1000", "1000"),
        ("1 000", "1000"),
        ("1'000", "1000"),
        ("1{,}000", "1000"),
        ("12,34,567", "1234567"),
        ("1,5", "3/2"),
        ("0,500", "1/2"),
        ("1.234,5", "2469/2"),
        ("1,234.5", "2469/2"),
        ("1.234.567", "1234567"),
        ("−5", "-5"),
        ("–5", "-5"),
        ("－５", "-5"),
        ("+7", "7"),
        ("１２", "12"),
        ("٣", "3"),
        ("१२", "12"),
        ("3×10^8", "300000000"),
        ("3x10^8", "300000000"),
        ("3·10⁸", "300000000"),
        ("3e8", "300000000"),
        ("3E+8", "300000000"),
        (r"$3 \times 10^{-2}$", "3/100"),
        ("10^{-3}", "1/1000"),
        ("10⁻³", "1/1000"),
        ("x=2", "2"),
        ("x = −2", "-2"),
        ("≈ 3.14", "157/50"),
        ("f(x)=5", "5"),
        ("答：5", "5"),
        (r"\boxed{42}", "42"),
        (r"\(7\)", "7"),
        ("**8**", "8"),
        ("5.", "5"),
        (" 7 ", "7"),
        ("１，０００", "1000"),
        ("007", "7"),
    ],
)
def test_a_number_is_read_exactly(text: str, value: str) -> None:
    number = read_number(text)
    assert number is not None
    assert number.value == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "1,2,3",
        "1/0",
        "1/2/3",
        "--1",
        "3/-4",
        "0x10",
        "nan",
        "inf",
        "Infinity",
        "1e999999999",
        "9**9**9",
        "1-2",
        "2.5.3",
        "1,00,0",
        "3 4",
        "1" * 401,
        "1e400000",
        "five",
        "1:2",
        "(1,2)",
        "2^10",
        "½½",
        "1..2",
        "NaN%",
    ],
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None


def test_one_comma_follows_the_language_where_both_readings_are_possible() -> None:
    assert [number.value for number in readings("1,500")] == [1500]
    assert [number.value for number in readings("1,500", comma=True)] == [Fraction(3, 2)]
    assert {number.value for number in readings("1.500", comma=True)} == {1500, Fraction(3, 2)}
    assert [number.value for number in readings("1,5", comma=True)] == [Fraction(3, 2)]
    assert decimal_comma("de") and decimal_comma("pt-BR") and not decimal_comma("en-GB")
    assert not decimal_comma("zh-TW") and not decimal_comma("es-MX") and not decimal_comma("de-CH")


@given(st.integers(-(10**12), 10**12))
def test_thousands_do_not_change_an_integer(number: int) -> None:
    for text in (str(number), f"{number:,}", f"{number:,}".replace(",", " "), f"{number:,}".replace("-", "−")):
        found = read_number(text)
        assert found is not None and found.value == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**6), max_value=10**6))
def test_a_decimal_is_its_fraction(number: object) -> None:
    found = read_number(str(number))
    assert found is not None and found.value == Fraction(str(number))


@settings(max_examples=300)
@given(st.text(alphabet=st.sampled_from("0123456789.,/-+ ×^eE%½⅓²⁻xπ$\\{}frac'_−"), max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    for number, unit in quantities(text):
        assert isinstance(number.value, Fraction) and isinstance(unit, str)


def test_significant_figures_round_half_both_ways() -> None:
    assert round_figures(Fraction("3.14159"), 3) == {Fraction("3.14")}
    assert round_figures(Fraction("0.05"), 1) == {Fraction("0.05")}
    assert round_figures(Fraction("2.345"), 3) == {Fraction("2.34"), Fraction("2.35")}
    assert round_figures(Fraction("-1234"), 2) == {Fraction(-1200)}
    assert [magnitude(Fraction(text)) for text in ("3.2", "0.05", "1000", "999")] == [0, -2, 3, 2]


def check(answer: str, *, comma: bool = False, **rule: object) -> bool:
    return QuantityKey.of(NumericRule.model_validate(rule), comma=comma).check(answer).matched


@pytest.mark.parametrize(
    ("answer", "rule", "matched"),
    [
        ("0.5", {"value": "1/2"}, True),
        ("0.50", {"value": 0.5}, True),
        ("0.33", {"value": "1/3"}, False),
        ("0.33", {"value": "1/3", "abs_tolerance": 0.01}, True),
        ("3.15", {"value": 3.14, "abs_tolerance": 0.01}, True),
        ("3.1501", {"value": 3.14, "abs_tolerance": 0.01}, False),
        ("105", {"value": 100, "rel_tolerance": 0.05}, True),
        ("105.1", {"value": 100, "rel_tolerance": 0.05}, False),
        ("3.142", {"value": 3.14159, "significant_figures": 4}, True),
        ("3.14", {"value": 3.14159, "significant_figures": 4}, False),
        ("50%", {"value": 0.5}, False),
        ("50%", {"value": "50%"}, True),
        ("0.5", {"value": "50%"}, True),
        ("50", {"value": "50%"}, False),
        ("50%", {"value": 50, "unit": "%"}, True),
        ("50", {"value": 50, "unit": "%"}, True),
        ("0.5", {"value": 50, "unit": "%"}, False),
        ("15", {"value": 1.5}, False),
        ("1,5", {"value": 1.5}, True),
        ("1,5", {"value": 15}, False),
        ("12*13", {"value": 156}, False),
        ("2π", {"value": 6.2832, "significant_figures": 5}, True),
        ("6.2832", {"value": "2\\pi", "significant_figures": 5}, True),
        ("2π", {"value": "2\\pi"}, True),
        ("√3/2", {"value": "0.866", "abs_tolerance": 0.001}, True),
        ("x = 2", {"value": 2}, True),
        ("12 apples", {"value": 12}, True),
        ("12個", {"value": 12}, True),
        ("12 or 13", {"value": 12}, False),
        ("12 13", {"value": 12}, False),
        ("1e999999999", {"value": 1}, False),
        ("9" * 100_000, {"value": 9}, False),
        ("", {"value": 0}, False),
        ("zero", {"value": 0}, False),
    ],
)
def test_a_numeric_rule(answer: str, rule: dict[str, object], matched: bool) -> None:
    assert check(answer, **rule) is matched


@pytest.mark.parametrize(
    ("answer", "value", "unit", "matched"),
    [
        ("36 km/h", 10, "m/s", True),
        ("10 m·s⁻¹", 10, "m/s", True),
        ("10 m s^-1", 10, "m/s", True),
        ("10 ms⁻¹", 10, "m/s", True),
        (r"10\,\mathrm{m\,s^{-1}}", 10, "m/s", True),
        ("10 metres per second", 10, "m/s", True),
        ("10 m", 10, "m/s", False),
        ("500 cm", 5, "m", True),
        ("5公尺", 5, "m", True),
        ("0.5 km", 500, "公尺", True),
        ("5 kg", 5, "m", False),
        ("25 °C", 298.15, "K", True),
        ("30000 cm²", 3, "m^2", True),
        ("3平方公尺", 30000, "cm^2", True),
        ("2 h", 120, "min", True),
        ("5", 5, "m", True),
        ("4.5 kΩ", 4500, "ohm", True),
        ("1 kWh", 3.6e6, "J", True),
        ("5 μm", 5000, "nm", True),
        ("$5", 5, "$", True),
        ("5 元", 5, "元", True),
        ("5 m**9**9", 5, "m", False),
        ("5 m; import os", 5, "m", False),
        ("180°", 3.14159, "rad", False),
    ],
)
def test_units_are_converted(answer: str, value: float, unit: str, matched: bool) -> None:
    assert check(answer, value=value, unit=unit) is matched


def test_a_unit_can_be_demanded() -> None:
    rule = NumericRule(value=5, unit="m", unit_required=True)
    key = QuantityKey.of(rule)
    assert key.check("5").reason == "the unit is missing"
    assert key.check("5 s").reason == "the unit is not m"
    assert key.check("500 cm").matched
    assert key.check("6 m").reason == "another value"


def test_unit_conversion_is_exact_where_the_factor_is() -> None:
    assert convert(Fraction(36), "km/h", "m/s") == 10
    assert convert(Fraction(1), "nm", "m") == Fraction(1, 10**9)
    assert convert(Fraction(1), "kg", "m") is None
    assert is_unit_like("m/s^2") and is_unit_like("apples") and is_unit_like("個")
    assert not any(map(is_unit_like, ("or 13", "x10", "or more", "以上", "to 15", "m; rm -rf")))


def test_a_key_that_is_no_number_is_a_fault_of_the_key() -> None:
    with pytest.raises(KeyFault, match="'about ten' is not a number"):
        QuantityKey.of(NumericRule(value="about ten"))


@pytest.mark.parametrize(
    ("key", "answer", "matched"),
    [
        ("1/2", "½", True),
        ("1/2", "0.5", True),
        ("0.5", "1/2", True),
        ("½", r"\frac{1}{2}", True),
        ("1/2", "2/4", False),
        ("1000", "1,000", True),
        ("15", "1,5", False),
        ("1.5", "1,5", True),
        ("3", "3.0", False),
        ("3/2", "1 1/2", True),
        ("x²", "x^2", True),
        ("x^{2}", "x²", True),
        ("x**2", "x²", True),
        ("10²", "102", False),
        ("10^2", "10²", True),
        ("H2O", "H₂O", True),
        ("a, b", "a、b", True),
        ("北京, 上海", "北京，上海", True),
        ("“春”", "「春」", True),
        ("it's", "it’s", True),
        ("A-B", "A–B", True),
        ("-5", "−5", True),
        ("007", "7", False),
        ("50%", "0.5", False),
        ("Paris", " paris ", True),
        ("Paris", "Paris.", False),
        ("é", "é", True),
        ("Ｐａｒｉｓ", "Paris", True),
    ],
)
def test_an_accepted_text(key: str, answer: str, matched: bool) -> None:
    assert TextKey.of([key], Normalization()).matches(answer) is matched


def test_numeric_tolerance_makes_a_blank_a_number() -> None:
    exactly = TextKey.of(["3"], Normalization(numeric_tolerance=0.0))
    assert (
        exactly.matches("3.0") and exactly.matches("6/2") and not exactly.matches("3.01") and not exactly.matches("3 m")
    )


def test_without_nfkc_signs_stay_apart() -> None:
    strict = Normalization(unicode_nfkc=False)
    assert not TextKey.of(["-5"], strict).matches("−5")
    assert not TextKey.of(["1/2"], strict).matches("½")
    assert normalize_text("Ａ", strict) == "ａ"


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_every_text_matches_itself(text: str) -> None:
    assert TextKey.of([text], Normalization()).matches(text)
    assert TextKey.of([text], Normalization(case_insensitive=False, unicode_nfkc=False)).matches(text)
