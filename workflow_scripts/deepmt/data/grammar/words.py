"""The smaller word classes: adjectives, names, determiners, modals, adverbials and numbers."""

# english | german, comparative (only where things are compared) | classes it describes
ADJECTIVE_TABLE = """
old         | alt, älter              | person animal thing device surface site vehicle
    clothing home text
young       | jung, jünger            | person animal
small       | klein, kleiner          | person animal thing device site room vehicle
    openable settlement
big         | groß, größer            | animal thing food site room surface openable settlement
new         | neu, neuer              | thing device surface site vehicle clothing text
beautiful   | schön, schöner          | site room clothing thing settlement
expensive   | teuer, teurer           | thing device vehicle clothing surface
cheap       | billig, billiger        | device vehicle clothing
modern      | modern, moderner        | site room device surface vehicle
famous      | berühmt, berühmter      | museum
friendly    | freundlich, freundlicher | person
clever      | klug, klüger            | person animal
happy       | glücklich, glücklicher  | person
sad         | traurig, trauriger      | person
poor        | arm, ärmer              | person
strong      | stark, stärker          | person animal
tired       | müde                    | person animal
hungry      | hungrig                 | person animal
sick        | krank                   | person animal
long        | lang, länger            | text clothing river bridge
short       | kurz, kürzer            | text dress
interesting | interessant, interessanter | text museum
funny       | lustig, lustiger        | text image
heavy       | schwer, schwerer        | thing device surface
dark        | dunkel, dunkler         | room
clean       | sauber, sauberer        | room clothing upright
dirty       | schmutzig, schmutziger  | room clothing vehicle upright
broken      | kaputt                  | device umbrella camera
fresh       | frisch                  | food staple milk
sweet       | süß                     | cake apple
delicious   | lecker                  | food staple
hot         | heiß                    | soup coffee tea
cold        | kalt                    | drink
warm        | warm, wärmer            | clothing
red         | rot                     | thing openable clothing private apple
blue        | blau                    | thing openable clothing private
green       | grün                    | thing openable clothing private apple
black       | schwarz                 | thing clothing private animal
white       | weiß                    | openable clothing private animal
"""

FIRST_NAMES = {
    "he": "Peter Paul Martin Daniel David Simon Robert Otto",
    "she": "Anna Maria Julia Laura Emma Lena Clara Nina",
}
SURNAMES = ("Müller", "Schmidt", "Weber", "Schröder")

CITIES = """
Berlin Vienna/Wien London Hamburg Munich/München Paris Madrid Cologne/Köln Oslo Dresden
Rome/Rom Zurich/Zürich
"""

# english | german stem | how it is declined and what it may stand before
DETERMINER_TABLE = """
the     | d      | definite
which   | welch  | definite
this    | dies   | definite
every   | jed    | definite
all     | all    | definite
a       | ein    | indefinite
no      | kein   | indefinite
my      | mein   | possessive
his     | sein   | possessive
her     | ihr    | possessive
our     | unser  | possessive
their   | ihr    | possessive
many    | viel   | strong
some    | einig  | strong
"""

# english subject, object | german nominative, accusative, dative | agreement
PRONOUN_TABLE = """
I, me       | ich, mich, mir     | first
he, him     | er, ihn, ihm       | third
she, her    | sie, sie, ihr      | third
we, us      | wir, uns, uns      | plural
they, them  | sie, sie, ihnen    | plural
you, you    | Sie, Sie, Ihnen    | plural
who, who    | wer, wen, wem      | third
"""

# english present, past, what follows | german ich/er present, plural present, ich/er past
MODAL_TABLE = """
can, could              | kann, können, konnte
should,                 | sollte, sollten,
would,, like to         | möchte, möchten,
will,                   | wird, werden,
have, had, to           | muss, müssen, musste
want, wanted, to        | will, wollen, wollte
"""

# english = german, by the tenses that they go with
ADVERBIALS = {
    "past": """
        yesterday = gestern
        last week = letzte Woche
        last year = letztes Jahr
        on {weekday} = am {Wochentag}
        {number} days ago = vor {Zahl} Tagen
        in the year {year} = im Jahr {year}
        at {hour} o'clock = um {hour} Uhr
    """,
    "future": """
        tomorrow = morgen
        today = heute
        next week = nächste Woche
        soon = bald
        on {weekday} = am {Wochentag}
        at {hour} o'clock = um {hour} Uhr
    """,
    "habit": """
        every day = jeden Tag
        in the morning = am Morgen
        in summer = im Sommer
    """,
    "now": """
        now = jetzt
        at the moment = im Moment
    """,
}

FREQUENCIES = "often = oft, always = immer, sometimes = manchmal, usually = meistens, never = nie"
PERFECT_ADVERBS = "already = schon, just = gerade, never = nie"
WEEKDAYS = """
Monday = Montag, Tuesday = Dienstag, Wednesday = Mittwoch, Thursday = Donnerstag, Friday = Freitag,
Saturday = Samstag, Sunday = Sonntag
"""
NUMBERS = """
two = zwei, three = drei, four = vier, five = fünf, six = sechs, seven = sieben, eight = acht,
nine = neun, ten = zehn, eleven = elf, twelve = zwölf
"""
TENS = "twenty = zwanzig, thirty = dreißig, forty = vierzig, fifty = fünfzig, sixty = sechzig"

# As in `verbs`: with "that" clauses, with "whether" clauses, with infinitives, and of the weather.
SAYING_TABLE = """
say, said              | sagen, sagt, sagte, hat gesagt               |
know, knew, known      | wissen, weiß, wusste, hat gewusst            | state
believe                | glauben, glaubt, glaubte, hat geglaubt       | state
hope                   | hoffen, hofft, hoffte, hat gehofft           | state
"""
TRYING_TABLE = """
try                    | versuchen, versucht, versuchte, hat versucht         |
forget, forgot, forgotten | vergessen, vergisst, vergaß, hat vergessen        |
decide                 | beschließen, beschließt, beschloss, hat beschlossen  |
promise                | versprechen, verspricht, versprach, hat versprochen  |
begin, began, begun    | beginnen, beginnt, begann, hat begonnen              |
"""
WEATHER_TABLE = """
rain                   | regnen, regnet, regnete, hat geregnet        |
snow                   | schneien, schneit, schneite, hat geschneit   |
"""
BE_TABLE = "be, was, been | sein, ist, war, ist gewesen | state"
COST_TABLE = "cost, cost | kosten, kostet, kostete, hat gekostet | state"
