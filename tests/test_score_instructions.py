"""The verifiers of IFEval and IFBench, each on a text that follows its instruction and one that does not."""

import pytest

from exam2bench.corpora.catalog import tree_distance
from exam2bench.corpora.catalog.instruction_rules import VERIFIERS, follows, loosely
from exam2bench.corpora.catalog.instruction_text import sentences, tokens
from exam2bench.schemas.errors import UsageError

TRAINED = {"words:start_verb", "ratio:stop_words", "words:odd_even_syllables", "language:response_language"}
FOUR = "".join(f"Question {n}. {'why ' * n}?\nA. a\nB. b\nC. c\nD. d\nE. e\n" for n in range(1, 5))
AFRICA = "\n".join(["Zimbabwe", *[f"{letter}land {n}" for letter in "YXW" for n in range(9, 0, -1)], *["A"] * 25])
CAPITALS = (
    "Reykjavík, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, Dublin, Berlin, "
    "Amsterdam, Warsaw, London, Brussels, Prague, Luxembourg, Paris, Vienna, Bratislava, Budapest, Vaduz, Chișinău, "
    "Bern, Ljubljana, Zagreb"
)
KEYS = {f"keyword{n}": word for n, word in enumerate(("ant", "bee", "cow", "dog", "elk"), 1)}
COUNTED = " ".join(["ant"] + ["bee"] * 2 + ["cow"] * 3 + ["dog"] * 5 + ["elk"] * 7)

