"""Every validation row of gateway.md §2 and flow.md §2.3–2.4: file, line, column, path and fix."""

import pytest

from tripwire.config.load import load_policy
from tripwire.config.presets import policy_from_mapping
from tripwire.errors import PolicyErrors
from tripwire.model.label import Label, Trust, WriteClass
from tripwire.model.policy import Condition
from tripwire.model.verdict import Action

SERVER = "upstreams:\n  - {name: pay, command: [pay]}\n"
NAME = "{tool: pay__send}"


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-user-config"))

    def load(text):
        (tmp_path / "tripwire.yaml").write_text(text, "utf-8")
        return load_policy(tmp_path / "tripwire.yaml")

    return load


@pytest.fixture
def faults(load):
    def faults(text):
        with pytest.raises(PolicyErrors) as caught:
            load(text)
        return str(caught.value).splitlines()

    return faults


ROWS = [
    # ── top level ──
    ("rulez: []", '1:1: rulez: unknown key; did you mean "rules"?'),
    ("a: 1\nsensitve: 2", "2:1: sensitve: unknown key"),
    ("- a", "1:1: must be a mapping, not a list; write `key: value` lines"),
    ("upstreams: []", "1:12: upstreams: must hold at least one upstream; add one, or remove the key"),
    ("upstreams: {}", "1:12: upstreams: must be a list, not a mapping"),
    ("defaults: {on_unmatched: deny}", "1:26: defaults.on_unmatched: must be one of pass, block"),
    ("defaults: {audit: none}", "1:19: defaults.audit: must be one of all, decisions"),
    ("transport: http", "1:12: transport: not available yet in this version (serving HTTP)"),
    ("transport: {type: http}", "1:12: transport: not available yet in this version (serving HTTP)"),
    ("transport: tcp", "1:12: transport: must be stdio"),
    ("store: postgresql://db/x", "1:8: store: not available yet in this version (the PostgreSQL store)"),
    ("store: redis", "1:8: store: must be file"),
    ("pins: {mode: never}", "1:14: pins.mode: must be one of enforce, warn"),
    ("say: {}", "1:1: say: not available yet in this version"),
    ("intent: {source: [mail]}", "1:19: intent.source[0]: must be one of hook, library, declared"),
    ("intent: {on_change: ask}", "1:21: intent.on_change: must be one of flag, hold, block"),
    ("approvals: {channels: []}", "1:23: approvals.channels: must not be empty"),
    ("approvals: {max_ttl: 1y}", '1:22: approvals.max_ttl: must be a duration, not "1y"; write it like'),
    ("approvals: {timeout_ms: 0}", "1:25: approvals.timeout_ms: must be between 1 and 86400000, not 0"),
    ("audit: {anchors: [{type: file}]}", "1:19: audit.anchors[0]: needs `target`"),
    ("audit: {anchors: [{target: x}]}", "1:19: audit.anchors[0]: needs `type`"),
    (
        "audit: {anchors: [{type: http, target: x}]}",
        "1:40: audit.anchors[0].target: must begin with http:// or https://",
    ),
    ("audit: {checkpoint_every: 0}", "1:27: audit.checkpoint_every: must be between"),
    ("verifiers: {a: {provider: openai}}", '1:27: verifiers.a.provider: "openai" is not available yet'),
    ("verifiers: {a: {provider: oflin}}", "1:27: verifiers.a.provider: must be one of offline"),
    ("verifiers: {a: {}}", "1:16: verifiers.a: needs `provider`"),
    ("limits: {depth: 1}", "1:17: limits.depth: must be between 4 and 10000, not 1"),
    ("limits: {depth: yes}", '1:17: limits.depth: must be a whole number, not "yes"'),
    ("telemetry: {export: []}", "1:13: telemetry.export: not available yet in this version"),
    ("redact: [{'a*': body}]", '1:17: redact[0].a*: "body" is no JSON path; begin it with `$.`'),
    ("redact: [{'@(a': $.a}]", "1:11: redact[0].@(a: "),
    # ── upstreams ──
    ("upstreams:\n  - {command: [a]}", "2:5: upstreams[0]: an upstream needs a name; add `name: …`"),
    ("upstreams:\n  - {name: a_b, command: [a]}", '2:12: upstreams[0].name: "a_b" is no upstream name'),
    ("upstreams:\n  - {name: TripWire, command: [a]}", '2:12: upstreams[0].name: "tripwire" is Tripwire\'s own'),
    (
        "upstreams:\n  - {name: a, command: [a]}\n  - {name: A, command: [b]}",
        "3:5: upstreams[1]: its name is taken by upstreams[0]",
    ),
    ("upstreams:\n  - {name: a}", "2:5: upstreams[0]: needs `command`"),
    ("upstreams:\n  - {name: a, url: 'https://x'}", "2:15: upstreams[0].url: not available yet in this version (HTTP upstreams)"),
    ("upstreams:\n  - {name: a, url: 'https://x', command: [b]}", "2:5: upstreams[0]: `command` and `url` exclude each other"),
    ("upstreams:\n  - {name: a, command: []}", "2:24: upstreams[0].command: must not be empty"),
    ("upstreams:\n  - {name: a, command: \"x 'y\"}", "2:24: upstreams[0].command: cannot be split: no closing quotation"),
    ("upstreams:\n  - {name: a, command: [x], args: [y]}", "2:35: upstreams[0].args: `args` goes with a command written as text"),
    ("upstreams:\n  - {name: a, command: x, args: [y], argv: [z]}", "2:44: upstreams[0].argv: `args` and `argv` are the same"),
    ("upstreams:\n  - {name: a, command: [x], env: {A: 8080}}", "2:38: upstreams[0].env.A: must be text, not a number; put it in quotes"),
    ("upstreams:\n  - {name: a, command: [x], trust: platform}", '2:36: upstreams[0].trust: must be one of trusted, member, untrusted, not "platform"; did you mean "trusted"?'),
    ("upstreams:\n  - {name: a, command: [x], trsut: member}", '2:29: upstreams[0].trsut: unknown key; did you mean "trust"?'),
    ("upstreams:\n  - {name: a, command: [x], locale: 1}", "2:37: upstreams[0].locale: must be text"),
    ("upstreams:\n  - {name: a, command: [x], locale: german}", '2:37: upstreams[0].locale: "german" is no locale'),
    ("upstreams:\n  - {name: a, command: [x], prefix: no}", '2:37: upstreams[0].prefix: must be true or false, not "no"; write true or false'),
    ("upstreams:\n  - {name: a, command: [x], tools: {allow: ['@(a']}}", "2:45: upstreams[0].tools.allow[0]: "),
    ("upstreams:\n  - {name: a, command: [x], tool_options: {t: {efect: read}}}", '2:48: upstreams[0].tool_options.t.efect: unknown key; did you mean "effect"?'),
    ("upstreams:\n  - {name: a, command: [x], tool_options: {t: {trusted_fields: [notes]}}}", '2:65: upstreams[0].tool_options.t.trusted_fields[0]: "notes" is no JSON path'),
    # ── rules ──
    (f"{SERVER}rules:\n  - {{verify: {{always: hold}}}}", "4:5: rules[0]: a rule needs `match`"),
    (f"{SERVER}rules:\n  - {{match: {{}}, verify: {{always: hold}}}}", "4:13: rules[0].match: an empty match"),
    (f"{SERVER}rules:\n  - match: {NAME}", "4:5: rules[0]: this rule has no effect"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitve_params: {{a: b}}", '5:5: rules[0].sensitve_params: unknown key; did you mean "sensitive_params"?'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{}}", "5:23: rules[0].sensitive_params: must not be empty"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{to: trusted}}", "5:28: rules[0].sensitive_params.to: must be a mapping, not text; write {provenance: trusted}"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{to: {{role: id}}}}", "5:28: rules[0].sensitive_params.to: needs `provenance`"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{'a[': {{provenance: any}}}}", '5:24: rules[0].sensitive_params.a[: "a[" is no parameter path'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{to: {{provenance: member}}}}", "5:41: rules[0].sensitive_params.to.provenance: must be one of trusted, any"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{to: {{provenance: any, currency: euro}}}}", '5:56: rules[0].sensitive_params.to.currency: "euro" is neither a currency code nor a path'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{to: {{provenance: any}}}}\n    verify: {{tiers: [receipts]}}", "6:21: rules[0].verify.tiers: `sensitive_params` need the tier provenance"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [consensus]}}", "5:21: rules[0].verify.tiers: the tier consensus needs a panel"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [], always: hold}}", "5:21: rules[0].verify.tiers: must not be empty"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [consensus], panel: []}}", "5:41: rules[0].verify.panel: must not be empty"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [consensus], panel: [anthropic/x]}}", '5:42: rules[0].verify.panel[0]: "anthropic/x" is not available yet in this version'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [consensus], panel: [ofline]}}", '5:42: rules[0].verify.panel[0]: no verifier is named "ofline"; did you mean "offline"?'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{tiers: [consensus], panel: [offline, offline]}}", '5:51: rules[0].verify.panel[1]: "offline" stands twice'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{always: hold, panel: [offline]}}", "5:35: rules[0].verify.panel: a panel does nothing without the tier consensus"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    verify: {{always: hold, checks: []}}", "5:36: rules[0].verify.checks: must not be empty"),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{total: {{provenance: any, role: amount}}}}\n    verify: {{fail_mode: open}}", '6:25: rules[0].verify.fail_mode: open is not allowed where "total"'),
    (f"{SERVER}rules:\n  - match: {NAME}\n    sensitive_params: {{recipient: {{provenance: any}}}}\n    verify: {{fail_mode: open}}", '6:25: rules[0].verify.fail_mode: open is not allowed where "recipient"'),
    (f"{SERVER}rules:\n  - match: {{upstream: pya}}\n    verify: {{always: hold}}", '4:23: rules[0].match.upstream: no upstream is named "pya"; did you mean "pay"?'),
    (f"{SERVER}rules:\n  - match: {{annotation: {{readonlyHint: true}}}}\n    verify: {{always: hold}}", '4:26: rules[0].match.annotation.readonlyHint: unknown annotation; did you mean "readOnlyHint"?'),
    (f"{SERVER}rules:\n  - match: {{tool: '{{a'}}\n    verify: {{always: maybe}}", "5:22: rules[0].verify.always: must be one of none, hold, block"),
    (f"{SERVER}rules:\n  - {{id: x, match: {NAME}, verify: {{always: hold}}}}\n  - {{id: x, match: {{tool: b}}, verify: {{always: hold}}}}", "5:5: rules[1]: its id is taken by rules[0]"),
    (f"{SERVER}rules:\n  - {{match: {{tool: 'pay__*'}}, verify: {{always: hold}}}}\n  - {{match: {NAME}, verify: {{always: block}}}}", '5:5: rules[1]: never reached: rule "rule-1" (tripwire.yaml:4) takes all its calls'),
    (f"{SERVER}rules:\n  - {{match: {{upstream: pay}}, verify: {{always: hold}}}}\n  - {{match: {NAME}, verify: {{always: block}}}}", "5:5: rules[1]: never reached"),
    (f"{SERVER}rules:\n  - {{match: {{tool: 'pay__*'}}, verify: {{always: hold}}}}\n  - {{match: {{upstream: pay}}, verify: {{always: block}}}}", "5:5: rules[1]: never reached"),
    # ── flow ──
    ("flow: {mode: enforc}", '1:14: flow.mode: must be one of enforce, monitor, not "enforc"; did you mean "enforce"?'),
    ("flow: {policies: {}}", "1:18: flow.policies: names no policy"),
    ("flow: {policies: {x: {}}}", "1:22: flow.policies.x: has no roles, so it would pass everything"),
    ("flow: {policies: {x: {tools: {}}}}", "1:22: flow.policies.x: has no roles"),
    ("flow: {policies: {x: gti}}", '1:22: flow.policies.x: no preset is named "gti"; did you mean "git"?'),
    ("flow: {policies: {x: flow}}", '1:22: flow.policies.x: no preset is named "flow"'),
    ("flow: {policies: {x: ./none.yaml}}", "1:22: flow.policies.x: no such file: "),
    ("flow: {policies: {x: {t: {}}}}", "1:26: flow.policies.x.t: says nothing"),
    ("flow: {policies: {x: {t: []}}}", "1:26: flow.policies.x.t: must not be empty"),
    ("flow: {policies: {x: {t: {reads: [privat]}}}}", '1:35: flow.policies.x.t.reads[0]: must be one of untrusted, private, secret, injection, not "privat"; did you mean "private"?'),
    ("flow: {policies: {x: {t: {writes: [outside]}}}}", "1:36: flow.policies.x.t.writes[0]: must be one of public, external"),
    ("flow: {policies: {x: {t: {harmless: true, writes: [local]}}}}", "1:26: flow.policies.x.t: harmless excludes reads, writes"),
    ("flow: {policies: {x: {t: {writes: [local], destinatoin: a}}}}", '1:44: flow.policies.x.t.destinatoin: unknown key; did you mean "destination"?'),
    ("flow: {policies: {x: {t: {writes: [external], carries_data: true}}}}", "1:26: flow.policies.x.t: carries_data needs a destination"),
    ("flow: {policies: {x: {t: {reads: private, source: trusted}}}}", "1:51: flow.policies.x.t.source: must be one of platform, member, world"),
    ("flow: {policies: {x: {t: {reads: private, when: {a: '@(a'}}}}}", "1:53: flow.policies.x.t.when.a: "),
    ("flow: {policies: {x: {t: {reads: private, fields: {a: free}}}}}", "1:55: flow.policies.x.t.fields.a: must be one of contact, platform, id, text"),
    ("flow: {rules: []}", "1:15: flow.rules: an empty table would pass everything"),
    ("flow: {rules: [{classes: [public], action: ASK}]}", "1:16: flow.rules[0]: a row needs `id`"),
    ("flow: {rules: [{id: act/x, action: ASK}]}", "1:16: flow.rules[0]: a row needs `classes`"),
    ("flow: {rules: [{id: act/x, classes: [public]}]}", "1:16: flow.rules[0]: a row needs `action`"),
    ("flow: {rules: [{id: act/x, classes: [], action: ASK}]}", "1:37: flow.rules[0].classes: must not be empty"),
    ("flow: {+rules: [{id: mine, classes: [public], action: ASK}]}", '1:22: flow.+rules[0].id: "mine" is no rule id'),
    ("flow: {+rules: [{id: act/x, classes: [public], action: ALLOW}]}", "1:56: flow.+rules[0].action: must be one of INFORM, VERIFY, ASK, BLOCK"),
    ("flow: {trusted_urls: ['*']}", '1:23: flow.trusted_urls[0]: "*" would match every host'),
    ("flow: {trusted_urls: ['https://*/x']}", "1:23: flow.trusted_urls[0]: "),
    ("flow: {internal_hosts: ['*.*']}", "1:25: flow.internal_hosts[0]: "),
    ("flow: {secret_paths: ['!(a)']}", "1:23: flow.secret_paths[0]: "),
    ("flow: {secret_paths: {a: b}}", "1:22: flow.secret_paths: must be a list, not a mapping"),
    ("flow: {own_state_paths: ['!**']}", "1:26: flow.own_state_paths[0]: Tripwire's own files are never taken out"),
    ("flow: {strict_links: on}", '1:22: flow.strict_links: must be true or false, not "on"'),
    ("flow: {level: lax}", '1:15: flow.level: must be one of default, cautious, strict, not "lax"'),
    ("flow: {hiding: on}", '1:16: flow.hiding: "on" is not available yet in this version'),
    ("flow: {purpose: lexicon.txt}", "1:17: flow.purpose: must be on or off"),
    ("flow: {remember: project}", '1:18: flow.remember: "project" is not available yet in this version'),
    ("flow: {labels: {x: y}}", "1:8: flow.labels: not available yet in this version"),
    ("flow: {approval_ttl: 91d}", "1:22: flow.approval_ttl: must be more than 0 and at most 90d"),
    ("flow: {ask_fallback: allow}", '1:22: flow.ask_fallback: must be one of block, unsafe_allow, not "allow"; if you mean it, write unsafe_allow'),
    ("flow: {deadline_ms: 10000}", "1:21: flow.deadline_ms: must be between 100 and 9999"),
    ("flow: {dlp: {depth: 5}}", "1:21: flow.dlp.depth: must be between 0 and 4, not 5"),
    ("flow: {dlp: {shape: off}}", '1:14: flow.dlp.shape: unknown key; did you mean "shapes"?'),
    ("flow: {own_domains: ['*']}", '1:22: flow.own_domains[0]: "*" is no mail domain'),
    ("flow: {prompt_pastes: maybe}", "1:23: flow.prompt_pastes: must be one of trusted, untrusted"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[1][:50] for row in ROWS])
