"""The language of a text, by its script and its most common words (BCP-47).

Counted over the words that candidates read: Han and kana by the character, other scripts by the word,
so a foreign-language paper with short directions gets the language of its questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

# frequent function words of each language; a word that several of them have says less
_COMMON: dict[str, str] = {
    "en": "the of and to in is that for which with are this from each what following by answer be it as on or not",
    "fr": "le la les des du de et est une un dans que qui pour sur au aux avec par vous ce cette ne pas en il à sont",
    "de": "der die das und ist ein eine den dem zu mit von für auf nicht sie werden welche wird im in es sind bei",
    "es": "el la los las del de y una un en que por con para se es cual al su como más qué cuál lo no son",
    "pt": "o a os as do da dos das de e uma um em que por com para não é no na ao são qual pela se mais",
    "it": "il la lo gli della del di e una un in che per con è sono nel alla non dei delle quale si da più",
    "nl": "de het een en van is dat op te voor met niet zijn aan wordt bij deze welke uit in om",
    "sv": "och att det en ett är som på för av med den till inte har vilken vilket om kan i de",
    "da": "og at det en et er som på for af med den til ikke har hvilken der de i kan",
    "no": "og at det en et er som på for av med den til ikke har hvilken hva jeg i de kan",
    "fi": "ja on ei se että mikä ovat joka tai kun mitä oli sekä kuin myös",
    "pl": "w i na z do się nie jest że o który jak oraz po dla od są to",
    "cs": "a v na se je že do o který jak pro ve jsou by nebo ze z to",
    "ro": "și în de la cu un o pe este care din pentru nu sunt mai ce al se a",
    "hu": "a az és egy hogy nem is van meg melyik ez vagy csak",
    "tr": "ve bir bu ile için olan hangisi hangisinde aşağıdaki aşağıdakilerden da de olarak göre ne çok değildir soru",
    "id": "yang dan di dari untuk dengan pada adalah ini tidak berikut dalam sebuah",
    "vi": "của và là các một có được trong cho không với những này theo số khi",
    "ca": "el la els les del de i una un en que per amb és què aquest al no",
}
_SETS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
# letters that (nearly) only one of the languages has
_OWN_LETTERS = {
    "tr": "ğış", "cs": "řěů", "pl": "łąęśźż", "hu": "őű", "pt": "ãõ", "es": "ñ¿¡", "de": "ß", "sv": "å", "da": "øæ",
    "ro": "ățșţş", "vi": "ơưạảấầẩậắằặẹẻếềểệỉịọỏốồổộớờởợụủứừửựỳỵđ", "fr": "œêîç", "it": "ìò",
}  # fmt: skip
_SHARED_BY = Counter(word for words in _SETS.values() for word in words)
# characters that only one of the two ways of writing Chinese has
_TRADITIONAL = frozenset(
    "學國個這來時們說為對與從後會題過還開關點選項應當實數據圖體無樣變發現電長東門問間請頁轉條單總結線級"
)
_SIMPLIFIED = frozenset(
    "学国个这来时们说为对与从后会题过还开关点选项应当实数据图体无样变发现电长东门问间请页转条单总结线级"
)
_SCRIPTS: tuple[tuple[int, int, str], ...] = (
    (0x0370, 0x03FF, "el"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x06FF, "ar"),
    (0x0900, 0x097F, "hi"),
    (0x0980, 0x09FF, "bn"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0E00, 0x0E7F, "th"),
    (0x10A0, 0x10FF, "ka"),
    (0x0530, 0x058F, "hy"),
)
_UKRAINIAN = frozenset("іїєґ")
_PERSIAN = frozenset("پچژگ")


def detect_language(words: Iterable[str]) -> str:
    """The BCP-47 tag of the language that most of the words are in; `und` where nothing tells."""
    scripts: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    latin: Counter[str] = Counter()
    for word in words:
        letters = [char for char in word if char.isalpha()]
        if not letters:
            continue
        script = _script(letters[0])
        formula = len(letters) < 3 and any(char in word for char in "=<>+()[]|")
        if script != "han" and (formula or len(word) == 1):
            continue  # a formula's letters are of no language; one CJK character is still a word
        scripts[script] += sum(_script(char) == "han" for char in letters) if script == "han" else 1
        characters.update(letters)
        if script == "latin":
            latin[word.strip(".,;:!?()[]«»“”\"'’¿¡").lower()] += 1
    # a word of a spaced script says as much as some two characters of Chinese or Japanese
    weights = {script: n / 2 if script == "han" else n for script, n in scripts.items()}
    if not weights:
        return "und"
    script = max(sorted(weights), key=lambda name: weights[name])
    if script == "latin":
        return _by_common_words(latin)
    if script == "han":
        return _chinese_or_japanese(characters)
    if script == "cyrillic":
        return "uk" if sum(characters[c] for c in _UKRAINIAN) > 0.01 * characters.total() else "ru"
    if script == "ar":
        return "fa" if sum(characters[c] for c in _PERSIAN) > 0.005 * characters.total() else "ar"
    return script


def _script(char: str) -> str:
    code = ord(char)
    if code < 0x0250 or 0x1E00 <= code < 0x1F00:
        return "latin"
    if 0x3040 <= code <= 0x30FF or 0x31F0 <= code <= 0x31FF or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF:
        return "han"
    if 0xAC00 <= code <= 0xD7A3 or 0x1100 <= code <= 0x11FF or 0x3130 <= code <= 0x318F:
        return "ko"
    if 0x0400 <= code <= 0x04FF:
        return "cyrillic"
    return next((tag for low, high, tag in _SCRIPTS if low <= code <= high), "latin")


def _by_common_words(words: Counter[str]) -> str:
    evidence = {language: _evidence(language, words) for language in _SETS}
    best = max(evidence, key=lambda language: evidence[language])  # the more spoken language where two fit alike
    return best if evidence[best] >= max(1.0, 0.02 * words.total()) else "und"


def _evidence(language: str, words: Counter[str]) -> float:
    """How much of the text speaks for a language: its common words, and words with its own letters."""
    own = frozenset(_OWN_LETTERS.get(language, ""))
    common = sum(words[word] / _SHARED_BY[word] for word in sorted(_SETS[language]))
    return common + 0.3 * sum(n for word, n in words.items() if not own.isdisjoint(word))


def _chinese_or_japanese(characters: Counter[str]) -> str:
    kana = sum(n for char, n in characters.items() if 0x3040 <= ord(char) <= 0x30FF)
    han = sum(n for char, n in characters.items() if _script(char) == "han")
    if kana > 0.1 * han:
        return "ja"
    traditional = sum(characters[char] for char in _TRADITIONAL - _SIMPLIFIED)
    simplified = sum(characters[char] for char in _SIMPLIFIED - _TRADITIONAL)
    if traditional == simplified:
        return "zh"
    return "zh-Hant" if traditional > simplified else "zh-Hans"
