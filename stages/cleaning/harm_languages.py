"""Harm in Chinese, French, German, Russian and Spanish: the main categories of ``harm_rules``.

One table a language: how one asks, how one makes, things nobody should be told to make, deeds
nobody should be told to do, sentences that are harmful by themselves, and what clears them. Texts
are in small letters; Latin ones without accents.
"""

from __future__ import annotations

from dataclasses import dataclass

from stages.cleaning.harm_rules import Clears, Rule
from stages.cleaning.harm_words import PREFIX, Terms, terms


@dataclass(frozen=True)
class Language:
    """Patterns of a language; it is ``spaced`` if blanks stand between its words."""

    asks: str
    makes: str
    recipes: str
    orders: str
    things: dict[str, Terms]
    deeds: dict[str, Terms]
    statements: dict[str, Terms]
    clears: str
    spaced: bool = True

    def rules(self) -> list[Rule]:
        """The rules of the language."""
        clears = Clears(around=(self.clears,), unless=())
        pairs = [(reason, found, self._made(found)) for reason, found in self.things.items()]
        software = self.things["cyber_crime"]  # which is ordered without a question
        order = f"{self._word(self.orders)}{self._gap(4)}{self._word(software.pattern)}"
        pairs.append(("cyber_crime", software, order))
        pairs += [(reason, found, self._done(found)) for reason, found in self.deeds.items()]
        pairs += [
            (reason, found, self._word(found.pattern)) for reason, found in self.statements.items()
        ]
        return [Rule(reason, found, source, clears, self.spaced) for reason, found, source in pairs]

    def _word(self, pattern: str) -> str:
        return rf"(?<!\w)(?:{pattern})(?!\w)" if self.spaced else f"(?:{pattern})"

    def _gap(self, words: int) -> str:
        return (
            rf"(?:\W+\w+){{0,{words}}}?\W+" if self.spaced else rf"[^。？！?!\n]{{0,{2 * words}}}?"
        )

    def _made(self, found: Terms) -> str:
        """Asking how a thing is made, in either order, or for its recipe."""
        ask, make, thing = (self._word(part) for part in (self.asks, self.makes, found.pattern))
        recipe, near, far = self._word(self.recipes), self._gap(4), self._gap(6)
        orders = [f"{ask}(?:{far})?(?:{make}{near}{thing}|{thing}{near}{make})"]
        orders.append(f"{recipe}{near}{thing}")
        if not self.spaced:  # what is asked may come last
            orders += [f"{thing}{near}{ask}{near}{make}", f"{thing}{near}{recipe}"]
        return "|".join(orders)

    def _done(self, found: Terms) -> str:
        """Asking how a deed is done."""
        ask, deed = self._word(self.asks), self._word(found.pattern)
        return f"{ask}{self._gap(6)}{deed}" + (
            "" if self.spaced else f"|{deed}{self._gap(2)}{self._word(self.recipes)}"
        )


def _stems(phrases: str, prefixes: str = "") -> Terms:
    """Latin words with any short ending."""
    return terms(phrases, r"\w{0,3}", prefixes)


def _unspaced(phrases: str) -> Terms:
    """Words that no prefix finds: the script decides whether they are tried."""
    return Terms("|".join(phrases.split(", ")), frozenset())


def _each(what: str, stems: str) -> Terms:
    """One pattern, and the beginnings of its words."""
    return Terms(what, frozenset(stem[:PREFIX] for stem in stems.split()))