def test_a_wrong_key_or_value_is_named_with_its_place(faults, text, expected):
    found = faults(text)
    assert any(line.startswith(f"tripwire.yaml:{expected}") for line in found), found


def test_all_faults_are_reported_at_once_in_file_order(faults):
    found = faults("rulez: 1\nlimits: {depth: 1}\nflow: {mode: x, dlp: {depth: 9}}\n")
    assert [line.split(": ")[1] for line in found] == [
        "rulez",
        "limits.depth",
        "flow.mode",
        "flow.dlp.depth",
    ]


def test_the_specs_example_loads(load):
    policy = load(
        """
upstreams:
  - {name: vendors, command: [python, vendors.py], trust: trusted,
     tool_options: {get_vendor: {untrusted_fields: ["$.notes"], effect: read}}}
  - {name: payments, command: payments-mcp, args: [--live], trust: trusted, timeout_ms: 20000}
rules:
  - id: pay
    match: {tool: "payments__send_*"}
    sensitive_params:
      recipient: {provenance: trusted, role: destination}
      amount: {provenance: any, role: amount, currency: $.currency}
    verify: {tiers: [provenance, consensus], require_intent: true, panel: [offline], quorum: unanimous, on_fail: hold}
"""
    )
    vendors, payments = policy.upstreams
    assert vendors.trust is Trust.PLATFORM
    assert vendors.tool_options["get_vendor"].untrusted_fields == ("$.notes",)
    assert payments.command == ("payments-mcp", "--live")
    assert payments.timeout_ms == 20_000
    (rule,) = policy.call_rules
    assert rule.at == "tripwire.yaml:7"
    assert [(p.path, p.provenance, p.role) for p in rule.sensitive_params] == [
        ("recipient", "trusted", "destination"),
        ("amount", "any", "amount"),
    ]
    assert rule.verify.panel == ("offline",)
    assert (rule.verify.quorum, rule.verify.on_fail) == ("unanimous", "hold")


