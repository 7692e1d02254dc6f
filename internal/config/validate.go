package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// Validate returns all defects as [Problems], or nil. It checks only the settings; package doctor checks
// whether the servers answer.
func (c *Config) Validate() error {
	v := &validator{config: c, leaves: map[string]leaf{}}
	for _, l := range leaves() {
		v.leaves[l.name] = l
	}
	v.basics()
	v.network()
	v.figures()
	v.outbound()
	v.smtp()
	v.bootstrap()
	v.secrets()
	if len(v.problems) == 0 {
		return nil
	}
	return v.problems
}

type validator struct {
	config   *Config
	leaves   map[string]leaf
	problems Problems
}

// check adds a problem of the named setting unless ok is true.
func (v *validator) check(ok bool, name, format string, args ...any) {
	if ok {
		return
	}
	l, found := v.leaves[name]
	if !found {
		l.name = name // never reached, because a test walks every call
	}
	v.problems = append(v.problems, l.problem(v.config.origins[l.env].place, fmt.Sprintf(format, args...)))
}

func (v *validator) basics() {
	c := v.config
	v.check(c.DataDir != "", "dataDir", "must name a folder")
	_, err := c.Database()
	v.check(err == nil, "databaseUrl", "%v", err)
	_, err = c.KV()
	v.check(err == nil, "kvUrl", "%v", err)
	v.check(slices.Contains([]string{SelfHosted, Hosted, Enterprise}, c.Edition), "edition", "must be self-hosted, hosted or enterprise")
	v.check(slices.Contains([]string{SandboxPreferred, SandboxRequired}, c.Sandbox), "sandbox", "must be preferred or required")
	_, err = c.Level()
	v.check(err == nil, "logLevel", "must be debug, info, warn or error")
	v.check(slices.Contains([]string{"", "text", "json"}, c.LogFormat), "logFormat", "must be text or json")
	if c.InstanceKey.IsSet() {
		_, err = secret.ParseKeys(c.InstanceKey)
		v.check(err == nil, "instanceKey", "cannot be used: %v", err)
	}
}

// networks checks a list of networks.
func (v *validator) networks(name string, list []string) {
	for i, text := range list {
		p, err := netip.ParsePrefix(text)
		v.check(err == nil && p.Masked() == p, name, "entry %d must be a network such as 10.20.0.0/16, with no bits set behind the mask", i+1)
		v.check(err != nil || p.Bits() > 0, name, "entry %d is the whole internet: name the networks that are meant", i+1)
	}
}

func (v *validator) network() {
	c := v.config
	v.networks("trustedProxies", c.TrustedProxy)
	v.check(validAddress(c.Listen), "listen", "must be host:port, such as 127.0.0.1:8080 or :8080")
	v.check(c.MetricsListen == "" || validAddress(c.MetricsListen), "metricsListen", "must be host:port, or off")
	_, port, _ := net.SplitHostPort(c.Listen)
	v.check(c.MetricsListen == "" || c.MetricsListen != c.Listen || port == "0", "metricsListen", "must differ from the listen address")
	if c.PublicBaseURL == "" {
		return
	}
	u, err := url.Parse(c.PublicBaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		v.check(false, "publicBaseUrl", "must be an origin such as https://assay.example.com, without path, query and user")
		return
	}
	v.check(u.Scheme == "https" || loopback(u.Hostname()) || c.TrustProxyTLS, "publicBaseUrl",
		"must be https: session cookies would travel in the clear. If a reverse proxy ends TLS, use its https address, or set "+
			"ASSAY_TRUST_PROXY_TLS=true")
}

