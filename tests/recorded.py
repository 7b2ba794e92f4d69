"""The archived records of the project, read once for all tests of a process."""

from deepmt.report.fragments.recorded_scale import RecordedScales
from projects import ROOT

RECORDED = RecordedScales(ROOT)
