package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracking"
)

// desk is a tenant with issue trackers whose answers a test sets.
type desk struct {
	*bench
	tracker *featuretest.Trackers
}

func newDesk(t *testing.T, s *store.Store) *desk {
	d := &desk{tracker: &featuretest.Trackers{}, bench: &bench{t: t, host: &featuretest.Connections{}}}
	d.World = featuretest.NewWorld(t, s, func(o *featuretest.Options) { o.Code, o.Trackers = d.host, d.tracker })
	return d
}

// says sets the tracker's answer to the request for the owner of the token.
func (d *desk) says(err error) {
	d.tracker.Who = func(context.Context, store.TrackerConnection, secret.Secret) (tracker.Account, error) {
		return tracker.Account{Name: "Assay"}, err
	}
}

func (d *desk) request(name string, projects ...string) tracking.TrackerConnectionCreate {
	return tracking.TrackerConnectionCreate{Kind: "jira", Name: name, BaseURL: "https://issues.example.com", Auth: tracking.TrackerAuth{Kind: "token", Token: newToken()}, Projects: projects,
		Mapping: tracking.TrackerMapping{LinkBack: "none"}}
}

func (d *desk) connect(name string, projects ...string) tracking.TrackerConnection {
	d.t.Helper()
	r, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, d.request(name, projects...))
	testkit.OK(d.t, err)
	return r
}

func trackerError(class tracker.Class, status int, message string) error {
	return &tracker.Error{Class: class, Op: "who", Status: status, Message: message}
}

// The tracker checks the token of a new connection. A problem that the person must fix is refused and
// not stored. A tracker that does not answer is asked again.
func TestNewTrackerIsAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for name, tc := range map[string]struct {
			err      error
			projects []string
			wrong    string // the refused fields
			state    string
			says     string
			jobs     int
		}{
			"well":             {projects: []string{"pay"}, state: "active"},
			"token refused":    {err: trackerError(tracker.ClassForbidden, 401, "token "+newToken()+" is \u202ebad\n"), wrong: "/auth/token"},
			"no such site":     {err: trackerError(tracker.ClassNotFound, 404, ""), wrong: "/baseUrl"},
			"unknown project":  {projects: []string{"PAY", "NOPE"}, wrong: "/projects/1"},
			"does not answer":  {err: errors.New("dial tcp 10.1.2.3:443: connection refused"), state: "error", says: "The tracker does not answer.", jobs: 1},
			"answers with 502": {err: trackerError(tracker.ClassUnavailable, 502, "<b>Bad\x00 gateway</b> "+newToken()), state: "error", says: "status 502", jobs: 1},
			"wants us to wait": {err: trackerError(tracker.ClassLimited, 429, ""), state: "error", says: "asks to wait", jobs: 1},
		} {
			t.Run(name, func(t *testing.T) {
				d.says(tc.err)
				r, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, d.request(name, tc.projects...))
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.wrong)
				if err != nil {
					if strings.Contains(err.Error(), newToken()) || strings.ContainsAny(err.Error(), "\u202e\n") {
						t.Errorf("the error is %q", err)
					}
					return
				}
				if r.State != tc.state || !strings.Contains(r.Message, tc.says) || strings.Contains(r.Message, newToken()) || strings.Contains(r.Message, "10.1.2.3") {
					t.Errorf("state %s: %q", r.State, r.Message)
				}
				jobs, err := s.JobsOf(bg, r.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "jobs", len(jobs), tc.jobs)
			})
		}
		rows, err := s.TrackerConnections(bg, d.Tenant, store.Cursor{}, 50)
		testkit.OK(t, err)
		testkit.Equal(t, "stored", len(rows), 4)
	})
}

