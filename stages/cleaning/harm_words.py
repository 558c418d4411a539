"""Words of harm: what is asked for, against whom, and the contexts that make it harmless.

Everything is a piece of a regular expression, tried without regard to case.
"""

from __future__ import annotations

REQUEST = (
    r"how (?:to|2|do (?:i|you|we)|can (?:i|you|we|one)|could (?:i|we|one)|"
    r"(?:would|should|does) (?:i|you|we|one))|"
    r"(?:ways?|methods?|plans?|blueprints?|tutorials?|recipes?|procedures?|instructions?|steps?|"
    r"guides?) (?:to|of|for|on)|procedure:|process of|help me|teach me|tell me how|show me how|"
    r"explain how|i (?:want|need|plan|intend|would like) to|i wanna|i'd like to"
)
MAKING = (
    "make|making|build|building|synthesi[sz]e|synthesi[sz]ing|cook|cooking|construct|constructing|"
    "assemble|assembling|produce|producing|manufactur(?:e|ing)|brew|buy|plant|planting|detonate|"
    "detonating|deploy"
)
HANDLING = "get|use|using|write|obtain|acquire"
"""Milder verbs: one also writes the formula of sarin and gets the molar mass of a drug."""

WEAPONS = (
    "b[o0]mbs?|explosives|(?:homemade|improvised|plastic) explosives?|"
    "explosive (?:devices?|charges?|vests?)|grenades?|nerve agents?|nerve gas|sarin|vx gas|"
    "mustard gas|ricin|anthrax|napalm|tatp|chemical weapons?|biological weapons?|bioweapons?|"
    "crystal meth|meth|methamphetamine|fentanyl|heroin|crack cocaine|molotov cocktails?|"
    "ghost guns?|ransomware"
)
VIOLENCE = "kill|murder|poison|stab|strangle|rape|torture|kidnap|assassinate|behead|lynch|drown"
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
    "you|him|her|someone|somebody|everyone|everybody|people|myself|yourself|himself|herself|"
    rf"(?:my|your|his|our) (?:\w+[ -])?(?:{PERSON})|(?:her|their) (?:{PERSON})|"
    r"(?:a |an |the |this |that |all |all the |these |those |every )?(?:wom[ae]n|m[ae]n|person|"
    r"girls?|boys?|guys?|humans?|stranger|president|judge|policem[ae]n|police officers?|cops?|"
    "jews?|muslims?|christians?|immigrants?|refugees?|blacks|whites|gays|lesbians)"
)
CHILDREN = (
    "child|children|minors?|underage|preteens?|little (?:girls?|boys?)|toddlers?|kids?|"
    r"(?:[1-9]|1[0-7])[ -]years?[ -]olds?|schoolgirls?|schoolboys?"
)
SEXUAL = "sexual|sexually|sex with|naked|nudes?|porn|pornographic|pornography|erotic|erotica|sexy"
GROOMING = "groom|grooming|seduce|seducing|molest|molesting"
SELF_HARM = (
    "kill myself|end my (?:own )?life|commit suicide|hang myself|cut myself|drown myself|overdose"
)
HARMLESS = (
    r"bomb calorimet\w+|(?:fork|zip|logic|bath|cherry|seed|cluster|carpet|gavel|photo|smoke)[ -]?"
    r"bombs?|bomb (?:disposal|shelter|squad|detector|threat)s?|defus\w+ (?:a |the )?bombs?|"
    rf"(?:{WEAPONS})[ -](?:free|detect\w+|protect\w+|prevent\w+|vaccin\w+|antibod\w+|"
    r"antidotes?|sensors?|simulat\w+|resist\w+|poisoning|exposure|victims?|survivors?)|"
    r"girl scouts?|"
    r"(?:sexual|sex) (?:abuse|education|reproduction|selection|dimorphism|health|harassment|"
    r"assault|orientation)|reproduc\w+ sexually|sexually (?:reproduc\w+|transmitted|dimorphic)|"
    r"naked (?:eyes?|singularit\w+|mole|single|pair|triple)s?"
)
"""Fixed phrases that only look dangerous; they are blanked before the rules are tried."""

STUDY = (
    r"lewis structures?|molar mass\w*|molecular (?:mass|weight|formula)|balanced|equations?|"
    r"hydrolysis|half[ -]li(?:fe|ves)|rate constants?|ld50|toxicolog\w+|toxicity|ribosomes?|"
    r"inhibit\w*|assays?|stoichiometr\w+|moles|oxidation (?:states?|numbers?)|spectr(?:um|a)|nmr|"
    r"structure of|structures?|textbooks?|quarr\w+|calculat\w+|comput(?:e|ing)|engineering|"
    r"actuarial|histor(?:y|ians?)|essays?|articles?|reports? (?:on|about)|models? of"
)
PROTECTION = (
    r"prevent\w*|protect\w*|treat\w*|antidotes?|first aid|detect\w*|defus\w+|dispos\w+|"
    r"get rid of|remov\w+|recogni[sz]\w+|avoid\w*|stop|against|"
    r"help (?:someone|somebody|a|my|people)|survive|respond to|"
    r"report\w*|rules|laws?|illegal|ban(?:ned|s)?|safeguard\w*|combat\w*"
)
GAMES = (
    r"minecraft|bomberman|pygame|zelda|gurps|dark souls|elden ring|skyrim|fortnite|counter-strike|"
    r"terraria|roblox|pok[eé]mon|dungeons|d&d|(?:in|for) (?:\w+ ){0,4}(?:game|clone|rpg|shooter)|"
    r"chess|checkmate|back rank|sudoku|simulat(?:ion|or)s?|sir model|respawn\w*|npcs?|"
    r"puzzle|metaphors?|unity engine|video ?games?"
)
SOFTWARE = (
    r"process(?:es)?\b(?! of)|threads?|sessions?|daemons?|pids?|sigterm|sigkill|cron ?jobs?|"
    r"django|docker|kubernetes|sql|database|zombie process|caesar cipher|cipher|plaintext|regex|"
    r"yara|dns|cache"
)
FICTION = (
    r"fables?|hamlet|macbeth|othello|shakespeare\w*|novels?|in (?:the|this|a|my) (?:play|story|"
    r"film|movie|opera|poem|scene|chapter|passage)|tragedy|trolley problem|villain|protagonist|"
    r"(?:said|says|cried|shouted|whispered|replied|growled) the \w+|lyrics|quotations?|who is "
    r"speaking"
)
EARNEST = (
    r"at home|in (?:a|my|the) (?:garage|kitchen|basement|cellar|shed|bathtub)|undetect\w+|"
    r"untraceabl\w+|without (?:being|getting) (?:caught|noticed|seen)|in real life|for real|"
    r"real[- ](?:life|world)|get away with|tonight|step[- ]by[- ]step"
)
"""Words that no context outweighs."""

WRITING = r"writ\w+|stor(?:y|ies)|draw\w*|describe\w*|role-?play\w*|fantas\w+|pictures?|send\w*"
