"""The faultless reading by rules: real-looking texts in, records out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.flows.item.record import Item
from generation.providers.demo.extract import clean_record
from generation.providers.demo.units import Quantity, measured, number

DRILL = """\
Kernbohr KB 18 Akku-Schlagbohrschrauber
Kräftiges Gerät für Holz und Mauerwerk, mit Seitengriff.
Akkuspannung 18 V, Kapazität 4,0 Ah
Drehmoment hart / weich: 60 / 34 Nm
Leerlaufdrehzahl: 0-500 / 0-1.900 min-1
Max. Bohrdurchmesser in Holz: 38 mm
Maße: 19,4 x 6,6 x 25,2 cm
Gewicht 1,7 kg
Ladezeit: 60 Min.
Schalldruckpegel: 84 dB(A)
url: https://example.org/kb18
query: KB 18 Datenblatt"""
PRINTER = """\
Tagwright T4 label printer
Desktop printer for shipping labels up to 4 inch.
- Print resolution: 203 dpi
- Max. print width: 108 mm
- Interface: USB, Ethernet
- Dimensions (W x D x H): 178 x 226 x 154 mm
- Net weight: 4.2 lb (1.9 kg)
- Power consumption: max. 60 W"""
SCALE = """\
Brewbalance S coffee scale
capacity 2 kg; resolution 0.1 g; battery life about 30 h
Size: 6½ x 5 1/2 x 1" """
CONTRADICTION = "Vex 18\nThe shop page says 18 V, the sticker says 20 V max.\nWeight: 1.5 kg"
LURE = "SEAPESCA Mini Crankbait Fishing Lure 40mm 3.5g Topwater"


def sizes(record: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    return {name: (size["value"], size["unit"]) for name, size in record["dimensions"].items() if size}


def specifications(record: dict[str, Any]) -> dict[str, tuple[Any, str | None]]:
    return {spec["name"]: (spec["value"], spec["unit"]) for spec in record["specifications"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DRILL, {"length": (19.4, "cm"), "width": (6.6, "cm"), "height": (25.2, "cm"), "weight": (1.7, "kg")}),
        (PRINTER, {"width": (178, "mm"), "depth": (226, "mm"), "height": (154, "mm"), "weight": (1.9, "kg")}),
        (SCALE, {"length": (6.5, "in"), "width": (5.5, "in"), "height": (1, "in")}),
        (CONTRADICTION, {"weight": (1.5, "kg")}),
        (LURE, {"length": (40, "mm"), "weight": (3.5, "g")}),
        ("Ding\nLänge 159 mm, Breite 58 mm", {"length": (159, "mm"), "width": (58, "mm")}),
        ("Ding\nAbmessungen: Breite 18 cm, Tiefe 9 cm", {"width": (18, "cm"), "depth": (9, "cm")}),
        ("Thing\nSize: 9 x 4 in (H x W)", {"height": (9, "in"), "width": (4, "in")}),
        ("Thing\nDimensions: L 194 x W 66 mm", {"length": (194, "mm"), "width": (66, "mm")}),
        ("Thing\nMeasurements: 194 (W) x 66 (D) mm", {"width": (194, "mm"), "depth": (66, "mm")}),
        ("Thing\nLength: 194 mm\nWidth: 2' 1\"", {"length": (194, "mm")}),
        ("Rohr\nØ: 50 mm", {"diameter": (50, "mm")}),
        ("Thing\nTape width: 12 mm\nBohrtiefe: 30 mm", {}),
        ("Thing 2 in 1\nA bag", {}),
        ("Shoe 14 M US", {}),
        ("Thing\nLength: 194", {}),
        ("Thing\nWeight: 1-2 kg", {}),
    ],
)  # fmt: skip
def test_sizes(text: str, expected: dict[str, tuple[Any, str]]) -> None:
    assert sizes(clean_record(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            DRILL,
            {
                "Akkuspannung": (18, "V"),
                "Kapazität": (4.0, "Ah"),
                "Drehmoment hart / weich": ("60 / 34", "Nm"),
                "Leerlaufdrehzahl": ("0-500 / 0-1900", "min-1"),
                "Max. Bohrdurchmesser in Holz": (38, "mm"),
                "Ladezeit": (60, "min"),
                "Schalldruckpegel": (84, "dB(A)"),
            },
        ),
        (
            PRINTER,
            {
                "Print resolution": (203, "dpi"),
                "Max. print width": (108, "mm"),
                "Interface": ("USB, Ethernet", None),
                "Power consumption": (60, "W"),
            },
        ),
        (SCALE, {"capacity": (2, "kg"), "resolution": (0.1, "g"), "battery life": (30, "h")}),
        (CONTRADICTION, {}),
        (LURE, {}),
        ("Drill 18V 2Ah", {"voltage": (18, "V"), "battery capacity": (2, "Ah")}),
        ("Bohrer mit Akku für 12 V", {"Spannung": (12, "V")}),
        ("Thing\nVoltage: 18 V\nRated voltage: 20 V", {"Voltage": (18, "V")}),
        ("Thing\nBatteries: 2 x AAA", {"Batteries": ("2 x AAA", None)}),
        ("Thing\nTorque settings: 22", {"Torque settings": (22, None)}),
        ("Thing\nGarantie: 5 Jahre", {"Garantie": (5, "Jahre")}),
        ("Thing\nSize: M", {"Size": ("M", None)}),
    ],
)
def test_specifications(text: str, expected: dict[str, tuple[Any, str | None]]) -> None:
    assert specifications(clean_record(text)) == expected


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        (
            DRILL,
            "Kernbohr KB 18 Akku-Schlagbohrschrauber",
            "Kräftiges Gerät für Holz und Mauerwerk, mit Seitengriff.",
        ),
        (LURE, LURE, None),
        ("Flow\nFlow: a scale with 3 modes", "Flow", "Flow: a scale with 3 modes"),
        ("", "unnamed", None),
        ("url: https://example.org/", "unnamed", None),
    ],
)
def test_name_and_description(text: str, name: str, description: str | None) -> None:
    record = clean_record(text)
    assert (record["name"], record["description"]) == (name, description)