func (v *validator) figures() {
	c := v.config
	// Durations that must be positive or have a bound.
	for _, f := range []struct {
		name     string
		value    time.Duration
		min, max time.Duration
	}{
		{"drainTimeout", c.DrainTimeout, 0, time.Hour},
		{"jobs.lease", c.Jobs.Lease, 100 * time.Millisecond, time.Hour},
		{"jobs.heartbeat", c.Jobs.Heartbeat, 10 * time.Millisecond, time.Hour},
		{"jobs.sweep", c.Jobs.Sweep, 10 * time.Millisecond, time.Hour},
		{"jobs.relay", c.Jobs.Relay, 10 * time.Millisecond, time.Minute},
		{"jobs.backoffFirst", c.Jobs.BackoffFirst, time.Millisecond, time.Hour},
		{"jobs.backoffMax", c.Jobs.BackoffMax, time.Millisecond, 24 * time.Hour},
		{"jobs.recheckAfter", c.Jobs.RecheckAfter, time.Millisecond, time.Hour},
		{"ingest.budget", c.Ingest.Budget, 10 * time.Millisecond, 9 * time.Second}, // GitHub gives up after 10 s
		{"ingest.groupWindow", c.Ingest.GroupWindow, 0, 100 * time.Millisecond},
		{"http.timeout", c.HTTP.Timeout, time.Second, 10 * time.Minute},
		{"http.writeTimeout", c.HTTP.WriteTimeout, 10 * time.Millisecond, time.Minute},
		{"gate.lease", c.Gate.Lease, 20 * time.Millisecond, 10 * time.Minute},
		{"gate.quarantine", c.Gate.Quarantine, 20 * time.Millisecond, time.Hour},
		{"model.window", c.Model.Window, 0, 24 * time.Hour},
		{"model.attemptTimeout", c.Model.AttemptTimeout, 10 * time.Millisecond, time.Hour},
		{"model.idleTimeout", c.Model.IdleTimeout, 10 * time.Millisecond, time.Hour},
		{"git.timeout", c.Git.Timeout, time.Second, time.Hour},
		{"session.idle", c.Session.Idle, time.Minute, 30 * 24 * time.Hour},
		{"session.absolute", c.Session.Absolute, time.Minute, 90 * 24 * time.Hour},
	} {
		between(v, f.name, f.value, f.min, f.max, shortDuration)
	}
	for _, f := range []struct {
		name     string
		value    int
		min, max int
	}{
		{"jobs.maxAttempts", c.Jobs.MaxAttempts, 1, 100}, {"jobs.crashLimit", c.Jobs.CrashLimit, 1, 100},
		{"lanes.delivery", c.Lanes.Delivery, 0, 1024}, {"lanes.review", c.Lanes.Review, 0, 1024},
		{"lanes.publish", c.Lanes.Publish, 0, 1024}, {"lanes.background", c.Lanes.Background, 0, 1024},
		{"lanes.dryRun", c.Lanes.DryRun, 0, 1024}, {"lanes.sweep", c.Lanes.Sweep, 0, 1024},
		{"ingest.groupBatch", c.Ingest.GroupBatch, 1, 10000},
		{"http.connections", c.HTTP.Connections, 16, 1000000}, {"http.connectionsPerAddress", c.HTTP.PerAddress, 4, 1000000},
		{"gate.capMinute", c.Gate.CapMinute, 1, 100000}, {"gate.readSlots", c.Gate.ReadSlots, 0, 32},
		{"gate.capHour", c.Gate.CapHour, 1, 1000000},
		{"gate.gitLabCapMinute", c.Gate.GitLabCapMinute, 1, 100000}, {"gate.giteaCapMinute", c.Gate.GiteaCapMinute, 1, 100000},
		{"model.concurrency", c.Model.Concurrency, 1, 1024},
		{"retention.deliveryBodiesDays", c.Retention.DeliveryBodiesDays, 0, 36500},
		{"retention.runsDays", c.Retention.RunsDays, 0, 36500}, {"retention.auditBodiesDays", c.Retention.AuditBodiesDays, 0, 36500},
	} {
		between(v, f.name, f.value, f.min, f.max, strconv.Itoa)
	}
	for _, f := range []struct {
		name     string
		value    Bytes
		min, max Bytes
	}{
		{"ingest.maxBody", c.Ingest.MaxBody, 1 << 10, 256 << 20}, {"http.maxBody", c.HTTP.MaxBody, 1 << 10, 64 << 20},
		{"ingest.inFlight", c.Ingest.InFlight, 4 << 20, 64 << 30},
		{"model.maxResponse", c.Model.MaxResponse, 64 << 10, 256 << 20},
		{"git.maxCache", c.Git.MaxCache, 1 << 20, 1 << 50}, {"git.maxRepo", c.Git.MaxRepo, 1 << 20, 1 << 50},
	} {
		between(v, f.name, f.value, f.min, f.max, Bytes.String)
	}
	v.check(c.Jobs.Heartbeat*3 <= c.Jobs.Lease, "jobs.heartbeat",
		"must be at most a third of jobs.lease, so that a lease survives two lost heartbeats")
	v.check(c.Ingest.InFlight >= 2*c.Ingest.MaxBody, "ingest.inFlight",
		"must be at least twice ingest.maxBody: else the largest webhook could be refused although nothing else is under way")
	v.check(c.HTTP.PerAddress <= c.HTTP.Connections, "http.connectionsPerAddress", "must not be above http.connections")
	v.check(c.Jobs.BackoffFirst <= c.Jobs.BackoffMax, "jobs.backoffFirst", "must not be above jobs.backoffMax")
	v.check(c.HTTP.WriteTimeout < c.Gate.Lease, "http.writeTimeout",
		"must be below gate.lease: else two workers could use one slot of a code host at once")
	v.check(c.HTTP.WriteTimeout < c.Jobs.Lease, "http.writeTimeout",
		"must be below jobs.lease: else a job could be taken over during a request")
	v.check(c.Session.Idle <= c.Session.Absolute, "session.idle", "must not be above session.absolute")
	v.check(c.Git.Path != "", "git.path", "must name the git program")
}

