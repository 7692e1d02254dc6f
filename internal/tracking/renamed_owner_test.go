package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// accounts are the ids of the accounts of a host by name. Other names are answered with the error
// former, or, if it is nil, with the account that had the name.
type accounts struct {
	by     map[string]domain.HostID
	former error
	was    codehost.RepoOwner
}

// is gives the host of a bench these accounts. The connection covers the repositories api and shop.
func (a *accounts) is(b *bench) {
	b.host.Repositories = has("api", "shop")
	b.host.Probe = func(_ context.Context, c store.ProviderConnection, _ secret.Secret) (codehost.Probed, error) {
		id, there := a.by[c.Owner]
		switch {
		case there:
			return codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: id, Login: c.Owner, Organization: true}}, nil
		case a.former != nil:
			return codehost.Probed{}, a.former
		}
		return codehost.Probed{Login: "bot", Owner: a.was}, nil
	}
	b.host.OwnerNow = func(id domain.HostID) (codehost.RepoOwner, error) {
		for name, has := range a.by {
			if has == id {
				return codehost.RepoOwner{ID: id, Login: name, Organization: true}, nil
			}
		}
		return codehost.RepoOwner{}, hostError(codehost.ClassNotFound, 404, "")
	}
}

// connection reads a connection as people see it.
func (b *bench) connection(t *testing.T, id string) tracking.ProviderConnection {
	t.Helper()
	all, err := b.Features.Tracking.Providers(bg, b.Tenant, tracking.Page{Limit: 50})
	testkit.OK(t, err)
	for _, c := range all {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no connection %s", id)
	return tracking.ProviderConnection{}
}

// A renamed owner is followed by its id, for each answer of the host to the former name. The
// repositories keep their rows, no webhook is removed or created twice, and the audit log and the
// connection report the new name.
func TestARenamedOwnerIsFollowed(t *testing.T) {
	t.Parallel()
	for name, former := range map[string]error{
		"redirected":                hostError(codehost.ClassMoved, 307, "the owner is called acme-new now"),
		"not found by that name":    hostError(codehost.ClassNotFound, 404, ""),
		"answered to, as it is now": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				b := newBench(t, s)
				a := accounts{by: map[string]domain.HostID{"acme": "7"}, former: former, was: codehost.RepoOwner{ID: "7", Login: "acme-new", Organization: true}}
				a.is(b)
				in := b.request("one")
				in.RegisterWebhooks = true
				made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
				testkit.OK(t, err)
				b.synced(t, made.ID)
				before, err := s.AccessOfConnection(bg, b.Tenant, made.ID)
				testkit.OK(t, err)
				old, err := s.AccessRepositories(bg, b.Tenant, before.ID)
				testkit.OK(t, err)
				run := b.runOn(t, made.ID)

				a.by = map[string]domain.HostID{"acme-new": "7"}
				got := b.synced(t, made.ID)
				now := b.connection(t, made.ID)
				if now.Owner != "acme-new" || now.State != "active" || now.Message != "" || len(got.Notes) != 1 || !strings.HasPrefix(got.Notes[0], "acme is called acme-new at the host now.") {
					t.Fatalf("the connection is %+v, its synchronisation %+v", now, got)
				}
				testkit.Equal(t, "counts", fmt.Sprint(got.State, got.Counts), "completedmap[added:0 changed:2 disconnected:0 repositories:2 taken:0 webhooks:2]")
				after, err := s.AccessOfConnection(bg, b.Tenant, made.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "access", after.ID+" "+after.AccountLogin, before.ID+" acme-new")
				for _, r := range old {
					kept, err := s.AccessRepository(bg, b.Tenant, after.ID, r.ExternalID)
					testkit.OK(t, err)
					testkit.Equal(t, "repository", kept.ID+kept.Owner+kept.Name+kept.State, r.ID+"acme-new"+r.Name+"active")
				}
				ran, err := s.Run(bg, b.Tenant, run.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "a run that was under way", ran.State, domain.RunQueued)
				testkit.Equal(t, "removed webhooks", fmt.Sprint(b.host.Removed()), "[]")
				entries, err := b.Features.Audit.Entries(bg, b.Tenant, store.AuditFilter{Action: "provider-connection.update", Limit: 10})
				testkit.OK(t, err)
				if len(entries) != 1 || entries[0].Actor.Kind != audit.KindService || string(entries[0].Changes[0].After) != `"acme-new"` {
					t.Errorf("the audit log has %+v", entries)
				}
				if again := b.synced(t, made.ID); len(again.Notes) != 0 || b.connection(t, made.ID).Version != now.Version {
					t.Errorf("once more: %+v", again)
				}
			})
		})
	}
}

