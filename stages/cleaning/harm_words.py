"""Words of harm: what is asked for, against whom, and the contexts that make it harmless.

``Terms`` are the dangerous words that make a text worth a closer look; all else is a piece of a
regular expression. Texts are in small letters without accents by then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PREFIX = 5
"""Letters of a word by which a text is looked up before any pattern is tried."""


@dataclass(frozen=True)
class Terms:
    """Words of which a harmful text holds one: a pattern, and the beginnings of its words.

    Without ``prefixes`` the pattern itself has to be tried.
    """

    pattern: str
    prefixes: frozenset[str]

    def __or__(self, other: Terms) -> Terms:
        return Terms(f"{self.pattern}|{other.pattern}", self.prefixes | other.prefixes)


def terms(phrases: str, ending: str = "(?:s|es)?", prefixes: str = "") -> Terms:
    """Phrases between commas and blanks, each with an optional ending; it may be a pattern.

    ``prefixes`` are the beginnings of words to look up; without them, of the longest word of each
    phrase.
    """
    listed = re.split(r",\s+", phrases)
    patterns = [re.sub(r"(?<!\[) +", "[ -]", phrase) + ending for phrase in listed]
    longest = prefixes.split() or [max(phrase.split(), key=len) for phrase in listed]
    return Terms(
        "|".join(patterns), frozenset(re.split(r"\W", word)[0][:PREFIX] for word in longest)
    )


REQUEST = (
    r"how (?:to|2|do (?:i|you|we)|can (?:i|you|we|one)|could (?:i|we|one)|"
    r"(?:would|should|does|might|could|can) (?:i|you|we|one|someone|somebody|a person))|"
    r"best \w+ to|can (?:i|we)|"
    r"(?:ways?|methods?|plans?|blueprints?|tutorials?|recipes?|procedures?|instructions?|steps?|"
    r"guides?|tips|tricks|scripts?|schemes?) (?:to|of|for|on|that)|procedure:|process of|help me|"
    r"teach me|tell me how|show me how|explain how|where (?:can|do|could) i|"
    r"i (?:want|need|plan|intend|would like) to|i wanna|i'd like to|"
    r"(?:can|could|will|would) you(?: please)?|please|what do i need to|"
    r"(?:which|what)(?: \w+){0,3} (?:chemicals|ingredients|materials|substances|parts|components)"
    r"(?: \w+){0,3}"
)
MAKING = (
    r"make(?! up)|making|build|building|synthesi[sz]e|synthesi[sz]ing|cook|cooking|construct|"
    r"constructing|"
    "assemble|assembling|produce|producing|manufactur(?:e|ing)|brew|brewing|buy|buying|plant|"
    "planting|detonate|detonating|deploy|deploying|mix|mixing|prepare|preparing|print|printing|"
    "3d-print|create|creating|set off|weaponi[sz]e|smuggl(?:e|ing)|build and use|sell|extract|grow"
)
HANDLING = "get|use|using|obtain|acquire"
"""Milder verbs: one also uses the hydrolysis of sarin and gets the molar mass of a drug."""

CODING = (
    rf"{MAKING}|write|writing|code|coding|program|programming|develop|developing|install|use|"
    "spread|send|launch|run|perform|put|set up|hide|start|generate|craft|design|get|inject|infect"
)
DEALING = (
    "make|print|buy|use|sell|get|obtain|commit|committing|do|set up|start|run|spend|pass|produce|"
    "cash out|create|forge|launch|find|order|build|pull off|hide|install|get away with"
)

WEAPONS = terms(
    "bomb, b0mb, explosives, homemade explosive, improvised explosive, plastic explosive, "
    "explosive device, explosive charge, explosive vest, suicide vest, grenade, nerve agent, "
    "nerve gas, poison gas, poisonous gas, toxic gas, chlorine gas, mustard gas, sarin, vx gas, "
    "novichok, tabun, ricin, anthrax, botulinum toxin, smallpox, napalm, tatp, chemical weapon, "
    "biological weapon, bioweapon, nuclear weapon, molotov cocktail, molotov, ghost gun, landmine, "
    "gun silencer, rifle silencer"
) | terms(
    r"(?:untraceable|unregistered|illegal|undetectable|unmarked|full(?:y|[ -])auto\w*|"
    r"3d[ -]printed)"
    r"(?: [\w-]+){0,3} (?:gun|firearm|pistol|rifle|handgun|weapon|ar-?15)",
    prefixes="guns gun firearm pistol rifle handgun weapon ar ar15",
)
DRUGS = terms(
    r"crystal meth, meth(?![:`(]), methamphetamine, amphetamine, fentanyl, carfentanil, heroin, "
    "crack cocaine, cocaine, lsd, mdma, ghb, krokodil, date rape drug, roofie, ecstasy pill"
)
MALWARE = terms(
    "ransomware, keylogger, key logger, spyware, stalkerware, malware, computer virus, "
    "computer worm, trojan, botnet, rootkit, phishing, spear-?phishing, ddos, exploit kit, "
    "credential stealer, password stealer, infostealer, logs? (?:every|all|the) keystroke",
    prefixes="ransomware keylogger logger spyware stalkerware malware virus viruses worm worms "
    "trojan trojans botnet botnets rootkit rootkits phishing spearphishing spear ddos exploit "
    "stealer stealers infostealer keystroke",
)
FAKES = terms(
    "money laundering, stolen credit card, stolen card, stolen debit card, stolen identity, "
    "other people's credit card, credit card fraud, credit card skimmer, card skimmer, fake id, "
    "fake passport, fake driver's license, fake prescription, counterfeit money, counterfeit bill, "
    "counterfeit banknote, counterfeit note, counterfeit currency, counterfeit dollar, "
    "counterfeit euro, counterfeit, ponzi scheme, pyramid scheme, identity theft, insurance fraud, "
    "tax fraud, welfare fraud, wire fraud, bank fraud",
    prefixes="laundering stolen fraud skimmer fake counterfeit ponzi pyramid identity credit",
)

VIOLENCE = terms(
    "kill, murder, poison, stab, strangle, rape, torture, kidnap, assassinate, behead, lynch, "
    "drown, abduct, suffocate, dismember, beat up",
    ending="",
)
PERSON = (
    "wife|husband|girlfriend|boyfriend|partner|ex|neighbou?rs?|boss|mother|mom|mum|father|dad|"
    "parents?|stepmother|stepfather|brothers?|sisters?|sons?|daughters?|uncle|aunt|cousins?|"
    "grand(?:mother|father|parents)|child|children|kids?|baby|family|friends?|teachers?|"
    "professor|classmates?|students?|co-?workers?|colleagues?|room-?mates?|flat-?mates?|landlord|"
    "tenants?|wom[ae]n|m[ae]n|persons?|people|girls?|boys?|guys?|strangers?|presidents?|"
    "politicians?|judges?|cops?|police officers?|policem[ae]n|doctors?|nurses?|humans?|jews?|"
    "muslims?|christians?|immigrants?|refugees?|blacks|whites|gays|lesbians"
)
PEOPLE = (
    r"(?:you|him|someone|somebody|everyone|everybody|people|myself|yourself|himself|herself|"
    r"her(?! (?!and |or |without |in |at |with |by |tonight|before |while |so |for |from |if |when "
    r"|"
    r"quietly|slowly|\w+ly\b)\w)|"
    rf"(?:my|your|his|our) (?:\w+[ -])?(?:{PERSON})|(?:her|their) (?:{PERSON})|"
    r"(?:a |an |the |this |that |all |all the |these |those |every )?(?:wom[ae]n|m[ae]n|person|"
    r"girls?|boys?|guys?|humans?|stranger|president|judge|policem[ae]n|police officers?|cops?|"
    r"jews?|muslims?|christians?|immigrants?|refugees?|blacks|whites|gays|lesbians))(?!'s?\b)"
)
"""Not before "'s": what belongs to a person may be killed, such as aphids and sessions."""

VICTIMS = (
    r"(?:a |an |the |some |my neighbou?r's |small |little |young |\d+[ -]years?[ -]old ){0,3}"
    r"(?:child|children|kids?|bab(?:y|ies)|toddlers?|teenagers?|girls?|boys?)(?! (?:process|"
    r"thread))"
)
CRUELTY = "kidnap|abduct|murder|strangle|rape|torture|behead|molest|poison"
ATROCITY = terms(
    r"shoot up (?:a |my |the |an )?(?:school|mall|church|mosque|synagogue|office|concert|crowd), "
    r"(?:commit|carry out|plan|do) (?:a |an )?(?:mass |school |terror(?:ist)? )(?:shooting|attack|"
    r"murder), "
    r"(?:bomb|blow up|burn down|set fire to) (?:a |an |the |my |that |someone's )?(?:\w+ "
    r")?(?:school|"
    r"mosque|church|synagogue|airport|train|house|stadium|hospital|embassy|temple|crowd), "
    r"(?:hide|dispose of|get rid of) (?:a |the |my |his |her )(?:\w+ )?(?:body|corpse), "
    r"drug (?:a|the|my|some) (?:girl|woman|man|boy|person|date), poison (?:the |a )?(?:\w+ "
    r")?(?:water supply|reservoir|well), hire a hit ?man, "
    r"(?:spike|drug) (?:a |her |his |some |someone's )(?:\w+ )?drink, "
    r"(?:stalk|harass|bully|intimidate) (?:my|a|an|her|him)\b",
    ending="s?",
    prefixes="shoot shooting attack murder bomb blow burn fire body corpse poison hitman hit "
    "drink drinks stalk drug harass bully intimidate",
)
CHILDREN = (
    "child|children|minors?|underage|preteens?|pre-teens?|little (?:girls?|boys?)|toddlers?|kids?|"
    r"(?:[1-9]|1[0-7])[ -]?(?:years?[ -]olds?|yo|y/o)|schoolgirls?|schoolboys?|jailbait|loli|"
    r"teens? under \d+"
)
SEXUAL = terms(
    "sexual, sexually, sex with, naked, nude, porn, pornographic, pornography, erotic, erotica, "
    "sexy, sexualised, sexualized",
    ending="s?",
    prefixes="sexual sex naked nude nudes porn porno erotic sexy",
)
GROOMING = terms(
    "groom, grooming, seduce, seducing, molest, molesting, lure, luring, pick up, meet up with, "
    "have sex with, sleep with, undress, touch, hook up with",
    ending="",
    prefixes="groom grooming seduce seducing molest molesting lure luring pick meet sex sleep "
    "undress touch hook",
)
SELF_HARM = terms(
    "kill myself, end my life(?! insurance| cycle| story), end my own life, commit suicide, hang "
    "myself, cut myself(?! an? | some | off| out| from), "
    "drown myself, overdose, slit my wrists, starve myself, die painlessly, hurt myself, "
    "make myself vomit, make myself throw up, hide my cuts, hide my cutting, die by suicide, "
    "painless suicide, painless death, shoot myself(?! for | in the foot)",
    ending="",
    prefixes="myself life suicide overdose wrist die death cuts cutting",
)
INTRUSION = terms(
    r"(?:ddos (?:a|an|the|my|someone|this) ?\w*)|(?:hack(?: into)?|break into|get into) (?:(?:my|"
    r"his|her|their|your|the|a|an|someone|somebody|someone's|somebody's|"
    r"other|people's|another) )(?:[\w']+ ){0,4}(?:account|phone|e-?mail|facebook|instagram|"
    r"whatsapp|"
    r"snapchat|wi-?fi|bank|computer|laptop|webcam|network|server|website|database|camera|icloud), "
    r"spy on (?:my|his|her|a|an|someone|somebody|people) ?\w*, "
    r"(?:track|read|monitor|access|intercept) (?:my (?:ex|wife|husband|girlfriend|boyfriend|"
    r"partner|boss|daughter|son|roommate)(?:'s)?|his|her|someone's) (?:[\w']+ ){0,4}(?:phone|"
    r"messages|whatsapp|location|texts|e-?mails?|account) (?:without|secretly), "
    r"(?:steal|harvest|phish|crack) (?:\w+ ){0,2}?(?:[\w']+ )?(?:passwords?|credentials|"
    r"credit cards?|card numbers|bank details|logins?|identity|wi-?fi)",
    ending="s?",
    prefixes="hack break ddos whatsapp instagram facebook icloud snapchat spy track read monitor "
    "access intercept steal harvest phish crack",
)
CHEATING = terms(
    r"launder(?:ing)? (?:\w+ ){0,4}?(?:money|cash|funds|proceeds|profits|bitcoins?|crypto), "
    r"(?:steal|use) (?:someone|somebody|another person)(?: else)?'s identity, "
    r"(?:forge|fake) (?:a |an |my |his |her |the )?(?:[\w']+ ){0,2}(?:signature|prescription|"
    r"cheque|"
    r"check|passport|diploma|invoice|will), "
    r"(?:scam|con|defraud|swindle) (?:\w+ ){0,3}?(?:people|seniors|elderly|grandparents|customers|"
    r"victims|widows|pensioners|grandmother|investors), "
    r"clone (?:a |some |stolen )?(?:credit|debit|bank) cards?, (?:rob|robbing) (?:a|the|my) \w+, "
    r"evade (?:my |paying |income )?tax, clean dirty money, shoplift, pickpocket, "
    r"use (?:someone|somebody|another person|other people)(?: else)?'?s? (?:credit |debit |bank "
    r")?card",
    ending="(?:es|s|ing)?",
    prefixes="launder laundering identity forge fake scam con defraud swindle clone rob robbing "
    "evade shoplift pickpocket dirty card cards",
)

GROUPS = (
    r"(?:jews?|jewish people|muslims?|christians?|hindus?|immigrants?|migrants?|refugees?|"
    r"foreigners|blacks|black people|whites|white people|asians|arabs?|mexicans?|africans?|"
    r"latinos?|"
    r"gays?|gay people|lesbians?|homosexuals?|trans(?:gender)? people|roma|gypsies|women|"
    r"disabled people|the disabled)"
)
DESTROYED = terms(
    "exterminated, killed, gassed, eliminated, wiped out, shot, hanged, burned, burnt, "
    "slaughtered, eradicated, purged, lynched, murdered, annihilated, enslaved, sterilised, "
    "sterilized, put down, die",
    ending="",
    prefixes="exterminated killed gassed eliminated wiped shot hanged burned burnt slaughtered "
    "eradicated purged lynched murdered annihilated enslaved sterilised put die",
)
CONTEMPT = terms(
    "vermin, rats, cockroaches, parasites, subhuman, subhumans, sub-human, filth, filthy, scum, "
    "trash, inferior, disgusting, pigs, apes, monkeys, evil, greedy, dirty, thieves, criminals, "
    "liars, animals, rapists, terrorists, a plague, a disease, a cancer, degenerates, stupid, "
    "lazy, worthless, savages",
    ending="",
    prefixes="vermin rats cockroaches parasites subhuman sub filth filthy scum trash inferior "
    "disgusting pigs apes monkeys evil greedy dirty thieves criminals liars animals rapists "
    "terrorists plague disease cancer degenerates stupid lazy worthless savages",
)
HATRED = terms(
    "hate, despise, death to, gas, exterminate, hang, burn, lynch, kill, eradicate, fuck",
    ending="",
)
INSULTS = terms(
    "insult, insulting, slur, hateful, racist, antisemitic, anti-semitic, sexist, homophobic, "
    "islamophobic, derogatory, degrading, hate speech",
    prefixes="insult insulting insults slur slurs hateful racist antisemitic anti sexist "
    "homophobic islamophobic derogatory degrading hate",
)

HARMLESS = (
    r"bomb calorimet\w+|(?:fork|zip|logic|bath|cherry|seed|cluster|carpet|gavel|photo|smoke|"
    r"volcano|"
    r"baking soda|vinegar|mentos|glitter|paint|stink|confetti|sugar|cocoa|chocolate|tea|water|"
    r"shower|jello|yarn|time)[ -]?bombs?|bomb (?:disposal|shelter|squad|detector|threat|cyclone)s?|"
    r"defus\w+ (?:a |the )?bombs?|sex bombs?|"
    rf"(?:{WEAPONS.pattern}|{DRUGS.pattern}|{MALWARE.pattern}|{FAKES.pattern})[ -](?:free|proof|"
    rf"detect\w+|"
    r"protect\w+|prevent\w+|vaccin\w+|antibod\w+|antidotes?|sensors?|simulat\w+|resist\w+|"
    r"poisoning|"
    r"exposure|victims?|survivors?|awareness|training|analysis|scann?\w*|remov\w+|filters?|"
    r"classif\w+|samples?|dataset|sandbox|addict\w*|overdose|treatment|law|laws|act|compliance)|"
    r"anti-?(?:money laundering|malware|phishing|virus|spyware)|(?:with|by) kindness|life hacks?|"
    r"girl scouts?|trojan (?:horse|war)s?|(?:crack|lsd) (?:matrix|order|bit)|"
    r"(?:sexual|sex) (?:abuse|education|reproduction|selection|dimorphism|health|harassment|"
    r"assault|orientation|chromosomes?|ratio|cells?)|reproduc\w+ sexually|"
    r"sexually (?:reproduc\w+|transmitted|dimorphic|abus\w+|assault\w+)|"
    r"naked (?:eyes?|singularit\w+|mole|single|pair|triple)s?|child process(?:es)?"
)
"""Fixed phrases that only look dangerous; they are blanked before the rules are tried."""

STUDY = (
    r"lewis structures?|molar mass\w*|molecular (?:mass|weight|formula)|balanced|equations?|"
    r"hydrolysis|half[ -]li(?:fe|ves)|rate constants?|ld50|toxicolog\w+|toxicity|ribosomes?|"
    r"inhibit\w*|assays?|stoichiometr\w+|moles|oxidation (?:states?|numbers?)|spectr(?:um|a)|nmr|"
    r"structure of|structures?|textbooks?|quarr\w+|calculat\w+|comput(?:e|ing)|engineering|"
    r"actuarial|histor(?:y|ians?|ical)|essays?|articles?|reports? (?:on|about)|models? of|"
    r"metaboli\w+|pharmac\w+|receptors?|documentar(?:y|ies)|presentations?|posters?|timelines?|"
    r"replicas?|props?|cakes?|costumes?|drawings?|museum|exhibit\w*|treat(?:y|ies)"
)
PROTECTION = (
    r"prevent\w*|protect\w*|treat\w*|antidotes?|first aid|detect\w*|defus\w+|dispos\w+|"
    r"get rid of|remov\w+|recogni[sz]\w+|avoid\w*|stop|against|identif\w+|spot|quit|rehab\w*|"
    r"help (?:someone|somebody|a|my|people)|surviv\w+|respond to|warn\w*|"
    r"report\w*|rules|laws?|illegal|ban(?:ned|s)?|safeguard\w*|combat\w*|never|should not|"
    r"shouldn't|"
    r"don't|do not|recover\w*"
)
GAMES = (
    r"minecraft|bomberman|pygame|zelda|gurps|dark souls|elden ring|skyrim|fortnite|counter-strike|"
    r"terraria|roblox|among us|level design|gameplay|the game|my game|pok[eé]mon|dungeons|d&d|gta|"
    r"(?:in|for) (?:\w+ ){0,4}(?:game|clone|rpg|"
    r"shooter)|"
    r"chess|checkmate|back rank|sudoku|simulat(?:ion|or)s?|sir model|respawn\w*|npcs?|"
    r"puzzle|metaphors?|unity engine|video ?games?|werewolf|mafia game"
)
SOFTWARE = (
    r"process(?:es)?\b(?! of)|threads?|sessions?|daemons?|pids?|sigterm|sigkill|cron ?jobs?|"
    r"django|docker|kubernetes|sql|database|zombie process|caesar cipher|cipher|plaintext|regex|"
    r"yara|dns|cache"
)
SECURITY = (
    rf"{PROTECTION}|own|authori[sz]ed|permission|consent|ctf|capture the flag|pentest\w*|"
    rf"penetration|"
    r"red[- ]team\w*|courses?|exercises?|antivirus|clamav|snort|suricata|sigma|analy[sz]\w+|"
    r"reverse[- ]engineer\w*|train(?:ing|ed)?|awareness|simulat\w+|scans?|sandbox\w*|lab|dataset|"
    r"classif\w+|signatures?|filters?|blocks?|mitigat\w+|defen[cds]\w+|incident|threat model\w*|"
    r"yara|removal|tables?|statistics|timeline|policy|policies|summary|news|articles?|essays?|"
    r"respond\w*|quiz|poster|lecture|lesson|explain what|histor(?:y|ical)|research"
)
HONESTY = (
    rf"{PROTECTION}|complian\w+|aml|audit\w*|replace\w*|refund\w*|cancel\w*|block\w*|classif\w+|"
    r"train(?:ing)?|machine learning|models?|court|law|lawyers?|investigat\w+|legal\w*|histor\w+|"
    r"prosecut\w+|mock\w*|unit tests?|test data|test cards?|stripe|generator|pytest|faker|essays?|"
    r"articles?|lecture|novel|movie|film|prop|monopoly|toy|board game|trivia"
)
FICTION = (
    r"fables?|hamlet|macbeth|othello|shakespeare\w*|novels?|in (?:the|this|a|my) (?:play|story|"
    r"film|movie|opera|poem|scene|chapter|passage)|tragedy|trolley problem|villain|protagonist|"
    r"(?:said|says|cried|shouted|whispered|replied|growled|screamed|hissed|yelled|laughed|joked) "
    r"(?:the )?\w+|(?:he|she|they|it|\w+) (?:said|cried|shouted|whispered|replied|growled|screamed|"
    r"hissed|yelled|snarled)|,[\"'] \w+ \w+ed|lyrics|quotations?|who is speaking|detective|"
    r"thriller|screenplay"
)
TALES = (
    r"novels?|stor(?:y|ies)|tales?|screenplay|scripts?|scenes?|lyrics|songs?|poems?|plays?|fiction|"
    r"characters?|dialogues?|movies?|films?|fables?|translate|thriller|books?"
)
"""Who asked for these gets threats on paper."""

NEWS = (
    r"convicted|arrested|charged|sentenced|police|courts?|crimes?|trials?|prosecut\w+|guilty|"
    r"offen[cds]ers?|offen[cs]e|laws?|jailed|prison|victims?|investigat\w+|accused|banned|illegal"
)
HATE_STUDY = (
    rf"hate speech|classif\w+|sentiment|moderat\w+|toxic\w*|propaganda|nazis?|hitler\w*|holocaust|"
    r"genocid\w+|racis[mt]s?|antisemit\w+|stereotyp\w+|prejudic\w+|bigot\w*|condemn\w*|histor\w+|"
    r"myths?|false|wrong|quot\w+|said|says|claim\w*|wrote|argu\w+|believ\w+|thought|ideolog\w+|"
    rf"speech|not|never|no|whether|why|percent|statistic\w*|{NEWS}|{GAMES}"
)
LABELLING = r"hate speech|classif\w+|sentiment|moderat\w+|toxic\w*|propaganda|translate|label\w*"
EARNEST = (
    r"at home|in (?:a|my|the) (?:garage|kitchen|basement|cellar|shed|bathtub)|undetect\w+|"
    r"untraceabl\w+|without (?:being|getting) (?:caught|noticed|seen)|in real life|for real|"
    r"real[- ](?:life|world)|get away with|tonight|step[- ]by[- ]step|"
    r"(?:to|and) (?:hurt|harm|kill|attack|terrori[sz]e|blackmail) (?:people|someone|somebody|them|"
    r"him|her|my|others|everyone)"
)
"""Words that no context outweighs."""

STEALTH = (
    rf"{EARNEST}|my ex|my (?:girlfriend|boyfriend|wife|husband|partner)|without (?:his|her|their|"
    r"them|him|detection)|victims?|steals?|stealing|evad\w+|bypass\w*|secretly"
)
TRESPASS = (
    r"my ex|my (?:girlfriend|boyfriend|wife|husband|partner)|without (?:his|her|their|them|him)|"
    r"victims?|secretly"
)
UPBRINGING = (
    r"bath\w*|diapers?|nappy|beach|doctors?|p(?:a)?ediatric\w*|what \w+ means?|asked (?:me|what)|"
    r"parenting|curriculum|puberty"
)
WRITING = (
    r"write|drawn?|describe|role-?play\w*|fantas\w+|send me|show me|give me|generate|find me|"
    r"stor(?:y|ies) (?:about|of|with)"
)