// A test has one line for each check, and its result becomes the state. If the list of projects is
// longer than the part that is read, a project outside of it is not reported as missing.
func TestTrackerIsTested(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		made := d.connect("one", "PAY")
		try := func(want, state string) {
			t.Helper()
			got, err := d.Features.Tracking.TestTracker(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			var lines []string
			for _, c := range got.Checks {
				lines = append(lines, fmt.Sprintf("%s %v", c.Name, c.OK))
				if strings.Contains(c.Message, newToken()) || strings.Contains(c.Message, "\n") {
					t.Errorf("it says %q", c.Message)
				}
			}
			testkit.Equal(t, "lines", strings.Join(lines, ", "), want)
			row, err := s.TrackerConnection(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			testkit.Equal(t, "state", row.State, state)
			testkit.Equal(t, "version", row.Version, made.Version)
		}
		try("tracker true, account true, projects true, webhook true", "active")
		d.says(trackerError(tracker.ClassForbidden, 401, "no\n"+newToken()))
		try("account false", "error")
		d.says(trackerError(tracker.ClassUnavailable, 503, ""))
		try("tracker false", "error")
		d.says(nil)
		d.tracker.Projects = func() ([]tracker.Project, error) { return []tracker.Project{{Key: "OPS"}}, nil }
		try("tracker true, account true, projects true, projects false, webhook true", "error")
		d.tracker.Projects = func() ([]tracker.Project, error) { return make([]tracker.Project, tracker.MaxProjects), nil }
		try("tracker true, account true, projects true, webhook true", "active")
		if _, err := d.Features.Tracking.TestTracker(bg, d.Other.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("a foreign tenant gets %v", err)
		}
	})
}

// A tracker that refuses the token is reported once. Its fault ends when it works again.
func TestARefusingTrackerIsReportedOnce(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		d := newDesk(t, s)
		made := d.connect("one")
		ask := func(err error, how string) {
			t.Helper()
			d.says(err)
			testkit.OK(t, s.RequestTrackerCheck(bg, d.Tenant, made.ID))
			testkit.Equal(t, "ends", strings.Join(d.work(t, 1), " "), how)
		}
		refused := trackerError(tracker.ClassForbidden, 401, "Revoked by an admin")
		ask(refused, "done")
		ask(refused, "done")
		testkit.Equal(t, "events", told(t, url), 1)
		row, err := s.TrackerConnection(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		if row.State != domain.ConnectionBroken || !strings.Contains(row.Message, "Revoked by an admin") {
			t.Errorf("it is %s: %q", row.State, row.Message)
		}
		waiting, err := s.CountWaiting(bg, d.Tenant, store.Viewer{Admin: true, Least: "manage"})
		testkit.OK(t, err)
		testkit.Equal(t, "in the inbox", waiting[store.WaitsConnection], int64(1))
		ask(nil, "done")
		if row, err = s.TrackerConnection(bg, d.Tenant, made.ID); err != nil || row.State != domain.ConnectionActive || row.Message != "" {
			t.Errorf("it is %s: %q (%v)", row.State, row.Message, err)
		}
		ask(refused, "done")
		testkit.Equal(t, "events", told(t, url), 2)
	})
}

// A tracker that does not answer is asked again and reported from the third time on. The job then ends
// successfully, so that no operator has to handle it.
func TestSilentTrackerIsAskedAgain(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		d := newDesk(t, s)
		d.says(errors.New("no route"))
		d.connect("one")
		testkit.Equal(t, "ends", strings.Join(d.work(t, 6), " "), "failed failed failed failed failed done")
		testkit.Equal(t, "events", told(t, url), 1)
		testkit.OK(t, d.Features.Tracking.CheckTrackersDue(bg, 10)) // it was asked within the hour
		testkit.Equal(t, "asked", d.tracker.Asked(), 7)
	})
}

