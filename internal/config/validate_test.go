package config

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

func TestValidateNamesEveryProblem(t *testing.T) {
	t.Parallel()
	word := "canary" + "value"
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"data dir":                  {func(c *Config) { c.DataDir = "" }, "ASSAY_DATA_DIR (dataDir) must name a folder"},
		"database":                  {func(c *Config) { c.DatabaseURL = secret.New("mysql://u:" + word + "@h/x") }, "ASSAY_DATABASE_URL"},
		"kv":                        {func(c *Config) { c.KVURL = secret.New("memcached://" + word) }, "ASSAY_KV_URL"},
		"listen":                    {func(c *Config) { c.Listen = "8080" }, "ASSAY_LISTEN"},
		"listen port":               {func(c *Config) { c.Listen = ":99999" }, "ASSAY_LISTEN"},
		"same listener":             {func(c *Config) { c.MetricsListen = c.Listen }, "ASSAY_METRICS_LISTEN"},
		"plain base URL":            {func(c *Config) { c.PublicBaseURL = "http://assay.example.com" }, "ASSAY_TRUST_PROXY_TLS"},
		"base URL with path":        {func(c *Config) { c.PublicBaseURL = "https://h/x" }, "ASSAY_PUBLIC_BASE_URL"},
		"base URL, no scheme":       {func(c *Config) { c.PublicBaseURL = "assay.example.com" }, "ASSAY_PUBLIC_BASE_URL"},
		"edition":                   {func(c *Config) { c.Edition = word }, "ASSAY_EDITION"},
		"sandbox":                   {func(c *Config) { c.Sandbox = word }, "ASSAY_SANDBOX"},
		"log level":                 {func(c *Config) { c.LogLevel = word }, "ASSAY_LOG_LEVEL"},
		"log format":                {func(c *Config) { c.LogFormat = word }, "ASSAY_LOG_FORMAT"},
		"instance key":              {func(c *Config) { c.InstanceKey = secret.New(word) }, "ASSAY_INSTANCE_KEY"},
		"heartbeat":                 {func(c *Config) { c.Jobs.Heartbeat = 11 * time.Second }, "ASSAY_JOBS_HEARTBEAT"},
		"lease 0":                   {func(c *Config) { c.Jobs.Lease = 0 }, "ASSAY_JOBS_LEASE (jobs.lease) must be between 100ms and 1h"},
		"lane":                      {func(c *Config) { c.Lanes.Review = -1 }, "ASSAY_LANES_REVIEW"},
		"request beyond gate":       {func(c *Config) { c.Gate.Lease = 20 * time.Second }, "ASSAY_HTTP_WRITE_TIMEOUT"},
		"request beyond lease":      {func(c *Config) { c.HTTP.WriteTimeout = 31 * time.Second; c.Gate.Lease = time.Minute }, "below jobs.lease"},
		"body":                      {func(c *Config) { c.Ingest.MaxBody = 0 }, "between 1KiB and 256MiB"},
		"host is a URL":             {func(c *Config) { c.Outbound.AirGap.AllowedHosts = []string{"ok", "http://" + word} }, "entry 2"},
		"host pattern":              {func(c *Config) { c.Outbound.AirGap.AllowedHosts = []string{"*.corp"} }, "entry 1"},
		"host port":                 {func(c *Config) { c.Outbound.AirGap.AllowedHosts = []string{"a:0"} }, "entry 1"},
		"network":                   {func(c *Config) { c.Outbound.AirGap.AllowedCIDRs = []string{"10.0.0.1/8"} }, "entry 1"},
		"whole internet":            {func(c *Config) { c.Outbound.AirGap.AllowedCIDRs = []string{"::/0"} }, "whole internet"},
		"proxy is an address":       {func(c *Config) { c.TrustedProxy = []string{"10.0.0.1"} }, "trustedProxies"},
		"every address is a proxy":  {func(c *Config) { c.TrustedProxy = []string{"0.0.0.0/0"} }, "whole internet"},
		"nat64":                     {func(c *Config) { c.Outbound.NAT64 = []string{"64:ff9b::/64"} }, "ASSAY_OUTBOUND_NAT64"},
		"proxy":                     {func(c *Config) { c.Outbound.ProxyURL = secret.New("socks5://u:" + word + "@h") }, "ASSAY_OUTBOUND_PROXY_URL"},
		"ca file":                   {func(c *Config) { c.Outbound.CAFile = "/does/not/exist" }, "ASSAY_OUTBOUND_CA_FILE"},
		"app without tenant":        {func(c *Config) { c.Bootstrap.GitHub.AppID = 1 }, "ASSAY_BOOTSTRAP_TENANT"},
		"app without key":           {func(c *Config) { c.Bootstrap.Tenant, c.Bootstrap.GitHub.AppID = "a", 1 }, "ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY"},
		"app without secret":        {func(c *Config) { c.Bootstrap.Tenant, c.Bootstrap.GitHub.AppID = "a", 1 }, "ASSAY_BOOTSTRAP_GITHUB_WEBHOOK_SECRET"},
		"tenant name":               {func(c *Config) { c.Bootstrap.Tenant = "Acme Inc" }, "ASSAY_BOOTSTRAP_TENANT"},
		"model":                     {func(c *Config) { c.Bootstrap.Tenant, c.Bootstrap.Model.Kind = "a", "compatible" }, "ASSAY_BOOTSTRAP_MODEL_BASE_URL"},
		"connection, no tenant":     {func(c *Config) { c.Bootstrap.Connection.Kind = "gitea" }, "ASSAY_BOOTSTRAP_TENANT"},
		"connection without a kind": {func(c *Config) { c.Bootstrap.Tenant, c.Bootstrap.Connection.Owner = "a", "acme" }, "ASSAY_BOOTSTRAP_CONNECTION_KIND"},
		"connection, other kind":    {connection(func(c *BootstrapConnection) { c.Kind = word }), "ASSAY_BOOTSTRAP_CONNECTION_KIND"},
		"connection, no address":    {connection(func(c *BootstrapConnection) { c.BaseURL = "" }), "ASSAY_BOOTSTRAP_CONNECTION_BASE_URL"},
		"connection, two secrets":   {connection(func(c *BootstrapConnection) { c.BaseURL = "https://u:" + word + "@git.example.com" }), "ASSAY_BOOTSTRAP_CONNECTION_BASE_URL"},
		"connection without owner":  {connection(func(c *BootstrapConnection) { c.Owner = "" }), "ASSAY_BOOTSTRAP_CONNECTION_OWNER"},
		"connection without token":  {connection(func(c *BootstrapConnection) { c.Token = secret.Secret{} }), "ASSAY_BOOTSTRAP_CONNECTION_TOKEN"},
		"all and names":             {connection(func(c *BootstrapConnection) { c.Repositories = []string{"all", "shop"} }), "ASSAY_BOOTSTRAP_CONNECTION_REPOSITORIES"},
		"no repositories":           {connection(func(c *BootstrapConnection) { c.Repositories = nil }), "ASSAY_BOOTSTRAP_CONNECTION_REPOSITORIES"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Default()
			c.change(&cfg)
			err := cfg.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), word) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			for _, p := range err.(Problems) { //nolint:errorlint,forcetypeassert // documented
				if p.Env == "" {
					t.Errorf("a problem of an unknown setting: %+v", p)
				}
			}
		})
	}
	bad := Default()
	bad.Listen, bad.Edition, bad.Jobs.Sweep = "x", "y", -1
	if err := bad.Validate(); len(err.(Problems)) != 3 { //nolint:errorlint,forcetypeassert // documented
		t.Errorf("all at once: %v", err)
	}
}

