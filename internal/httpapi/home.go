package httpapi

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/auth"
)

// maxClosed is the maximum number of closed tenants for which the page says how to open them. Each needs a
// query (design choice).
const maxClosed = 20

// home serves the start page: the ways to sign in, or how to open tenants for a person without an open
// tenant who is not an instance admin, or the console.
func (s *server) home(w http.ResponseWriter, r *http.Request) {
	c := callerFrom(r.Context())
	if !c.SignedIn {
		s.welcomePage(w, r)
		return
	}
	if to, ok := returnPath(r); ok && to != "/" { // the person signed in in another window
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	open, closed, err := s.Auth.Places(r.Context(), c.session)
	if err == nil && (len(open) > 0 || c.InstanceAdmin) {
		first := ""
		if len(open) == 1 {
			first = open[0].ID
		}
		s.consoleOf(w, r, first)
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

// noTenantView is the page for a person without an open tenant.
type noTenantView struct{ Closed []string }

// welcomeView is the sign-in page.
type welcomeView struct{ Ways []auth.Provider }

// welcomePage shows the ways to sign in. Before the end of the first run it redirects to setup, because
// there are no accounts yet.
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
	to, _ := returnPath(r)
	s.page(w, r, http.StatusOK, "welcome.html", welcomeView{withReturnPath(ways, to)})
}

// ClosedTenants tells how to open the person's tenants that are closed in this session.
type ClosedTenants struct {
	Openings []string `json:"openings" doc:"What opens them, a sentence each, without naming them; each sentence once"`
	More     bool     `json:"more,omitempty" doc:"There are more closed tenants than were looked at, which are 20"`
}

func (s *server) closedTenants(ctx context.Context, _ *NoInput) (*Read[ClosedTenants], error) {
	_, closed, err := s.Auth.Places(ctx, callerFrom(ctx).session)
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