// A name that another account has taken is never followed: nothing of that account is read, everything
// stays unchanged, and the connection says what to do.
func TestAnOwnerWhoseNameAnotherAccountTook(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		a := accounts{by: map[string]domain.HostID{"acme": "7"}, former: hostError(codehost.ClassNotFound, 404, "")}
		a.is(b)
		made := b.create("one")
		b.synced(t, made.ID)
		run := b.runOn(t, made.ID)
		b.host.Repositories = has("", "", "theirs")
		for _, step := range []struct {
			by   map[string]domain.HostID
			says string
		}{
			{map[string]domain.HostID{"acme": "8", "acme-new": "7"}, "which is called acme-new now, and reads nothing of the other account. Enter acme-new as the owner"},
			{map[string]domain.HostID{"acme": "8"}, "Enter the present name of that account as the owner"},
		} {
			a.by = step.by
			got := b.synced(t, made.ID)
			now := b.connection(t, made.ID)
			if now.Owner != "acme" || now.State != "error" || !strings.Contains(now.Message, "the number 8. The connection is for number 7") || !strings.Contains(now.Message, step.says) ||
				!strings.Contains(now.Message, "delete the connection") || got.Error != now.Message {
				t.Errorf("the connection is %+v, its synchronisation %+v", now, got)
			}
			testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
			testkit.Equal(t, "told", told(t, url), 1)
			checks, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
			testkit.OK(t, err)
			if len(checks.Checks) != 1 || checks.Checks[0].Name != "owner" || checks.Checks[0].OK || checks.Checks[0].Message != now.Message {
				t.Errorf("its test says %+v", checks)
			}
		}
		changed, err := b.update(made.ID, 0, `{"token":"`+newToken()+`3"}`) // another token does not change that
		testkit.OK(t, err)
		testkit.Equal(t, "with another token", changed.State, "error")
		ran, err := s.Run(bg, b.Tenant, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "a run that was under way", ran.State, domain.RunQueued)

		a.by = map[string]domain.HostID{"acme": "8", "acme-new": "7"}
		b.host.Repositories = has("api", "shop")
		_, err = b.update(made.ID, 0, `{"owner":"acme-new","token":"`+newToken()+`4"}`)
		testkit.OK(t, err)
		b.work(t, 3) // the removal, which waits, the sync, and the removal
		testkit.Equal(t, "after the offer was taken", b.connection(t, made.ID).State, "active")
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
	})
}

// The test of a connection and a new token follow a renamed owner, too. A host that fails meanwhile
// changes nothing.
func TestAskingAboutARenamedOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	a := accounts{by: map[string]domain.HostID{"acme": "7"}, former: hostError(codehost.ClassMoved, 307, "the owner is called acme-new now")}
	a.is(b)
	made := b.create("one")
	b.synced(t, made.ID)
	a.by = map[string]domain.HostID{"acme-new": "7"}
	find := b.host.OwnerNow
	b.host.OwnerNow = func(domain.HostID) (codehost.RepoOwner, error) { return codehost.RepoOwner{}, errors.New("no route") }
	if got := b.synced(t, made.ID); got.State != "failed" || !strings.HasPrefix(got.Error, "The owner was renamed at the host.") || b.connection(t, made.ID).Owner != "acme" {
		t.Errorf("a host that does not return the name: %+v", got)
	}
	b.host.OwnerNow = find
	before := b.jobs(t, made.ID)
	checks, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
	testkit.OK(t, err)
	said := fmt.Sprint(checks)
	if !strings.Contains(said, "acme-new is an organisation. acme was its former name") || strings.Contains(said, "false") || b.jobs(t, made.ID) != before+1 {
		t.Errorf("its test says %s, and %d jobs were made", said, b.jobs(t, made.ID)-before)
	}
	changed, err := b.update(made.ID, 0, `{"token":"`+newToken()+`3"}`)
	testkit.OK(t, err)
	testkit.Equal(t, "with a new token", changed.Owner+" "+changed.State, "acme-new active")
	testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
}
