package config

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

var update = flag.Bool("update", false, "write docs/configuration.md and the pages below docs/configuration")

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNothingSetIsValid(t *testing.T) {
	t.Parallel()
	c, err := Load(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Effective() {
		if s.Source != FromDefault || s.Value != s.Default {
			t.Errorf("%s = %q from %s", s.Name, s.Value, s.Source)
		}
		if s.Env == "" || s.Doc == "" || !strings.HasSuffix(s.Doc, ".") || strings.HasSuffix(s.Name, ".") {
			t.Errorf("%s: env %q, doc %q", s.Name, s.Env, s.Doc)
		}
	}
	if c.BaseURL() != "http://127.0.0.1:8080" {
		t.Errorf("base URL %s", c.BaseURL())
	}
}

func TestEnvironmentWinsOverFile(t *testing.T) {
	t.Parallel()
	key := rsaKey(t)
	file := write(t, "assay.yaml", `
# a comment
listen: 127.0.0.1:7000
publicBaseUrl: "https://assay.example.com/"
metricsListen: ""
trustProxyTls: true
jobs: {lease: 40s, crashLimit: 5}
ingest:
  maxBody: 10MiB
outbound:
  airGap:
    allowHttp: true
    allowedHosts: [ollama:11434, ghes.corp]
    allowedCidrs:
      - 10.20.0.0/16
  nat64:
bootstrap:
  tenant: acme
  github:
    appId: 12
    webhookSecret: whs
    privateKey: |
      `+strings.ReplaceAll(strings.TrimSpace(key), "\n", "\n      ")+"\n")
	c, err := Load(Options{File: file, Environ: []string{"ASSAY_LISTEN=:7001", "ASSAY_JOBS_CRASH_LIMIT=7", "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_CIDRS=10.1.0.0/16, 10.2.0.0/16,", "OTHER=1", "ASSAY_TEST_X=1"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"listen from environment":   c.Listen == ":7001",
		"base URL from file":        c.BaseURL() == "https://assay.example.com",
		"metrics off":               c.MetricsListen == "",
		"bool":                      c.TrustProxyTLS && c.Outbound.AirGap.AllowHTTP,
		"duration":                  c.Jobs.Lease == 40*time.Second,
		"int from environment":      c.Jobs.CrashLimit == 7,
		"size":                      c.Ingest.MaxBody == 10<<20,
		"list":                      reflect.DeepEqual(c.Outbound.AirGap.AllowedHosts, []string{"ollama:11434", "ghes.corp"}),
		"list from environment":     len(c.Outbound.AirGap.Prefixes()) == 2,
		"block text":                c.Bootstrap.GitHub.PrivateKey.Reveal() == key,
		"others keep their default": c.Jobs.Sweep == 5*time.Second,
		"no unknown":                len(c.Unknown()) == 0,
	} {
		if !ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
	places := map[string]string{"listen": FromEnv, "jobs.lease": FromFile, "jobs.sweep": FromDefault, "bootstrap.github.webhookSecret": FromFile}
	for _, s := range c.Effective() {
		if want, ok := places[s.Name]; ok && s.Source != want {
			t.Errorf("%s comes from %s", s.Name, s.Source)
		}
		if s.Name == "jobs.lease" && s.Place != file+":7:15" {
			t.Errorf("place %s", s.Place)
		}
		if s.Name == "bootstrap.github.webhookSecret" && s.Value != secret.Redacted {
			t.Errorf("shown: %s", s.Value)
		}
	}
}

func TestFileProblemsHavePlacesAndNoValues(t *testing.T) {
	t.Parallel()
	const word = "canaryvalue"
	for name, c := range map[string]struct{ text, place, message string }{
		"unknown key":       {"listn: " + word, ":1:1", "did you mean listen?"},
		"unknown group":     {"jobs:\n  leese: 1s\n", ":2:3", "did you mean jobs.lease?"},
		"wrong duration":    {"jobs:\n  lease: " + word, ":2:10", "ASSAY_JOBS_LEASE (jobs.lease) must be a duration"},
		"wrong bool":        {"trustProxyTls: " + word, ":1:16", "true or false"},
		"wrong number":      {"gate: {capHour: 1.5}", ":1:17", "whole number"},
		"empty number":      {"gate: {capHour: \"\"}", ":1:17", "whole number"},
		"wrong size":        {"ingest: {maxBody: -1MiB}", ":1:19", "size"},
		"list for a value":  {"listen: [" + word + "]", ":1:9", "plain value"},
		"value for a list":  {"outbound: {nat64: {a: " + word + "}}", ":1:19", "list of plain values"},
		"value for a group": {"jobs: " + word, ":1:7", "mapping"},
		"list on top":       {"- " + word, ":1:1", "mapping"},
		"duplicate":         {"listen: a\nlisten: " + word, ":2:1", "not valid YAML"},
		"broken":            {"listen: \"" + word, "", "not valid YAML"},
		"tab":               {"jobs:\n\tlease: 1s", "", "not valid YAML"},
		"anchor":            {"listen: &a " + word, ":1:9", "plain value"},
		"two documents":     {"listen: :1\n---\nlisten: :2", "", "one YAML document"},
		"secret file":       {"kvUrlFile: /does/not/exist", ":1:12", "cannot be used"},
		"file of no secret": {"listenFile: /x", ":1:1", "not a setting"},
		"secret twice":      {"kvUrl: redis://h\nkvUrlFile: /x", ":2:12", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := write(t, "f.yaml", c.text)
			_, err := Load(Options{Environ: []string{"ASSAY_CONFIG=" + file}})
			if err == nil || !strings.Contains(err.Error(), file+c.place) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), word) {
				t.Fatalf("got %v\nwant %s%s … %s", err, file, c.place, c.message)
			}
		})
	}
	if _, err := Load(Options{File: "/does/not/exist.yaml"}); err == nil || !strings.Contains(err.Error(), "/does/not/exist.yaml") {
		t.Errorf("missing file: %v", err)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "jobs:\n"} {
		if _, err := Load(Options{File: write(t, "e.yaml", empty)}); err != nil {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

func TestSecretFiles(t *testing.T) {
	t.Parallel()
	key := secret.NewToken(secret.InstanceKey)
	file := write(t, "key", key.Reveal()+"\n")
	c, err := Load(Options{Environ: []string{"ASSAY_INSTANCE_KEY_FILE=" + file}})
	if err != nil || !c.InstanceKey.Equal(key) {
		t.Fatalf("%v", err)
	}
	c, err = Load(Options{File: write(t, "a.yaml", "instanceKeyFile: "+file)})
	if err != nil || !c.InstanceKey.Equal(key) {
		t.Fatalf("from the file: %v", err)
	}
	for name, environ := range map[string][]string{
		"both":    {"ASSAY_INSTANCE_KEY_FILE=" + file, "ASSAY_INSTANCE_KEY=" + key.Reveal()},
		"missing": {"ASSAY_INSTANCE_KEY_FILE=/does/not/exist"},
		"empty":   {"ASSAY_INSTANCE_KEY_FILE=" + write(t, "empty", "\n")},
		"folder":  {"ASSAY_INSTANCE_KEY_FILE=" + t.TempDir()},
		"large":   {"ASSAY_INSTANCE_KEY_FILE=" + write(t, "large", strings.Repeat("a", maxFile+1))},
	} {
		_, err := Load(Options{Environ: environ})
		if err == nil || !strings.Contains(err.Error(), "ASSAY_INSTANCE_KEY") || strings.Contains(err.Error(), key.Reveal()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEffectiveShowsNoSecret(t *testing.T) {
	t.Parallel()
	word := "canary" + "value"
	var environ []string
	for _, l := range leaves() {
		switch l.secret {
		case "url":
			scheme := map[string]string{"databaseUrl": "postgres", "kvUrl": "redis"}[l.name]
			if scheme == "" {
				scheme = "http"
			}
			environ = append(environ, l.env+"="+scheme+"://user:"+word+"@host/0")
		case "value":
			environ = append(environ, l.env+"="+word)
		}
	}
	c, err := Load(Options{Environ: environ})
	if err == nil || strings.Contains(err.Error(), word) { // the word is not an instance key
		t.Errorf("error %v", err)
	}
	hosts := 0
	for _, s := range c.Effective() {
		if strings.Contains(s.Value, word) {
			t.Errorf("%s is shown", s.Name)
		}
		if strings.Contains(s.Value, "://redacted@host/0") {
			hosts++
		}
	}
	if hosts != 3 || strings.Contains(fmt.Sprintf("%+v %#v", c, c), word) {
		t.Errorf("%d URLs with their host", hosts)
	}
}

func TestUnknownVariablesAreNamed(t *testing.T) {
	t.Parallel()
	c, err := Load(Options{Environ: []string{"ASSAY_LSITEN=x", "ASSAY_SOMETHING_ELSE_ENTIRELY=y"}})
	if err != nil || !slices.Equal(c.Unknown(), []string{"ASSAY_LSITEN (did you mean ASSAY_LISTEN?)", "ASSAY_SOMETHING_ELSE_ENTIRELY"}) {
		t.Fatalf("%v %v", c.Unknown(), err)
	}
}

func TestEveryEnvironmentNameIsUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, l := range leaves() {
		if other := seen[l.env]; other != "" {
			t.Errorf("%s belongs to %s and %s", l.env, other, l.name)
		}
		seen[l.env] = l.name
		if (l.typ == reflect.TypeFor[secret.Secret]()) != (l.secret != "") {
			t.Errorf("%s: the type and the tag secret must agree", l.name)
		}
	}
}

func TestDocumentationIsUpToDate(t *testing.T) {
	t.Parallel()
	for file, want := range Markdown() {
		path := filepath.Join("..", "..", "docs", filepath.FromSlash(file))
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(want), 0o644)); err != nil { //nolint:gosec // documentation is public
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/%s is out of date: run make generate", file)
		}
	}
}

// TestEverySettingIsOnOnePage counts the rows of each setting on all pages.
func TestEverySettingIsOnOnePage(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, page := range Markdown() {
		all.WriteString(page)
	}
	standard := Default()
	for _, s := range standard.Effective() {
		if n := strings.Count(all.String(), " | `"+s.Name+"` | "); n != 1 {
			t.Errorf("%s is on %d lines of docs/configuration, want 1: add its group to chapters", s.Name, n)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add("jobs: {lease: 1s}\n")
	f.Add("outbound:\n  airGap:\n    allowedHosts: [a, b]\n")
	f.Add("a: &x [*x]\n<<: *x\n? [b]\n: c\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := Default()
		c.origins = map[string]origin{}
		for _, p := range c.parseFile("f.yaml", []byte(text)) {
			if !strings.HasPrefix(p.Place, "f.yaml") {
				t.Fatalf("a problem without place: %+v", p)
			}
		}
	})
}