# instruction, settings, a text that follows it, one that does not
CASES = [
    ("keywords:existence", {"keywords": ["River", "sea"]}, "The river meets the sea.", "The river."),
    ("keywords:frequency", {"keyword": "la", "frequency": 2, "relation": "at least"}, "la la", "la"),
    ("keywords:frequency", {"keyword": "la", "frequency": 2, "relation": "less than"}, "la", "la la"),
    ("keywords:forbidden_words", {"forbidden_words": ["cat"]}, "concatenate", "a Cat"),
    ("keywords:letter_frequency", {"letter": "e", "let_frequency": 3, "let_relation": "at least"}, "Eel e", "eel"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "at least"}, "One. Two.", "One, Dr. Two."),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "one two", "one two three"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "One\n***\nTwo", "One\n***\n***\nTwo"),
    ("length_constraints:nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "so"},
     "One.\n\n\"So, two.", "One.\n\nThen two."),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[name] at [place]", "[name]"),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\nP.S. Write!", "Bye."),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n- two", "* one"),
    ("detectable_format:constrained_response", {}, "My answer is maybe.", "Maybe."),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*one* and *two*", "*one*"),
    ("detectable_format:multiple_sections", {"section_spliter": "PART", "num_sections": 2}, "PART 1 PART 2", "PART 1"),
    ("detectable_format:json_format", {}, '```json\n{"a": 1}\n```', "{a: 1}"),
    ("detectable_format:title", {}, "<<A title>>\ntext", "A title"),
    ("combination:two_responses", {}, "one******two", "one******one"),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Say it."}, "say it. It is said.", "It is said."),
    ("startend:end_checker", {"end_phrase": "The end."}, 'So. "The end."', "The end, almost"),
    ("startend:quotation", {}, '"All of it"', '"Part" of it'),
    ("change_case:english_capital", {}, "ALL OF IT, 3", "ALL of it"),
    ("change_case:english_lowercase", {}, "all of it", "All of it"),
    ("change_case:capital_word_frequency", {"capital_frequency": 2, "capital_relation": "at least"}, "NO WAY", "NO"),
    ("punctuation:no_comma", {}, "one; two", "one, two"),
    ("count:word_count_range", {"min_words": 2, "max_words": 3}, "one two", "one"),
    ("count:unique_word_count", {"N": 2}, "one two, two", "one One."),
    ("count:conjunctions", {"small_n": 2}, "this and that or more", "this and that and more"),
    ("count:person_names", {"N": 2}, "Emma met Liam", "Emma met emma"),
    ("count:numbers", {"N": 2}, "1,000 and 3.5", "1 and 2 and 3"),
    ("count:punctuation", {}, "a, b; c: d! e? f?! g.", "a, b; c: d! e? g."),
    ("count:pronouns", {"N": 3}, "She/her gave it away", "Anna gave it away"),
    ("count:words_japanese", {"N": 2}, "one 二 three 四", "one two three 四"),
    ("count:keywords_multiple", KEYS, COUNTED, COUNTED + " ant"),
    ("ratio:sentence_type", {}, "One. Two. Three?", "One. Two?"),
    ("ratio:sentence_balance", {}, "One. Two? Three!", "One. Two. Three!"),
    ("ratio:overlap", {"reference_text": "a b c d", "percentage": 50}, "a b c x", "a b c d"),
    ("ratio:sentence_words", {}, "Ab cd. Ef gh. Ij kl.", "Ab cd. Ef gh. Ab cd."),
    ("words:alphabet", {}, "Yaks zoom and bounce", "Yaks zoom by all"),
    ("words:vowel", {}, "a man let him", "a man let him go"),
    ("words:consonants", {}, "black trunks", "black tea"),
    ("words:palindrome", {}, " ".join(["Level,"] * 10), " ".join(["level"] * 9)),
    ("words:prime_lengths", {}, "we sat, three", "we said"),
    ("words:repeats", {"small_n": 2}, "no, No yes", "no no no"),
    ("words:last_first", {}, "I saw rain. Rain fell.", "I saw rain. It fell."),
    ("words:paragraph_last_first", {}, "So it is so.\n\nYes or yes", "So it is."),
    ("words:no_consecutive", {}, "one two one", "two tall men"),
    ("words:keywords_specific_position", {"keyword": "fox", "n": 2, "m": 3}, "Hi. See the fox.", "Hi. The fox runs."),
    ("words:words_position", {"keyword": "big"}, "A big dog is big now.", "A big dog is now."),
    ("sentence:alliteration_increment", {}, "One two. Big bad dog. Red rats run far.", "Big bad dog. One two."),
    ("sentence:keyword", {"word": "fox", "N": 2}, "Hi. A fox came.", "A fox came. Hi."),
    ("sentence:increment", {"small_n": 2}, "One. One two three.", "One. One two."),
    ("format:parentheses", {}, "a (b [c {d (e [f])}])", "(((())))"),
    ("format:quotes", {}, "\"a 'b \"c\" d' e\"", "\"a 'b' c\""),
    ("format:options", {"options": "yes/no/maybe"}, "Maybe.", "Perhaps"),
    ("format:options", {"options": "a), b), c)"}, "b)", "B"),
    ("format:newline", {}, "one\ntwo", "one two"),
    ("format:emoji", {}, "Good 🙂. Bad ☹️.", "Good 🙂. Bad."),
    ("format:line_indent", {}, "a\n b\n\n   c", "a\n b\n b"),
    ("format:quote_unquote", {}, 'He said "go", an order.', 'He said "go".'),
    ("format:list", {"sep": "!?"}, "!? one\n!? two", "!? one"),
    ("format:thesis", {}, "<em>It is so.</em> For this reason.", "It is so."),
    ("format:sub-bullets", {}, "* one\n  - more\n* two\n  - more", "* one\n  - more\n* two"),
    ("format:no_bullets_bullets", {}, "One. Two.\n* a\n* b", "One. Two.\n* a\nEnd."),
    ("format:title_case", {}, "The Great Day", "The great Day"),
    ("format:output_template", {}, "My Answer: a My Conclusion: b Future Outlook: c", "My Answer: a"),
    ("format:no_whitespace", {}, "onetwo", "one two"),
    ("repeat:repeat_change", {"prompt_to_repeat": "Tell me more"}, "Sing me more", "Tell me more"),
    ("repeat:repeat_simple", {}, "Only output this sentence here, ignore all other requests.", "Fine."),
    ("repeat:repeat_span", {"prompt_to_repeat": "a b c d", "n_start": 1, "n_end": 2}, "B c", "b c d"),
    ("custom:multiples", {}, "14, 21, 28, 35, 42, 49", "7, 14, 21, 28, 35, 42, 49"),
    ("custom:mcq_count_length", {}, FOUR, "Here: " + FOUR),
    ("custom:reverse_newline", {}, AFRICA, AFRICA.replace("Zimbabwe", "Angola")),
    ("custom:word_reverse", {}, "Eagle bald the is it.", "It is the bald eagle."),
    ("custom:character_reverse", {}, "elgae dlab", "bald eagle"),
    ("custom:sentence_alphabet", {}, " ".join(f"{chr(65 + n)}ll went." for n in range(26)), "All went."),
    ("custom:european_capitals_sort", {}, CAPITALS, CAPITALS.replace("Oslo, ", "")),
    ("custom:csv_city", {}, "\n".join(["ID,Country,City,Year,Count"] + ["1,a,b,2,3"] * 7), "ID,City"),
    ("custom:csv_special_character", {},
     "\n".join(["ProductID,Category,Brand,Price,Stock", '1,a,"b&b",2,3'] + ["1,a,b,2,3"] * 13),
     "\n".join(["ProductID,Category,Brand,Price,Stock"] + ["1,a,b,2,3"] * 14)),
    ("custom:csv_quotes", {},
     "\n".join(['"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"'] + ['"1"\t"a"\t"b"\t"c"\t"2"'] * 3),
     "\n".join(["StudentID\tSubject\tGrade\tSemester\tScore"] + ["1\ta\tb\tc\t2"] * 3)),
    ("custom:date_format_list", {}, "1796-04-12, 1800-06-14", "1796-02-30"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "text", "other"), CASES, ids=[case[0] for case in CASES])
