package connect_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// office is a tracker with OAuth in memory. It counts the uses of each refresh token, and answers with the
// token of the request.
type office struct {
	mu    sync.Mutex
	used  map[string]int
	life  time.Duration
	fails error
	made  int // number of clients made
	ring  *secret.Keyring

	revoked []string
}

func newOffice(t *testing.T, s *store.Store) *office {
	return &office{used: map[string]int{}, ring: storetest.Keyring(t, s)}
}

func (o *office) AuthorizeURL(state, challenge, redirect string) string {
	return state + challenge + redirect
}

func (o *office) Exchange(_ context.Context, code, _, _ string) (connect.Tokens, error) {
	return o.tokens(code), nil
}

func (o *office) Refresh(_ context.Context, refresh secret.Secret) (connect.Tokens, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.used[refresh.Reveal()]++
	if o.fails != nil {
		return connect.Tokens{}, o.fails
	}
	return o.tokens(refresh.Reveal() + "+"), nil
}

func (o *office) Revoke(_ context.Context, token secret.Secret) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revoked = append(o.revoked, token.Reveal())
	return o.fails
}

func (o *office) tokens(name string) connect.Tokens {
	return connect.Tokens{Access: secret.New("access of " + name), Refresh: secret.New(name), Expires: o.life}
}

// asked is the tracker of a connection, which answers with the token of the request.
type asked struct {
	tracker.Tracker
	cfg tracker.Config
}

func (a asked) OwnAccount(ctx context.Context) (tracker.Account, error) {
	token, err := a.cfg.Token(ctx)
	if err == nil && strings.Contains(token.Reveal(), "revoked") {
		err = &tracker.Error{Class: tracker.ClassForbidden, Op: "who", Status: 401}
	}
	return tracker.Account{Name: token.Reveal()}, err
}

// trackers builds the trackers of one process.
func (o *office) trackers(t *testing.T, s *store.Store) *connect.Trackers {
	t.Helper()
	factory := outbound.New(outbound.Policy{})
	t.Cleanup(factory.Close)
	return &connect.Trackers{Store: s, Keyring: o.ring, Factory: factory, Logger: telemetry.Discard(),
		Adapters: map[domain.ConnectionKind]connect.Adapter{domain.Linear: func(cfg tracker.Config) (tracker.Tracker, error) {
			o.mu.Lock()
			o.made++
			o.mu.Unlock()
			return asked{cfg: cfg}, nil
		}},
		Consents: map[domain.ConnectionKind]connect.ConsentOf{domain.Linear: func(store.TrackerConnection, secret.Secret, *http.Client) (connect.Consent, error) { return o, nil }}}
}

// signedIn stores a connection whose access token has the given lifetime.
func (o *office) signedIn(t *testing.T, s *store.Store, w storetest.World, name string, life time.Duration) store.TrackerConnection {
	t.Helper()
	h := o.trackers(t, s)
	id := domain.NewID("tcn")
	key, err := h.Keyring.SealSecret(context.Background(), secret.Scope{Tenant: w.Tenant.ID, Table: "tracker_connections", Row: id, Column: "client_secret"}, secret.New("of the app"))
	testkit.OK(t, err)
	row, err := s.CreateTrackerConnection(context.Background(), w.Tenant, store.TrackerConnection{ID: id, Kind: "linear", Name: name, AuthKind: "oauth", ClientID: "app", ClientSecret: key, Projects: "[]", Mapping: "{}", Enabled: true})
	testkit.OK(t, err)
	o.life = life
	got, err := h.Exchange(context.Background(), w.Tenant, row, name, "verifier", "https://assay.example.com/back")
	testkit.OK(t, err)
	kept, err := s.PutTrackerGrant(context.Background(), w.Tenant, row.ID, got)
	testkit.OK(t, err)
	testkit.Equal(t, "kept", kept, true)
	storetest.Sealed(t, s, h.Keyring, "tracker_grants.access", "tracker_grants.refresh")
	return row
}

func who(t *testing.T, h *connect.Trackers, w storetest.World, row store.TrackerConnection) (string, error) {
	t.Helper()
	port, err := h.Open(context.Background(), w.Tenant, row)
	testkit.OK(t, err)
	account, err := port.OwnAccount(context.Background())
	return account.Name, err
}