func between[T cmp.Ordered](v *validator, name string, value, low, high T, text func(T) string) {
	v.check(value >= low && value <= high, name, "must be between %s and %s", text(low), text(high))
}

var hostEntry = regexp.MustCompile(`^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$`)

func (v *validator) outbound() {
	o := v.config.Outbound
	for i, h := range o.AirGap.AllowedHosts {
		m := hostEntry.FindStringSubmatch(h)
		ok := m != nil
		if ok && m[1] != "" {
			port, err := strconv.Atoi(m[1])
			ok = err == nil && port > 0 && port < 65536
		}
		if a, err := netip.ParseAddr(h); err == nil && a.Is6() {
			ok = true
		}
		v.check(ok, "outbound.airGap.allowedHosts", "entry %d must be a host name or address, with or without a port; neither a URL "+
			"nor a pattern", i+1)
	}
	v.networks("outbound.airGap.allowedCidrs", o.AirGap.AllowedCIDRs)
	for i, text := range o.NAT64 {
		p, err := netip.ParsePrefix(text)
		v.check(err == nil && p.Bits() == 96 && p.Addr().Is6() && p.Masked() == p, "outbound.nat64",
			"entry %d must be an IPv6 prefix of length 96", i+1)
	}
	if o.ProxyURL.IsSet() {
		u, err := url.Parse(o.ProxyURL.Reveal())
		v.check(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && (u.Path == "" || u.Path == "/"),
			"outbound.proxyUrl", "must be http://host:port or https://host:port")
	}
	if o.CAFile != "" {
		_, err := o.RootCAs()
		v.check(err == nil, "outbound.caFile", "%v", err)
	}
}

func (v *validator) smtp() {
	c := v.config.SMTP
	if c.Host == "" {
		return
	}
	v.check(hostEntry.MatchString(c.Host) && !strings.Contains(c.Host, ":"), "smtp.host", "must be a host name or address, without a port")
	v.check(c.Port > 0 && c.Port < 65536, "smtp.port", "must be between 1 and 65535")
	a, err := mail.ParseAddress(c.From)
	v.check(err == nil && a.Address == c.From, "smtp.from", "must be the address of the sender, such as assay@example.com, when "+
		"smtp.host is set")
	v.check(slices.Contains([]string{"starttls", "implicit", "none"}, c.TLS), "smtp.tls", "must be starttls, implicit or none")
	v.check((c.Username == "") == !c.Password.IsSet(), "smtp.password", "must be set together with smtp.username")
	v.check(c.Username == "" || c.TLS != "none", "smtp.tls", "must not be none with smtp.username: the password would travel in the clear")
}

var slug = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)

func (v *validator) bootstrap() {
	b := v.config.Bootstrap
	if b.Tenant == "" {
		v.check(b.GitHub.AppID == 0, "bootstrap.tenant", "must be set when bootstrap.github.appId is")
		v.check(b.Connection.Kind == "", "bootstrap.tenant", "must be set when bootstrap.connection.kind is")
		v.check(b.Model.Kind == "", "bootstrap.tenant", "must be set when bootstrap.model.kind is")
		return
	}
	v.check(slug.MatchString(b.Tenant), "bootstrap.tenant", "must be 1 to 40 of a-z, 0-9 and -, with no - at either end")
	if g := b.GitHub; g.AppID != 0 {
		v.check(g.AppID > 0, "bootstrap.github.appId", "must be the number of the app")
		u, err := url.Parse(g.BaseURL)
		v.check(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
			u.User == nil, "bootstrap.github.baseUrl", "must be a URL such as https://github.com")
		v.check(g.PrivateKey.IsSet(), "bootstrap.github.privateKey", "must be set when bootstrap.github.appId is")
		v.check(g.WebhookSecret.IsSet(), "bootstrap.github.webhookSecret",
			"must be set when bootstrap.github.appId is: unsigned webhooks are refused")
		v.check((g.ClientID == "") == !g.ClientSecret.IsSet(), "bootstrap.github.clientSecret",
			"must be set together with bootstrap.github.clientId")
	}
	v.connection()
	if m := b.Model; m.Kind != "" {
		v.check(slices.Contains([]string{"openai", "anthropic", "mistral", "azure", "bedrock", "compatible"}, m.Kind), "bootstrap.model.kind",
			"must be openai, anthropic, mistral, azure, bedrock or compatible")
		v.check(m.Standard != "", "bootstrap.model.standard", "must name a model when bootstrap.model.kind is set")
		v.check((m.Kind == "compatible") == (m.BaseURL != ""), "bootstrap.model.baseUrl",
			"must be set for a compatible endpoint, and for no other kind")
		v.check(m.Kind == "compatible" || m.APIKey.IsSet(), "bootstrap.model.apiKey", "must be set for this kind of provider")
	}
}

