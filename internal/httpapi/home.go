package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// runRow is a line of the home page.
type runRow struct {
	ReviewRun
	TenantID, Tenant, Repository string
	Findings                     int
	Tokens                       int64
	Cost                         *int64 // nil: unknown
	Calls                        int64
	URL                          string // of the review on the host
	Zone                         *time.Location
}

type homeView struct {
	SignedIn bool
	Tenants  int      // that are open
	Closed   []string // how tenants of the person are opened that are closed now
	Rows     []runRow
	Partial  bool            // more tenants or repositories than the page looks at
	Ways     []auth.Provider // to sign in, for somebody who is not
}

// The home page shows the newest runs of the tenants and repositories that it
// looks at; the bounds keep one load of it cheap (design choice). It says so where
// there are more.
const (
	homeRuns         = 30
	homeTenants      = 20
	homeRepositories = 100 // of somebody who does not see every one of a tenant
)

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
	if s.console != nil {
		open, _, err := s.Auth.Places(r.Context(), c.session)
		if err != nil {
			s.failPage(w, r, err)
			return
		}
		if len(open) > 0 {
			s.consolePage(w, r)
			return
		}
	}
	view, err := s.homeView(r.Context(), c)
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.page(w, r, http.StatusOK, "home.html", view)
}

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
	s.page(w, r, http.StatusOK, "home.html", homeView{Ways: returning(ways, to)})
}

func (s *server) homeView(ctx context.Context, c *caller) (homeView, error) {
	tenants, closed, err := s.Auth.Places(ctx, c.session)
	if err != nil {
		return homeView{}, err
	}
	view := homeView{SignedIn: true, Tenants: len(tenants), Partial: max(len(tenants), len(closed)) > homeTenants}
	if view.Closed, err = s.Auth.Openings(ctx, closed[:min(len(closed), homeTenants)]); err != nil {
		return view, err
	}
	var runs []store.Run
	names, zones, left := map[string]string{}, map[string]*time.Location{}, homeRepositories
	for _, t := range tenants[:min(len(tenants), homeTenants)] {
		names[t.ID] = t.Name
		if zones[t.ID], err = s.zone(ctx, domain.Tenant{ID: t.ID}); err != nil {
			return view, err
		}
		newest, looked, err := s.newestIn(ctx, &caller{user: c.user, session: c.session}, t.ID, left)
		if err != nil {
			if err := view.without(err); err != nil {
				return view, err
			}
			continue
		}
		runs = append(runs, newest...)
		if left -= looked; left < 0 {
			left, view.Partial = 0, true
		}
	}
	slices.SortFunc(runs, func(a, b store.Run) int {
		return cmp.Or(cmp.Compare(b.CreatedUS, a.CreatedUS), strings.Compare(b.ID, a.ID))
	})
	pulls := pullCache{}
	for _, run := range runs[:min(len(runs), homeRuns)] {
		row, err := s.runRow(ctx, run, pulls)
		if err != nil {
			return view, err
		}
		if names[run.Repository] == "" {
			repository, err := s.Store.Repository(ctx, domain.Tenant{ID: run.Tenant}, run.Repository)
			if err != nil {
				return view, err
			}
			names[run.Repository] = repositoryName(repository)
		}
		row.Tenant, row.Repository, row.Zone = names[run.Tenant], names[run.Repository], zones[run.Tenant]
		view.Rows = append(view.Rows, row)
	}
	return view, nil
}

// without takes a tenant out of the page that is closed to the person, and says
// why: its code host cannot be asked, or does not say. Any other error is one of
// the page.
func (v *homeView) without(err error) error {
	e, ok := errorOf(err)
	switch {
	case errs.Is(err, errs.NotFound): // withdrawn meanwhile
	case !ok || !auth.HostSilent(err) && e.Kind != errs.Unauthenticated:
		return err
	case !slices.Contains(v.Closed, e.Message):
		v.Closed = append(v.Closed, e.Message)
	}
	v.Tenants--
	return nil
}

// newestIn is [server.newest] of a tenant that the caller has yet to enter.
func (s *server) newestIn(ctx context.Context, c *caller, tenant string, most int) ([]store.Run, int, error) {
	if err := s.enter(ctx, c, tenant); err != nil {
		return nil, 0, err
	}
	return s.newest(ctx, c, most)
}

// newest lists the newest runs that somebody may see in a tenant: of the tenant at
// once for those who see every repository, else repository by repository, at most
// so many. looked is how many that were, one more where not all were looked at.
func (s *server) newest(ctx context.Context, c *caller, most int) (runs []store.Run, looked int, err error) {
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	if roles.Everywhere() {
		runs, err = s.Store.NewestRuns(ctx, c.tenant, homeRuns)
		return runs, 0, err
	}
	repositories, err := s.Store.RepositoriesPage(ctx, c.tenant, store.RepositoryFilter{User: c.user.ID, Limit: most + 1})
	if err != nil {
		return nil, 0, err
	}
	for _, row := range repositories[:min(len(repositories), most)] {
		some, err := s.Store.Runs(ctx, c.tenant, row.ID, store.RunFilter{Limit: homeRuns})
		if err != nil {
			return nil, 0, err
		}
		runs = append(runs, some...)
	}
	return runs, len(repositories), nil
}

func (s *server) runRow(ctx context.Context, run store.Run, pulls pullCache) (runRow, error) {
	t := domain.Tenant{ID: run.Tenant}
	pr, err := pulls.read(ctx, s.Store, run)
	if err != nil {
		return runRow{}, err
	}
	row := runRow{ReviewRun: reviewRun(run, pr), TenantID: run.Tenant}
	found, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return row, err
	}
	for _, f := range found {
		if f.Route != domain.RouteStored {
			row.Findings++
		}
	}
	_, total, err := s.usage(ctx, run)
	if err != nil {
		return row, err
	}
	row.Calls, row.Tokens, row.Cost = total.Calls, total.InputTokens+total.OutputTokens, total.CostMicros
	p, err := s.publication(ctx, run)
	if p != nil {
		row.URL = p.URL
	}
	return row, err
}