// If many processes need the token of a connection at once, one of them exchanges the refresh token, once,
// and all get the new access token.
func TestRefreshTokenIsUsedOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w, o := storetest.Seed(t, s), newOffice(t, s)
		row := o.signedIn(t, s, w, "one", -time.Second)
		o.life = time.Hour
		var over sync.WaitGroup
		for range 4 {
			h := o.trackers(t, s)
			for range 3 {
				over.Go(func() {
					got, err := who(t, h, w, row)
					if err != nil || got != "access of one+" {
						t.Errorf("it is %q (%v)", got, err)
					}
				})
			}
		}
		over.Wait()
		testkit.Equal(t, "used", fmt.Sprint(o.used), "map[one:1]")
		v, err := s.TrackerGrant(context.Background(), w.Tenant, row.ID)
		testkit.OK(t, err)
		if v.Generation != 2 || v.Held || v.Ended != "" || strings.Contains(string(v.Access)+string(v.Refresh), "one") {
			t.Errorf("stored is %+v", v)
		}
	})
}

// After a failed exchange, a refresh token that may be used up is never sent again, and one that was
// certainly not sent is. No request repeats in a loop.
func TestTradesThatFail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, ring := storetest.Seed(t, s), storetest.Keyring(t, s)
		for name, tc := range map[string]struct {
			fails error
			ended string
			again bool // the token is exchanged once the tracker answers again
		}{
			"revoked":  {&tracker.Error{Class: tracker.ClassForbidden, Op: "refresh token", Status: 400}, "refused", false},
			"lost":     {&tracker.Error{Class: tracker.ClassAmbiguous, Op: "refresh token"}, "lost", false},
			"odd":      {errors.New("nobody knows"), "lost", false},
			"not sent": {&tracker.Error{Class: tracker.ClassUnavailable, Op: "refresh token"}, "", true},
			"limited":  {&tracker.Error{Class: tracker.ClassLimited, Op: "refresh token"}, "", true},
		} {
			t.Run(name, func(t *testing.T) {
				o := &office{used: map[string]int{}, ring: ring}
				row := o.signedIn(t, s, w, name, -time.Second)
				o.fails, o.life = tc.fails, time.Hour
				for range 3 {
					if got, err := who(t, o.trackers(t, s), w, row); err == nil {
						t.Fatalf("it is %q", got)
					} else if !tc.again && tracker.ClassOf(err) != tracker.ClassForbidden {
						t.Errorf("the error is %v", err)
					}
				}
				v, err := s.TrackerGrant(context.Background(), w.Tenant, row.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "ended", v.Ended, tc.ended)
				if !tc.again {
					testkit.Equal(t, "used", o.used[name], 1)
					jobs, err := s.JobsOf(context.Background(), row.ID)
					testkit.OK(t, err)
					testkit.Equal(t, "jobs that report it", len(jobs), 1)
				}
				o.fails = nil
				got, err := who(t, o.trackers(t, s), w, row)
				if tc.again != (err == nil) || tc.again && got != "access of "+name+"+" {
					t.Errorf("afterwards it is %q (%v)", got, err)
				}
				// A person signs in again.
				next, err := o.trackers(t, s).Exchange(context.Background(), w.Tenant, row, "new", "v", "r")
				testkit.OK(t, err)
				kept, err := s.PutTrackerGrant(context.Background(), w.Tenant, row.ID, next)
				testkit.OK(t, err)
				testkit.Equal(t, "kept", kept, true)
				if got, err := who(t, o.trackers(t, s), w, row); err != nil || got != "access of new" {
					t.Errorf("after the sign-in it is %q (%v)", got, err)
				}
			})
		}
	})
}

// A tracker that asks for a delay gets no request before it is over, and the caller learns how long it is.
func TestATradeWaitsAsLongAsTheTrackerSays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, o := storetest.Seed(t, s), newOffice(t, s)
		row := o.signedIn(t, s, w, "one", -time.Second)
		o.fails = &tracker.Error{Class: tracker.ClassLimited, Op: "refresh token", RetryAfter: 30 * time.Minute}
		h := o.trackers(t, s)
		for range 3 {
			_, err := who(t, h, w, row)
			if wait, limited := tracker.Pause(err); !limited || wait < 29*time.Minute {
				t.Errorf("wait %v: %v", wait, err)
			}
		}
		testkit.Equal(t, "used", o.used["one"], 1)
		v, err := s.TrackerGrant(context.Background(), w.Tenant, row.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "ended or held", fmt.Sprint(v.Ended, v.Held), "false")
	})
}

