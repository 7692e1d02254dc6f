package connect

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// told returns the messages of the events about connections, by kind of connection.
func told(t *testing.T, url string) (out []string) {
	t.Helper()
	for _, row := range storetest.Dump(t, url)["events"] {
		if !strings.Contains(row, domain.EventConnectionError) {
			continue
		}
		for _, kind := range []string{domain.ConnectionApp, domain.ConnectionInstallation, domain.ConnectionModelKey} {
			if strings.Contains(row, `"`+kind+`"`) {
				out = append(out, kind)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Each tenant of an app gets one event when the app stops working, however many calls fail, and the next one
// only after it has worked again.
func TestAppsAndInstallationsThatStopWorking(t *testing.T) {
	refused := codehost.Exchange{AsApp: true, Op: opOfApp, Status: 401, Class: codehost.ClassForbidden}
	for name, c := range map[string]struct {
		answers func(installation domain.HostID) []codehost.Exchange
		want    string
	}{
		"works": {func(n domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{{AsApp: true, Status: 200}, {AsApp: true, Status: 201, Installation: n}}
		}, ""},
		"key refused, often": {func(domain.HostID) []codehost.Exchange { return []codehost.Exchange{refused, refused, refused} }, "codehost_app codehost_app"},
		"again after it works": {func(domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{refused, {AsApp: true, Status: 200}, refused}
		}, "codehost_app codehost_app codehost_app codehost_app"},
		"refused, then absent": {func(domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{refused, {AsApp: true, Op: opOfApp, Status: 404, Class: codehost.ClassNotFound}}
		}, "codehost_app codehost_app codehost_app codehost_app"},
		"a deleted installation": {func(n domain.HostID) []codehost.Exchange {
			gone := codehost.Exchange{AsApp: true, Op: "installation token", Status: 404, Class: codehost.ClassNotFound, Installation: n}
			return []codehost.Exchange{gone, gone}
		}, "installation"},
		"an installation is suspended, and back, and suspended": {func(n domain.HostID) []codehost.Exchange {
			off := codehost.Exchange{AsApp: true, Op: "installation token", Status: 403, Class: codehost.ClassForbidden, Installation: n}
			return []codehost.Exchange{off, {AsApp: true, Status: 201, Installation: n}, off}
		}, "installation installation"},
		"an installation without an account": {func(domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{{AsApp: true, Op: "installation token", Status: 404, Class: codehost.ClassNotFound, Installation: "987654"}}
		}, ""},
		"a limit": {func(n domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{{AsApp: true, Status: 403, Class: codehost.ClassLimited, Installation: n}}
		}, ""},
		"the host is down": {func(n domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{{AsApp: true, Class: codehost.ClassUnavailable, Installation: n}}
		}, ""},
		"a pull request is": {func(n domain.HostID) []codehost.Exchange {
			return []codehost.Exchange{{Op: "pull request", Status: 404, Class: codehost.ClassNotFound, Installation: n}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
				app := storetest.App(t, s)
				first := storetest.Installation(t, s, app, storetest.Tenant(t, s))
				storetest.Installation(t, s, app, storetest.Tenant(t, s))
				storetest.Installation(t, s, app, domain.Tenant{ID: first.Tenant}) // a second one of the same tenant
				w := &watch{&Hosts{Store: s, Logger: telemetry.Discard()}, app.ID, app.Slug}
				for _, a := range c.answers(first.ExternalID) {
					w.ObserveExchange(bgc, a)
				}
				testkit.Equal(t, "messages", strings.Join(told(t, url), " "), c.want)
			})
		})
	}
}

var bgc = context.Background()

// answers is a client whose answers come from a script.
type answers struct {
	llm.Client
	script []error
}

func (a *answers) Complete(context.Context, llm.Request) (llm.Response, error) {
	err := a.script[0]
	a.script = a.script[1:]
	return llm.Response{Text: "ok"}, err
}

// A tenant gets one event when a key stops working, and no event about a temporary failure of the provider.
func TestModelKeysThatStopWorking(t *testing.T) {
	refused, quota := &llm.Error{Class: llm.ClassCredential, Status: 401}, &llm.Error{Class: llm.ClassQuota, Status: 429}
	for name, c := range map[string]struct {
		script []error
		want   int
	}{
		"works":                {[]error{nil, nil}, 0},
		"refused, often":       {[]error{refused, refused, refused}, 1},
		"again after it works": {[]error{refused, nil, refused}, 2},
		"refused, then quota":  {[]error{refused, quota, quota}, 2},
		"bad moments":          {[]error{&llm.Error{Class: llm.ClassRetryable, Status: 503, RetryAfter: time.Millisecond}, &llm.Error{Class: llm.ClassFinal, Status: 400}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
				tenant := storetest.Tenant(t, s)
				row := store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"}
				storetest.Credential(t, s, tenant, row)
				key := &sharedClient{&answers{script: slices.Clone(c.script)}, s, tenant, row, telemetry.Discard()}
				for _, want := range c.script {
					if _, err := key.Complete(bgc, llm.Request{}); err != want { //nolint:errorlint // the very same value
						t.Errorf("the call gave %v, want %v", err, want)
					}
				}
				testkit.Equal(t, "messages", len(told(t, url)), c.want)
			})
		})
	}
}