def test_a_command_as_text_is_split_like_a_shell_does(load):
    policy = load(
        "upstreams:\n  - {name: a, command: \"python -m 'my server'\", args: ['x y', '']}"
    )
    assert policy.upstreams[0].command == ("python", "-m", "my server", "x y", "")


def test_relative_paths_start_at_the_file(load, tmp_path):
    policy = load(
        "upstreams:\n  - {name: a, command: [./bin/serve], cwd: data}\nstate_dir: s\nkeys_dir: beside\n"
    )
    assert policy.upstreams[0].command == (f"{tmp_path}/bin/serve",)
    assert policy.upstreams[0].cwd == f"{tmp_path}/data"
    assert policy.state_dir == f"{tmp_path}/s"
    assert policy.keys_dir == "beside"


def test_a_server_starts_in_the_files_directory_unless_told(load, tmp_path):
    assert load(SERVER).upstreams[0].cwd == str(tmp_path)


def test_a_rule_without_guards_is_an_exception_where_unmatched_calls_are_blocked(load):
    policy = load(f"{SERVER}defaults: {{on_unmatched: block}}\nrules:\n  - match: {NAME}\n")
    assert policy.on_unmatched == "block"
    assert policy.call_rules[0].tool == "pay__send"


def test_a_narrower_rule_before_a_wider_one_is_fine(load):
    policy = load(
        f"{SERVER}rules:\n  - {{match: {NAME}, verify: {{always: block}}}}\n"
        "  - {match: {tool: 'pay__*'}, verify: {always: hold}}\n"
        "  - {match: {annotation: {destructiveHint: true}}, verify: {always: hold}}\n"
    )
    assert len(policy.call_rules) == 3


