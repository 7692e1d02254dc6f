package httpapi

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/auth"
)

// maxClosed bounds of how many closed tenants is said what opens them: each asks the
// database (design choice).
const maxClosed = 20

// home is the start page: the ways to sign in, what opens tenants for somebody who
// has none that is open and does not manage the instance, and the console for everybody else.
func (s *server) home(w http.ResponseWriter, r *http.Request) {
	c := from(r.Context())
	if !c.SignedIn {
		s.welcomePage(w, r)
		return
	}
	if to, ok := returnOf(r); ok && to != "/" { // the sign-in was in another window
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	open, closed, err := s.Auth.Places(r.Context(), c.session)
	if err == nil && (len(open) > 0 || c.InstanceAdmin) {
		s.consolePage(w, r)
		return
	}
	var view noTenantView
	if err == nil {
		view.Closed, err = s.Auth.Openings(r.Context(), closed[:min(len(closed), maxClosed)])
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.page(w, r, http.StatusOK, "notenant.html", view)
}

// noTenantView is the page of somebody to whom no tenant is open.
type noTenantView struct{ Closed []string }

// welcomeView is the page of signing in.
type welcomeView struct{ Ways []auth.Provider }

// welcomePage shows the ways to sign in. Before the first run is over there is
// nobody who could.
func (s *server) welcomePage(w http.ResponseWriter, r *http.Request) {
	if done, err := s.Instance.Done(r.Context()); err == nil && !done {
		http.Redirect(w, r, "/setup", http.StatusSeeOther)
		return
	}
	ways, err := s.Auth.Providers(r.Context())
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	to, _ := returnOf(r)
	s.page(w, r, http.StatusOK, "welcome.html", welcomeView{returning(ways, to)})
}

// ClosedTenants says what opens tenants of the person that are closed in this session.
type ClosedTenants struct {
	Openings []string `json:"openings" doc:"What opens them, a sentence each, without naming them; each sentence once"`
	More     bool     `json:"more,omitempty" doc:"There are more closed tenants than were looked at, which are 20"`
}

func (s *server) closedTenants(ctx context.Context, _ *NoInput) (*Read[ClosedTenants], error) {
	_, closed, err := s.Auth.Places(ctx, from(ctx).session)
	if err != nil {
		return nil, err
	}
	out := ClosedTenants{More: len(closed) > maxClosed}
	if out.Openings, err = s.Auth.Openings(ctx, closed[:min(len(closed), maxClosed)]); err != nil {
		return nil, err
	}
	if out.Openings == nil {
		out.Openings = []string{}
	}
	return &Read[ClosedTenants]{out}, nil
}
