"""Shapes of credentials that carry their own mark: prefix, alphabet, length (flow.md DLP-1).

Every row states a format its provider publishes or shows in its own documentation: facts, written
down here by hand. `secret_patterns` holds
formats that need more than a prefix, or a name beside the value.
"""

from __future__ import annotations

from dataclasses import dataclass

ALPHABETS = {
    "alnum": "A-Za-z0-9",
    "upper": "A-Z0-9",
    "lower": "a-z0-9",
    "hex": "a-f0-9",
    "url": "A-Za-z0-9_-",
    "b64": "A-Za-z0-9+/=",
    "dot": "A-Za-z0-9_.-",
    "b32": "A-Z2-7",
    "digit": "0-9",
}
"""Alphabet name → RE2 character class."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One format: literal `prefix`, then `low`..`high` characters of `alphabet`.

    `source` says whose published fact it is.
    """

    rule: str
    prefix: str
    alphabet: str
    low: int
    high: int
    source: str = ""


def _rows(table: str) -> tuple[Shape, ...]:
    shapes = []
    for line in table.strip().splitlines():
        rule, prefix, alphabet, lengths, *source = line.split(maxsplit=4)
        low, _, high = lengths.partition("-")
        shapes.append(
            Shape(rule, prefix, alphabet, int(low), int(high or low), source=" ".join(source))
        )
    return tuple(shapes)


