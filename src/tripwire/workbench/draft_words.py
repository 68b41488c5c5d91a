"""Words in names and descriptions of tools, and what they tell of a tool (flow.md §4.3).

Data only. Words are folded, in the singular, and stand for what tools of their kind do anywhere;
none is here for one server.
"""

from __future__ import annotations

from tripwire.model.label import WriteClass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ_VERBS = _words("""
get list read search find view show fetch check retrieve download query lookup look track verify
predict monitor analyze analyse describe count summarize browse access ask calculate compute
compare convert translate estimate inspect status history validate preview detect explain think
""")
FETCH_VERBS = _words("navigate browse open visit crawl scrape fetch goto download get read")
CLASS_OF_VERB: dict[str, WriteClass] = {
    **dict.fromkeys(
        _words("""
        delete remove cancel clear drop destroy purge erase wipe uninstall trash unsubscribe
        terminate void empty
    """),
        WriteClass.DESTRUCTIVE,
    ),
    **dict.fromkeys(
        _words("""
        pay transfer withdraw deposit buy sell purchase trade book reserve invest donate checkout
        order tip refund charge subscribe bid booking payment
    """),
        WriteClass.COMMIT,
    ),
    **dict.fromkeys(_words("post tweet publish retweet comment review blog"), WriteClass.PUBLIC),
    **dict.fromkeys(
        _words("""
        send email mail message sms reply forward call dial fax notify dispatch request submit
        report contact consult fill autofill input click export
    """),
        WriteClass.EXTERNAL,
    ),
    **dict.fromkeys(
        _words("""
        grant revoke invite lock unlock disable enable block unblock authorize authorise
        authenticate
        share permit promote demote deploy join leave kick ban autofill
    """),
        WriteClass.PRIVILEGED,
    ),
    **dict.fromkeys(
        _words("""
        create update add set schedule reschedule organize organise move copy rename append write
        save edit modify manage control play upload mark follow unfollow like unlike draft setup
        star go generate give change put make start stop pause resume turn attach insert complete
        close reopen log record train redirect store import apply hand compile assign convert
    """),
        WriteClass.INTERNAL,
    ),
    **dict.fromkeys(_words("execute run eval exec"), WriteClass.EXEC),
}
"""Verb → what a tool named by it does; of several verbs the first counts."""

STRICTER_NOUN: dict[str, WriteClass] = {
    **dict.fromkeys(
        _words(
            "money fund payment bill transaction trade invoice payout reservation booking checkout"
        ),
        WriteClass.COMMIT,
    ),
    **dict.fromkeys(
        _words("""
            password credential permission access role policy authentication factor 2fa sharing
            guest member collaborator visibility privacy key token identity security firewall
            whitelist
            blacklist profile lock door
        """),
        WriteClass.PRIVILEGED,
    ),
    **dict.fromkeys(_words("tweet post review comment gist"), WriteClass.PUBLIC),
    **dict.fromkeys(_words("email mail message sms webhook"), WriteClass.EXTERNAL),
}
"""What a verb that says little (create, update, manage, …) is about."""

STRICTER_PHRASES: tuple[tuple[str, WriteClass], ...] = (
    ("user info", WriteClass.PRIVILEGED),
    ("to channel", WriteClass.PRIVILEGED),
    ("to group", WriteClass.PRIVILEGED),
)
PUBLIC_PHRASES = ("publicly", "for everyone", "public timeline", "timeline", "at a given url")
ALSO_DELETES = _words("cancel delete remove redirect erase")
"""Words of a description that make a `manage` tool destructive as well."""

STRANGER_NOUNS = _words("""
email mail inbox message sms chat channel thread review comment post tweet feed issue pull request
webpage page web site website url article news document file note event calendar invitation ticket
form repository repo product listing description search result profile user people friend task
attachment transcript wiki rss reservation item
""")
"""What others may have written: its text is untrusted."""
PLATFORM_NOUNS = _words("""
balance iban account password credential address location time day date weather holding quote price
rate stock permission setting device reminder payee linked saved prescription medical genetic
history category inventory route light intersection road hour rental company hotel restaurant
flight car fuel cuisine dietary contact
""")
"""What a system keeps itself, in fields of its own making."""
STRONG_STRANGER_NOUNS = _words("""
email mail inbox message sms chat review comment post tweet webpage page web website issue feed news
article file document note
""")
PUBLIC_NOUNS = _words("""
product flight hotel web webpage page website news tweet stock restaurant price weather city rental
car route road traffic light intersection cuisine rate quote article time day date hour fuel dietary
""")
"""What anyone could look up: not private."""
SECRET_NOUNS = _words("password credential secret token apikey passphrase")

DESTINATION_NAMES = _words("""
to cc bcc recipient recipients recipient_email recipient_id emails attendees participants invitees
guests channel channel_id user_email url webhook endpoint destination destination_address
to_account to_account_id to_account_number payee payee_id beneficiary iban to_phone_number
to_number phone_number hotel restaurant company vendor merchant option_ids receiver
application_id domain domains website site guest_ids shipping_address new_recipient_information
""")
GRANTEE_NAMES = _words(
    "user username user_id user_ids users email emails member members collaborator"
)
ADDRESS_NAMES = _words("url uri link href website endpoint webhook")
NO_RECIPIENT = _words("from_account from_account_number from_account_id from sender")
AMOUNT_NAMES = _words("amount total total_price sum price value quantity")
AUTHORITY_NAMES = _words("""
password new_password role permission permissions access_level access privacy_setting visibility
sharing_level new_privacy_setting scope key limit policy_type
""")
OBJECT_ENDINGS = ("_id", "_ids", "_path", "_number")
OBJECT_NAMES = _words("id ids file file_id item_path path name")
FREE_NAMES = _words("""
subject title body content text message description note notes comment comments review remark
summary reason html markdown
""")
WHEN_NAMES = ("date", "time", "day", "timezone", "recurrence", "recurring")
COMMAND_NAMES = _words("command cmd script code")
VAGUE_NOUNS = _words(
    "detail information info data list all new metadata content status state current"
)
"""Say nothing of the kind of thing."""
ACTION_NAMES = _words("action operation")
"""Arguments that say which of several things a tool does."""
DELETING_GLOBS = ("delete*", "remove*", "cancel*", "return*")
PREPOSITIONS = _words("by in for from to with of at")
