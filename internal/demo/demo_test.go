package demo

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/telemetry"
)

// playEnv makes the test program act as a simulator.
const playEnv = "ASSAY_SIM_CONTROL_TOKEN"

// TestMain also runs as the child process, because Start runs this program as "sim github …".
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "sim" {
		play(os.Args[2], os.Args[3:])
	}
	os.Exit(m.Run())
}

func play(name string, args []string) {
	flag := func(name string) string {
		for i, a := range args {
			if a == name && i+1 < len(args) {
				return args[i+1]
			}
		}
		return ""
	}
	switch os.Getenv(playEnv) {
	case "fails":
		fmt.Fprintln(os.Stderr, "the port is taken")
		os.Exit(3)
	case "dies":
		if name == "model" {
			fmt.Println(`{"ready":"http://127.0.0.1:1/v1"}`)
			os.Exit(4)
		}
	}
	if file := flag("--app-key-file"); file != "" {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			os.Exit(1)
		}
		block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			os.Exit(1)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	fmt.Printf("{\"ready\":\"http://%s\"}\n", l.Addr())
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // a test's child
		if !strings.HasPrefix(r.URL.Path, "/_sim/") {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, "{}") // every request succeeds
	}))
	os.Exit(0)
}

func options(t *testing.T, token string) Options {
	t.Helper()
	c := config.Default()
	c.DataDir = t.TempDir()
	c.Listen, c.MetricsListen = "127.0.0.1:0", "127.0.0.1:0"
	return Options{Config: c, ControlToken: token, Logger: telemetry.Discard()}
}

func TestStart(t *testing.T) {
	o := options(t, "plays")
	o.Config.DatabaseURL = secret.New("postgres://prod/assay")
	o.Config.KVURL = secret.New("redis://prod")
	o.Config.InstanceKey = secret.New("prod")
	o.Config.Edition = config.Enterprise
	o.Config.PublicBaseURL = "https://prod.example.com"
	o.Config.Outbound.AirGap.AllowedHosts = []string{"10.0.0.1"}
	d, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c := d.Config
	if db, err := c.Database(); err != nil || filepath.Dir(db.Path) != filepath.Join(o.Config.DataDir, "demo") {
		t.Errorf("database %+v, %v", db, err)
	}
	if c.KVURL.IsSet() || c.InstanceKey.Equal(o.Config.InstanceKey) || c.Edition != config.SelfHosted || c.PublicBaseURL != "" || len(c.Outbound.AirGap.AllowedHosts) > 0 {
		t.Errorf("something of the real configuration is used: %+v", c)
	}
	if len(d.Ports) != 4 || c.Bootstrap.GitHub.AppID == 0 || !c.Bootstrap.GitHub.WebhookSecret.IsSet() || !strings.HasPrefix(c.BaseURL(), "http://127.0.0.1:") || strings.HasSuffix(c.Listen, ":0") {
		t.Errorf("ports %v, %+v", d.Ports, c.Bootstrap)
	}
	if pulls := d.Pulls(); len(pulls) != 3 || !strings.HasSuffix(pulls[2].URL, "/acme/storefront/pull/3") {
		t.Errorf("%+v", pulls)
	}
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "another demo") {
		t.Errorf("a second demo: %v", err)
	}
	kids := d.kids
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, k := range kids {
		select {
		case <-k.ended:
		default:
			t.Errorf("%s lives", k.name)
		}
	}
}

func TestKeepGoesOn(t *testing.T) {
	o := options(t, "plays")
	start := func(keep bool) (*Demo, string) {
		t.Helper()
		o.Keep = keep
		d, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		return d, d.Config.Bootstrap.GitHub.WebhookSecret.Reveal() + d.Config.InstanceKey.Reveal()
	}
	_, first := start(false)
	if at := lastAddress(filepath.Join(o.Config.DataDir, "demo", "github-address")); strings.HasSuffix(at, ":0") {
		t.Errorf("the address %s was not kept", at)
	}
	if _, kept := start(true); kept != first {
		t.Error("--keep made new secrets")
	}
	if _, fresh := start(false); fresh == first {
		t.Error("a fresh demo has the secrets of the last one")
	}
}

func TestChildrenThatFail(t *testing.T) {
	if _, err := Start(t.Context(), options(t, "fails")); err == nil || !strings.Contains(err.Error(), "the port is taken") || !strings.Contains(err.Error(), "simulated github") {
		t.Errorf("a child that fails: %v", err)
	}
	d, err := Start(t.Context(), options(t, "dies"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := d.Died(ctx); err == nil || !strings.Contains(err.Error(), "simulated model ended") {
		t.Errorf("a child that dies: %v", err)
	}
	o := options(t, "plays")
	o.Program = "/nowhere/assay"
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("no program: %v", err)
	}
}

func TestAvailable(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for in, want := range map[string]string{taken.Addr().String(): "127.0.0.1:", "0.0.0.0:0": "127.0.0.1:", ":0": "127.0.0.1:", "localhost:0": "localhost:"} {
		got, err := loopbackAddress(in)
		if err != nil || !strings.HasPrefix(got, want) || got == in || strings.HasSuffix(got, ":0") {
			t.Errorf("available(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := loopbackAddress("nowhere"); err == nil {
		t.Error("an address without a port was accepted")
	}
}

// An address that the operator chose is refused if it is taken, with the name of the setting. A free one is not.
func TestChosenAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, "plays")
	o.Config.Listen, o.FixedListen = taken.Addr().String(), true
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "ASSAY_LISTEN") || !strings.Contains(err.Error(), o.Config.Listen) {
		t.Errorf("a taken address: %v", err)
	}
	_ = taken.Close()
	if err := checkFree(o.Config.Listen); err != nil {
		t.Errorf("a free address: %v", err)
	}
}

func TestLines(t *testing.T) {
	var got []string
	l := &lines{each: func(s string) { got = append(got, s) }}
	for _, part := range []string{"a", "b\nc\n\n", strings.Repeat("x", maxLine+1), "\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if strings.Join(got, "|") != "ab|c||" || l.latest() != "end" {
		t.Errorf("%q, then %q", got, l.latest())
	}
}
