"""The published studies as experiments that anyone can rerun, with our figures beside theirs.

To add one, write a module with a `STUDY` and name it here.
"""

from pathlib import Path

from blockfall.compute import Backend
from blockfall.compute import backend as find_backend
from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.plugins import Registry, check_name
from blockfall.reports import Report
from blockfall.store import Store, opened
from blockfall.studies import aveiro2020, data2021, feup2016, ist2015, soster2024
from blockfall.studies.base import Findings, Row, Study, StudySettings, Work, judged
from blockfall.studies.running import run_study
from blockfall.validation import check

__all__ = [
    "STUDIES",
    "Findings",
    "Report",
    "Row",
    "Study",
    "StudySettings",
    "Work",
    "find_study",
    "judged",
    "register_study",
    "run_study",
    "studies",
    "study",
]

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY for module in (soster2024, aveiro2020, data2021, ist2015, feup2016)
}
_registered: Registry[Study] = Registry()


def studies() -> dict[str, Study]:
    """Return all studies by name: those that come with Blockfall, then the registered ones."""
    return STUDIES | _registered.known()


def register_study(study: Study) -> Study:
    """Add your own study, which `study` and `blockfall study --plugin FILE NAME` can then run.

    docs/tutorial.md writes a whole study.

    >>> import blockfall
    >>> from blockfall.studies import Study, StudySettings
    >>> def run(settings, work):
    ...     games = blockfall.evaluate(rules="nes-no-rotation", agent="lee", games=20, seed=settings.seed)
    ...     played = games.summary()
    ...     row = judged("lee", played.mean, played.sem, None)
    ...     return blockfall.Findings((row,), Report("Lee", "How lee plays.", ()))
    >>> made = blockfall.register_study(Study("lee-alone", "Lee alone", "an example", StudySettings, run, "a second"))
    >>> made.name in studies()
    True
    """
    if not isinstance(study, Study):
        raise SettingError(f"{shortened(study)} is not a study; it must be a blockfall.studies.Study")
    check_name("a study", study.name, STUDIES)
    _registered.put(study.name, study)
    return study


def find_study(name: str) -> Study:
    """Return the study with this name."""
    if name in STUDIES:
        return STUDIES[name]
    if name not in _registered.known():
        raise UnknownNameError("study", name, list(studies()))
    return _registered[name]


def study(
    name: str,
    *,
    out: Path | str,
    backend: Backend | str | None = None,
    store: Store | None = None,
    **settings: object,
) -> Findings:
    """Run a published study and write its report into the folder `out`. After an interrupt, the same call continues.

    `settings` are the options of `blockfall study NAME`: `budget`, `seed` and the study's own.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = study("feup2016", boards=20, out=folder, store=Store(Path(folder, "store.sqlite3")))
    >>> [row.name for row in found.rows][:2]
    ['a-star', 'a-star-goal-h']
    """
    chosen = find_study(name)
    checked = check(chosen.settings_type, settings, name)
    with opened(store) as kept:
        findings, _ = run_study(chosen, checked, Work(Path(out), kept, find_backend(backend)))
    return findings
