"""The published studies as experiments that anyone can run: our figures stand beside theirs.

To add one, write a module with a `STUDY`, and name it here.
"""

from blockfall.errors import UnknownNameError
from blockfall.studies import aveiro2020, data2021, feup2016, ist2015, soster2024
from blockfall.studies.base import Findings, Row, Study, StudySettings, Work
from blockfall.studies.running import run_study

__all__ = ["STUDIES", "Findings", "Row", "Study", "StudySettings", "Work", "run_study", "study"]

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY for module in (soster2024, aveiro2020, data2021, ist2015, feup2016)
}


def study(name: str) -> Study:
    """The study of this name."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, list(STUDIES))
    return STUDIES[name]
