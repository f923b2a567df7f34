"""A sound question, and answers of its two stages."""

import json
from collections.abc import Sequence
from typing import Any

STEM = "Which of the following is the most likely diagnosis?"
WRONG = {
    "Pericarditis": "It eases on sitting forward and gives diffuse changes.",
    "Costochondritis": "It is reproduced by pressing and changes no ECG.",
    "Aortic dissection": "It tears, and the pulses differ between the arms.",
}
QUESTION: dict[str, Any] = {
    "vignette": "A 58-year-old man has had pressing chest pain for two hours. He smokes and has diabetes. "
    "The ECG shows ST elevation in V1 to V4.",
    "stem": STEM,
    "options": [
        {"text": "Pericarditis", "correct": False, "explanation": WRONG["Pericarditis"]},
        {"text": "Anterior infarction", "correct": True, "explanation": "V1 to V4 are the anterior wall."},
        {"text": "Costochondritis", "correct": False, "explanation": WRONG["Costochondritis"]},
        {"text": "Aortic dissection", "correct": False, "explanation": WRONG["Aortic dissection"]},
    ],
    "key": "B",
    "explanation": "Pressing pain with ST elevation in V1 to V4 is an anterior infarction.",
}
SOURCE = {"topic": "Acute chest pain", "objective": "Recognise an infarction on the ECG", "blooms_level": "apply"}
DIMENSIONS = ("clinical_accuracy", "pedagogical_alignment", "distractor_quality", "slo_coverage", "blooms_match")
GOOD = (0.9, 0.8, 0.75, 0.85, 0.8)  # 0.83
POOR = (0.4, 0.6, 0.5, 0.7, 0.6)  # 0.54


def question(**changes: Any) -> str:
    return json.dumps(QUESTION | changes)


def options(*texts: str, correct: int | None = 0) -> list[dict[str, Any]]:
    return [
        {"text": text, "correct": place == correct, "explanation": f"about {text}"}
        for place, text in enumerate(texts)
    ]


def scored(values: Sequence[Any] = GOOD, **changes: Any) -> dict[str, Any]:
    """The judge's answer; a dimension changed to None is left out."""
    given = {
        name: {"score": value, "feedback": f"about {name}"} for name, value in zip(DIMENSIONS, values, strict=True)
    }
    return {name: one for name, one in (given | changes).items() if one is not None}


def scores(values: Sequence[Any] = GOOD, **changes: Any) -> str:
    return json.dumps(scored(values, **changes))


# Another question, for what is made anew.
NEW: dict[str, Any] = {
    "vignette": "A 61-year-old woman with diabetes has had pressing chest pain since this morning. V2 is raised.",
    "stem": "Which diagnosis do these findings support best?",
    "explanation": "ST elevation in V2 with pressing pain is an anterior infarction.",
    "options": [
        {"text": "Pneumothorax", "correct": False, "explanation": "One lung would be silent."},
        {"text": "Anterior infarction", "correct": True, "explanation": "Reworded."},
        {"text": "Embolism", "correct": False, "explanation": "The right heart would be strained."},
        {"text": "Reflux", "correct": False, "explanation": "It burns and changes no ECG."},
    ],
}
# Scores whose weakest dimension stands for the component.
WEAKEST = {
    "vignette": (0.1, 0.9, 0.9, 0.9, 0.9),
    "stem": (0.6, 0.1, 0.6, 0.6, 0.9),
    "distractors": (0.6, 0.9, 0.1, 0.6, 0.9),
}
