package tracking_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracking"
)

// Deleting a connection also ends its sign-in at the tracker. A tracker that does not answer does not
// prevent the deletion.
func TestTheSignInOfADeletedConnectionEnds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var ended []string
		for _, answer := range []error{nil, trackerError(tracker.ClassUnavailable, 503, "")} {
			d.tracker.End = func(c store.TrackerConnection, v store.TrackerGrant) error {
				ended = append(ended, c.ID+" "+string(v.Access))
				return answer
			}
			in := d.request("one")
			in.Kind, in.BaseURL, in.Auth = "linear", "", tracking.TrackerAuth{Kind: "oauth", ClientID: "app", ClientSecret: newToken()}
			made, err := d.Features.Tracking.CreateTracker(bg, d.Tenant, in)
			testkit.OK(t, err)
			kept, err := s.PutTrackerGrant(bg, d.Tenant, made.ID, store.TrackerGrant{Generation: 1, Access: []byte("sealed"), Endless: true})
			testkit.OK(t, err)
			testkit.Equal(t, "kept", kept, true)
			if err := d.Features.Tracking.DeleteTracker(bg, d.Other.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
				t.Errorf("a foreign tenant gets %v", err)
			}
			testkit.Equal(t, "ended before", len(ended), 0)
			testkit.OK(t, d.Features.Tracking.DeleteTracker(bg, d.Tenant, made.ID))
			testkit.Equal(t, "ended", strings.Join(ended, ", "), made.ID+" sealed")
			if _, err := s.TrackerConnection(bg, d.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
				t.Errorf("it is still there: %v", err)
			}
			ended = nil
		}
		token := d.connect("two", "PAY")
		testkit.OK(t, d.Features.Tracking.DeleteTracker(bg, d.Tenant, token.ID))
		testkit.Equal(t, "ended sign-ins of one with a token", len(ended), 0)
	})
}

// A connection for all projects of an account says so if the account sees more than are listed.
func TestMoreProjectsThanAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.tracker.Projects = func() ([]tracker.Project, error) { return make([]tracker.Project, tracker.MaxProjects), nil }
		made := d.connect("one")
		says := func(want bool) {
			t.Helper()
			got, err := d.Features.Tracking.TestTracker(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			line := false
			for _, c := range got.Checks {
				line = line || c.OK && strings.Contains(c.Message, "500 projects or more") && strings.Contains(c.Message, "Name the projects")
			}
			row, err := s.TrackerConnection(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			testkit.Equal(t, "state", row.State, "active")
			if line != want || strings.Contains(row.Message, "500 projects or more") != want {
				t.Errorf("%+v, message %q", got.Checks, row.Message)
			}
		}
		says(true)
		_, err := d.Features.Tracking.UpdateTracker(bg, d.Tenant, made.ID, 0, featuretest.Request[tracking.TrackerConnectionUpdate](t, `{"projects":["PAY"]}`))
		testkit.OK(t, err)
		says(false)
	})
}
