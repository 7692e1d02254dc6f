package tracking_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// ending is the bot with a token that expires after a time.
func ending(after time.Duration) codehost.Probed {
	p := bot
	at := time.Now().Add(after).UTC().Truncate(time.Second)
	p.ExpiresAt = &at
	return p
}

// The expiry of a token is shown. Administrators are notified a week before, once for each expiry date,
// and their inbox shows it until there is another token. After the expiry the connection says what to
// do.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		inbox := func(admin bool) []analytics.InboxItem {
			t.Helper()
			all, err := b.Features.Analytics.Inbox(bg, b.Tenant, store.Viewer{User: "usr_nobody", Admin: admin, Least: "none"}, store.Cursor{US: 1 << 60, ID: "z"}, 10)
			testkit.OK(t, err)
			n, err := b.Store.CountWaiting(bg, b.Tenant, store.Viewer{User: "usr_nobody", Admin: admin, Least: "none"})
			testkit.OK(t, err)
			testkit.Equal(t, "counted", int(n[store.WaitsToken]+n[store.WaitsConnection]), len(all))
			return all
		}
		far, near, nearer := ending(30*24*time.Hour), ending(6*24*time.Hour), ending(5*24*time.Hour)
		b.says(far, nil)
		made := b.create("one")
		if made.TokenExpiresAt == nil || !made.TokenExpiresAt.Equal(*far.ExpiresAt) {
			t.Fatalf("it ends at %v", made.TokenExpiresAt)
		}
		for i, step := range []struct {
			host   codehost.Probed
			err    error
			events int
			waits  string
		}{
			{host: far, events: 0},
			{host: near, events: 1, waits: "The token ends on " + near.ExpiresAt.Format("2006-01-02 15:04")},
			{host: near, events: 1, waits: "The token ends on "},
			{host: nearer, events: 2, waits: "The token ends on "}, // another token, created by hand to replace it
			{host: bot, events: 2}, // a token that does not expire
			{host: near, events: 3, waits: "The token ends on "},
			{err: hostError(codehost.ClassUnavailable, 502, ""), events: 3, waits: "The host answers with status 502"},
		} {
			b.says(step.host, step.err)
			_, err := s.EnqueueAwaited(bg, b.Tenant, domain.KindSync, made.ID)
			testkit.OK(t, err)
			b.work(t, 1)
			waits := inbox(true)
			if got := told(t, url); got != step.events || (len(waits) == 1) != (step.waits != "") || len(waits) > 1 {
				t.Fatalf("step %d: %d events, inbox %+v", i, got, waits)
			}
			if len(waits) == 1 && (waits[0].Kind != "connection" || waits[0].ConnectionKind != "provider" || waits[0].ID != made.ID || waits[0].Number != 0 || !strings.HasPrefix(waits[0].Detail, step.waits)) {
				t.Errorf("step %d: %+v", i, waits[0])
			}
			testkit.Equal(t, "of a member", len(inbox(false)), 0)
		}
		event := fmt.Sprint(storetest.Dump(t, url)["events"])
		if !strings.Contains(event, "tokenEndsAt") || !strings.Contains(event, "connection.error") || strings.Contains(event, newToken()) {
			t.Errorf("the events are %s", event)
		}
	})
}

// An expired token is named as the reason, and a new one removes the notice.
func TestTokenHasEnded(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		ended := ending(-time.Hour)
		b.says(ended, nil)
		made := b.create("one")
		b.work(t, 1)
		testkit.Equal(t, "events of a host that says so and still answers", told(t, url), 0)
		b.says(codehost.Probed{}, hostError(codehost.ClassForbidden, 401, "Token is expired"))
		got := b.synced(t, made.ID)
		want := "The host refuses the token, which ended on " + ended.ExpiresAt.Format(time.DateOnly) + ". Make a new one there and enter it."
		if !strings.HasPrefix(got.Error, want) {
			t.Errorf("the sync says %q", got.Error)
		}
		testkit.Equal(t, "events", told(t, url), 1)
		checks, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		if len(checks.Checks) != 1 || checks.Checks[0].Name != "token" || !strings.HasPrefix(checks.Checks[0].Message, want) {
			t.Errorf("the test says %+v", checks)
		}
		next := ending(300 * 24 * time.Hour)
		b.host.Probe = func(_ context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Probed, error) {
			if token.Reveal() == newToken() {
				return codehost.Probed{}, hostError(codehost.ClassForbidden, 401, "")
			}
			return next, nil
		}
		_, err = b.Features.Tracking.PutProvider(bg, b.Tenant, made.ID, b.request("one"))
		if err == nil || strings.Contains(err.Error(), "ended") {
			t.Errorf("a new token that is refused: %v", err)
		}
		in := b.request("one")
		in.Token = "another-" + newToken()
		after, err := b.Features.Tracking.PutProvider(bg, b.Tenant, made.ID, in)
		testkit.OK(t, err)
		if after.State != domain.ConnectionActive || after.TokenExpiresAt == nil || !after.TokenExpiresAt.Equal(*next.ExpiresAt) {
			t.Errorf("with a new token it is %+v", after)
		}
	})
}

// A webhook that the host has switched off is reported on the connection: either that it is on again,
// or what a person must do.
func TestWebhooksThatAreOff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api", "shop", "tools")
		until := time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC)
		b.host.Ensure = func(r codehost.Repo, _ string, _ secret.Secret) (codehost.HookState, error) {
			return map[string]codehost.HookState{"api": {ID: "1", Active: true, Restored: true}, "shop": {ID: "2", OffUntil: until}, "tools": {ID: "3"}}[r.Name], nil
		}
		in := b.request("one")
		in.RegisterWebhooks = true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		got := b.synced(t, made.ID)
		notes := strings.Join(got.Notes, "\n")
		for _, want := range []string{"acme/api was switched off at the host", "and is switched on again", "acme/shop is switched off at the host until 2026-11-30 08:30 UTC.", "acme/tools is switched off at the host. Switch it on there"} {
			if !strings.Contains(notes, want) {
				t.Errorf("the notes lack %q: %s", want, notes)
			}
		}
		testkit.Equal(t, "counts", fmt.Sprint(got.Counts["webhooks"], got.Counts["webhooksOff"]), "1 2")
		testkit.Equal(t, "state", made.State, domain.ConnectionActive)
	})
}
