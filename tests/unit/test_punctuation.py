"""`data.normalise` is Moses' normalize-punctuation.perl (commit f6d7add), which wrote each pair."""

import pytest

from deepmt.data.tokeniser import Tokeniser
from deepmt.settings.text_steps import TextSteps

STEPS = TextSteps(tokenise="none", escape=False)
NORMALISED = {
    "de": {
        "Er sagte: „Jetzt ist es genug.“": 'Er sagte: "Jetzt ist es genug".',
        '"Kommt mit," rief sie, "es regnet."': '"Kommt mit", rief sie, "es regnet".',
        "Das kostet 3 % mehr – oder 1\u00a0200 Euro…": "Das kostet 3% mehr - oder 1,200 Euro...",
        "‚Nein‘, sagte er; ‚nie wieder.‘": "'Nein', sagte er; 'nie wieder.'",
        "Anna’s Café ( am Markt ) hat auf : immer !": "Anna's Café (am Markt) hat auf: immer !",
        "»Wer?« – »Ich.«": '"Wer?" - "Ich".',
        'Er hielt inne..." <i>': 'Er hielt inne"... <i>',
    },
    "fr": {
        "Elle dit : «\u00a0Ça suffit.\u00a0»": 'Elle dit: "Ça suffit".',
        "L’été, l’‘après-midi’ et l’œuvre : qu’a-t-il ?": (
            'L"été, l"\'après-midi" et l"œuvre: qu\'a-t-il ?'
        ),
        "C’était l’État’ et l’Église, 3\u00a0000 ans\u00a0!": (
            'C"était l"État" et l"Église, 3,000 ans!'
        ),
        "Il crie «\u00a0Au feu\u00a0», puis s’en va\u00a0;": 'Il crie "Au feu", puis s\'en va;',
        "“Non.” — “Si,” dit-elle… ": '"Non". - "Si", dit-elle...',
        "Aujourd’hui 25\u00a0% et 12\u00a0cm ,\u00a0c’est peu.": (
            "Aujourd'hui 25% et 12 cm , c'est peu."
        ),
        "L’Ève ``moderne'' a dit ”oui.”": 'L"Ève " moderne " a dit "oui".',
    },
    "fi": {
        "”Emme ole kuulleet siitä.”": '"Emme ole kuulleet siitä".',
        "Hän sanoi: ”Tule,” ja lähti.": 'Hän sanoi: "Tule", ja lähti.',
        "Hinta on 1\u00a0500 euroa – tai 20 % alle.": "Hinta on 1.500 euroa - tai 20% alle.",
        "Raa’an ja vaa’an ’ero’ on pieni…": "Raa'an ja vaa'an \"ero\" on pieni...",
        "Se on »outo.« Eikö ( ehkä ) ole ?": 'Se on "outo". Eikö (ehkä) ole ?',
        '"Ei...", hän sanoi. "Ei koskaan."': '"Ei"..., hän sanoi. "Ei koskaan".',
    },
}


@pytest.mark.parametrize("language", NORMALISED)
def test_punctuation_is_normalised_as_by_moses(language: str) -> None:
    tokeniser = Tokeniser(STEPS, language)
    ours = {line: tokeniser.tokenise(line) for line in NORMALISED[language]}
    assert ours == NORMALISED[language]