def test_an_annotation_that_the_earlier_rule_needs_does_not_shadow(load):
    policy = load(
        f"{SERVER}rules:\n  - {{match: {{tool: 'pay__*', annotation: {{readOnlyHint: true}}}}, verify: {{always: hold}}}}\n"
        f"  - {{match: {NAME}, verify: {{always: block}}}}\n"
    )
    assert policy.call_rules[0].annotation == (("readOnlyHint", True),)


def test_roles_become_typed_values_most_specific_first(load):
    policy = load(
        """
flow:
  policies:
    mail:
      "*": {reads: untrusted, writes: unknown}
      send_*: {writes: external, destination: [to, "headers.cc"], payload: body}
      send_mail:
        - {when: {"{to}": ["*@example.com", "*@example.org"]}, writes: internal, destination: to}
        - {writes: external, destination: to, source: member}
"""
    )
    roles = policy.flow.tools["mail"].roles
    assert list(roles) == ["send_mail", "send_*", "*"]
    inside, outside = roles["send_mail"]
    assert inside.when == (Condition("{to}", ("*@example.com", "*@example.org")),)
    assert outside.source is Trust.MEMBER
    assert roles["send_*"][0].destination == ("to", "headers.cc")
    assert roles["*"][0].reads == frozenset({Label.UNTRUSTED})
    assert roles["*"][0].writes == frozenset({WriteClass.UNKNOWN})
    assert "claude-code" in policy.flow.tools


