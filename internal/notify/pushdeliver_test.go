package notify_test

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// pushService answers like a push service, and counts messages by the last part of the path of their
// endpoint.
type pushService struct {
	mu     sync.Mutex
	status int
	after  string
	seen   map[string]int
}

func (p *pushService) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	h := http.Header{}
	if p.after != "" {
		h.Set("Retry-After", p.after)
	}
	return &http.Response{StatusCode: p.status, Header: h, Body: http.NoBody, Request: r}, nil
}

func (p *pushService) answers(status int, after string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.after = status, after
}

func (p *pushService) taken() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.seen)
}

// pushes connects the feature with a push service, and with the store's data about people.
func (f *fixture) pushes() *pushService {
	f.t.Helper()
	p := &pushService{status: http.StatusCreated, seen: map[string]int{}}
	f.service.PushClient = func(string) *http.Client { return &http.Client{Transport: p} }
	f.service.PushContact = "https://assay.example.com"
	f.service.Standing = func(ctx context.Context, t domain.Tenant, user, repository string) (domain.Role, perm.RepoRole, error) {
		role, err := f.store.RoleOf(ctx, t, user)
		if err != nil || repository == "" {
			return role, perm.RepoNone, err
		}
		if role == domain.RoleAdmin {
			return role, perm.RepoManager, nil
		}
		row, err := f.store.RepositoryRole(ctx, t, repository, user)
		if errs.Is(err, errs.NotFound) {
			return role, perm.RepoNone, nil
		}
		return role, perm.RepoRoleOf(row.Role), err
	}
	return p
}

// person creates a person with a browser that is subscribed to all topics.
func (f *fixture) person(name string, role domain.Role, on string) (user string, v notify.PushSubscription) {
	f.t.Helper()
	made, err := f.store.CreateUser(bg, name, false)
	testkit.OK(f.t, err)
	testkit.OK(f.t, f.store.SetMember(bg, f.world.Tenant, made.ID, role, "hand"))
	if on != "" {
		testkit.OK(f.t, f.store.SetRepositoryRole(bg, f.world.Tenant, f.world.Repository.ID, made.ID, on))
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	testkit.OK(f.t, err)
	v, err = f.service.PutPushSubscription(bg, f.world.Tenant, made.ID, notify.PushSubscriptionCreate{Endpoint: "https://fcm.googleapis.com/fcm/send/" + name,
		Keys: notify.PushKeys{P256dh: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), Auth: base64.RawURLEncoding.EncodeToString([]byte(rand.Text())[:16])}})
	testkit.OK(f.t, err)
	return made.ID, f.change(made.ID, v, notify.PushSubscriptionUpdate{Topics: patch.Of([]string{"review.completed", "review.failed", "budget.threshold", "connection.error", "security.secret_found", "security.break_glass"})})
}

func (f *fixture) change(user string, v notify.PushSubscription, in notify.PushSubscriptionUpdate) notify.PushSubscription {
	f.t.Helper()
	v, err := f.service.UpdatePushSubscription(bg, f.world.Tenant, user, v.ID, 0, in)
	testkit.OK(f.t, err)
	return v
}

// Each event goes only to the people whom it concerns.
func TestPushGoesToWhomItConcerns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		p := f.pushes()
		f.person("admin", domain.RoleAdmin, "")
		f.person("viewer", domain.RoleMember, "view")
		f.person("none", domain.RoleMember, "none")
		f.person("unknown", domain.RoleMember, "")
		former, _ := f.person("former", domain.RoleAdmin, "manage")
		quiet, sub := f.person("uninterested", domain.RoleAdmin, "manage")
		f.change(quiet, sub, notify.PushSubscriptionUpdate{Topics: patch.Of([]string{"approval.requested"})})
		off, sub := f.person("off", domain.RoleAdmin, "manage")
		f.change(off, sub, notify.PushSubscriptionUpdate{Enabled: patch.Of(false)})
		f.raw(`DELETE FROM memberships WHERE user_id = $1`, former) // before the upkeep deletes the subscription
		f.serve()
		w := f.world
		for _, tc := range []struct {
			kind string
			body any
			want []string
		}{
			{domain.EventReviewFailed, f.failed(), []string{"admin", "viewer"}},
			{domain.EventReviewCompleted, domain.ReviewCompleted{RunID: w.Run.ID, RepositoryID: w.Repository.ID, PullRequest: 1}, []string{"admin", "viewer"}},
			{domain.EventSecretFound, domain.SecretFound{RunID: w.Run.ID, RepositoryID: w.Repository.ID, PullRequest: 1, Count: 1}, []string{"admin", "viewer"}},
			{domain.EventBudgetThreshold, domain.BudgetThreshold{RepositoryID: w.Repository.ID, Threshold: 50}, []string{"admin"}},
			{domain.EventBudgetThreshold, domain.BudgetThreshold{Threshold: 50}, []string{"admin"}},
			{domain.EventConnectionError, domain.ConnectionError{ConnectionKind: "mcp_server"}, []string{"admin"}},
			{domain.EventBreakGlass, domain.BreakGlass{UserID: "usr_1"}, []string{"admin"}},
			{domain.EventReviewFailed, domain.ReviewFailed{RunID: w.Run.ID, RepositoryID: "rep_gone", PullRequest: 1}, []string{"admin"}},
		} {
			before := p.taken()
			f.happened(tc.kind, tc.body)
			var told []string
			for who, n := range p.taken() {
				if n > before[who] {
					told = append(told, who)
				}
			}
			slices.Sort(told)
			testkit.Equal(t, tc.kind, fmt.Sprint(told), fmt.Sprint(tc.want))
		}
		if strings.Contains(f.logs.String(), "fcm/send") {
			t.Error("an endpoint is in the log")
		}
	})
}

