"""Formats of credentials that need more than a prefix: a pattern, or a provider's name beside them.

Facts from the providers' own documentation, written down here by hand (flow.md DLP-1). In a pattern
the group `v` is the credential; without one the whole match is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """One RE2 pattern and the rule it stands for."""

    rule: str
    regex: str
    checked: bool = True
    """Whether the value must also look random (False: the context alone proves it)."""
    exact: bool = False
    """Of the checks only that it is no placeholder: groups of digits need not look random."""


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", checked=False
    ),
    Pattern("jwe", r"\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,}){4}", checked=False),
    Pattern(
        "url-userinfo",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,128}:"
        r"(?P<v>[^\s@\"'<>]{6,})@[A-Za-z0-9.\[_-]",
        checked=False,
    ),
    Pattern(
        "connection-string",
        r"(?i)\b(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature|sharedsecret)"
        r"=(?P<v>[^;\s\"']{6,});",
        checked=False,
    ),
    Pattern(
        "connection-string",
        r"(?i);\s?(?:password|pwd|accountkey|sharedaccesskey)=(?P<v>[^;\s\"']{6,})",
        checked=False,
    ),
    Pattern(
        "authorization-header",
        r"(?i)\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?:bearer|basic|token|apikey|ssws)\s{1,3}"
        r"(?P<v>[A-Za-z0-9._~+/=-]{8,})",
    ),
    Pattern("bearer", r"(?i)\bbearer\s{1,3}(?P<v>[A-Za-z0-9._~+/=-]{20,})"),
    Pattern(
        "private-key-header",
        r"(?i)\bx-(?:api|auth|access|secret)-?(?:key|token)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?P<v>[A-Za-z0-9._~+/=-]{12,})",
    ),
    Pattern(
        "command-password",
        r"\s--?(?:password|passwd|pass|token|secret|api-key|apikey)[= ]"
        r"[\"']?(?P<v>[^\s\"'$<>{}]{8,})",
    ),
    Pattern("command-user", r"\s(?:-u|--user)[= ]?[\"']?[^\s:\"'/]{1,64}:(?P<v>[^\s\"'$<>{}]{6,})"),
    Pattern(
        "netrc", r"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(?P<v>\S{6,})", checked=False
    ),
    Pattern(
        "npmrc", r":_(?:authToken|password|auth)\s?=\s?[\"']?(?P<v>[^\s\"'$]{8,})", checked=False
    ),
    Pattern(
        "slack-bot-token",
        r"\bxoxb-[0-9]{8,14}-(?:[0-9]{8,14}-)?[A-Za-z0-9]{18,34}",
        exact=True,
    ),
    Pattern(
        "slack-user-token",
        r"\bxox[aepr]-(?:[0-9]-)?(?:[0-9]{8,14}-){1,3}[A-Za-z0-9]{18,64}",
        exact=True,
    ),
    Pattern(
        "slack-app-token", r"\bxapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,14}-[a-z0-9]{32,80}", exact=True
    ),
    Pattern(
        "slack-webhook",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9/]{20,100})",
    ),
    Pattern(
        "discord-webhook",
        r"discord(?:app)?\.com/api/webhooks/(?P<v>[0-9]{17,20}/[A-Za-z0-9_-]{60,80})",
    ),
    Pattern("teams-webhook", r"\.webhook\.office\.com/webhookb2/(?P<v>[A-Za-z0-9@/-]{60,})"),
    Pattern(
        "google-chat-webhook",
        r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]+/messages\?key=(?P<v>\S{40,})",
    ),
    Pattern("zapier-webhook", r"hooks\.zapier\.com/hooks/catch/(?P<v>[A-Za-z0-9/]{12,60})"),
    Pattern(
        "make-webhook", r"hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com/(?P<v>[a-z0-9]{30,40})"
    ),
    Pattern(
        "sentry-dsn",
        r"https://(?P<v>[a-f0-9]{32})(?::[a-f0-9]{32})?@[a-z0-9.-]*sentry",
        checked=False,
    ),
    Pattern("azure-sas", r"[?&]sig=(?P<v>[A-Za-z0-9%/+=]{40,120})"),
    Pattern("aws-presigned", r"X-Amz-Signature=(?P<v>[a-f0-9]{64})"),
    Pattern("gcp-presigned", r"X-Goog-Signature=(?P<v>[a-f0-9]{128,})"),
    Pattern("azure-ad-secret", r"\b[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    Pattern("azure-function-key", r"[?&]code=(?P<v>[A-Za-z0-9_/=-]{50,60})"),
    Pattern("azure-devops-pat", r"\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    Pattern(
        "azure-identifiable",
        r"\b[A-Za-z0-9+/]{33,80}(?:\+ASt|AzSe|\+ACR|ACDb|APIM|AzFu|AIoT)[A-Za-z0-9+/=]{5,12}",
    ),
    Pattern("telegram-bot", r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b"),
    Pattern("discord-bot", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}"),
    Pattern("sendgrid-full", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    Pattern("mailchimp-key", r"\b[a-f0-9]{32}-us[0-9]{1,2}\b"),
    Pattern("mailgun-signing", r"\b[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b"),
    Pattern("airtable-pat", r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    Pattern(
        "hubspot-private",
        r"\bpat-(?:na|eu|ap)[0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b",
        checked=False,
    ),
    Pattern("heroku-key", r"\bHRKU-(?:AA)?[A-Za-z0-9_-]{36,60}"),
    Pattern("harness-token", r"\b[ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}\b"),
    Pattern(
        "launchdarkly-key",
        r"\b(?:sdk|mob|api)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b",
        checked=False,
    ),
    Pattern(
        "langfuse-secret", r"\bsk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b", checked=False
    ),
    Pattern("openai-marked", r"\bsk-[A-Za-z0-9_-]{20,80}T3BlbkFJ[A-Za-z0-9_-]{20,80}"),
    Pattern("secret-key", r"\b[srp]k[-_](?:live|test|prod)[-_][A-Za-z0-9]{16,120}"),
    Pattern("asana-pat", r"\b[12]/[0-9]{14,18}(?:/[0-9]{14,18})?:[a-f0-9]{32}\b"),
    Pattern("flyio-macaroon", r"\bFlyV1 fm[12]_[A-Za-z0-9+/=,_]{80,}"),
    Pattern(
        "bitwarden-access",
        r"\b0\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
        r"\.[A-Za-z0-9+/=]{30,60}:[A-Za-z0-9+/=]{20,30}",
    ),
    Pattern("okta-token", r"\b00[A-Za-z0-9_-]{40}\b"),
    Pattern("yandex-iam", r"\bt1\.[A-Z0-9a-z_-]+={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    Pattern(
        "wireguard-key",
        r"(?i)\b(?:privatekey|presharedkey)\s?=\s?(?P<v>[A-Za-z0-9+/]{43}=)",
        checked=False,
    ),
    Pattern(
        "putty-key", r"(?s)Private-Lines: [0-9]+\r?\n(?P<v>[A-Za-z0-9+/=]{32,64})", checked=False
    ),
    Pattern(
        "shadow-hash", r"(?m)^[a-z_][a-z0-9_-]*:(?P<v>\$(?:1|2[aby]|5|6|7|y|gy)\$[^:\s]{16,}):"
    ),
    Pattern("htpasswd", r"(?m)^[^\s:]{1,64}:(?P<v>\$(?:apr1|2[aby])\$[^:\s]{16,100})$"),
    Pattern("kubeconfig-data", r"client-key-data:\s?(?P<v>[A-Za-z0-9+/=]{64,})", checked=False),
    Pattern("docker-auth", r"\"auth\"\s?:\s?\"(?P<v>[A-Za-z0-9+/=]{12,})\"", checked=False),
    Pattern("gcp-service-key", r"\"private_key_id\"\s?:\s?\"(?P<v>[a-f0-9]{40})\"", checked=False),
    Pattern(
        "ansible-vault", r"(?m)^\$ANSIBLE_VAULT;[^\n]+\n\s{0,20}(?P<v>[0-9]{80})", checked=False
    ),
    Pattern(
        "otp-seed", r"otpauth://[a-z]+/\S*?[?&]secret=(?P<v>[A-Za-z2-7]{16,128})", checked=False
    ),
    Pattern("basic-auth-b64", r"(?i)\bbasic\s(?P<v>[A-Za-z0-9+/]{16,}={0,2})"),
    Pattern(
        "ethereum-key",
        r"(?i)\b(?:private|secret)[_ -]?key[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<v>0x[a-f0-9]{64})\b",
    ),
    Pattern("bitcoin-wif", r"\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b"),
    Pattern("bip32-key", r"\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b"),
    Pattern("nostr-key", r"\bnsec1[a-z0-9]{58}\b"),
)
"""Formats that a pattern of their own describes."""


def _keyed(table: str) -> tuple[Pattern, ...]:
    rows = []
    for line in table.strip().splitlines():
        name, value = line.split()
        words = name.replace("-", "[ _.-]?")
        rows.append(
            Pattern(
                f"{name}-key",
                rf"(?i)\b{words}(?:[ _.-]?[a-z]{{1,12}}){{0,3}}[\"']?"
                rf"\s{{0,3}}(?:=>|:=|=|:)\s{{0,3}}"
                rf"[\"']?(?P<v>{value})(?:[^A-Za-z0-9_-]|$)",
            )
        )
    return tuple(rows)


KEYED: tuple[Pattern, ...] = _keyed(r"""
adobe            [a-f0-9]{32}
algolia          [a-f0-9]{32}
amplitude        [a-f0-9]{32}
appcenter        [a-f0-9]{40}
assemblyai       [a-f0-9]{32}
auth0            [A-Za-z0-9_-]{48,64}
azure-openai     [a-f0-9]{32}
azure-client     [A-Za-z0-9_.~-]{34,44}
bitly            [a-f0-9]{40}
bugsnag          [a-f0-9]{32}
cloudflare       [A-Za-z0-9_-]{37,40}
codecov          [a-f0-9-]{36}
cohere           [A-Za-z0-9]{40}
coveralls        [A-Za-z0-9]{32,40}
datadog          [a-f0-9]{32,40}
deepgram         [a-f0-9]{40}
deepl            [a-f0-9-]{36}(?::fx)?
discourse        [a-f0-9]{64}
etherscan        [A-Z0-9]{34}
fastly           [A-Za-z0-9_-]{32}
firebase         [A-Za-z0-9_-]{39,160}
freshdesk        [A-Za-z0-9]{20}
gitter           [a-f0-9]{40}
giphy            [A-Za-z0-9]{32}
heroku           [a-f0-9]{8}-[a-f0-9-]{27}
honeybadger      [A-Za-z0-9]{20,40}
imgur            [a-f0-9]{40}
intercom         [A-Za-z0-9=_]{60}
jenkins          [a-f0-9]{32,34}
klaviyo          pk_[a-f0-9]{34}
kraken           [A-Za-z0-9/+=]{80,90}
kucoin           [a-f0-9-]{24,36}
lastfm           [a-f0-9]{32}
loggly           [a-f0-9-]{36}
mailjet          [a-f0-9]{32}
messagebird      [A-Za-z0-9]{25}
mistral          [A-Za-z0-9]{32}
mixpanel         [a-f0-9]{32}
moralis          [A-Za-z0-9]{64}
nexmo            [A-Za-z0-9]{16}
openweather      [a-f0-9]{32}
opsgenie         [a-f0-9-]{36}
pagerduty        [A-Za-z0-9+_-]{20}
papertrail       [A-Za-z0-9]{20}
pingdom          [A-Za-z0-9_-]{64}
plaid            [a-f0-9]{30}
pubnub           sec-c-[A-Za-z0-9-]{36,60}
pusher           [a-f0-9]{20}
rapidapi         [A-Za-z0-9]{50}
recaptcha        6L[A-Za-z0-9_-]{38}
rollbar          [a-f0-9]{32}
sauce            [a-f0-9-]{36}
segment          [A-Za-z0-9_-]{32}
snowflake        [A-Za-z0-9_!@#$%^&*-]{12,64}
spotify          [a-f0-9]{32}
splunk           [a-f0-9-]{36}
statuspage       [a-f0-9-]{36}
sumologic        [A-Za-z0-9]{64}
travis           [A-Za-z0-9_-]{20,22}
trello           [a-f0-9]{32,64}
twilio           [a-f0-9]{32}
twitter          [A-Za-z0-9]{35,50}
wakatime         (?:waka_)?[a-f0-9-]{36}
weatherapi       [a-f0-9]{31}
wit              [A-Z0-9]{32}
zendesk          [A-Za-z0-9]{40}
zoom             [A-Za-z0-9_-]{22,64}
""")
"""Formats that only the provider's name beside the value tells apart from any other hash."""