def test_a_preset_may_lie_under_own_roles(load):
    policy = load("flow: {policies: {g: {preset: git, tools: {git_add: {writes: [privileged]}}}}}")
    roles = policy.flow.tools["g"].roles
    assert roles["git_add"][0].writes == frozenset({WriteClass.PRIVILEGED})
    assert "git_status" in roles


def test_a_policy_file_is_read_from_beside_the_configuration(load, tmp_path):
    (tmp_path / "mine.yaml").write_text("tools:\n  t: {reads: [private]}\n")
    before = load("flow: {policies: {x: mine.yaml}}")
    assert before.flow.tools["x"].roles["t"][0].reads == frozenset({Label.PRIVATE})
    (tmp_path / "mine.yaml").write_text("tools:\n  t: {reads: [secret]}\n")
    after = load("flow: {policies: {x: mine.yaml}}")
    assert before.digest != after.digest


def test_a_fault_in_a_policy_file_names_that_file(faults, tmp_path):
    (tmp_path / "mine.yaml").write_text("tools:\n  t: {raeds: [private]}\n")
    (line,) = [one for one in faults("flow: {policies: {x: mine.yaml}}") if "raeds" in one]
    assert line.startswith('mine.yaml:2:7: tools.t.raeds: unknown key; did you mean "reads"?')


