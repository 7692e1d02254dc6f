package bootstrap_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/bootstrap"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// host answers which account has a login name at present.
type host struct {
	mu    sync.Mutex
	names map[string]domain.HostID
	asked int
	err   error
}

func (h *host) account(_ context.Context, _, login string) (domain.HostID, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	if id := h.names[strings.ToLower(login)]; id != "" {
		return id, nil
	}
	if h.err != nil {
		return "", h.err
	}
	return "", &codehost.Error{Class: codehost.ClassNotFound, Op: "read app", Message: "no account has the name"}
}

func (w *world) placed(b *bootstrap.Bootstrap, r bootstrap.Result, id domain.HostID, login string) string {
	w.Helper()
	got, err := b.Place(r)(bg, r.App, codehost.Installation{ID: "1", AccountID: id, AccountLogin: login, AccountType: "Organization"})
	testkit.OK(w.T, err)
	return got
}

// The number of an account decides to which tenant its installation belongs. Its login name does not, because
// another account may have it by then.
func TestAFreedLoginNameGivesNoAccess(t *testing.T) {
	each(t, func(w *world) {
		h := &host{names: map[string]domain.HostID{"acme": "1", "acme-labs": "2"}}
		b := w.boot()
		b.Account = h.account
		r, err := b.Apply(bg)
		testkit.OK(w.T, err)
		ids, err := b.Owners(bg)
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "known", len(ids), 2)

		h.names["acme"] = "666" // the account gave up its name, and a stranger took it
		testkit.Equal(w.T, "tenant of the account that took the name", w.placed(b, r, "666", "acme"), "")
		testkit.Equal(w.T, "tenant of the account, renamed", w.placed(b, r, "1", "acme-renamed"), r.Tenant)
		testkit.Equal(w.T, "tenant of the other account", w.placed(b, r, "2", "Acme-Labs"), r.Tenant)
		testkit.Equal(w.T, "tenant of a stranger", w.placed(b, r, "3", "eve"), "")
		testkit.Equal(w.T, "questions", h.asked, 2)

		again := w.boot() // another process, whose host does not answer
		r, err = again.Apply(bg)
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "tenant after a restart", w.placed(again, r, "1", "acme"), r.Tenant)
	})
}

// A caller that has read the owners' numbers places any number of installations without another query.
func TestManyInstallationsNeedOneQuery(t *testing.T) {
	each(t, func(w *world) {
		b := w.boot()
		b.Account = (&host{names: map[string]domain.HostID{"acme": "1", "acme-labs": "2"}}).account
		r, err := b.Apply(bg)
		testkit.OK(w.T, err)
		owners, err := b.Owners(bg)
		testkit.OK(w.T, err)
		over, cancel := context.WithCancel(bg)
		cancel() // the database does not answer from here on
		for _, row := range []struct {
			app     string
			account domain.HostID
			want    string
		}{{r.App, "1", r.Tenant}, {r.App, "2", r.Tenant}, {r.App, "3", ""}, {r.App, "", ""}, {"app_other", "1", ""}} {
			got, err := r.Among(owners)(over, row.app, codehost.Installation{AccountID: row.account})
			testkit.OK(w.T, err)
			testkit.Equal(w.T, "tenant", got, row.want)
		}
		_, err = b.Place(r)(over, r.App, codehost.Installation{AccountID: "1"})
		testkit.Equal(w.T, "a query fails", err != nil, true)
	})
}

// A number is valid only at the host that issued it.
func TestAnAccountOfAnotherHost(t *testing.T) {
	each(t, func(w *world) {
		h := &host{names: map[string]domain.HostID{"acme": "1", "acme-labs": "2"}}
		b := w.boot()
		b.Account = h.account
		r, err := b.Apply(bg)
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "tenant", w.placed(b, r, "1", "acme"), r.Tenant)
		w.enters(store.AppSecrets{}, func(a *store.App) {
			a.WebURL, a.APIURL = "https://ghe.example.com", "https://ghe.example.com/api/v3/"
		})
		h.names = map[string]domain.HostID{"acme": "71", "acme-labs": "72"}
		testkit.Equal(w.T, "tenant of the number at another host", w.placed(b, r, "1", "acme"), "")
		testkit.Equal(w.T, "tenant of the account there", w.placed(b, r, "71", "acme"), r.Tenant)
	})
}

