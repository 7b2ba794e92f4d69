"""The nouns: one a line, with the forms that a dictionary gives.

`# class` opens a semantic class, `+class` adds one to a single noun. A line reads
`english/plural  article lemma, genitive, plural  +class`; the English plural stands only where it
is irregular, feminine nouns have no genitive form of their own, a plural `-` marks a mass noun.
"""

NOUN_TABLE = """
# person
man/men             der Mann, Mannes, Männer
teacher             der Lehrer, Lehrers, Lehrer
student             der Student, Studenten, Studenten
doctor              der Arzt, Arztes, Ärzte
neighbour           der Nachbar, Nachbarn, Nachbarn        +own
boy                 der Junge, Jungen, Jungen
baker               der Bäcker, Bäckers, Bäcker
friend              der Freund, Freundes, Freunde          +own
brother             der Bruder, Bruders, Brüder            +own
father              der Vater, Vaters, Väter               +own +only
uncle               der Onkel, Onkels, Onkel               +own
grandfather         der Großvater, Großvaters, Großväter   +own +only
son                 der Sohn, Sohnes, Söhne                +own
colleague           der Kollege, Kollegen, Kollegen        +own
customer            der Kunde, Kunden, Kunden
tourist             der Tourist, Touristen, Touristen
woman/women         die Frau, Frauen
mother              die Mutter, Mütter                     +own +only
sister              die Schwester, Schwestern              +own
aunt                die Tante, Tanten                      +own
grandmother         die Großmutter, Großmütter             +own +only
daughter            die Tochter, Töchter                   +own
child/children      das Kind, Kindes, Kinder
girl                das Mädchen, Mädchens, Mädchen

# animal
dog                 der Hund, Hundes, Hunde
cat                 die Katze, Katzen
horse               das Pferd, Pferdes, Pferde
bird                der Vogel, Vogels, Vögel
cow                 die Kuh, Kühe
bear                der Bär, Bären, Bären
wolf/wolves         der Wolf, Wolfes, Wölfe

# text
book                das Buch, Buches, Bücher               +flat
newspaper           die Zeitung, Zeitungen                 +flat
letter              der Brief, Briefes, Briefe             +flat +written +sealed
novel               der Roman, Romans, Romane              +written
poem                das Gedicht, Gedichts, Gedichte        +written
story/stories       die Geschichte, Geschichten            +written

# food
apple               der Apfel, Apfels, Äpfel
cake                der Kuchen, Kuchens, Kuchen
egg                 das Ei, Eies, Eier
potato/potatoes     die Kartoffel, Kartoffeln
salad               der Salat, Salats, Salate
soup                die Suppe, Suppen                      +cooked
potato soup         die Kartoffelsuppe, Kartoffelsuppen    +cooked

# staple
bread               das Brot, Brotes, -
cheese              der Käse, Käses, -

# drink
coffee              der Kaffee, Kaffees, -
tea                 der Tee, Tees, -
milk                die Milch, -
water               das Wasser, Wassers, -
wine                der Wein, Weins, -
apple juice         der Apfelsaft, Apfelsafts, -

# thing
key                 der Schlüssel, Schlüssels, Schlüssel   +flat
bag                 die Tasche, Taschen                    +upright
ball                der Ball, Balles, Bälle                +toy
doll                die Puppe, Puppen                      +toy
knife/knives        das Messer, Messers, Messer            +flat
plate               der Teller, Tellers, Teller            +upright
cup                 die Tasse, Tassen                      +upright
suitcase            der Koffer, Koffers, Koffer            +upright +openable
umbrella            der Regenschirm, Regenschirms, Regenschirme
picture             das Bild, Bildes, Bilder               +image
photo               das Foto, Fotos, Fotos                 +flat +image
gift                das Geschenk, Geschenks, Geschenke     +sealed
ticket              die Fahrkarte, Fahrkarten              +flat
camera              die Kamera, Kameras                    +device

# device
lamp                die Lampe, Lampen
radio               das Radio, Radios, Radios
computer            der Computer, Computers, Computer
washing machine     die Waschmaschine, Waschmaschinen

# surface
table               der Tisch, Tisches, Tische
chair               der Stuhl, Stuhls, Stühle              +seat
bed                 das Bett, Bettes, Betten               +seat
bench               die Bank, Bänke                        +seat

# openable
door                die Tür, Türen
window              das Fenster, Fensters, Fenster
front door          die Haustür, Haustüren
cupboard            der Schrank, Schranks, Schränke
fridge              der Kühlschrank, Kühlschranks, Kühlschränke

# site
school              die Schule, Schulen
park                der Park, Parks, Parks
church              die Kirche, Kirchen
museum              das Museum, Museums, Museen
restaurant          das Restaurant, Restaurants, Restaurants
hospital            das Krankenhaus, Krankenhauses, Krankenhäuser
supermarket         der Supermarkt, Supermarkts, Supermärkte
library/libraries   die Bibliothek, Bibliotheken
hotel               das Hotel, Hotels, Hotels

# room
kitchen             die Küche, Küchen
garden              der Garten, Gartens, Gärten
office              das Büro, Büros, Büros
house               das Haus, Hauses, Häuser               +home
apartment           die Wohnung, Wohnungen                 +home
bedroom             das Schlafzimmer, Schlafzimmers, Schlafzimmer

# spot
station             der Bahnhof, Bahnhofs, Bahnhöfe
airport             der Flughafen, Flughafens, Flughäfen
bus stop            die Bushaltestelle, Bushaltestellen
river               der Fluss, Flusses, Flüsse
bridge              die Brücke, Brücken

# settlement
city/cities         die Stadt, Städte
village             das Dorf, Dorfes, Dörfer

# vehicle
car                 das Auto, Autos, Autos                 +private
bicycle             das Fahrrad, Fahrrads, Fahrräder       +private
train               der Zug, Zuges, Züge                   +public
bus                 der Bus, Busses, Busse                 +public
tram                die Straßenbahn, Straßenbahnen         +public

# clothing
dress               das Kleid, Kleides, Kleider
shirt               das Hemd, Hemdes, Hemden
coat                der Mantel, Mantels, Mäntel
jacket              die Jacke, Jacken
hat                 der Hut, Hutes, Hüte
shoe                der Schuh, Schuhs, Schuhe
"""