// A grant is revoked by its refresh token, which ends all its access tokens. If the refresh token is no
// longer valid, the access token is revoked.
func TestGrantsAreRevoked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, o := storetest.Seed(t, s), newOffice(t, s)
		row := o.signedIn(t, s, w, "one", time.Hour)
		v, err := s.TrackerGrant(context.Background(), w.Tenant, row.ID)
		testkit.OK(t, err)
		h := o.trackers(t, s)
		testkit.OK(t, h.Revoke(context.Background(), w.Tenant, row, v))
		v.Ended = store.GrantLost
		testkit.OK(t, h.Revoke(context.Background(), w.Tenant, row, v))
		testkit.Equal(t, "revoked", fmt.Sprint(o.revoked), "[one access of one]")
		o.fails = &tracker.Error{Class: tracker.ClassUnavailable, Op: "revoke token"}
		if err := h.Revoke(context.Background(), w.Tenant, row, v); tracker.ClassOf(err) != tracker.ClassUnavailable {
			t.Errorf("%v", err)
		}
	})
}

// A process that dies during an exchange has used up the refresh token, and no other process sends it. The
// access token stays usable until it expires.
func TestDeathWithARefreshToken(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, o := storetest.Seed(t, s), newOffice(t, s)
		row := o.signedIn(t, s, w, "one", 5*time.Minute) // due for a replacement, but still valid
		held, err := s.HoldTrackerGrant(context.Background(), w.Tenant, row.ID, 1, "the dead", time.Hour)
		testkit.OK(t, err)
		testkit.Equal(t, "held", held, true)
		if got, err := who(t, o.trackers(t, s), w, row); err != nil || got != "access of one" {
			t.Errorf("while it is held it is %q (%v)", got, err)
		}
		testkit.OK(t, s.FreeTrackerGrant(context.Background(), w.Tenant, row.ID, 1, "the dead", ""))
		_, err = s.HoldTrackerGrant(context.Background(), w.Tenant, row.ID, 1, "the dead", -time.Second)
		testkit.OK(t, err)
		if got, err := who(t, o.trackers(t, s), w, row); err != nil || got != "access of one" {
			t.Errorf("after the crash it is %q (%v)", got, err)
		}
		v, err := s.TrackerGrant(context.Background(), w.Tenant, row.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "ended", v.Ended, store.GrantLost)
		testkit.Equal(t, "used", len(o.used), 0)
		// The process was slow but alive, so that its new token counts.
		o.life = time.Hour
		slow, err := o.trackers(t, s).Exchange(context.Background(), w.Tenant, row, "slow", "v", "r")
		testkit.OK(t, err)
		kept, err := s.RenewTrackerGrant(context.Background(), w.Tenant, row.ID, "the dead", slow)
		testkit.OK(t, err)
		testkit.Equal(t, "kept", kept, true)
		if got, err := who(t, o.trackers(t, s), w, row); err != nil || got != "access of slow" {
			t.Errorf("it is %q (%v)", got, err)
		}
	})
}

// A client is reused while the row does not change. A tracker that refuses gets one job that checks it. A
// disabled tracker is not opened.
func TestOpenedTrackerIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w, o := storetest.Seed(t, s), newOffice(t, s)
		row := o.signedIn(t, s, w, "revoked", time.Hour)
		h := o.trackers(t, s)
		for range 3 {
			if _, err := who(t, h, w, row); tracker.ClassOf(err) != tracker.ClassForbidden {
				t.Errorf("the error is %v", err)
			}
		}
		testkit.Equal(t, "made", o.made, 1)
		jobs, err := s.JobsOf(context.Background(), row.ID)
		testkit.OK(t, err)
		if len(jobs) != 1 || jobs[0].Kind != domain.KindTrackerCheck {
			t.Errorf("jobs %+v", jobs)
		}
		row.Enabled = false
		if row, err = s.UpdateTrackerConnection(context.Background(), w.Tenant, row); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Open(context.Background(), w.Tenant, row); tracker.ClassOf(err) != tracker.ClassForbidden {
			t.Errorf("a disabled tracker: %v", err)
		}
		row.Enabled = true
		_, _ = who(t, h, w, row)
		testkit.Equal(t, "made after a change", o.made, 2)
	})
}