@pytest.mark.parametrize(
    ("written", "german", "meant"),
    [
        ("19,4", True, 19.4),
        ("19,4", False, 19.4),
        ("1.900", True, 1900),
        ("1.900", False, 1.9),
        ("1,900", False, 1900),
        ("1,900", True, 1.9),
        ("1.234.567", True, 1234567),
        ("1.234,5", True, 1234.5),
        ("1,234.5", False, 1234.5),
        ("0.98", True, 0.98),
        ("0,001", False, 0.001),
        ("½", False, 0.5),
        ("3½", False, 3.5),
        ("6 1/2", False, 6.5),
        ("6 1/0", False, 7),
        ("007", False, 7),
    ],
)
def test_numbers(written: str, german: bool, meant: float) -> None:
    assert number(written, german) == meant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18 V", Quantity(18, "V")),
        ("20V (max, nominal 18 V)", Quantity(20, "V")),
        ("ca. 1.5 kg", Quantity(1.5, "kg")),
        ("about 45 Nm I think", Quantity(45, "Nm")),
        ("7.5 in (190 mm)", Quantity(190, "mm")),
        ("190 mm (7.5 in)", Quantity(190, "mm")),
        ("1.5-13 mm, all metal", Quantity("1.5-13", "mm")),
        ("4 Zoll", Quantity(4, "in")),
        ("65 KG", Quantity(65, "kg")),
        ("100 bananas", Quantity(100, "bananas")),
        ("USB", None),
        ("2 in 1 device", None),
        ("", None),
    ],
)
def test_values(text: str, expected: Quantity | None) -> None:
    assert measured(text) == expected


ODD = st.text(
    alphabet=st.sampled_from(list("0123456789.,/½¼x×:;|-–()\"'″ØøLBHTmcgkVAh \n\tßäµ²\u200b\u2028<>{}[]")),
    max_size=120,
)


@given(st.one_of(st.text(max_size=300), ODD))
def test_any_text_gives_a_valid_record(text: str) -> None:
    record = clean_record(text)
    Item.model_validate(record)
    assert clean_record(text) == record


@pytest.mark.parametrize(
    "line", ["1 " * 5000, "a " * 5000, "1/" * 5000, "1 x " * 5000, "ca " * 5000, "x:" * 5000, "1,1" * 5000]
)
def test_long_lines_are_read_quickly(line: str) -> None:
    clean_record(f"Thing\nSize: {line}\n{line}\n" * 20)