// While the host does not answer, placing an account whose name is in the configuration returns the host's
// error and does not treat it as a stranger's. The log reports it, and the host gets no more requests
// meanwhile.
func TestAnAccountThatCannotBeAskedWaits(t *testing.T) {
	limit := &codehost.Error{Class: codehost.ClassLimited, Op: "read app", RetryAfter: time.Hour, Message: "later"}
	for name, row := range map[string]struct {
		err  error
		want codehost.Class
	}{
		"limited":      {limit, codehost.ClassLimited},
		"down":         {&codehost.Error{Class: codehost.ClassUnavailable, Op: "read app", Message: "502"}, codehost.ClassUnavailable},
		"no such name": {&codehost.Error{Class: codehost.ClassNotFound, Op: "read app", Message: "404"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				h := &host{err: row.err}
				b := w.boot()
				b.Account = h.account
				r, err := b.Apply(bg)
				testkit.OK(w.T, err)
				for range 3 {
					tenant, err := b.Place(r)(bg, r.App, codehost.Installation{ID: "1", AccountID: "1", AccountLogin: "ACME"})
					testkit.Equal(w.T, "tenant", tenant, "")
					testkit.Equal(w.T, "error", err != nil, row.want != "")
					if err != nil {
						testkit.Equal(w.T, "class", codehost.ClassOf(err), row.want)
					}
					if again := codehost.RetryAfter(err); row.want == codehost.ClassLimited && (again <= 0 || again > time.Hour) {
						w.Errorf("again after %v", again)
					}
				}
				testkit.Equal(w.T, "a stranger's", w.placed(b, r, "2", "eve"), "")
				ids, err := b.Owners(bg)
				testkit.OK(w.T, err)
				testkit.Equal(w.T, "known", len(ids), 0)
				testkit.Equal(w.T, "questions", h.asked, 2)
				if text := w.log.String(); strings.Count(text, "does not say which account this is") != 2 || !strings.Contains(text, `"account":"acme-labs"`) {
					w.Errorf("the log: %s", text)
				}
				later := w.boot()
				later.Account = (&host{names: map[string]domain.HostID{"acme": "1"}}).account
				testkit.Equal(w.T, "tenant once it answers", w.placed(later, r, "1", "acme"), r.Tenant)
			})
		})
	}
}

// A name that was removed from the configuration and entered again is looked up again, even if another value
// changes in the same start.
func TestANameThatIsEnteredAgain(t *testing.T) {
	for name, change := range map[string]func(*world){
		"nothing else changes":        func(*world) {},
		"a secret of the app changes": func(w *world) { w.config.GitHub.WebhookSecret = secret.New("webhook two") },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				h := &host{names: map[string]domain.HostID{"acme": "1", "acme-labs": "2"}}
				start := func(owners ...string) (*bootstrap.Bootstrap, bootstrap.Result) {
					w.config.GitHub.Owner = owners
					b := w.boot()
					b.Account = h.account
					r, err := b.Apply(bg)
					testkit.OK(w.T, err)
					_, err = b.Owners(bg)
					testkit.OK(w.T, err)
					return b, r
				}
				start("acme", "acme-labs")
				change(w)
				b, r := start("acme-labs")
				testkit.Equal(w.T, "tenant without the name", w.placed(b, r, "1", "acme"), "")
				h.names["acme"] = "9"
				b, r = start("acme", "acme-labs")
				testkit.Equal(w.T, "tenant of the former account", w.placed(b, r, "1", "old"), "")
				testkit.Equal(w.T, "tenant of the present account", w.placed(b, r, "9", "acme"), r.Tenant)
			})
		})
	}
}
