"""Which kinds of action a user's words ask for: a lexicon of stems (flow-rules.md §3.3).

Data and its questions. A miss only ever makes Tripwire ask; a hit alone lets nothing go. Stems
of five letters or more also count as beginnings of words, shorter ones as whole words.
"""

from __future__ import annotations

from collections.abc import Iterable

from tripwire.text.lexicon import lexicon

_PREFIX = 5

CONCEPTS: dict[str, frozenset[str]] = {
    "del": lexicon(
        "delete delet remove remov erase cancel cance clear drop purge wipe trash rid "
        "unfollow discard "
        "uninstall unsubscribe clean cleanup lösch loesch entfern storn absag abbestell "
        "supprim efface annul retire vide elimina borra cancela quita suprim hatao mitao"
    ),
    "pay": lexicon(
        "pay paid payment paying pays send transfer wire refund reimburse repay settle bill "
        "money invoice "
        "rent buy purchas order withdraw deposit invest trade sell standing recurring donat "
        "zahl überweis ueberweis bezahl erstatt kauf verkauf paie payer paye virement vire "
        "rembours achet acheter vend paga pagar pago transfier transfer reembols compra "
        "vende bhugtan bhejo"
    ),
    "book": lexicon(
        "book booking reserv reserve order rent hire schedul buch reservier miet bestell "
        "réserv louer loue command reserva alquil pedir pide"
    ),
    "invite": lexicon(
        "invite invit add share grant access permission permit onboard welcome collaborat "
        "einlad lade hinzufüg teil freigeb zugriff inviter ajout partag accès accord "
        "invita añad agrega compart permis acceso"
    ),
    "group": lexicon(
        "add channel group member team join leave remove kick move role invite promot "
        "unfollow follow "
        "kanal gruppe mitglied hinzufüg canal groupe membre ajout grupo miembro equipo añad agrega"
    ),
    "cred": lexicon(
        "password passcode credential change update set key token role permission access address "
        "profile account setting settings privacy visibility public private lock unlock "
        "enable disable "
        "authentic factor block unblock policy whitelist blacklist sharing fill "
        "passwort kennwort änder aender setz adresse konto zugang "
        "motdepasse passe chang modifi adresse compte contraseña clave cambia "
        "actualiza dirección cuenta"
    ),
    "upd": lexicon(
        "update updat change chang edit modif append add adjust move reschedul rename mark "
        "fix correct extend postpone shift increase decrease insert organize redirect "
        "änder aender aktualis verschieb ergänz setz schreib korrigier modifi chang déplac ajout "
        "corrig écri actualiz cambi edita mueve mover añad agrega escrib corrig badlo"
    ),
    "event": lexicon(
        "event meeting appointment calendar schedul invite remind reminder "
        "agenda termin kalender treffen besprech einlad erinner planen plane "
        "réunion rendez-vous rendez calendrier rappel évén planifi reunión cita calendario "
        "recorda evento agenda agendar"
    ),
    "send": lexicon(
        "send sent email e-mail mail message forward reply respond answer write tell notify "
        "inform post "
        "publish share submit ping draft dispatch upload "
        "schick send sende mail nachricht antwort schreib teil veröffentlich melde informier "
        "weiterleit "
        "envoi envoy courriel mél répond écri partag publi transmet transfér préven "
        "enví envia manda correo mensaje respond escrib compart public avisa bhej likh"
    ),
    "file": lexicon(
        "note save create creat creating write store draft upload generat "
        "datei dokument notiz speicher erstell anleg schreib liste fichier document créer crée "
        "enregistr écri archivo documento nota guarda crea crear escrib lista banao likho"
    ),
}
"""Concept → stems in English, German, French, Spanish, and some Hindi in Latin letters."""

GENERIC = lexicon(
    "get set add create update delete remove send make do run new the a an to of in for from "
    "by with "
    "user users item items data info information manage manager tool call all and or schedule"
)
"""Words of tool names that say nothing of what it is about."""

_FILLING = lexicon("the and for with from into")

SUPERLATIVES: dict[str, tuple[str, ...]] = {
    "largest": ("max", "size"), "biggest": ("max", "size"), "smallest": ("min", "size"),
    "newest": ("max", "time"), "latest": ("max", "time"), "oldest": ("min", "time"),
    "cheapest": ("min", "price"), "dearest": ("max", "price"),
    "highest": ("max", ""), "lowest": ("min", ""),
    "größte": ("max", "size"), "kleinste": ("min", "size"), "neueste": ("max", "time"),
    "älteste": ("min", "time"), "billigste": ("min", "price"),
}  # fmt: skip
"""Word → which end, and of what sort of field ("" = a field the user names)."""
FIELDS: dict[str, frozenset[str]] = {
    "size": lexicon("size bytes length filesize"),
    "time": lexicon("date time created modified last_modified timestamp start_time created_at"),
    "price": lexicon("price cost amount total rate"),
}


def asks_for(words: Iterable[str], concept: str) -> bool:
    """Whether one of the user's folded `words` belongs to `concept`."""
    stems = CONCEPTS[concept]
    return any(any(form in stems for form in _forms(word)) for word in words)


def _forms(word: str) -> Iterable[str]:
    yield word
    for length in range(min(len(word) - 1, 14), 2, -1):
        if length >= _PREFIX or len(word) - length <= 3:
            yield word[:length]


def shares_word(words: Iterable[str], named: Iterable[str]) -> bool:
    """Whether the user said a word of a tool's name, endings aside."""
    bare = {_bare(word) for word in words}
    return any(_bare(word) in bare for word in named if word not in GENERIC and len(word) > 2)


def all_said(words: Iterable[str], named: Iterable[str]) -> bool:
    """Whether the user said each word of a tool's name that tells something, two at least."""
    bare = {_bare(word) for word in words}
    telling = [word for word in named if word not in _FILLING and len(word) > 2]
    return len(telling) >= 2 and all(_bare(word) in bare for word in telling)


def _bare(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
