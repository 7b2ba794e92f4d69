"""The verbs: English principal parts, German principal parts, and what they combine with.

A line reads `english, past, participle | infinitive, er-form, past, perfect | roles`. English
forms stand only where irregular; a second word is a particle (`turn on`). `ein|schalten` is
separable: its er-form and past are written without the prefix, as main clauses have them.

A line that starts with spaces continues the one above it.

Roles: `sub=` classes of the subject (person unless given), `acc=` and `dat=` objects,
`prep=english:german:case=` a prepositional complement, `place=` where the event may happen.
`state` verbs have simple tenses alone; `moment` verbs have no progressive.
"""

VERB_TABLE = """
buy, bought              | kaufen, kauft, kaufte, hat gekauft |
    acc=thing,text,food,staple,clothing,private,device
read, read               | lesen, liest, las, hat gelesen | acc=text place=room,site
open                     | auf|machen, macht, machte, hat aufgemacht | acc=openable,openable,sealed
go, went, gone           | gehen, geht, ging, ist gegangen | prep=to:zu:dat=site,spot
go, went, gone           | gehen, geht, ging, ist gegangen | prep=into:in:acc=room
give, gave, given        | geben, gibt, gab, hat gegeben | dat=person acc=thing,text,food
help                     | helfen, hilft, half, hat geholfen | dat=person place=room,site
see, saw, seen           | sehen, sieht, sah, hat gesehen |
    moment acc=person,animal,site,vehicle place=spot,site
live                     | wohnen, wohnt, wohnte, hat gewohnt |
    state prep=in:in:dat=town,home,settlement
work                     | arbeiten, arbeitet, arbeitete, hat gearbeitet |
    prep=in:in:dat=town,room,site
wait                     | warten, wartet, wartete, hat gewartet |
    prep=for:auf:acc=person,public place=spot,site
write, wrote, written    | schreiben, schreibt, schrieb, hat geschrieben |
    acc=written place=room,site
have, had                | haben, hat, hatte, hat gehabt | state acc=animal,device,private,thing
call                     | an|rufen, ruft, rief, hat angerufen | acc=person
find, found              | finden, findet, fand, hat gefunden |
    moment acc=thing,animal place=room,spot,site
know, knew, known        | kennen, kennt, kannte, hat gekannt | state acc=person,site,text
talk                     | sprechen, spricht, sprach, hat gesprochen |
    prep=to:mit:dat=person place=room,site
close                    | zu|machen, macht, machte, hat zugemacht | acc=openable
eat, ate, eaten          | essen, isst, aß, hat gegessen | acc=food,staple place=room,site
travel, travelled        | reisen, reist, reiste, ist gereist | prep=to:nach:dat=town
visit                    | besuchen, besucht, besuchte, hat besucht | acc=person,site
drink, drank, drunk      | trinken, trinkt, trank, hat getrunken | acc=drink place=room,site
show, showed, shown      | zeigen, zeigt, zeigte, hat gezeigt |
    dat=person acc=thing,image,home,site,text,clothing
need                     | brauchen, braucht, brauchte, hat gebraucht |
    state acc=thing,clothing,device,private,person
arrive                   | an|kommen, kommt, kam, ist angekommen |
    moment sub=person,public place=town,spot
think, thought           | denken, denkt, dachte, hat gedacht |
    prep=of:an:acc=person,animal,settlement
bring along, brought     | mit|bringen, bringt, brachte, hat mitgebracht |
    acc=thing,food,drink,animal
look for                 | suchen, sucht, suchte, hat gesucht |
    acc=thing,animal,clothing,site,person
turn on                  | ein|schalten, schaltet, schaltete, hat eingeschaltet | acc=device
love                     | lieben, liebt, liebte, hat geliebt | state acc=person,animal,drink,staple
come back, came, come    | zurück|kommen, kommt, kam, ist zurückgekommen | moment sub=person,animal
thank                    | danken, dankt, dankte, hat gedankt | dat=person
lose, lost               | verlieren, verliert, verlor, hat verloren |
    moment acc=thing,clothing place=site,spot
invite                   | ein|laden, lädt, lud, hat eingeladen | acc=person
send, sent               | schicken, schickt, schickte, hat geschickt | dat=person acc=text,gift
stay                     | bleiben, bleibt, blieb, ist geblieben | prep=in:in:dat=town,room,site
sit, sat                 | sitzen, sitzt, saß, hat gesessen | prep=on:auf:dat=seat
sit, sat                 | sitzen, sitzt, saß, hat gesessen | prep=next to:neben:dat=person
sit, sat                 | sitzen, sitzt, saß, hat gesessen | sub=animal prep=on:auf:dat=surface
sit, sat                 | sitzen, sitzt, saß, hat gesessen |
    sub=animal prep=under:unter:dat=surface
repair                   | reparieren, repariert, reparierte, hat repariert | acc=vehicle,device
get up, got              | auf|stehen, steht, stand, ist aufgestanden | moment
put, put                 | legen, legt, legte, hat gelegt | acc=flat prep=on:auf:acc=surface
pick up                  | ab|holen, holt, holte, hat abgeholt | acc=person place=spot,site
dance                    | tanzen, tanzt, tanzte, hat getanzt |
    prep=with:mit:dat=person place=room,site
bring, brought           | bringen, bringt, brachte, hat gebracht |
    dat=person acc=drink,food,thing,text
sing, sang, sung         | singen, singt, sang, hat gesungen | place=room,site
wear, wore, worn         | tragen, trägt, trug, hat getragen | acc=clothing
turn off                 | aus|schalten, schaltet, schaltete, hat ausgeschaltet | acc=device
play                     | spielen, spielt, spielte, hat gespielt |
    prep=with:mit:dat=animal,toy,person place=room,site
drive, drove, driven     | fahren, fährt, fuhr, ist gefahren | prep=to:nach:dat=town
forget, forgot, forgotten | vergessen, vergisst, vergaß, hat vergessen |
    moment acc=thing,clothing place=site,room
clean                    | putzen, putzt, putzte, hat geputzt | acc=room,window,shoe
laugh                    | lachen, lacht, lachte, hat gelacht |
    prep=at:über:acc=person,animal,image,text
order                    | bestellen, bestellt, bestellte, hat bestellt |
    acc=food,drink,text,clothing
cook                     | kochen, kocht, kochte, hat gekocht | acc=cooked
fly, flew, flown         | fliegen, fliegt, flog, ist geflogen | prep=to:nach:dat=town
listen to                | zu|hören, hört, hörte, hat zugehört | dat=person
understand, understood   | verstehen, versteht, verstand, hat verstanden | state acc=text,person
belong to                | gehören, gehört, gehörte, hat gehört |
    state sub=thing,vehicle,home,clothing dat=person
look at                  | an|sehen, sieht, sah, hat angesehen | acc=image,clothing,vehicle,home
swim, swam, swum         | schwimmen, schwimmt, schwamm, ist geschwommen | prep=in:in:dat=river
give back, gave, given   | zurück|geben, gibt, gab, hat zurückgegeben |
    dat=person acc=thing,text,private
wake up, woke, woken     | auf|wecken, weckt, weckte, hat aufgeweckt | moment acc=person,animal
sleep, slept             | schlafen, schläft, schlief, hat geschlafen | sub=person,animal place=room
stand, stood             | stehen, steht, stand, hat gestanden |
    sub=private prep=in front of:vor:dat=home,site
"""