SHAPES: tuple[Shape, ...] = _rows("""
1password-service       ops_eyJ             url   200-900  1Password developer docs
1password-secret-key    A3-                 upper 29-40    1Password security design paper
adafruit-io             aio_                alnum 28       Adafruit IO docs
age-identity            AGE-SECRET-KEY-1    upper 58       age file format
aiven-token             aivenv1             b64   120-400  Aiven docs
alchemy-key             alcht_              alnum 30       Alchemy docs
alibaba-id              LTAI                alnum 12-24    Alibaba Cloud RAM docs
anthropic-key           sk-ant-             url   24-160   Anthropic console
anthropic-admin         sk-ant-admin        url   24-160   Anthropic console
apify-token             apify_api_          alnum 30-44    Apify docs
artifactory-key         AKC                 alnum 20-80    JFrog docs
artifactory-ref         cmVmd               alnum 56-70    JFrog docs
atlassian-token         ATATT3              url   60-260   Atlassian docs
atlassian-connect       ATCTT3              url   60-260   Atlassian docs
bitbucket-app           ATBB                alnum 28-40    Bitbucket docs
bitbucket-repo          ATCT                url   60-260   Bitbucket docs
aws-access-key          AKIA                upper 16       AWS IAM identifiers
aws-session-key         ASIA                upper 16       AWS IAM identifiers
aws-bedrock-key         ABSK                b64   80-200   AWS Bedrock docs
aws-session-token       FwoGZXIvYXdz        b64   60-900   AWS STS
aws-session-token-2     IQoJb3JpZ2luX2      b64   60-900   AWS STS
brevo-api               xkeysib-            url   64-90    Brevo docs
brevo-smtp              xsmtpsib-           url   64-90    Brevo docs
buildkite-agent         bkua_               alnum 40       Buildkite docs
cerebras-key            csk-                alnum 40-60    Cerebras docs
circleci-pat            CCIPAT_             url   40-80    CircleCI docs
circleci-project        CCIPRJ_             url   40-80    CircleCI docs
clojars-token           CLOJARS_            lower 60       Clojars docs
cloudflare-origin       v1.0-               hex   24-180   Cloudflare docs
cockroach-key           CCDB1_              url   40-80    CockroachDB Cloud docs
contentful-pat          CFPAT-              url   40-50    Contentful docs
crates-io               cio                 alnum 32       crates.io
databricks-pat          dapi                hex   32       Databricks docs
datastax-astra          AstraCS:            dot   60-110   DataStax docs
digitalocean-pat        dop_v1_             hex   64       DigitalOcean docs
digitalocean-oauth      doo_v1_             hex   64       DigitalOcean docs
digitalocean-refresh    dor_v1_             hex   64       DigitalOcean docs
discord-mfa             mfa.                url   20-90    Discord docs
docker-pat              dckr_pat_           url   27       Docker Hub docs
docker-org              dckr_oat_           url   27-40    Docker Hub docs
doppler-pat             dp.pt.              alnum 40-44    Doppler docs
doppler-service         dp.st.              dot   40-80    Doppler docs
doppler-cli             dp.ct.              alnum 40-44    Doppler docs
doppler-scim            dp.scim.            alnum 40-44    Doppler docs
doppler-audit           dp.audit.           alnum 40-44    Doppler docs
doppler-account         dp.sa.              alnum 40-44    Doppler docs
dropbox-short           sl.                 url   120-160  Dropbox docs
duffel-live             duffel_live_        url   43       Duffel docs
duffel-test             duffel_test_        url   43       Duffel docs
dynatrace-token         dt0c01.             dot   80-100   Dynatrace docs
dynatrace-oauth         dt0s02.             dot   60-100   Dynatrace docs
easypost-live           EZAK                alnum 54       EasyPost docs
easypost-test           EZTK                alnum 54       EasyPost docs
elevenlabs-key          sk_                 hex   48       ElevenLabs docs
facebook-page           EAA                 alnum 80-400   Meta Graph API docs
figma-pat               figd_               url   36-60    Figma docs
figma-plan              figp_               url   36-60    Figma docs
fireworks-key           fw_                 alnum 22-40    Fireworks docs
flutterwave-live        FLWSECK-            alnum 32-40    Flutterwave docs
flutterwave-test        FLWSECK_TEST-       alnum 12-40    Flutterwave docs
flyio-token             fo1_                url   43       Fly.io docs
flyio-macaroon          fm2_                b64   80-900   Fly.io docs
frameio-token           fio-u-              url   64       Frame.io docs
gcp-api-key             AIza                url   35       Google Cloud docs
gcp-oauth-secret        GOCSPX-             url   28       Google Cloud docs
gcp-oauth-access        ya29.               url   30-400   Google identity docs
gcp-refresh             1//0                url   30-120   Google identity docs
github-pat              ghp_                alnum 36       GitHub token formats
github-oauth            gho_                alnum 36       GitHub token formats
github-user             ghu_                alnum 36       GitHub token formats
github-server           ghs_                alnum 36       GitHub token formats
github-refresh          ghr_                alnum 36-76    GitHub token formats
github-fine             github_pat_         url   60-90    GitHub token formats
gitlab-pat              glpat-              url   20-64    GitLab token overview
gitlab-deploy           gldt-               url   20-64    GitLab token overview
gitlab-runner           glrt-               url   20-64    GitLab token overview
gitlab-runner-reg       GR1348941           url   20       GitLab token overview
gitlab-ci-job           glcbt-              url   20-64    GitLab token overview
gitlab-trigger          glptt-              url   20-64    GitLab token overview
gitlab-feed             glft-               url   20-64    GitLab token overview
gitlab-mail             glimt-              url   20-64    GitLab token overview
gitlab-agent            glagent-            url   50-64    GitLab token overview
gitlab-oauth            gloas-              url   64       GitLab token overview
gitlab-scim             glsoat-             url   20-64    GitLab token overview
gitlab-flag             glffct-             url   20-64    GitLab token overview
grafana-service         glsa_               url   41       Grafana docs
grafana-cloud           glc_                b64   32-400   Grafana docs
grafana-api             eyJrIjoi            b64   60-400   Grafana docs
groq-key                gsk_                alnum 48-56    Groq docs
huggingface-user        hf_                 alnum 20-40    Hugging Face docs
huggingface-org         api_org_            alnum 34       Hugging Face docs
infracost-key           ico-                alnum 32       Infracost docs
instagram-token         IGQ                 url   80-300   Meta docs
intra42-secret          s-s4t2ud-           hex   64       42 API docs
ionic-token             ion_                lower 42       Ionic docs
jina-key                jina_               alnum 40-70    Jina docs
langsmith-pat           lsv2_pt_            url   40-50    LangSmith docs
langsmith-service       lsv2_sk_            url   40-50    LangSmith docs
linear-key              lin_api_            alnum 40       Linear docs
linear-oauth            lin_oauth_          alnum 40-64    Linear docs
mailgun-private         key-                hex   32       Mailgun docs
mandrill-key            md-                 alnum 22       Mailchimp Transactional docs
mapbox-secret           sk.eyJ              dot   60-140   Mapbox docs
mapbox-temp             tk.eyJ              dot   60-200   Mapbox docs
mercury-key             secret-token:mercury_  dot  40-90  Mercury docs
mollie-live             live_               alnum 30       Mollie docs
mongodb-atlas-sa        mdb_sa_sk_          url   38-46    MongoDB Atlas docs
neon-key                napi_               alnum 60-70    Neon docs
netlify-pat             nfp_                alnum 36-40    Netlify docs
newrelic-user           NRAK-               upper 27       New Relic docs
newrelic-insert         NRII-               url   32       New Relic docs
newrelic-query          NRIQ-               url   32       New Relic docs
newrelic-browser        NRJS-               hex   19       New Relic docs
newrelic-admin          NRAA-               hex   27       New Relic docs
notion-token            ntn_                alnum 40-50    Notion docs
notion-secret           secret_             alnum 43       Notion docs
npm-token               npm_                alnum 36       npm docs
nuget-key               oy2                 lower 43       NuGet docs
nvidia-key              nvapi-              url   60-70    NVIDIA docs
octopus-key             API-                upper 26       Octopus Deploy docs
okta-ssws               SSWS                url   40-44    Okta docs
onesignal-app           os_v2_app_          lower 90-110   OneSignal docs
onesignal-org           os_v2_org_          lower 90-110   OneSignal docs
openai-project          sk-proj-            url   40-180   OpenAI docs
openai-service          sk-svcacct-         url   40-180   OpenAI docs
openai-admin            sk-admin-           url   40-180   OpenAI docs
openai-legacy           sk-                 alnum 32-64    OpenAI docs
openrouter-key          sk-or-v1-           hex   64       OpenRouter docs
openshift-token         sha256~             url   43       OpenShift docs
paddle-live             pdl_live_apikey_    url   40-60    Paddle docs
paddle-sandbox          pdl_sdbx_apikey_    url   40-60    Paddle docs
paypal-braintree        access_token$       dot   40-80    Braintree docs
perplexity-key          pplx-               alnum 40-60    Perplexity docs
pinecone-key            pcsk_               url   60-80    Pinecone docs
planetscale-password    pscale_pw_          dot   32-64    PlanetScale docs
planetscale-token       pscale_tkn_         dot   32-64    PlanetScale docs
planetscale-oauth       pscale_oauth_       dot   32-64    PlanetScale docs
posthog-personal        phx_                alnum 40-60    PostHog docs
postman-key             PMAK-               url   59       Postman docs
postman-collection      PMAT-               upper 26       Postman docs
prefect-user            pnu_                alnum 36       Prefect docs
prefect-service         pnb_                alnum 36       Prefect docs
pulumi-token            pul-                hex   40       Pulumi docs
pypi-upload             pypi-AgEIcHlwaS5vcmc url  50-1000  PyPI docs
pypi-test-upload        pypi-AgENdGVzdC5weXBp url 50-1000  PyPI docs
ramp-secret             ramp_sec_           alnum 40-60    Ramp docs
razorpay-live           rzp_live_           alnum 14       Razorpay docs
razorpay-test           rzp_test_           alnum 14       Razorpay docs
readme-key              rdme_               lower 60-80    ReadMe docs
render-key              rnd_                alnum 32       Render docs
replicate-token         r8_                 alnum 37       Replicate docs
resend-key              re_                 url   24-40    Resend docs
rubygems-key            rubygems_           hex   48       RubyGems docs
samsara-token           samsara_api_        alnum 30       Samsara docs
scalingo-token          tk-us-              url   48       Scalingo docs
sendgrid-key            SG.                 dot   60-70    SendGrid docs
sentry-org              sntrys_eyJ          b64   80-400   Sentry docs
sentry-user             sntryu_             hex   64       Sentry docs
settlemint-app          sm_aat_             alnum 16       SettleMint docs
settlemint-pat          sm_pat_             alnum 16       SettleMint docs
settlemint-service      sm_sat_             alnum 16       SettleMint docs
shippo-live             shippo_live_        hex   40       Shippo docs
shippo-test             shippo_test_        hex   40       Shippo docs
shopify-admin           shpat_              hex   32       Shopify docs
shopify-custom          shpca_              hex   32       Shopify docs
shopify-private         shppa_              hex   32       Shopify docs
shopify-shared          shpss_              hex   32       Shopify docs
slack-bot               xoxb-               url   24-90    Slack token types
slack-user              xoxp-               url   24-90    Slack token types
slack-workspace         xoxa-               url   24-90    Slack token types
slack-refresh           xoxe-               url   24-200   Slack token types
slack-rotating          xoxe.xoxp-          url   24-220   Slack token types
slack-session           xoxc-               url   24-120   Slack token types
slack-cookie            xoxd-               url   24-200   Slack token types
slack-legacy            xoxs-               url   24-90    Slack token types
slack-app               xapp-               url   24-120   Slack token types
snyk-service            snyk_sat.           dot   20-80    Snyk docs
snyk-user               snyk_uat.           dot   20-80    Snyk docs
sonar-user              squ_                hex   40       SonarQube docs
sonar-global            sqa_                hex   40       SonarQube docs
sonar-project           sqp_                hex   40       SonarQube docs
sourcegraph-token       sgp_                url   40-64    Sourcegraph docs
square-access           EAAA                url   60       Square docs
square-secret           sq0csp-             url   43       Square docs
square-oauth            sq0atp-             url   22       Square docs
stripe-secret           sk_live_            alnum 16-247   Stripe docs
stripe-test             sk_test_            alnum 16-247   Stripe docs
stripe-restricted       rk_live_            alnum 16-247   Stripe docs
stripe-restricted-test  rk_test_            alnum 16-247   Stripe docs
stripe-webhook          whsec_              b64   24-64    Stripe docs
supabase-pat            sbp_                hex   40       Supabase docs
supabase-secret         sb_secret_          url   20-60    Supabase docs
tailscale-auth          tskey-auth-         url   20-70    Tailscale docs
tailscale-api           tskey-api-          url   20-70    Tailscale docs
tailscale-client        tskey-client-       url   20-70    Tailscale docs
tailscale-scim          tskey-scim-         url   20-70    Tailscale docs
tavily-key              tvly-               url   20-50    Tavily docs
together-key            tgp_v1_             url   40-60    Together docs
terraform-vault         hvs.                url   24-200   HashiCorp Vault docs
vault-batch             hvb.                url   100-300  HashiCorp Vault docs
vault-recovery          hvr.                url   24-200   HashiCorp Vault docs
trigger-secret          tr_prod_            alnum 20-30    Trigger.dev docs
twilio-key              SK                  hex   32       Twilio docs
typeform-pat            tfp_                url   40-70    Typeform docs
unkey-root              unkey_              alnum 20-40    Unkey docs
vercel-blob             vercel_blob_rw_     url   30-60    Vercel docs
vercel-cli              vcp_                alnum 24-60    Vercel docs
voyage-key              pa-                 url   40-50    Voyage docs
workos-key              sk_prod_            alnum 30-90    WorkOS docs
xai-key                 xai-                alnum 70-90    xAI docs
yandex-key              AQVN                url   35-38    Yandex Cloud docs
yandex-secret           YC                  url   38       Yandex Cloud docs
zuplo-key               zpka_               url   32-60    Zuplo docs
""")
"""Formats with a mark of their own."""
