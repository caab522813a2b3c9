"""The running of a study in a folder: the work, its provenance, and the report's files."""

import json
from importlib.metadata import version
from pathlib import Path

from blockfall.errors import SettingError
from blockfall.experiments.provenance import Provenance, Signature, changes
from blockfall.files import locked, make_folder, write_atomically
from blockfall.reports import write_report
from blockfall.studies.base import Findings, Study, StudySettings, Work

BEGUN_FILE = "begun.json"
"""The file with the version and behaviour signature of the program that began the work in a study's folder."""


def run_study(study: Study, settings: StudySettings, work: Work) -> tuple[Findings, list[Path]]:
    """Run the study, write its report into the work's folder, and return the findings and the report's files.

    Finished and stopped runs in the folder are used, so after an interrupt the same call continues. Runs of a program
    that plays differently are refused.
    """
    make_folder(work.out)
    with locked(work.out):
        began_version, began = _begun(study, work)
        provenance = Provenance(study.command(settings), settings.seed, settings.budget, began_version, began)
        findings = study.run(settings, work)
        report = findings.whole_report(provenance)
        with work.phase("drawing", len(report.figures)) as update:
            files = write_report(report, work.out, findings.workbook, lambda done: update(done, ""))
    return findings, files


def _begun(study: Study, work: Work) -> tuple[str, Signature]:
    """Return the version and signature that the folder's runs began with; today's if there are no runs."""
    today = study.signature()
    path = work.out / BEGUN_FILE
    if not work.runs.exists():
        said = {"version": version("blockfall"), "signature": today}
        write_atomically(path, json.dumps(said, indent=1) + "\n")
        return version("blockfall"), today
    try:
        said = json.loads(path.read_bytes())
        changed = changes(said["signature"], today)
        begun_version = str(said["version"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SettingError(
            f"{work.out}: contains runs but no valid {BEGUN_FILE}; choose another --out, or delete it"
        ) from None
    if changed:
        raise SettingError(
            f"{work.out}: contains runs of a program that plays differently ({'; '.join(changed)}); choose another "
            "--out, or delete it"
        )
    return begun_version, today