// connection returns a configuration whose connection is valid except for one change.
func connection(change func(*BootstrapConnection)) func(*Config) {
	return func(c *Config) {
		c.Bootstrap.Tenant = "a"
		c.Bootstrap.Connection = BootstrapConnection{Kind: "forgejo", BaseURL: "https://git.example.com", Owner: "acme", Token: secret.New("token"), Repositories: []string{"shop", "till"}}
		change(&c.Bootstrap.Connection)
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"enterprise":     func(c *Config) { c.Edition = Enterprise; c.PublicBaseURL = "https://h.example:8443" },
		"proxy ends TLS": func(c *Config) { c.PublicBaseURL = "http://assay.corp"; c.TrustProxyTLS = true },
		"plain loopback": func(c *Config) { c.PublicBaseURL = "http://localhost:8080" },
		"any port":       func(c *Config) { c.Listen, c.MetricsListen = "127.0.0.1:0", "127.0.0.1:0" },
		"short leases": func(c *Config) {
			c.Jobs.Lease, c.Jobs.Heartbeat, c.HTTP.WriteTimeout = 2*time.Second, 500*time.Millisecond, time.Second
		},
		"no review lane": func(c *Config) { c.Lanes = Lanes{Delivery: 1} },
		"hosts": func(c *Config) {
			c.Outbound.AirGap.AllowedHosts = []string{"a", "a:1", "10.0.0.1:80", "[::1]:80", "fd00::1"}
		},
		"bootstrap": func(c *Config) {
			c.Bootstrap.Tenant = "acme"
			c.Bootstrap.Model = BootstrapModel{Kind: "compatible", BaseURL: "http://m/v1", Standard: "m"}
		},
		"ipv6 any address": func(c *Config) { c.Listen = "[::]:8080" },
		"connection":       connection(func(*BootstrapConnection) {}),
	} {
		cfg := Default()
		change(&cfg)
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := Default()
	if c.Listen = ":8081"; c.BaseURL() != "http://localhost:8081" {
		t.Errorf("base URL %s", c.BaseURL())
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Database{
		"":                          {Engine: SQLite, Path: "assay-data/assay.db"},
		"/var/lib/a.db":             {Engine: SQLite, Path: "/var/lib/a.db"},
		"sqlite:a.db":               {Engine: SQLite, Path: "a.db"},
		"sqlite:///var/a.db":        {Engine: SQLite, Path: "/var/a.db"},
		"file:/var/a.db":            {Engine: SQLite, Path: "/var/a.db"},
		"postgres://h/n":            {Engine: Postgres, DSN: secret.New("postgres://h/n")},
		"postgresql:///n?host=/run": {Engine: Postgres, DSN: secret.New("postgresql:///n?host=/run")},
		":memory:":                  {}, "sqlite:": {}, "file:a.db?mode=ro": {}, "mysql://h/n": {}, "postgres://h": {}, "postgres://": {}, "postgres://h:x/n": {},
	} {
		c := Default()
		c.DatabaseURL = secret.New(raw)
		got, err := c.Database()
		if (err == nil) != (want.Engine != "") || got.Engine != want.Engine || got.Path != want.Path || got.DSN.Reveal() != want.DSN.Reveal() {
			t.Errorf("%q: %+v, %v", raw, got, err)
		}
	}
}

func TestKV(t *testing.T) {
	t.Parallel()
	pass := secret.New("p@s")
	for raw, want := range map[string]KV{
		"":                                   {},
		"redis://h":                          {Mode: KVSingle, Addrs: []string{"h:6379"}},
		"valkey://h:1/3":                     {Mode: KVSingle, Addrs: []string{"h:1"}, DB: 3},
		"rediss://u:p%40s@h?db=2":            {Mode: KVSingle, Addrs: []string{"h:6379"}, TLS: true, Username: "u", Password: pass, DB: 2},
		"redis://:p%40s@[::1]:1":             {Mode: KVSingle, Addrs: []string{"[::1]:1"}, Password: pass},
		"redis://a,b:2,c":                    {Mode: KVCluster, Addrs: []string{"a:6379", "b:2", "c:6379"}},
		"rediss+cluster://a":                 {Mode: KVCluster, Addrs: []string{"a:6379"}, TLS: true},
		"redis+sentinel://u:p%40s@a,b:2/m/4": {Mode: KVSentinel, Addrs: []string{"a:26379", "b:2"}, Master: "m", Username: "u", Password: pass, DB: 4},
	} {
		c := Default()
		c.KVURL = secret.New(raw)
		got, err := c.KV()
		if err != nil || got.Password.Reveal() != want.Password.Reveal() {
			t.Errorf("%q: %+v, %v", raw, got, err)
		}
		got.Password, want.Password = secret.Secret{}, secret.Secret{}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", raw, got, want)
		}
	}
	for _, raw := range []string{"h:6379", "http://h", "redis://", "redis://a,,b", "redis://h:0", "redis://h:x", "redis://h/x", "redis://a,b/1", "redis+sentinel://a", "redis://h?ssl=1", "redis://h#f", "redis://a b"} {
		c := Default()
		c.KVURL = secret.New(raw)
		if got, err := c.KV(); err == nil {
			t.Errorf("%q: accepted as %+v", raw, got)
		}
	}
}

func FuzzKV(f *testing.F) {
	f.Add("redis://u:p@a,b/1")
	f.Fuzz(func(t *testing.T, raw string) {
		c := Default()
		c.KVURL = secret.New(raw)
		if kv, err := c.KV(); err == nil && kv.Mode != KVNone && len(kv.Addrs) == 0 {
			t.Fatal("no address")
		}
	})
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Bytes{"0": 0, "512": 512, "1kB": 1000, "64KiB": 64 << 10, "25 MiB": 25 << 20, "2GiB": 2 << 30, "7B": 7} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err != nil || b != want {
			t.Errorf("%q: %d %v", text, b, err)
		}
		var again Bytes
		if err := again.UnmarshalText([]byte(b.String())); err != nil || again != b {
			t.Errorf("%q became %q", text, b)
		}
	}
	for _, text := range []string{"", "x", "-1", "1.5MiB", "MiB", "99999999999999TiB", "1 MiBB"} {
		var b Bytes
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: accepted as %d", text, b)
		}
	}
}

func TestInstanceKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	configs := make([]Config, 8)
	var wg sync.WaitGroup
	var mu sync.Mutex
	count := 0
	for i := range configs {
		configs[i] = Default()
		configs[i].DataDir = dir
		wg.Go(func() {
			made, err := configs[i].EnsureInstanceKey()
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			if made {
				count++
			}
		})
	}
	wg.Wait()
	for _, c := range configs {
		if !c.InstanceKey.Equal(configs[0].InstanceKey) {
			t.Fatal("two processes have different keys")
		}
	}
	if count != 1 {
		t.Errorf("%d keys were made", count)
	}
	path := configs[0].InstanceKeyFile()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}

	fresh := func() *Config { c := Default(); c.DataDir = dir; return &c }
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fresh().EnsureInstanceKey(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("readable by others: %v", err)
	}
	if err := os.WriteFile(path, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(path, 0o600)
	if _, err := fresh().EnsureInstanceKey(); err == nil || strings.Contains(err.Error(), "broken") {
		t.Errorf("damaged: %v", err)
	}
	set := fresh()
	set.InstanceKey = secret.New("x")
	if made, err := set.EnsureInstanceKey(); made || err != nil {
		t.Errorf("a configured key stays: %v %v", made, err)
	}
}