def test_rows_are_added_or_replace_the_table(load):
    row = "{id: act/mine, needs: [private], classes: [public], action: BLOCK, skip: [named-code], remedy: no}"
    added, replaced = load(f"flow: {{+rules: [{row}]}}"), load(f"flow: {{rules: [{row}]}}")
    assert len(replaced.flow.rows) == 1
    assert added.flow.rows[-1] == replaced.flow.rows[0]
    assert len(added.flow.rows) > 10
    assert replaced.flow.rows[0].action is Action.BLOCK
    assert replaced.flow.rows[0].at == "tripwire.yaml:1"


def test_path_lists_that_tighten_add_to_the_shipped_ones(load):
    plain, more = load("flow: {}"), load("flow: {secret_paths: ['vault/**', '*.kdbx']}")
    assert set(plain.flow.paths.secret) < set(more.flow.paths.secret)
    assert "**/*.kdbx" in more.flow.paths.secret


def test_a_relative_path_glob_is_anchored_at_the_file(load, tmp_path):
    assert f"{tmp_path}/docs/**" in load("flow: {public_paths: ['docs/**']}").flow.paths.public


def test_an_exception_is_anchored_like_the_rest(load, tmp_path):
    secret = load("flow: {secret_paths: ['!docs/*.pem', '!*.pub']}").flow.paths.secret
    assert secret[-2:] == (f"!{tmp_path}/docs/*.pem", "!**/*.pub")