_FR_PERSON = (
    r"(?:ma (?:femme|mere|s[oœ]e?ur|voisine|ex|copine|belle-mere|collegue|famille|fille)|mon "
    r"(?:mari|"
    r"pere|frere|voisin|patron|ex|copain|mec|fils|collegue|coloc\w*)|mes (?:parents|voisins|"
    r"enfants)|"
    r"quelqu'un|tout le monde|(?:un|une|des|les|cette|cet|ce) (?:enfants?|femmes?|hommes?|fille|"
    r"fillette|garcon|gens|personnes?|bebe|juifs?|migrants?|policiers?))"
)
FRENCH = Language(
    asks=r"comment|explique\w*(?:-moi)?|dis[- ]moi|dites[- ]moi|donne[sz]?[- ]moi|montre[- ]moi|"
    r"apprends[- ]moi|aide[sz]?[- ]moi|ou puis-je|je (?:veux|voudrais|dois)|ecri[st]\w*|"
    r"cree[sz]?|meilleure (?:facon|maniere)|moyens?|methodes?|etapes|quels? "
    r"produits?",
    makes=r"fabriqu\w+|faire|fais|construi\w+|synthetis\w+|prepar\w+|produi\w+|cuisin\w+|"
    r"assembl\w+|"
    r"cree[rsz]?|ecri\w+|coder?|programm\w+|achet\w+|envoy\w+|install\w+|obtenir|imprim\w+|"
    r"utilis\w+|"
    r"fabrication|synthese|vendre|melang\w+|poser",
    orders=r"ecris|ecrivez|code[rz]?|creer?|creez|programmer?|developper?",
    recipes=r"recettes? (?:de|du|pour|d)|tutoriel|mode d'emploi",
    things={
        "weapon_instructions": _stems(
            "bombe, explosif, grenade, gaz sarin, gaz moutarde, gaz toxique, gaz mortel, "
            "gaz innervant, sarin, ricine, anthrax, napalm, molotov, arme chimique, "
            "arme biologique, engin explosif, ceinture explosive"
        ),
        "drug_instructions": _stems(
            r"methamphetamine, crystal meth, heroine, fentanyl, cocaine, ecstasy, meth(?![\w:`(]), "
            "drogue du viol"
        ),
        "cyber_crime": _stems(
            "rancongiciel, ransomware, keylogger, enregistreur de frappe, logiciel espion, "
            "logiciel malveillant, maliciel, malware, virus informatique, hameconnage, phishing"
        ),
        "fraud": _each(
            r"fausse monnaie|faux (?:billets?|passeports?|papiers)|cartes? (?:bancaires?|de "
            r"credit) "
            r"volees?",
            "monnaie faux fausse volee volees",
        ),
    },
    deeds={
        "violence_instructions": _each(
            r"(?:tuer|assassiner|empoisonner|kidnapper|enlever|violer|etrangler|poignarder|"
            r"torturer) "
            rf"{_FR_PERSON}",
            "tuer assassiner empoisonner kidnapper enlever violer etrangler poignarder torturer",
        ),
        "self_harm_instructions": _each(
            r"me suicider|me tuer|mettre fin a mes jours|m'ouvrir les veines|me pendre",
            "suicider tuer jours veines pendre",
        ),
        "sexualised_child": _each(
            r"(?:coucher|sexe|rapports? sexuels?|l'amour|relations? sexuelles?) avec (?:une? |des "
            r")?"
            r"(?:petite )?(?:enfants?|mineure?s?|fille de \d+ ans|garcon de \d+ ans|gamine|"
            r"fillette)|"
            r"(?:seduire|draguer) (?:une? |des )?(?:enfants?|mineure?s?|fillette|fille de \d+ ans)",
            "coucher sexe sexuels sexuel sexuelle amour seduire draguer",
        ),
        "fraud": _each(
            r"blanchir (?:\S+ )?(?:de l'|mon |l'|du )?(?:argent|fric)|(?:usurper|voler) "
            r"(?:l'|une |son )?identite",
            "blanchir usurper voler",
        ),
        "cyber_crime": _each(
            r"pirater (?:le |la |l'|un |une |mon )?(?:compte|telephone|e?-?mail|wifi|reseau|site|"
            r"banque|ordinateur|facebook|instagram)",
            "pirater",
        ),
    },
    statements={
        "hate": _each(
            r"(?:les|ces|tous les) (?:juif|musulman|arabe|immigre|migrant|noir|homosexuel|rom|"
            r"etranger|africain)s?(?:\W+\w+){0,5}?\W+(?:doivent|devraient|meritent)(?: \w+){0,3} "
            r"(?:extermin\w+|tues|gazes|elimines|mourir|brules|pendus)|mort aux (?:juifs|arabes|"
            r"musulmans|noirs)",
            "doivent devraient meritent mort",
        ),
        "threat": _each(
            r"je vais (?:te|vous|la|le) (?:tuer|egorger|massacrer)", "tuer egorg massa"
        ),
    },
    clears=r"preven\w+|detect\w+|proteg\w+|protection|evit\w+|histori\w+|histoire|films?|romans?|"
    r"jeux?|"
    r"minecraft|calorimetr\w+|de bain|glacee?|a eau|[ad]e? graines|de peinture|volcan|piscine|"
    r"lois?|formule|"
    r"masse molaire|structure|empech\w+|lutt\w+|signal\w+|traitement\w*|antidote|sensibilis\w+|"
    r"formation|desamorc\w+|echecs|processus|nazis?|propagande|dit|disait|"
    r"article|expose|theatre|supprim\w+|analys\w+|demin\w+|guerre|fruits?|poire|mon propre",
)
_DE_PERSON = (
    r"(?:(?:meine[nrm]?|seine[nrm]?|ihre[nrm]?|eine[nrm]?|den|die|das|diese[nrs]?) (?:frau|mann|"
    r"ehemann|chef|nachbarn?|nachbarin|vater|mutter|bruder|schwester|ex|freundin?|kind(?:er)?|"
    r"madchen|junge[n]?|menschen?|person|leute|baby|juden|auslander|kollegen?|mitbewohner\w*|"
    r"stiefvater|polizisten)|jemand(?:en)?|leute|menschen|ein kind|mein kind)"
)
GERMAN = Language(
    asks=r"wie|erklar\w*(?: mir)?|sag\w* mir|zeig\w* mir|gib mir|hilf mir|bring mir bei|wo kann "
    r"ich|"
    r"ich (?:will|mochte|muss)|schreib\w*|erstell\w*|programmier\w*|beste (?:art|weg|methode)|"
    r"schritte|methoden?|welche (?:chemikalien|zutaten|haushaltsmittel\w*)",
    makes=r"bau\w*|mach\w*|herstell\w*|hergestellt|stell\w* .{1,40} her|synthetisier\w*|koch\w*|"
    r"produzier\w*|bastel\w*|erzeug\w*|schreib\w*|programmier\w*|erstell\w*|entwickel\w*|kauf\w*|"
    r"verschick\w*|installier\w*|misch\w*|druck\w*|bekomm\w*|besorg\w*|herstellung|synthese|stelle|"
    r"stellt|verkauf\w*|zund\w*|nutze?n?|verwende?n?",
    orders=r"schreib\w*|programmier\w*|erstell\w*|entwickle|code",
    recipes=r"(?:bau)?anleitung(?:en)?|rezepte?|bauplane?",
    things={
        "weapon_instructions": _stems(
            "bombe, rohrbombe, sprengstoff, sprengsatz, sprengsatze, granate, handgranate, "
            "nervengas, "
            "giftgas, senfgas, sarin, rizin, ricin, milzbrand, anthrax, napalm, molotowcocktail, "
            "molotow-cocktail, chemiewaffe, biowaffe, chemische waffe, sprengweste"
        ),
        "drug_instructions": _stems(
            r"methamphetamin, crystal meth, meth(?![\w:`(]), heroin, fentanyl, kokain, ecstasy, "
            r"ko-tropfen, "
            "k.o.-tropfen"
        ),
        "cyber_crime": _stems(
            "erpressungstrojaner, ransomware, keylogger, spionagesoftware, spyware, schadsoftware, "
            "malware, computervirus, trojaner, phishing-mail, phishing, phishing-seite"
        ),
        "fraud": _each(
            r"falschgeld|gefalschte[nrs]? (?:pass|passe|ausweise?|geldscheine?|rezepte?)|"
            r"gestohlene[nr]? "
            r"(?:kreditkarten?|karten?)",
            "falschgeld gefalschte gefalschten gestohlene",
        ),
    },
    deeds={
        "violence_instructions": _each(
            rf"{_DE_PERSON}(?: \w+){{0,5}} (?:toten|tote|umbringen|umbringe|ermorden|ermorde|"
            r"vergiften|vergifte|entfuhren|entfuhre|vergewaltigen|erwurgen|erstechen|foltern)|"
            rf"(?:tote|ermorde|vergifte|entfuhre|erwurge|foltere|vergewaltige) "
            rf"(?:ich )?{_DE_PERSON}|bringe? (?:ich |man )?{_DE_PERSON}(?: \w+){{0,3}} um",
            "toten tote bring bringe umbringen ermorden vergiften entfuhren vergewaltigen erwurgen "
            "erstechen foltern foltere",
        ),
        "self_harm_instructions": _each(
            r"mich (?:selbst )?(?:\w+ ){0,3}(?:umbring\w+|tote\w*|erhang\w+|aufhang\w+|ritze\w*)|"
            r"selbstmord bege\w+|mir das leben nehme\w*|(?:bringe|tote) ich mich",
            "umbringen toten erhang aufhangen ritze selbstmord leben bringe",
        ),
        "sexualised_child": _each(
            r"(?:sex|geschlechtsverkehr|schlafen) (?:\w+ )?mit (?:einem |einer |kleinen |"
            r"minderjahrigen )*"
            r"(?:kind\w*|madchen|minderjahrigen?|\d+[- ]jahrigen?)|mit (?:einem |einer |kleinen "
            r")+(?:kind|"
            r"minderjahrigen|madchen|\d+[- ]jahrigen?)(?: \w+)? (?:sex|schlafen)|kinderporno\w*",
            "sex geschlechtsverkehr schlafen kinderporno",
        ),
        "fraud": _each(
            r"geld (?:\w+ )?(?:waschen|wasche)|(?:wasche|wascht) (?:ich |man )?(?:\w+ )?(?:geld|"
            r"schwarzgeld)|schwarzgeld (?:\w+ )?waschen|identitat (?:\w+ )?stehlen",
            "geld schwarzgeld wasche wascht identitat",
        ),
        "cyber_crime": _each(
            r"(?:konto|handy|account|wlan|e-mail\w*|netzwerk|facebook\w*|instagram\w*|bank|"
            r"computer)"
            r"(?: \w+){0,4} hacken?|hacke (?:ich )?(?:\w+ ){0,3}(?:konto|handy|account|wlan|"
            r"netzwerk|"
            r"facebook\w*|computer|bank)",
            "hacken hacke",
        ),
    },
    statements={
        "hate": _each(
            r"(?:die|alle|diese) (?:juden|muslime|auslander|fluchtlinge|migranten|schwarzen|"
            r"schwulen|"
            r"zigeuner|turken)(?:\W+\w+){0,4}?\W*(?:mussen|sollten|sollen|gehoren|verdienen)"
            r"(?: \w+){0,3} (?:vernichtet|getotet|vergast|ausgerottet|sterben|erschossen|"
            r"ausgeloscht|"
            r"aufgehangt)|tod den (?:juden|auslandern|muslimen)",
            "mussen sollten sollen gehoren verdienen tod",
        ),
        "threat": _each(
            r"ich (?:werde |will )?(?:bringe )?(?:dich|euch|sie|ihn)(?: \w+){0,2} (?:umbringen|"
            r"toten|"
            r"abstechen|um\b)|ich bringe dich um",
            "umbringen toten abstechen bringe",
        ),
    },
    clears=r"verhind\w+|vorbeug\w*|erkenn\w+|schutz\w*|vermeid\w+|geschicht\w+|historisch\w*|"
    r"filme?|"
    r"romane?|spiele?|minecraft|kalorimet\w+|badebombe\w*|gesetze?|verbot\w*|formel|molare|"
    r"molmasse|"
    r"struktur|melde\w*|behandl\w+|gegengift|entscharf\w+|entsorg\w+|schach|prozess\w*|nazis?|"
    r"propaganda|sagte|behauptete|artikel|referat|schulung\w*|aufklarung|analys\w+|entfern\w+|bad|"
    r"eigenes|eigene|bekampf\w+|eisbombe\w*|samenbombe\w*|vulkan\w*|abwehr\w*|\w*krieg\w*|wurden?",
)
_ES_PERSON = (
    r"(?:a (?:mi|su|una?|la|el|los|las|mis|ese|esa|alguna?) (?:\w+ )?(?:esposa|esposo|mujer|marido|"
    r"jefe|"
    r"vecin[oa]s?|padre|madre|hermano|hermana|ex|novi[oa]|nin[oa]s?|hij[oa]s?|hombre|persona|"
    r"companer[oa]|judios?|inmigrantes|policia|bebe|chica|suegra)|a alguien|gente|personas)"
)
SPANISH = Language(
    asks=r"como|explica\w*|dime|digame|dame|deme|muestrame|ensename|ayudame|donde puedo|"
    r"quiero|quisiera|necesito|escrib\w+|crea|programa|mejor (?:forma|manera)|pasos|metodos?|"
    r"instrucciones|que (?:quimicos|ingredientes|productos)|maneras? de|formas? de",
    makes=r"fabric\w+|hacer|hago|haz|hace|constru\w+|sintetiz\w+|prepar\w+|produc\w+|cocin\w+|"
    r"arm\w+|"
    r"crear?|escrib\w+|program\w+|desarroll\w+|compr\w+|envi\w+|instal\w+|obten\w+|imprim\w+|"
    r"us\w+|"
    r"fabricacion|sintesis|vend\w+|mezcl\w+|conseguir|elabor\w+|poner",
    orders=r"escrib[ea]|crea|programa|desarrolla",
    recipes=r"recetas? (?:de|para)|tutorial|manual (?:de|para)",
    things={
        "weapon_instructions": _stems(
            "bomba, explosivo, granada, gas sarin, gas mostaza, gas toxico, gas venenoso, "
            "gas nervioso, sarin, ricina, antrax, napalm, molotov, arma quimica, arma biologica, "
            "artefacto explosivo, chaleco explosivo"
        ),
        "drug_instructions": _stems(
            r"metanfetamina, cristal meth, heroina, fentanilo, cocaina, extasis, meth(?![\w:`(]), "
            r"burundanga"
        ),
        "cyber_crime": _stems(
            "ransomware, keylogger, programa espia, software espia, malware, virus informatico, "
            "phishing, troyano, programa malicioso"
        ),
        "fraud": _each(
            r"(?:dinero|billetes?|pasaportes?|documentos?) falsos?|tarjetas? (?:de credito "
            r")?robadas?",
            "falso falsos robada robadas",
        ),
    },
    deeds={
        "violence_instructions": _each(
            r"(?:matar|mato|asesinar|asesino|envenenar|enveneno|secuestrar|secuestro|violar|"
            rf"estrangular|apunalar|torturar) {_ES_PERSON}",
            "matar mato asesinar asesino envenenar enveneno secuestrar violar estrangular apunalar "
            "torturar",
        ),
        "self_harm_instructions": _each(
            r"suicidarme|matarme|quitarme la vida|cortarme las venas|ahorcarme|terminar con mi "
            r"vida",
            "suicidarme matarme quitarme venas cortarme ahorcarme terminar",
        ),
        "sexualised_child": _each(
            r"(?:sexo|relaciones sexuales|acostarme|acostarse) con (?:una? |unos )?(?:nin[oa]s?|"
            r"menor(?:es)?|chica de (?:\d|1[0-7]) anos)|(?:seducir|ligar con) a? ?(?:una? "
            r")?(?:nin[oa]s?|"
            r"menor(?:es)?)|pornografia infantil",
            "sexo sexuales acostarme acostarse seducir ligar infantil",
        ),
        "fraud": _each(
            r"(?:lavar|blanquear|lavo|blanqueo) (?:el )?(?:dinero|capitales)|robar (?:la |una "
            r")?identidad",
            "lavar blanquear lavo blanqueo robar",
        ),
        "cyber_crime": _each(
            r"(?:hackear|hackeo|piratear) (?:el |la |un |una |mi |su )?(?:cuenta|telefono|correo|"
            r"wifi|"
            r"red|pagina|banco|computadora|ordenador|facebook|instagram|whatsapp)",
            "hackear hackeo piratear",
        ),
    },
    statements={
        "hate": _each(
            r"(?:los|esos|todos los) (?:judios|musulmanes|arabes|inmigrantes|migrantes|negros|"
            r"homosexuales|gays|gitanos)(?:\W+\w+){0,5}?\W+(?:deben|deberian|merecen|tienen que)"
            r"(?: ser)? (?:exterminad\w+|asesinad\w+|eliminad\w+|gasead\w+|morir|quemad\w+)|"
            r"muerte a los (?:judios|musulmanes|negros|inmigrantes)",
            "deben deberian merecen tienen muerte",
        ),
        "threat": _each(r"(?:te|los|la|lo) voy a (?:matar|degollar)|voy a matarte", "matar degol"),
    },
    clears=r"prevenir|prevencion|detect\w+|proteg\w+|evit\w+|histori\w+|pelicula|novelas?|juegos?|"
    r"minecraft|calorimetr\w+|de bano|de agua|de chocolate|de crema|de gasolina|de semillas|volcan|"
    r"ley(?:es)?|formula|masa molar|"
    r"estructura|impedir|combatir|denunci\w+|tratamiento|tratar|antidoto|capacitacion|"
    r"concienciacion|"
    r"desactiv\w+|ajedrez|proceso|nazis?|propaganda|dijo|decia|articulo|ensayo|elimin\w+|analiz\w+|"
    r"bomba de calor|centrifuga|sumergible|hidraulica|bicicleta|guerra|fruta",
)
_RU_PERSON = (
    r"(?:(?:мою|моего|мо[её]|свою|своего|его|е[её]) )?(?:жену|мужа|начальника|босса|соседа|соседку|"
    r"отца|мать|брата|"
    r"сестру|бывш\w+|подругу|друга|реб[её]нка|детей|человека|людей|девочку|девушку|мальчика|"
    r"женщину|"
    r"мужчину|кого-нибудь|кого-то|евре\w+|мигрант\w+|полицейского|коллегу|т[её]щу|всех)"
)
RUSSIAN = Language(
    asks=r"как|расскажи\w*|объясни\w*|скажи\w*|покажи\w*|дай\w*|научи\w*|помоги\w*|где|хочу|"
    r"напиши\w*|"
    r"создай\w*|способ\w*|инструкци\w+|шаг\w*|метод\w*|какие (?:химикаты|вещества|средства)|"
    r"опиши\w*",
    makes=r"сдела\w+|делать|делают|изготов\w+|собра\w+|собирать|построить|синтезир\w+|сварить|"
    r"варить|"
    r"произве\w+|создат?\w+|создай\w*|напис\w+|напиши\w*|разработ\w+|купить|отправ\w+|установ\w+|"
    r"получить|приготов\w+|смешать|распечата\w+|достать|взорвать|изготовлени\w+|синтез\w*|продать|"
    r"использовать",
    orders=r"напиши\w*|создай\w*|разработай\w*",
    recipes=r"рецепт\w*|инструкци\w+ по (?:изготовлению|сборке|созданию|синтезу)",
    things={
        "weapon_instructions": _unspaced(
            r"(?:само\w+ )?бомб[аыуе]\w{0,2}, взрывчатк\w+, взрывное устройство, взрывн\w+ "
            r"устройств\w+, "
            r"гранат[ауы], зарин\w?, рицин\w?, сибирск\w+ язв\w+, напалм\w?, "
            r"коктейл\w+ молотова, химическ\w+ оружи\w+, биологическ\w+ оружи\w+, "
            r"(?:ядовит\w+|отравляющ\w+|нервно-паралитическ\w+|горчичн\w+) газ\w?, пояс шахида"
        ),
        "drug_instructions": _unspaced(
            r"метамфетамин\w?, мет, амфетамин\w?, героин\w?, фентанил\w?, кокаин\w?, экстази, "
            r"мефедрон\w?"
        ),
        "cyber_crime": _unspaced(
            r"вымогател\w+, вирус-вымогатель, кейлоггер\w?, шпионск\w+ (?:программ\w+|по), "
            r"вредонос\w+, "
            r"компьютерн\w+ вирус\w?, троян\w?, фишинг\w*, ботнет\w?"
        ),
        "fraud": _unspaced(
            r"фальшив\w+ (?:деньги|купюры|паспорт|документы), поддельн\w+ (?:деньги|паспорт|"
            r"документы), "
            r"украденн\w+ (?:кредитн\w+ )?карт\w+"
        ),
    },
    deeds={
        "violence_instructions": _unspaced(
            r"(?:убить|отравить|похитить|изнасиловать|задушить|зарезать|пытать) "
            rf"(?:\w+ )?{_RU_PERSON}(?! процесс)"
        ),
        "self_harm_instructions": _unspaced(
            r"убить себя, покончить с собой, повеситься, порезать вены, совершить самоубийство, "
            r"покончить жизнь"
        ),
        "sexualised_child": _unspaced(
            r"(?:секс\w* с|переспать с|соблазнить) (?:\w+ )?(?:реб[её]нк\w+|детьми|девочк\w+|"
            r"мальчик\w+|"
            r"несовершеннолетн\w+|школьниц\w+|малолет\w+), детск\w+ порно\w*"
        ),
        "fraud": _unspaced(
            r"отмы(?:ть|вать) (?:\w+ )?деньги, украсть (?:чужую )?личность, обналичить краденое"
        ),
        "cyber_crime": _unspaced(
            r"взломать (?:\w+ ){0,2}(?:аккаунт|телефон|почту|сеть|сайт|банк|компьютер|вк|wi-fi|"
            r"вайфай|"
            r"страницу|пароль)"
        ),
    },
    statements={
        "hate": _unspaced(
            r"(?:евреи|евреев|мусульмане|мусульман|мигранты|мигрантов|негры|негров|геи|геев|цыгане|"
            r"цыган|"
            r"чурки)(?:\W+\w+){0,3}?\W+(?:надо|нужно|должны быть|следует) (?:\w+ )?(?:уничтож\w+|"
            r"убить|"
            r"убивать|истреб\w+|расстрел\w+|сжечь), смерть (?:евреям|мусульманам|геям|неграм|"
            r"мигрантам)"
        ),
        "threat": _unspaced(
            r"я (?:тебя|вас|его|е[её]) (?:убью|зарежу|прирежу), я убью (?:тебя|вас|его)"
        ),
    },
    clears=r"предотвра\w+|обнаруж\w+|защит\w+|избе[гж]\w+|истори\w+|фильм\w*|роман\w*|игр[аеуы]\w*|"
    r"майнкрафт\w*|minecraft|калориметр\w*|для ванн\w*|закон\w*|формул\w+|молярн\w+|структур\w+|"
    r"борьб\w+|бороться|сообщить|лечи\w+|лечени\w+|антидот\w*|противояди\w+|обезвре\w+|шахмат\w*|"
    r"процесс\w*|поток\w*|нацист\w*|пропаганд\w*|сказал\w*|стать\w+|реферат\w*|обучени\w+|удалить|"
    r"анализ\w*|сок\w*|салат\w*|браслет\w*|войн\w+|распозна\w+|не попа\w+",
)
CHINESE = Language(
    asks="怎么|怎麼|如何|怎样|怎樣|教我|告诉我|告訴我|请问|請問|给我|給我|帮我|幫我|我想|我要|写一|"
    "寫一|"
    "用什么|哪些|在哪里|在哪|详细说明|解释|描述|步骤",
    makes="制作|製作|制造|製造|制备|製備|合成|做|造|组装|組裝|配制|配製|自制|生产|生產|编写|編寫|"
    "写|寫|"
    "开发|開發|购买|購買|买|買|发送|發送|安装|安裝|混合|打印|提炼|引爆|获得|使用",
    orders=r"写一|寫一|编写|編寫|开发|開發|帮我写|幫我寫",
    recipes="的?(?:制作|製作|制造|製造|合成|自制|制备)?(?:方法|步骤|步驟|教程|配方|过程|流程)",
    things={
        "weapon_instructions": _unspaced(
            "炸弹, 炸彈, 炸药, 炸藥, 爆炸物, 爆炸装置, 手榴弹, 手榴彈, 土制炸弹, 沙林, 神经毒气, "
            "神經毒氣, "
            "毒气, 毒氣, 芥子气, 蓖麻毒素, 炭疽, 凝固汽油弹, 燃烧瓶, 燃燒瓶, 化学武器, 化學武器, "
            "生物武器, 枪支, 槍支"
        ),
        "drug_instructions": _unspaced(
            "冰毒, 甲基苯丙胺, 海洛因, 芬太尼, 可卡因, 摇头丸, 搖頭丸, 毒品, 迷奸药, 迷药"
        ),
        "cyber_crime": _unspaced(
            "勒索软件, 勒索軟體, 勒索病毒, 键盘记录器, 鍵盤記錄器, 间谍软件, 間諜軟體, 恶意软件, "
            "惡意軟體, "
            "电脑病毒, 電腦病毒, 木马(?:病毒|程序), 木馬(?:病毒|程式), 钓鱼邮件, 釣魚郵件, "
            "钓鱼网站, 釣魚網站"
        ),
        "fraud": _unspaced(
            "假钞, 假鈔, 假币, 假護照, 假护照, 假身份证, 假身份證, 盗刷, 被盗的?信用卡, "
            "偷来的信用卡"
        ),
    },
    deeds={
        "violence_instructions": _unspaced(
            "(?:杀死|殺死|杀掉|殺掉|谋杀|謀殺|毒死|毒杀|绑架|綁架|强奸|強姦|勒死|折磨|"
            "毒害)(?:我的?|一个|一個|他的?|"
            "她的?|那个)?(?:妻子|老婆|丈夫|老公|老板|老闆|邻居|鄰居|父亲|母亲|爸爸|妈妈|孩子|小孩|"
            "儿童|兒童|"
            "人|女人|男人|女孩|室友|同事|别人|前女友|前男友|前妻)"
        ),
        "drug_instructions": _unspaced("制毒, 製毒"),
        "self_harm_instructions": _unspaced(
            "自杀, 自殺, 割腕, 上吊, 结束自己的生命, 結束自己的生命"
        ),
        "sexualised_child": _unspaced(
            "(?:和|跟|与|與)[^。]{0,8}(?:儿童|兒童|小孩|未成年\\w{0,4}|女童|幼女|"
            "\\d+岁的?女孩)[^。]{0,4}(?:发生性关系|"
            "發生性關係|上床|做爱|做愛), (?:引诱|誘騙|诱骗|猥亵|性侵)[^。]{0,4}(?:儿童|兒童|小孩|"
            "未成年|女童|幼女|小女孩), "
            "儿童色情, 兒童色情"
        ),
        "fraud": _unspaced(
            "洗钱, 洗錢, 洗黑钱, 诈骗(?:老人|别人|钱), 盗用(?:他人|别人)身份, 伪造(?:身份证|护照|"
            "货币)"
        ),
        "cyber_crime": _unspaced(
            "(?:入侵|黑进|黑進|破解|盗取|盜取)(?:\\w{0,6})(?:账号|帳號|账户|帳戶|密码|密碼|手机|"
            "手機|邮箱|郵箱|微信|"
            "网站|網站|电脑|電腦|银行|銀行|WiFi|wifi)"
        ),
    },
    statements={
        "hate": _unspaced(
            "(?:犹太人|猶太人|穆斯林|移民|黑人|同性恋者?|同性戀|难民|難民)[^。，,]{0,6}(?:应该|"
            "應該|必须|必須|都该|都該|"
            "就该)[^。，,]{0,4}(?:灭绝|滅絕|被杀|被殺|杀光|殺光|消灭|消滅|去死|清除)"
        ),
        "threat": _unspaced("我要杀了你, 我要殺了你, 我会杀了你, 我会杀死你, 我要弄死你"),
    },
    clears="防止|预防|預防|检测|檢測|保护|保護|避免|历史|歷史|电影|電影|小说|小說|游戏|遊戲|"
    "我的世界|量热|弹式|"
    "法律|分子式|化学式|摩尔质量|摩尔|结构|結構|举报|舉報|治疗|治療|解毒|拆除|进程|線程|线程|象棋|"
    "宣传|说道|"
    "文章|培训|培訓|分析|删除|清除病毒|识别|識別|打击|戒毒|干预|干預|劝|帮助想|想自杀的人|有自杀|"
    "防御|防禦|"
    "自己的|反洗钱|二战|一战|战争|举例说明危害|危害",
    spaced=False,
)
LATIN_RULES = tuple(rule for one in (FRENCH, GERMAN, SPANISH) for rule in one.rules())
CYRILLIC_RULES = tuple(RUSSIAN.rules())
HAN_RULES = tuple(CHINESE.rules())
LANGUAGES = ("Chinese", "English", "French", "German", "Russian", "Spanish")
