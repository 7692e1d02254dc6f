package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/problem"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

//go:embed html
var htmlFiles embed.FS

// views are the parsed pages and the style sheet.
type views struct {
	pages  map[string]*template.Template
	style  []byte
	script []byte // of the pages that take a one-time token
}

func newViews() (*views, error) {
	v := &views{pages: map[string]*template.Template{}}
	var err error
	if v.style, err = htmlFiles.ReadFile("html/style.css"); err != nil {
		return nil, err
	}
	if v.script, err = htmlFiles.ReadFile("html/token.js"); err != nil {
		return nil, err
	}
	for _, name := range []string{"setup.html", "setupdone.html", "home.html", "run.html", "signin.html", "signinfailed.html", "docs.html", "error.html"} {
		if v.pages[name], err = template.New(name).Funcs(template.FuncMap{"when": when, "count": count, "money": money, "short": short, "link": webLink, "stamp": stamp, "lower": strings.ToLower, "lacks": engine.Incomplete, "verdict": verdictWords}).
			ParseFS(htmlFiles, "html/layout.html", "html/"+name); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// frame is what every page has around its content.
type frame struct {
	Person string // "" for nobody
	CSRF   string
	Demo   *DemoInfo
	Body   any
}

func (s *server) styleSheet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.html.style))
}

// page writes one page. It is made in memory first: half a page is none.
func (s *server) page(w http.ResponseWriter, r *http.Request, status int, name string, body any) {
	f := frame{Demo: s.Demo, Body: body}
	if c := from(r.Context()); c.SignedIn {
		f.Person, f.CSRF = c.user.Name, c.session.CSRF
	}
	var out bytes.Buffer
	if err := s.html.pages[name].ExecuteTemplate(&out, "layout", f); err != nil {
		s.refuseProgram(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = out.WriteTo(w) // the reader has gone; there is nobody to tell
}

// failView is the page of an error.
type failView struct {
	problem.Document
	Heading        string
	Back, BackText string // where to go on
}

// failPage shows an error to a person.
func (s *server) failPage(w http.ResponseWriter, r *http.Request, err error) {
	s.failWith(w, r, "error.html", err)
}

// refusePage shows a person why the checks refused a page; c may be nil.
func (s *server) refusePage(w http.ResponseWriter, r *http.Request, rt Route, c *caller, err error) {
	if errs.Is(err, errs.Unauthenticated) && rt.Permission != perm.Public {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	if c != nil {
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	}
	s.failPage(w, r, err)
}

// failSignIn shows somebody why a sign-in came to nothing, and the way to begin again.
func (s *server) failSignIn(w http.ResponseWriter, r *http.Request, err error) {
	s.failWith(w, r, "signinfailed.html", err)
}

func (s *server) failWith(w http.ResponseWriter, r *http.Request, page string, err error) {
	p := s.failure(r.Context(), err)
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	v := failView{Document: p.Document, Heading: "This did not work", Back: "/", BackText: "To the start page"}
	if heading := failHeadings[p.Status]; heading != "" {
		v.Heading = heading
	}
	if after := w.Header().Get("Retry-After"); p.Status == http.StatusTooManyRequests && after != "" { // people do not see headers
		v.Detail = "Too many attempts came from your network address. Try again in " + after + " seconds."
	}
	if done, err := s.Instance.Done(r.Context()); err == nil && !done {
		v.Back, v.BackText = "/setup", "Back to setup"
	}
	s.page(w, r, p.Status, page, v)
}

// failHeadings say what a status means in words for people.
var failHeadings = map[int]string{http.StatusUnauthorized: "You are not signed in", http.StatusForbidden: "This is not allowed", http.StatusNotFound: "Not found",
	http.StatusTooManyRequests: "Too many requests", http.StatusInternalServerError: "Something went wrong", http.StatusServiceUnavailable: "Not available at the moment"}

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
	s.page(w, r, http.StatusOK, "home.html", homeView{Ways: ways})
}

func (s *server) homeView(ctx context.Context, c *caller) (homeView, error) {
	tenants, closed, err := s.Auth.Places(ctx, c.session)
	if err != nil {
		return homeView{}, err
	}
	view := homeView{SignedIn: true, Tenants: len(tenants), Closed: closed, Partial: len(tenants) > homeTenants}
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

// verdictWords says what the verifier held of a finding, "" where none looked: a
// deterministic finding needs no verdict.
func verdictWords(verdict string) string {
	switch domain.Verdict(verdict) {
	case domain.VerdictConfirmed:
		return "Verified"
	case domain.VerdictRefuted:
		return "Refuted by the verifier"
	case domain.VerdictUnproven:
		return "Not proven"
	}
	return ""
}

// runView is the page of a run.
type runView struct {
	ReviewRunDetail
	Repository string
	Zone       *time.Location
	Shown      []Finding // inline and in the summary
	Stored     []Finding // kept, not published
}

func (s *server) runPage(w http.ResponseWriter, r *http.Request) {
	view, err := s.runView(r.Context(), r.PathValue("runId"))
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.page(w, r, http.StatusOK, "run.html", view)
}

func (s *server) runView(ctx context.Context, id string) (runView, error) {
	c := from(ctx)
	run, err := s.runOf(ctx, c, id)
	if err != nil {
		return runView{}, err
	}
	detail, err := s.detail(ctx, run)
	if err != nil {
		return runView{}, err
	}
	zone, err := s.zone(ctx, c.tenant)
	if err != nil {
		return runView{}, err
	}
	view := runView{ReviewRunDetail: detail, Repository: repositoryName(c.repository), Zone: zone}
	for _, f := range detail.Findings {
		if f.Route == string(domain.RouteStored) {
			view.Stored = append(view.Stored, f)
		} else {
			view.Shown = append(view.Shown, f)
		}
	}
	return view, nil
}