def test_own_state_holds_state_configuration_and_hook_settings(load, tmp_path, monkeypatch):
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "home"))
    own = load("state_dir: s[1]\nkeys_dir: /k").flow.paths.own_state
    assert f"{tmp_path}/s\\[1\\]/**" in own
    assert "/k/**" in own
    assert f"{tmp_path}/home/**" in own
    assert f"{tmp_path}/tripwire.yaml" in own
    assert f"{tmp_path}/.claude/settings.json" in own


def test_switches_and_durations_become_values(load):
    flow = load(
        "flow: {approval_ttl: 90m, purpose: off, dlp: {shapes: off, depth: 4}, ask_fallback: unsafe_allow}"
    ).flow
    assert flow.approval_ttl == 5400.0
    assert (flow.dlp.shapes, flow.dlp.depth) == (False, 4)
    assert flow.unsafe_allow_unanswered


def test_keys_without_an_effect_yet_are_told_once():
    policy = policy_from_mapping(
        {
            "agent_provider": "anthropic",
            "upstreams": [{"name": "a", "command": "x", "sharing": "process"}],
        }
    )
    told = [n.split(":")[0] for n in policy.notices if n.endswith("accepted, has no effect yet")]
    assert told == [
        "agent_provider",
        "upstreams[0].sharing",
    ]
    assert not policy_from_mapping({}).notices


def test_purpose_has_an_effect_and_is_not_said_to_have_none():
    policy = policy_from_mapping({"flow": {"purpose": "off"}})
    assert policy_from_mapping({}).flow.purpose
    assert not policy.flow.purpose
    assert not policy.notices


def test_read_takes_a_default_for_a_bad_value_and_says_so():
    told = policy_from_mapping({"read": {"repeat": "often", "inject_mod": 1}}).notices
    assert [notice.partition(": ")[0] for notice in told] == ["read.repeat", "read.inject_mod"]
    assert policy_from_mapping({"read": []}).notices == ("read: must be a mapping, not a list",)
    assert not policy_from_mapping({"read": {"repeat": "session"}}).notices
