package tracking_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// bench is a tenant with code hosts whose answers a test sets.
type bench struct {
	*featuretest.World
	t    *testing.T
	host *featuretest.Connections
}

func newBench(t *testing.T, s *store.Store) *bench {
	b := &bench{t: t, host: &featuretest.Connections{}}
	b.World = featuretest.NewWorld(t, s, func(o *featuretest.Options) { o.Code = b.host })
	return b
}

// says sets the answer of the hosts to a token.
func (b *bench) says(p codehost.Probed, err error) {
	b.host.Probe = func(context.Context, store.ProviderConnection, secret.Secret) (codehost.Probed, error) { return p, err }
}

func newToken() string { return strings.Repeat("Yy4", 7) + "1" }

func (b *bench) request(name string) tracking.ProviderConnectionCreate {
	return tracking.ProviderConnectionCreate{Kind: "gitea", Name: name, BaseURL: "https://gitea.example.com", Owner: "acme", Token: newToken(), Repositories: tracking.Repositories{All: true}}
}

func (b *bench) create(name string) tracking.ProviderConnection {
	b.t.Helper()
	r, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, b.request(name))
	testkit.OK(b.t, err)
	return r
}

// hostError is an error of a code host.
func hostError(class codehost.Class, status int, message string) error {
	return &codehost.Error{Class: class, Op: "probe", Status: status, Message: message}
}

// The host checks the token of a new connection. A problem that the person must fix is refused and not
// stored. A host that does not answer is asked again.
func TestNewConnectionIsAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		for name, tc := range map[string]struct {
			probed codehost.Probed
			err    error
			wrong  string // the refused fields
			state  string
			says   string
		}{
			"well":               {state: "active"},
			"token refused":      {err: hostError(codehost.ClassForbidden, 401, "token "+newToken()+" is \u202ebad\n"), wrong: "/token"},
			"too little":         {probed: codehost.Probed{Login: "bot", Lacking: []string{"write:repository"}, Missing: []string{"It may not write reviews."}}, wrong: "/token"},
			"account may little": {probed: codehost.Probed{Login: "bot", Missing: []string{"It is no administrator."}}, state: "active", says: "It is no administrator."},
			"no such owner":      {err: hostError(codehost.ClassNotFound, 404, ""), wrong: "/owner"},
			"a renamed owner":    {err: hostError(codehost.ClassMoved, 307, "the owner is called octo-new now"), wrong: "/owner"},
			"does not answer":    {err: errors.New("dial tcp 10.1.2.3:443: connection refused"), state: "error", says: "The host does not answer."},
			"answers with 502":   {err: hostError(codehost.ClassUnavailable, 502, "<b>Bad\x00 gateway</b> "+newToken()), state: "error", says: "status 502"},
			"wants us to wait":   {err: hostError(codehost.ClassLimited, 429, ""), state: "error", says: "asks to wait"},
			"answers too much":   {err: hostError(codehost.ClassTooLarge, 200, "a list in it has more than 50 entries"), state: "error", says: "Name the repositories of the connection instead of all. The reason: a list in it"},
			"takes longer, ever": {err: context.DeadlineExceeded, state: "error", says: "does not answer"},
		} {
			t.Run(name, func(t *testing.T) {
				b.says(tc.probed, tc.err)
				r, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, b.request(name))
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.wrong)
				if err != nil && (strings.Contains(err.Error(), newToken()) || strings.ContainsAny(err.Error(), "\u202e\n")) {
					t.Errorf("the error is %q", err)
				}
				rows, lerr := s.ProviderConnections(bg, b.Tenant, store.Cursor{}, 50)
				testkit.OK(t, lerr)
				stored := slices.ContainsFunc(rows, func(r store.ProviderConnection) bool { return r.Name == name })
				testkit.Equal(t, "stored", stored, tc.wrong == "")
				if tc.wrong != "" {
					return
				}
				if r.State != tc.state || !strings.Contains(r.Message, tc.says) || strings.Contains(r.Message, newToken()) || strings.Contains(r.Message, "10.1.2.3") {
					t.Errorf("state %s: %q", r.State, r.Message)
				}
				jobs, jerr := s.JobsOf(bg, r.ID)
				testkit.OK(t, jerr)
				if len(jobs) != 1 || jobs[0].Kind != domain.KindSync || jobs[0].Tenant != b.Tenant.ID {
					t.Errorf("jobs %+v", jobs)
				}
			})
		}
	})
}

