"""The published studies as experiments that anyone can run: our figures stand beside theirs.

To add one, write a module with a `STUDY`, and name it here.
"""

from pathlib import Path

from blockfall.compute import Backend
from blockfall.compute import backend as find_backend
from blockfall.errors import UnknownNameError
from blockfall.store import Store
from blockfall.studies import aveiro2020, data2021, feup2016, ist2015, soster2024
from blockfall.studies.base import Findings, Row, Study, StudySettings, Work
from blockfall.studies.running import run_study
from blockfall.validation import check

__all__ = ["STUDIES", "Findings", "Row", "Study", "StudySettings", "Work", "find_study", "run_study", "study"]

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY for module in (soster2024, aveiro2020, data2021, ist2015, feup2016)
}


def find_study(name: str) -> Study:
    """The study of this name."""
    if name not in STUDIES:
        raise UnknownNameError("study", name, list(STUDIES))
    return STUDIES[name]


def study(
    name: str,
    *,
    out: Path | str,
    backend: Backend | str | None = None,
    store: Store | None = None,
    **settings: object,
) -> Findings:
    """Runs a published study and writes its report into the folder `out`; the same call goes on after an interrupt.

    `settings` are the options of `blockfall study NAME`: `budget`, `seed` and the study's own.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = study("feup2016", boards=20, out=folder, store=Store(Path(folder, "store.sqlite3")))
    >>> [row.name for row in found.rows][:2]
    ['a-star', 'a-star-goal-h']
    """
    chosen = find_study(name)
    checked = check(chosen.settings_type, settings, name)
    findings, _ = run_study(chosen, checked, Work(Path(out), store or Store(), find_backend(backend)))
    return findings