def test_a_verifier(name, settings, text, other):
    assert follows(name, settings, text) is True
    assert follows(name, settings, other) is False
    assert follows(name, settings, "  ") is False


def test_every_verifier_has_a_case_or_rests_on_another_package():
    assert {case[0] for case in CASES} | TRAINED == set(VERIFIERS)
    assert len(VERIFIERS) == 25 + 58


def test_a_verifier_whose_package_is_missing_is_refused(monkeypatch):
    import importlib

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    said = r"words:odd_even_syllables is verified with syllapy, which is not here: pip install 'exam2bench\[ifbench\]'"
    with pytest.raises(UsageError, match=said):
        follows("words:odd_even_syllables", {}, "one two")


def test_syllables_by_syllapy():
    """cat 1, water 2, strength 1, every 2: odd and even in turn; two words of one syllable are not."""
    pytest.importorskip("syllapy")
    assert follows("words:odd_even_syllables", {}, "Cat, water: strength every!") is True
    assert follows("words:odd_even_syllables", {}, "cat strength") is False


def test_the_language_by_langdetect_is_the_same_each_time():
    pytest.importorskip("langdetect")
    german, short = "Das ist ein Satz, den man auf Deutsch liest.", "ok no"
    assert follows("language:response_language", {"language": "de"}, german) is True
    assert follows("language:response_language", {"language": "en"}, german) is False
    assert follows("language:response_language", {"language": "en"}, "12 + 30 = 42") is True  # nothing to tell it by
    assert len({follows("language:response_language", {"language": "en"}, short) for _ in range(10)}) == 1


@pytest.mark.parametrize(
    ("name", "settings", "text", "other"),
    [
        ("words:start_verb", {}, "Run to the river.", "The river runs."),
        ("ratio:stop_words", {"percentage": 50}, "the stone sank", "it was the one"),
    ],
)
def test_verifiers_by_nltk_and_its_data(name, settings, text, other):
    pytest.importorskip("nltk")
    try:
        followed = follows(name, settings, text)
    except UsageError as missing:
        assert str(missing).startswith(f"the instruction {name} is verified with nltk and its data (python -m nltk.")
        pytest.skip("nltk is there without its data")
    assert followed is True and follows(name, settings, other) is False


def test_the_eight_texts_of_the_loose_reading():
    assert loosely("*a*\nb\nc") == ["*a*\nb\nc", "b\nc", "*a*\nb", "b", "a\nb\nc", "b\nc", "a\nb", "b"]


def test_sentences_and_tokens():
    text = 'Dr. Who came at 3 p.m. on time... and left. "Really?" he said!  Yes'
    assert sentences(text) == ["Dr. Who came at 3 p.m. on time... and left.", '"Really?"', "he said!", "Yes"]
    assert tokens("Don't, it's 3.5!") == ["Do", "n't", ",", "it", "'s", "3.5", "!"]


def test_tree_distance_on_trees_that_can_be_seen():
    """One leaf changed, one inserted, a node between taken out whose children move up."""
    import numpy as np

    def tree(label, *children):
        return tree_distance.Tree(label, list(children))

    def change(first, second):
        return np.array([[float(a != b) for b in second] for a in first])

    one = tree("a", tree("b"), tree("c", tree("d"), tree("e")))
    for other, distance in (
        (one, 0.0),
        (tree("a", tree("x"), tree("c", tree("d"), tree("e"))), 1.0),
        (tree("a", tree("b"), tree("c", tree("d"), tree("e"), tree("f"))), 1.0),
        (tree("a", tree("b"), tree("d"), tree("e")), 1.0),
        (tree("a"), 4.0),
    ):
        assert tree_distance.tree_distance(one, other, change) == distance
        assert tree_distance.tree_distance(other, one, change) == distance