// A host is asked outside of every transaction. Its answer is ignored if the connection was changed
// meanwhile.
func TestChangeWhileTheHostIsAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		made := b.create("one")
		b.host.Probe = func(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Probed, error) {
			b.host.Probe = nil
			_, err := b.Features.Tracking.UpdateProvider(ctx, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"name":"renamed"}`))
			return codehost.Probed{Login: "bot"}, err
		}
		_, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"token":"`+newToken()+`2"}`))
		if !errs.Is(err, errs.Stale) {
			t.Fatalf("%v, want stale", err)
		}
		row, err := s.ProviderConnection(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		if row.Name != "renamed" || row.Version != made.Version+1 {
			t.Errorf("it is %+v", row)
		}
		b.host.Probe = func(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Probed, error) {
			b.host.Probe = nil
			_, err := b.Features.Tracking.UpdateProvider(ctx, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"name":"again"}`))
			testkit.OK(t, err)
			return codehost.Probed{}, hostError(codehost.ClassForbidden, 401, "")
		}
		_, err = b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		row, err = s.ProviderConnection(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "state", row.State, domain.ConnectionActive)
	})
}

// The host is asked only if a change concerns the account at the host.
func TestWhichChangesAsk(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	made := b.create("one")
	for change, want := range map[string]string{
		`{"name":"two"}`: "", `{"repositories":["a"]}`: "", `{"registerWebhooks":true}`: "",
		`{"token":"` + newToken() + `2"}`: newToken() + "2", `{"username":"bot"}`: newToken() + "2",
	} {
		if strings.Contains(change, "username") {
			continue // after the token; see below
		}
		b.asks(t, made.ID, change, want)
	}
	b.asks(t, made.ID, `{"username":"bot"}`, newToken()+"2")
	b.asks(t, made.ID, `{"enabled":false}`, "")
	b.asks(t, made.ID, `{"enabled":true}`, newToken()+"2")
	b.says(codehost.Probed{}, hostError(codehost.ClassForbidden, 401, ""))
	_, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"token":"`+newToken()+`3"}`))
	testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), "/token")
	_, err = b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"kind":"bitbucket-dc","token":"`+newToken()+`3"}`))
	testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), "/baseUrl")
	for base, kind := range map[string]string{"https://git.example.com": "gitea", "https://gitlab.com": "gitlab", "https://gitlab.com:443": "gitlab", "https://GitLab.com./sub": "gitlab"} { // a whole instance of none
		_, err = b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"kind":"`+kind+`","baseUrl":"`+base+`","owner":"*","token":"`+newToken()+`3"}`))
		testkit.Equal(t, "wrong fields of all of "+base, featuretest.Pointers(t, err), "/owner")
	}
	b.says(bot, nil)
	whole, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"kind":"gitlab","baseUrl":"https://gitlab.example.com","owner":"*","token":"`+newToken()+`3"}`))
	testkit.OK(t, err)
	testkit.Equal(t, "owner", whole.Owner, codehost.WholeInstance)
}

// asks makes a change and checks the token with which the host is asked, "" for no request.
func (b *bench) asks(t *testing.T, id, change, want string) {
	t.Helper()
	got := ""
	b.host.Probe = func(_ context.Context, _ store.ProviderConnection, token secret.Secret) (codehost.Probed, error) {
		got = token.Reveal()
		return codehost.Probed{Login: "bot"}, nil
	}
	_, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, id, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, change))
	testkit.OK(t, err)
	if got != want {
		t.Errorf("%s: the host was asked with %d characters, want %d", change, len(got), len(want))
	}
}

// A test has a line for each check, and its result becomes the state.
func TestConnectionIsTested(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		made := b.create("one")
		near, far := time.Now().Add(time.Hour), time.Now().Add(1000*time.Hour)
		owner := codehost.RepoOwner{Login: "acme", Organization: true}
		for name, tc := range map[string]struct {
			probed codehost.Probed
			err    error
			want   string // the checks, failed ones with a minus
			state  string
		}{
			"well":       {probed: codehost.Probed{Login: "bot", Version: "1.26", Scopes: []string{"write:repository"}, ScopesKnown: true, ExpiresAt: &far, Owner: owner}, want: "host token scopes expiry owner rights people", state: "active"},
			"ends soon":  {probed: codehost.Probed{Login: "bot", ExpiresAt: &near, Owner: owner}, want: "host token scopes -expiry owner rights people", state: "active"},
			"too little": {probed: codehost.Probed{Login: "bot", Owner: owner, Lacking: []string{"write:issue"}, Missing: []string{"One.", "Two."}}, want: "host token scopes expiry owner -rights -rights people", state: "error"},
			"account":    {probed: codehost.Probed{Login: "bot", Owner: owner, Missing: []string{"One."}}, want: "host token scopes expiry owner -rights people", state: "active"},
			"refused":    {err: hostError(codehost.ClassForbidden, 401, ""), want: "-token", state: "error"},
			"no owner":   {err: hostError(codehost.ClassNotFound, 404, ""), want: "-owner", state: "error"},
			"renamed":    {err: hostError(codehost.ClassMoved, 307, "the owner is called octo-new now"), want: "-owner", state: "error"},
			"down":       {err: errors.New("no route"), want: "-host", state: "error"},
		} {
			t.Run(name, func(t *testing.T) {
				b.says(tc.probed, tc.err)
				got, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
				testkit.OK(t, err)
				var names []string
				for _, c := range got.Checks {
					if c.Message == "" || strings.Contains(c.Message, newToken()) {
						t.Errorf("%s says %q", c.Name, c.Message)
					}
					names = append(names, map[bool]string{false: "-"}[c.OK]+c.Name)
				}
				testkit.Equal(t, "checks", strings.Join(names, " "), tc.want)
				row, err := s.ProviderConnection(bg, b.Tenant, made.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "state", row.State, tc.state)
			})
		}

		// The last line says whether the members of the host's organisation can be read.
		b.says(codehost.Probed{Login: "bot", Owner: owner}, nil)
		for _, linked := range []bool{false, true} {
			got, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
			testkit.OK(t, err)
			line := got.Checks[len(got.Checks)-1]
			if line.Name != "people" || strings.Contains(line.Message, "hostUserId") == linked {
				t.Errorf("linked %v: %+v", linked, line)
			}
			_, err = s.CreateIdentityProvider(bg, store.IdentityProvider{ID: domain.NewID("idp"), Slug: domain.NewID("slug"), Issuer: "https://id.example.com", ClientSecret: []byte("sealed"), Scopes: "[]",
				AllTenants: true, Enabled: true, HostUserID: strings.ToUpper(made.BaseURL) + "/"})
			testkit.OK(t, err)
		}
	})
}

// After a test without faults, the next fault is reported again.
func TestFaultEndsWithATest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		made := b.create("one")
		breaks := func() bool {
			changed, err := s.FailConnection(bg, b.Tenant, domain.ConnectionProvider, made.ID, "gone")
			testkit.OK(t, err)
			return changed
		}
		testkit.Equal(t, "at first", breaks(), true)
		for _, step := range []struct {
			err  error
			want bool
		}{{hostError(codehost.ClassNotFound, 404, ""), false}, {nil, true}} {
			b.says(codehost.Probed{Login: "bot"}, step.err)
			_, err := b.Features.Tracking.TestProvider(bg, b.Tenant, made.ID)
			testkit.OK(t, err)
			testkit.Equal(t, "reported again", breaks(), step.want)
		}
	})
}