// If a change concerns the tracker, the tracker is asked first. A change of names does not need it. A
// connection with another address needs a new sign-in.
func TestChangedTrackerIsAsked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		made := d.connect("one")
		for _, tc := range []struct{ body, wrong string }{
			{`{"name":"renamed","mapping":{"doneStates":["Done"],"linkBack":"none"}}`, ""},
			{`{"projects":["NOPE"]}`, "/projects/0"},
			{`{"projects":["PAY"]}`, ""},
			{`{"baseUrl":"https://other.example.com"}`, "/auth"},
			{`{"auth":{"kind":"oauth","clientId":"a","clientSecret":"` + newToken() + `"}}`, "/auth/kind"},
			{`{"auth":{"kind":"token","token":"` + newToken() + `2"}}`, ""},
		} {
			before := d.tracker.Asked()
			_, err := d.Features.Tracking.UpdateTracker(bg, d.Tenant, made.ID, 0, featuretest.Request[tracking.TrackerConnectionUpdate](t, tc.body))
			testkit.Equal(t, tc.body, featuretest.Pointers(t, err), tc.wrong)
			if asked := d.tracker.Asked() > before; asked != (strings.Contains(tc.body, "projects") || strings.Contains(tc.body, "2\"}}")) {
				t.Errorf("%s: asked %v", tc.body, asked)
			}
		}
	})
}

// A connection with OAuth is checked as soon as a person has signed in, also after a change. Before
// that it is pending, which is not a fault.
func TestTrackerWaitsForASignIn(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		d := newDesk(t, s)
		in := d.request("one")
		in.Kind, in.BaseURL, in.Auth = "linear", "", tracking.TrackerAuth{Kind: "oauth", ClientID: "app", ClientSecret: newToken()}
		made, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, in)
		testkit.OK(t, err)
		state := func(want string, asked int) {
			t.Helper()
			testkit.Equal(t, "ends", strings.Join(d.work(t, 1), " "), "done")
			row, err := s.TrackerConnection(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			testkit.Equal(t, "state", row.State, want)
			testkit.Equal(t, "asked", d.tracker.Asked(), asked)
		}
		state("pending", 0)
		kept, err := s.PutTrackerGrant(bg, d.Tenant, made.ID, store.TrackerGrant{Generation: 1, Access: []byte("sealed"), Endless: true})
		testkit.OK(t, err)
		testkit.Equal(t, "kept", kept, true)
		_, err = d.Features.Tracking.UpdateTracker(bg, d.Tenant, made.ID, 0, featuretest.Request[tracking.TrackerConnectionUpdate](t, `{"projects":["PAY"]}`))
		testkit.OK(t, err)
		state("active", 1)
		testkit.Equal(t, "events", told(t, url), 0)
	})
}

// Looking at a tracker changes nothing. It makes no request if a request could replace the tokens of
// the sign-in.
func TestTrackerIsLookedAt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		token := d.connect("one", "PAY")
		in := d.request("two")
		in.Kind, in.BaseURL, in.Auth = "linear", "", tracking.TrackerAuth{Kind: "oauth", ClientID: "app", ClientSecret: newToken()}
		signed, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, in)
		testkit.OK(t, err)
		d.says(trackerError(tracker.ClassForbidden, 401, "no"))
		look := func(id, want, state string, more int) {
			t.Helper()
			before := d.tracker.Asked()
			got, err := d.Features.Tracking.AskTracker(bg, d.Tenant, id)
			testkit.OK(t, err)
			testkit.Equal(t, "lines", len(got.Checks), 1)
			testkit.Equal(t, "line", fmt.Sprintf("%s %v", got.Checks[0].Name, got.Checks[0].OK), want)
			testkit.Equal(t, "asked", d.tracker.Asked()-before, more)
			row, err := s.TrackerConnection(bg, d.Tenant, id)
			testkit.OK(t, err)
			testkit.Equal(t, "state", row.State, state)
		}
		look(token.ID, "account false", "active", 1)
		look(signed.ID, "account false", "pending", 0)
		if _, err := d.Features.Tracking.AskTracker(bg, d.Other.Tenant, token.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("a foreign tenant gets %v", err)
		}
	})
}