// withoutApps lists the kinds of code hosts that are connected by a token.
const withoutApps = "gitlab, bitbucket-cloud, bitbucket-dc, gitea, forgejo or azure-devops"

// connection checks the form of a bootstrap's connection. The host itself is asked at the start of the
// service.
func (v *validator) connection() {
	c := v.config.Bootstrap.Connection
	if c.Kind == "" {
		v.check(c.BaseURL == "" && c.Owner == "" && c.Username == "" && !c.Token.IsSet(), "bootstrap.connection.kind",
			"must be "+withoutApps+" when baseUrl, owner, username or token of bootstrap.connection is set")
		return
	}
	kinds := []domain.ConnectionKind{domain.GitLab, domain.BitbucketCloud, domain.BitbucketDataCenter, domain.Gitea,
		domain.Forgejo, domain.AzureDevOps}
	v.check(slices.Contains(kinds, domain.ConnectionKind(c.Kind)),
		"bootstrap.connection.kind", "must be "+withoutApps)
	u, err := url.Parse(c.BaseURL)
	v.check(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		u.User == nil, "bootstrap.connection.baseUrl", "must be a URL such as https://gitea.example.com")
	v.check(c.Owner != "", "bootstrap.connection.owner", "must be the name of a user, an organisation or a workspace")
	v.check(c.Token.IsSet(), "bootstrap.connection.token", "must be set when bootstrap.connection.kind is")
	v.check(len(c.Repositories) > 0, "bootstrap.connection.repositories", "must be all, or names of repositories")
	v.check(len(c.Repositories) < 2 || !slices.Contains(c.Repositories, EveryRepository), "bootstrap.connection.repositories",
		"must be all alone, or names of repositories")
}

func validAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return false
	}
	_, err = netip.ParseAddr(host)
	return host == "" || err == nil || hostEntry.MatchString(host)
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// Level returns the log level.
func (c *Config) Level() (slog.Level, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	l, ok := levels[c.LogLevel]
	if !ok {
		return 0, fmt.Errorf("unknown log level")
	}
	return l, nil
}

// BaseURL returns the public origin without a trailing slash. It defaults to the listen address, with
// localhost for "any address".
func (c *Config) BaseURL() string {
	if c.PublicBaseURL != "" {
		u, err := url.Parse(c.PublicBaseURL)
		if err == nil {
			return u.Scheme + "://" + u.Host
		}
	}
	host, port, _ := net.SplitHostPort(c.Listen)
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// UnnamedProxy reports whether a reverse proxy probably stands in front that trustedProxies does not name.
// The service does not terminate TLS, so an https base (the public origin in effect) requires a proxy.
// Without its name, all clients appear to have one address.
func (c *Config) UnnamedProxy(base string) bool {
	return len(c.TrustedProxy) == 0 && (c.TrustProxyTLS || strings.HasPrefix(base, "https://"))
}

// NameProxies is the advice for an [Config.UnnamedProxy].
const NameProxies = "Set ASSAY_TRUSTED_PROXIES to the networks that the proxy connects from, such as 10.0.3.0/24 (127.0.0.1/32 " +
	"for one on this machine), and let it send X-Forwarded-For; docs/install.md has examples."

// Proxies returns the networks of the trusted proxies.
func (c *Config) Proxies() []netip.Prefix { return prefixes(c.TrustedProxy) }

// Prefixes returns the allowed networks. It omits entries that Validate refuses.
func (a AirGap) Prefixes() []netip.Prefix { return prefixes(a.AllowedCIDRs) }

// NAT64Prefixes returns the translation prefixes.
func (o Outbound) NAT64Prefixes() []netip.Prefix { return prefixes(o.NAT64) }

func prefixes(texts []string) (out []netip.Prefix) {
	for _, t := range texts {
		if p, err := netip.ParsePrefix(t); err == nil {
			out = append(out, p)
		}
	}
	return out
}