// A person who loses the permission, the membership or the interest before the message is sent does not get
// it.
func TestPushLooksAgainBeforeItSends(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		p := f.pushes()
		left, _ := f.person("left", domain.RoleMember, "view")
		barred, _ := f.person("barred", domain.RoleMember, "view")
		bored, sub := f.person("bored", domain.RoleMember, "view")
		f.person("stays", domain.RoleMember, "view")
		p.answers(http.StatusServiceUnavailable, "")
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		f.raw(`DELETE FROM memberships WHERE user_id = $1`, left)
		testkit.OK(t, f.store.SetRepositoryRole(bg, f.world.Tenant, f.world.Repository.ID, barred, "none"))
		f.change(bored, sub, notify.PushSubscriptionUpdate{Topics: patch.Of([]string{})})
		p.answers(http.StatusCreated, "")
		f.hurry()
		f.hurry()
		testkit.Equal(t, "messages", fmt.Sprint(p.taken()), fmt.Sprint(map[string]int{"left": 1, "barred": 1, "bored": 1, "stays": 2}))
	})
}

// A message during quiet hours waits for their end, by the database's clock.
func TestPushWaitsForTheEndOfQuietHours(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fixture) {
		p := f.pushes()
		user, sub := f.person("sleeper", domain.RoleMember, "view")
		now, err := f.store.Now(bg)
		testkit.OK(t, err)
		at := store.Time(now)
		clock := func(d time.Duration) string { return at.Add(d).Format("15:04") }
		sub = f.change(user, sub, notify.PushSubscriptionUpdate{QuietHours: patch.To(notify.QuietHours{From: clock(-time.Hour), To: clock(2 * time.Hour), TimeZone: "UTC"})})
		f.serve()
		f.happened(domain.EventReviewFailed, f.failed())
		testkit.Require(t, "messages at night", len(p.taken()), 0)
		waits, err := f.store.NextDue(bg)
		testkit.OK(t, err)
		if due := waits[domain.LaneBackground]; due < 2*time.Hour-2*time.Minute || due > 2*time.Hour {
			t.Errorf("the message waits for %s", due)
		}
		f.hurry() // a worker that comes early checks the time too
		testkit.Require(t, "messages at night", len(p.taken()), 0)
		f.change(user, sub, notify.PushSubscriptionUpdate{QuietHours: patch.To(notify.QuietHours{From: clock(-3 * time.Hour), To: clock(-time.Hour), TimeZone: "UTC"})})
		f.hurry()
		testkit.Equal(t, "messages in the morning", fmt.Sprint(p.taken()), fmt.Sprint(map[string]int{"sleeper": 1}))
	})
}

// The answer of a push service decides whether the message is sent again.
func TestPushRetries(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]int{201: 1, 400: 1, 403: 1, 413: 1, 404: 1, 410: 1, 429: 6, 500: 6} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s, raw := sqlite(t)
			f := newFixture(t, s, raw)
			p := f.pushes()
			user, _ := f.person("somebody", domain.RoleMember, "view")
			p.answers(code, "3600")
			f.serve()
			f.happened(domain.EventReviewFailed, f.failed())
			if want > 1 {
				if waits, err := f.store.NextDue(bg); err != nil || waits[domain.LaneBackground] < 59*time.Minute {
					t.Errorf("the next attempts are in %v: %v", waits, err)
				}
			}
			for range 8 {
				f.hurry()
			}
			testkit.Equal(t, "requests", p.taken()["somebody"], want)
			all, err := f.service.PushSubscriptions(bg, f.world.Tenant, user)
			testkit.OK(t, err)
			testkit.Equal(t, "gone", all[0].State == "gone", code == 410 || code == 404)
			p.answers(201, "")
			f.happened(domain.EventReviewFailed, f.failed())
			more := 1
			if code == 410 || code == 404 {
				more = 0
			}
			testkit.Equal(t, "requests of the next event", p.taken()["somebody"], want+more)
		})
	}
}
