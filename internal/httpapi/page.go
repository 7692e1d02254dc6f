package httpapi

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/problem"
)

//go:embed html
var htmlFiles embed.FS

// views are the parsed pages and the style sheet.
type views struct {
	pages  map[string]*template.Template
	style  []byte
	script []byte // of the pages that take a one-time token
	follow []byte // script of the page of a run that goes on
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
	if v.follow, err = htmlFiles.ReadFile("html/follow.js"); err != nil {
		return nil, err
	}
	for _, name := range []string{"setup.html", "setupdone.html", "welcome.html", "notenant.html", "unbuilt.html", "run.html", "signin.html", "signinfailed.html", "docs.html", "error.html"} {
		if v.pages[name], err = template.New(name).Funcs(template.FuncMap{"when": when, "count": count, "money": money, "short": short, "link": webLink, "stamp": stamp, "lower": strings.ToLower, "verdict": verdictWords, "asked": asked}).
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
	// Who is signed in and has to do it another way is told which.
	if errs.Is(err, errs.Unauthenticated) && rt.Permission != perm.Public && (c == nil || !c.SignedIn) {
		http.Redirect(w, r, toSignIn(r), http.StatusSeeOther)
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
var failHeadings = map[int]string{http.StatusUnauthorized: "Another sign-in is needed", http.StatusForbidden: "This is not allowed", http.StatusNotFound: "Not found",
	http.StatusTooManyRequests: "Too many requests", http.StatusInternalServerError: "Something went wrong", http.StatusServiceUnavailable: "Not available at the moment"}

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
	Zone    *time.Location
	Shown   []Finding // inline and in the summary
	Stored  []Finding // kept, not published
	Looked  []ToolCall
	Events  string // where what becomes of the run is told; "" for one that is over, or waits for a person
	Waiting *waitingView
}

// waitingView is what the page of a run shows of a review that waits, or was decided.
type waitingView struct {
	RunApproval
	CSRF   string
	Zone   *time.Location
	Action string // where the form goes
}

func (s *server) runPage(w http.ResponseWriter, r *http.Request) {
	view, err := s.runView(r.Context(), r.PathValue("runId"))
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	if view.Events != "" {
		allowFollowing(w)
	}
	s.page(w, r, http.StatusOK, "run.html", view)
}

// allowFollowing lets a page run the script of our own that follows a run. Without
// it the page is loaded again by hand.
func allowFollowing(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action", "script-src 'self'; connect-src 'self'; form-action", 1))
}

func (s *server) followScript(w http.ResponseWriter, r *http.Request) { ownScript(w, r, s.html.follow) }

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
	looked, err := s.looked(ctx, run)
	if err != nil {
		return runView{}, err
	}
	zone, err := s.zone(ctx, c.tenant)
	if err != nil {
		return runView{}, err
	}
	view := runView{ReviewRunDetail: detail, Zone: zone, Looked: looked}
	if !run.State.Terminal() && run.State != domain.RunAwaitingApproval {
		view.Events = runPath(run) + "/events"
	}
	var left []string // out, by whoever approved the review
	if a := detail.Approval; a != nil {
		view.Waiting = &waitingView{RunApproval: *a, CSRF: c.session.CSRF, Zone: zone, Action: "/t/" + run.Tenant + "/repositories/" + run.Repository + "/runs/" + run.ID + "/decision"}
		if a.Decision != nil {
			left = a.Decision.Drop
		}
	}
	for _, f := range detail.Findings {
		if f.Route == string(domain.RouteStored) || slices.Contains(left, f.ID) {
			view.Stored = append(view.Stored, f)
		} else {
			view.Shown = append(view.Shown, f)
		}
	}
	return view, nil
}
