"""A search in the list of items, in scripts with spaces between words and without."""

from __future__ import annotations

import pytest
from django.db import connection

from tasks.models import ItemEntry, ItemList, ItemWords, Project
from tasks.models.item_list import ItemFilter
from tasks.models.list_renewal import index_texts
from tests.cases import cases
from tests.factories import make_batch, make_item

pytestmark = pytest.mark.django_db

TEXTS = {
    "chinese": "Antwort 0: 機器推論洗成權威事實. foo-bar don't naïve Straße",
    "japanese": "私は東京タワーでiPhoneを使う。ジョン・スミス",
    "half width": "ｶﾞｷﾞｸﾞの店",
    "rare": "𠮷野家で食べる",
    "thai": "ฉันรักภาษาไทย ปี๒๕๖๗",
    "lao": "ຂ້ອຍຮັກພາສາລາວ",
    "khmer": "ខ្ញុំ\u200bស្រឡាញ់ភាសាខ្មែរ",
    "burmese": "ကျွန်တော်မြန်မာစာ",
    "apart": "京タと東京とタワとワー",
    "korean": "서울에서 만나요",
    "latin": "Tokyo tower, iPhones",
}


@pytest.fixture
def project() -> Project:
    batch = make_batch()
    for name, text in TEXTS.items():
        make_item(batch=batch, external_id=name, prompt="Why?", responses=[text])
    index_texts(batch.project)
    return batch.project


def names(project: Project, words: str) -> set[str]:
    found = ItemEntry.objects.matching(project, ItemFilter(words=words))
    return set(found.values_list("external_id", flat=True))


def places() -> dict[int, str]:
    """Where each row is stored: another place after it was written again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT item_id, ctid::text FROM tasks_itemwords")
        return dict(cursor.fetchall())


@cases(
    ("words", "found"),
    [
        ("權威事實", {"chinese"}),
        ("權威", {"chinese"}),
        ("威權", set()),
        ("東京", {"japanese", "apart"}),
        ("東京タワー", {"japanese"}),  # another text has all its pairs, but not in a row
        ("京", {"japanese", "apart"}),
        ("實", {"chinese"}),  # the last letter of its run
        ("機器 權威 foo-bar", {"chinese"}),
        ("機器 東京", set()),
        ("iphone", {"japanese"}),
        ("iPhoneを使う", {"japanese"}),
        ("IPHONE 東京 tower", set()),
        ("ジョン・スミス", {"japanese"}),
        ("ガギグ", {"half width"}),
        ("ｷﾞｸﾞ", {"half width"}),
        ("𠮷野", {"rare"}),
        ("𠮷", {"rare"}),
        ("ไทย", {"thai"}),
        ("ปี๒๕๖", {"thai"}),
        ("ພາສາ", {"lao"}),
        ("ស្រឡាញ់", {"khmer"}),
        ("ខ្ញុំស្រឡាញ់", {"khmer"}),  # the text has a space without width there
        ("ខ្ញុំ\u200bស្រឡាញ់", {"khmer"}),
        ("မြန်မာ", {"burmese"}),
        ("서울에서", {"korean"}),
        ("naïve STRASSE", set()),
        ("naïve straße don't", {"chinese"}),
        ("%東京_", {"japanese", "apart"}),
        ("'東京' & | ! :* \\", {"japanese", "apart"}),
    ],
)
def test_a_run_of_letters_without_spaces_is_found_by_any_part_of_it(
    project: Project, words: str, found: set[str]
) -> None:
    assert names(project, words) == found


def test_a_text_of_spaces_and_words_is_indexed_as_ever(project: Project) -> None:
    latin = ItemWords.objects.get(item__external_id="latin")
    assert (latin.words, latin.runs) == ("'iphones' 'latin' 'tokyo' 'tower' 'why'", "")


def test_texts_that_an_earlier_version_indexed_are_indexed_anew_and_no_others(
    project: Project,
) -> None:
    japanese = ItemWords.objects.filter(item__external_id="japanese")
    japanese.update(words="'東京タワーで'", runs="")
    before = places()
    assert names(project, "東京") == {"apart"}
    ItemList.objects.update(indexed=0)
    assert not index_texts(project)
    assert names(project, "東京") == {"japanese", "apart"}
    changed = [pk for pk, place in places().items() if place != before[pk]]
    assert changed == [japanese.get().pk]


def test_a_run_of_more_pairs_than_postgresql_indexes_is_searched_at_its_beginning() -> None:
    letters = [chr(0x4E00 + number % 20_000) for number in range(400)]
    run = "".join(first + second for first in letters for second in letters)
    item = make_item(prompt=f"始{run}終末", responses=["So."])
    assert not index_texts(item.project)
    assert names(item.project, "始") == {item.external_id}
    assert names(item.project, run[20:60]) == {item.external_id}
