import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepmt.scores.compound_split import retokenise_and_split, split_compounds

LINES = st.text(st.sampled_from("ab-ö -\u00a0中."), max_size=30)
PERL_SPLIT = r"s{(\S)-(\S)}{$1 ##AT##-##AT## $2}g"


def test_a_single_character_between_hyphens_is_used_up_by_the_first_split():
    assert split_compounds("a-b-c") == "a ##AT##-##AT## b-c"


@given(LINES)
def test_joining_the_split_parts_restores_the_line(line):
    assert split_compounds(line).replace(" ##AT##-##AT## ", "-") == line


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
@settings(max_examples=10)
@given(st.lists(LINES, min_size=50, max_size=50))
def test_the_split_is_that_of_the_perl_command_of_tensor2tensor(lines):
    command = [shutil.which("perl"), "-ple", PERL_SPLIT]
    text = "".join(line + "\n" for line in lines).encode()
    perl = subprocess.run(command, input=text, capture_output=True, check=True, env={})
    assert [split_compounds(line) for line in lines] == perl.stdout.decode().split("\n")[:-1]


def test_wang2019_unifies_quotation_marks_then_escapes_them_and_splits():
    line = "Der “ Ost-West ” -Konflikt & mehr …"
    expected = "Der &quot; Ost ##AT##-##AT## West &quot; -Konflikt &amp; mehr ..."
    assert retokenise_and_split(line) == expected


def test_wang2019_forgets_how_the_line_was_tokenised():
    assert retokenise_and_split("Ja , das Haus .") == retokenise_and_split("Ja, das Haus.")
