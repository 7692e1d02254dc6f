// Package config holds the configuration of a process: one struct, filled from defaults, an optional YAML
// file, and the environment, which takes precedence.
//
// Settings that an administrator changes at run time are in the database instead. Only this package reads
// the environment, and only package app builds parts from settings.
package config

import (
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

// Config is the whole configuration. Create it with [Load] or [Default].
//
// Tags: env is the name after the prefix ASSAY_, yaml the key in the file, doc the sentence in
// docs/configuration. secret marks values that are never shown ("url" shows a URL without its
// credentials). A secret can also be set by a file (ASSAY_…_FILE, or the yaml key with the suffix "File").
type Config struct {
	DataDir       string        `env:"DATA_DIR" yaml:"dataDir" doc:"Folder for the database file, the instance key and caches. It must be on a local disk."`
	DatabaseURL   secret.Secret `env:"DATABASE_URL" yaml:"databaseUrl" secret:"url" doc:"postgres://user:password@host:5432/name?sslmode=verify-full, the form host=… dbname=… user=… password=…, or an SQLite file: one that exists, a new one in an existing folder that ends in .db, .sqlite or .sqlite3, or sqlite: with any other name. Anything else is refused. Empty: assay.db in the data folder."`
	KVURL         secret.Secret `env:"KV_URL" yaml:"kvUrl" secret:"url" doc:"Redis or Valkey for queue and cache: redis:// or rediss:// (TLS) with host[:port]; several hosts, or redis+cluster://, mean a cluster; redis+sentinel://h1,h2/master means Sentinel. Empty: inside the process."`
	Listen        string        `env:"LISTEN" yaml:"listen" doc:"Address of the API, the console and the webhook endpoint."`
	MetricsListen string        `env:"METRICS_LISTEN" yaml:"metricsListen" doc:"Address of /metrics, on a listener of its own. \"off\": none."`
	PublicBaseURL string        `env:"PUBLIC_BASE_URL" yaml:"publicBaseUrl" doc:"Origin under which browsers and code hosts reach the service, such as https://assay.example.com. Empty: derived from the listen address, which suits one machine only."`
	TrustProxyTLS bool          `env:"TRUST_PROXY_TLS" yaml:"trustProxyTls" doc:"A reverse proxy in front ends TLS: allow a public base URL with plain http."`
	TrustedProxy  []string      `env:"TRUSTED_PROXIES" yaml:"trustedProxies" doc:"Networks of the reverse proxies in front, such as 10.0.3.0/24: from them alone X-Forwarded-For is believed, and X-Request-Id taken over. Without it the proxy's address is taken for the client's, in rate limits, logs, sessions, the audit log and links that are limited to networks."`
	Edition       string        `env:"EDITION" yaml:"edition" doc:"self-hosted, hosted or enterprise. In enterprise, model endpoints must be public https."`
	LogLevel      string        `env:"LOG_LEVEL" yaml:"logLevel" doc:"debug, info, warn or error."`
	LogFormat     string        `env:"LOG_FORMAT" yaml:"logFormat" doc:"text or json. Empty: text on a terminal, json elsewhere."`
	InstanceKey   secret.Secret `env:"INSTANCE_KEY" yaml:"instanceKey" secret:"value" doc:"Key that wraps the keys of all stored secrets: 32 random bytes in base 64, or what assay generated. Several, separated by commas or lines: the first, the newest, wraps and marks what is new; the others open and recognise what they made, until assay keys retire says that nothing needs them. Empty: instance.key in the data folder, made at the first start. Without it, stored secrets are lost."`
	Sandbox       string        `env:"SANDBOX" yaml:"sandbox" doc:"preferred or required. Files of pull requests are read in child processes that the kernel keeps from files and networks. With required, a process that reviews does not start where any part of that is missing, and assay doctor (D023) says which; with preferred it reviews with what there is. assay review and assay mcp in a checkout take what there is, whatever this says."`
	DrainTimeout  time.Duration `env:"DRAIN_TIMEOUT" yaml:"drainTimeout" doc:"How long running work may finish after SIGTERM before it is handed back."`

	Jobs      Jobs      `envPrefix:"JOBS_" yaml:"jobs"`
	Lanes     Lanes     `envPrefix:"LANES_" yaml:"lanes"`
	Ingest    Ingest    `envPrefix:"INGEST_" yaml:"ingest"`
	HTTP      HTTP      `envPrefix:"HTTP_" yaml:"http"`
	Gate      Gate      `envPrefix:"GATE_" yaml:"gate"`
	Model     Model     `envPrefix:"MODEL_" yaml:"model"`
	Outbound  Outbound  `envPrefix:"OUTBOUND_" yaml:"outbound"`
	Git       Git       `envPrefix:"GIT_" yaml:"git"`
	Analysers Analysers `envPrefix:"ANALYSERS_" yaml:"analysers"`
	Session   Session   `envPrefix:"SESSION_" yaml:"session"`
	Retention Retention `envPrefix:"RETENTION_" yaml:"retention"`
	SMTP      SMTP      `envPrefix:"SMTP_" yaml:"smtp"`
	Bootstrap Bootstrap `envPrefix:"BOOTSTRAP_" yaml:"bootstrap"`

	origins map[string]origin // by env name; absent means default
	unknown []string          // ASSAY_ variables without a setting
}

// Jobs are the settings of the job queue.
type Jobs struct {
	Lease        time.Duration `env:"LEASE" yaml:"lease" doc:"A job whose worker was silent for this long is given to another."`
	Heartbeat    time.Duration `env:"HEARTBEAT" yaml:"heartbeat" doc:"How often a worker renews its leases; at most a third of the lease."`
	Sweep        time.Duration `env:"SWEEP" yaml:"sweep" doc:"How often expired leases are looked for."`
	Relay        time.Duration `env:"RELAY" yaml:"relay" doc:"How often the relay looks for due jobs when nothing woke it."`
	MaxAttempts  int           `env:"MAX_ATTEMPTS" yaml:"maxAttempts" doc:"Handled failures after which a job becomes a dead letter."`
	CrashLimit   int           `env:"CRASH_LIMIT" yaml:"crashLimit" doc:"Crashes of workers after which a job becomes a dead letter."`
	BackoffFirst time.Duration `env:"BACKOFF_FIRST" yaml:"backoffFirst" doc:"Wait after the first failure; it triples each time, with jitter."`
	BackoffMax   time.Duration `env:"BACKOFF_MAX" yaml:"backoffMax" doc:"Longest wait between two attempts."`
	RecheckAfter time.Duration `env:"RECHECK_AFTER" yaml:"recheckAfter" doc:"How long the criteria of an issue are left alone after an edit before they are judged again, so that several edits are judged once."`
}

// Lanes are the slots of one worker process per lane. A process with 0 slots leaves the lane to others.
type Lanes struct {
	Delivery   int `env:"DELIVERY" yaml:"delivery" doc:"Deliveries processed at once. In this lane and those of publications, messages and sweeps a tenant has at most half of the slots that others leave."`
	Review     int `env:"REVIEW" yaml:"review" doc:"Reviews at once. From two on, a further one runs beside them if its tenant has no other review running. Reviews per minute are about 60 × this number ÷ seconds per review."`
	Publish    int `env:"PUBLISH" yaml:"publish" doc:"Publications at once."`
	Background int `env:"BACKGROUND" yaml:"background" doc:"Messages to notification channels and browsers, answers to commands, and check runs that are opened, at once."`
	DryRun     int `env:"DRY_RUN" yaml:"dryRun" doc:"Dry runs at once; each looks at one pull request at a time. They have slots of their own and never use those of reviews."`
	Sweep      int `env:"SWEEP" yaml:"sweep" doc:"Sweeps for lost heads and synchronisations of connections at once. One tenant has at most two at a time."`
}

// Ingest are the limits of receiving a webhook, up to its answer.
type Ingest struct {
	MaxBody     Bytes         `env:"MAX_BODY" yaml:"maxBody" doc:"Largest webhook; GitHub's limit is 25 MiB."`
	InFlight    Bytes         `env:"IN_FLIGHT" yaml:"inFlight" doc:"Memory for the bodies of all webhooks that are under way, a quarter of it for those of up to 64 KiB: large ones do not keep ordinary ones out. Beyond it the answer is 503 with Retry-After, and lost deliveries are asked for again. At least twice ingest.maxBody. Storing them makes copies beside it for a moment."`
	Budget      time.Duration `env:"BUDGET" yaml:"budget" doc:"Longest wait for the database before a webhook is answered with 503; storing one has 200 ms more for each MiB."`
	GroupBatch  int           `env:"GROUP_BATCH" yaml:"groupBatch" doc:"Most deliveries in one transaction (SQLite)."`
	GroupWindow time.Duration `env:"GROUP_WINDOW" yaml:"groupWindow" doc:"Longest wait for others to join a transaction (SQLite)."`
}

// HTTP are the limits of the API and of requests to code hosts.
type HTTP struct {
	Connections  int           `env:"CONNECTIONS" yaml:"connections" doc:"Connections at once on the listener of the API. Beyond it 64 more are served, and a newer one replaces the oldest, so that checks of health are answered."`
	PerAddress   int           `env:"CONNECTIONS_PER_ADDRESS" yaml:"connectionsPerAddress" doc:"Connections of one network address (of IPv6, of one /64) at once, and requests under way of one client. The proxies of trustedProxies may have any number of connections: there the clients that they name are counted."`
	Timeout      time.Duration `env:"TIMEOUT" yaml:"timeout" doc:"Longest handling of an API request."`
	MaxBody      Bytes         `env:"MAX_BODY" yaml:"maxBody" doc:"Largest body of an API request."`
	WriteTimeout time.Duration `env:"WRITE_TIMEOUT" yaml:"writeTimeout" doc:"Deadline of one request to a code host, counted from when the rate gate let it through; below the leases of jobs and gate."`
}

// Gate is the shared rate limit towards a code host.
type Gate struct {
	CapMinute       int           `env:"CAP_MINUTE" yaml:"capMinute" doc:"Writes per minute and installation on GitHub (which allows 80, shared with people)."`
	CapHour         int           `env:"CAP_HOUR" yaml:"capHour" doc:"Writes per hour and installation on GitHub (which allows 500)."`
	GitLabCapMinute int           `env:"GITLAB_CAP_MINUTE" yaml:"gitLabCapMinute" doc:"Writes per minute and connection on GitLab (which allows 300). GitLab has no bound by hour."`
	GiteaCapMinute  int           `env:"GITEA_CAP_MINUTE" yaml:"giteaCapMinute" doc:"Writes per minute and connection on Gitea and Forgejo, which document no bound."`
	Lease           time.Duration `env:"LEASE" yaml:"lease" doc:"Lease of the gate's slot; longer than the deadline of a request."`
	ReadSlots       int           `env:"READ_SLOTS" yaml:"readSlots" doc:"Reads at once and installation, beside the one slot of writes. 0 is strict: one request at a time, which alone guarantees that none is sent during a block."`
	// Quarantine defaults to the least wait that GitHub documents after a rate limit.
	Quarantine time.Duration `env:"QUARANTINE" yaml:"quarantine" doc:"How long an installation waits after a process died while it held the slot: it may have seen a limit. GitHub documents one minute as the least wait."`
}

// Model are the time limits, size limits and concurrency of model calls.
type Model struct {
	Window         time.Duration `env:"WINDOW" yaml:"window" doc:"How long a review waits for a model that is down, before only deterministic checks are published."`
	AttemptTimeout time.Duration `env:"ATTEMPT_TIMEOUT" yaml:"attemptTimeout" doc:"Longest single call of a model; twice that with the reasoning effort high, three times with xhigh and max."`
	IdleTimeout    time.Duration `env:"IDLE_TIMEOUT" yaml:"idleTimeout" doc:"Longest silence within an answer of a model."`
	MaxResponse    Bytes         `env:"MAX_RESPONSE" yaml:"maxResponse" doc:"Largest answer of a model."`
	Concurrency    int           `env:"CONCURRENCY" yaml:"concurrency" doc:"Calls at once per credential and process."`
}

// Outbound are the connections that the operator allows in addition to public https.
type Outbound struct {
	AirGap   AirGap        `envPrefix:"AIR_GAP_" yaml:"airGap"`
	ProxyURL secret.Secret `env:"PROXY_URL" yaml:"proxyUrl" secret:"url" doc:"Egress proxy (http:// or https://). The usual proxy variables of the environment are ignored. Hosts named in the air-gap settings are reached directly."`
	CAFile   string        `env:"CA_FILE" yaml:"caFile" doc:"PEM file with certificate authorities to trust besides the system's. Each of its certificates must be readable."`
	NAT64    []string      `env:"NAT64" yaml:"nat64" doc:"Translation prefixes (/96) of an IPv6-only network, such as 64:ff9b::/96."`
}

// AirGap names the hosts in a private network that the service may reach.
type AirGap struct {
	AllowHTTP    bool     `env:"ALLOW_HTTP" yaml:"allowHttp" doc:"Allow plain http to the hosts and networks named here."`
	AllowedHosts []string `env:"ALLOWED_HOSTS" yaml:"allowedHosts" doc:"Hosts that may have private addresses: name (ports 443 and 80) or name:port."`
	AllowedCIDRs []string `env:"ALLOWED_CIDRS" yaml:"allowedCidrs" doc:"Networks that may be reached on every port, such as 10.20.0.0/16."`
}

// Git are the settings for fetching source code.
type Git struct {
	Path     string        `env:"PATH" yaml:"path" doc:"The git program."`
	CacheDir string        `env:"CACHE_DIR" yaml:"cacheDir" doc:"Folder of object caches; it may be emptied at any time. Empty: git in the data folder."`
	MaxCache Bytes         `env:"MAX_CACHE" yaml:"maxCache" doc:"Size of all caches together; the least recently used go first."`
	MaxRepo  Bytes         `env:"MAX_REPO" yaml:"maxRepo" doc:"Largest fetch of one repository; beyond it the host's contents API is used."`
	Timeout  time.Duration `env:"TIMEOUT" yaml:"timeout" doc:"Longest run of one git command."`
}

// Analysers are the programs that look for faults in changed files. Package analysers reads the entries.
type Analysers struct {
	Programs    []string `env:"PROGRAMS" yaml:"programs" doc:"Analysers, each as profile=path; docs/analysers.md lists the profiles."`
	Definitions string   `env:"DEFINITIONS" yaml:"definitions" doc:"YAML file with further analysers; docs/analysers.md describes its fields."`
}

// Session is how long people stay signed in.
type Session struct {
	Idle     time.Duration `env:"IDLE" yaml:"idle" doc:"A session ends after so long without a request."`
	Absolute time.Duration `env:"ABSOLUTE" yaml:"absolute" doc:"A session ends after so long in any case."`
}

// Retention is how long rows are kept, in days; 0 keeps them.
type Retention struct {
	DeliveryBodiesDays int `env:"DELIVERY_BODIES_DAYS" yaml:"deliveryBodiesDays" doc:"Bodies of webhooks. Their ids stay at least 30 days, because they are the defence against replay. 0 keeps them."`
	RunsDays           int `env:"RUNS_DAYS" yaml:"runsDays" doc:"Review and triage runs of closed pull requests, with their findings, and dry runs. 0 keeps them."`
	AuditBodiesDays    int `env:"AUDIT_BODIES_DAYS" yaml:"auditBodiesDays" doc:"Erasable bodies of audit entries; the entries stay. 0 keeps them."`
}

// SMTP is the mail server for notification channels of kind email.
type SMTP struct {
	Host     string        `env:"HOST" yaml:"host" doc:"Mail server that takes messages for notification channels of kind email. Empty: no email is sent."`
	Port     int           `env:"PORT" yaml:"port" doc:"Port of the mail server."`
	Username string        `env:"USERNAME" yaml:"username" doc:"Name to sign in with. Empty: without signing in."`
	Password secret.Secret `env:"PASSWORD" yaml:"password" secret:"value" doc:"Password to sign in with."`
	From     string        `env:"FROM" yaml:"from" doc:"Address of the sender, such as assay@example.com."`
	TLS      string        `env:"TLS" yaml:"tls" doc:"starttls (required, not only tried), implicit (port 465), or none."`
}

// Bootstrap fills an empty database at start without a person at the console. A value that is new or
// changed since the last start is applied.
type Bootstrap struct {
	Tenant     string              `env:"TENANT" yaml:"tenant" doc:"Short name of the first tenant (a-z, 0-9, -). Empty: no bootstrap."`
	TenantName string              `env:"TENANT_NAME" yaml:"tenantName" doc:"Name of the first tenant as people see it."`
	Admin      string              `env:"ADMIN" yaml:"admin" doc:"Display name of the first admin, who signs in with a one-time link."`
	GitHub     BootstrapGitHub     `envPrefix:"GITHUB_" yaml:"github"`
	Connection BootstrapConnection `envPrefix:"CONNECTION_" yaml:"connection"`
	Model      BootstrapModel      `envPrefix:"MODEL_" yaml:"model"`
}

// BootstrapGitHub is the GitHub app of a bootstrap.
type BootstrapGitHub struct {
	BaseURL       string        `env:"BASE_URL" yaml:"baseUrl" doc:"https://github.com or the address of a GitHub Enterprise Server."`
	AppID         int64         `env:"APP_ID" yaml:"appId" doc:"Number of the app. 0: no app."`
	Slug          string        `env:"SLUG" yaml:"slug" doc:"Short name of the app."`
	Owner         []string      `env:"OWNER" yaml:"owner" doc:"Accounts whose installations belong to the first tenant."`
	ClientID      string        `env:"CLIENT_ID" yaml:"clientId" doc:"Client id, for signing in with GitHub."`
	ClientSecret  secret.Secret `env:"CLIENT_SECRET" yaml:"clientSecret" secret:"value" doc:"Client secret, for signing in with GitHub."`
	PrivateKey    secret.Secret `env:"PRIVATE_KEY" yaml:"privateKey" secret:"value" doc:"Private key of the app (RSA, PEM). One line with \\n, base64 of the file, quotation marks, other line ends and a byte order mark are read, too."`
	WebhookSecret secret.Secret `env:"WEBHOOK_SECRET" yaml:"webhookSecret" secret:"value" doc:"Secret that signs the app's webhooks."`
}

// BootstrapConnection is the first tenant's connection to a code host without apps. Its bounds and forms
// are those of the API.
type BootstrapConnection struct {
	Kind             string        `env:"KIND" yaml:"kind" doc:"gitlab, bitbucket-cloud or -dc, gitea, forgejo or azure-devops. Empty: none."`
	Name             string        `env:"NAME" yaml:"name" doc:"Name of the connection as people see it. Empty: that of the host's software."`
	BaseURL          string        `env:"BASE_URL" yaml:"baseUrl" doc:"Address of the host, such as https://gitea.example.com or https://bitbucket.org. A private one must be named in the air-gap settings."`
	Owner            string        `env:"OWNER" yaml:"owner" doc:"User, organisation or workspace whose repositories are reviewed."`
	Username         string        `env:"USERNAME" yaml:"username" doc:"Bitbucket Cloud: email of an API token, or key of a consumer."`
	Token            secret.Secret `env:"TOKEN" yaml:"token" secret:"value" doc:"Access token of the account that reviews; docs/hosts/ says what it must be allowed."`
	Repositories     []string      `env:"REPOSITORIES" yaml:"repositories" doc:"all, or the names of repositories of the owner."`
	RegisterWebhooks bool          `env:"REGISTER_WEBHOOKS" yaml:"registerWebhooks" doc:"Register the webhook of each repository at the host, where the token allows it."`
}

// EveryRepository is the word in BootstrapConnection.Repositories that selects all repositories.
const EveryRepository = "all"

// BootstrapModel is the model of a bootstrap.
type BootstrapModel struct {
	Kind     string        `env:"KIND" yaml:"kind" doc:"openai, anthropic, mistral, azure, bedrock or compatible. Empty: no model."`
	BaseURL  string        `env:"BASE_URL" yaml:"baseUrl" doc:"Address of a compatible endpoint, with its version (…/v1)."`
	APIKey   secret.Secret `env:"API_KEY" yaml:"apiKey" secret:"value" doc:"Key of the provider."`
	Fast     string        `env:"FAST" yaml:"fast" doc:"Model of the fast tier. Empty: as standard."`
	Standard string        `env:"STANDARD" yaml:"standard" doc:"Model of the standard tier."`
	Strong   string        `env:"STRONG" yaml:"strong" doc:"Model of the strong tier. Empty: as standard."`
}
