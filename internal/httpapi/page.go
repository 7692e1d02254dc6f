package httpapi

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/problem"
)

//go:embed html
var htmlFiles embed.FS

// views holds the parsed pages, the style sheet and the script.
type views struct {
	pages  map[string]*template.Template
	style  []byte
	script []byte // for the pages that take a one-time token
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
	for _, name := range []string{"setup.html", "setupdone.html", "welcome.html", "notenant.html", "unbuilt.html", "signin.html",
		"signinfailed.html", "docs.html", "error.html"} {
		if v.pages[name], err = template.New(name).Funcs(template.FuncMap{"link": webLink}).
			ParseFS(htmlFiles, "html/layout.html", "html/"+name); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// frame holds the parts of every page around its content.
type frame struct {
	Person string // "" if the person is not signed in
	CSRF   string
	Demo   *DemoInfo
	Body   any
}

func (s *server) styleSheet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.html.style))
}

// page renders a page in memory before it writes it, so that errors cannot leave half a page.
func (s *server) page(w http.ResponseWriter, r *http.Request, status int, name string, body any) {
	f := frame{Demo: s.Demo, Body: body}
	if c := callerFrom(r.Context()); c.SignedIn {
		f.Person, f.CSRF = c.user.Name, c.session.CSRF
	}
	var out bytes.Buffer
	if err := s.html.pages[name].ExecuteTemplate(&out, "layout", f); err != nil {
		s.refuseProgram(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = out.WriteTo(w) // fails only if the reader has gone
}

// failView is the content of an error page.
type failView struct {
	problem.Document
	Heading        string
	Back, BackText string // a link to continue
}

// failPage shows an error to a person.
func (s *server) failPage(w http.ResponseWriter, r *http.Request, err error) {
	s.failWith(w, r, "error.html", err)
}

// refusePage shows a person the error of a page's checks. c can be nil.
func (s *server) refusePage(w http.ResponseWriter, r *http.Request, rt Route, c *caller, err error) {
	// A signed-in person who must sign in in another way gets the error page, which says how.
	if errs.Is(err, errs.Unauthenticated) && rt.Permission != perm.Public && (c == nil || !c.SignedIn) {
		http.Redirect(w, r, signInPath(r), http.StatusSeeOther)
		return
	}
	if c != nil {
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	}
	s.failPage(w, r, err)
}

// failSignIn shows a person why a sign-in failed, with a link to start again.
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
	if p.Status == http.StatusNotFound && p.Detail == errs.Absent().Message { // the same words as the console's page
		v.Detail = "The page does not exist, or you may not see it."
	}
	if after := w.Header().Get("Retry-After"); p.Status == http.StatusTooManyRequests && after != "" { // people do not see headers
		v.Detail = "Too many attempts came from your network address. Try again in " + after + " seconds."
	}
	if done, err := s.Instance.Done(r.Context()); err == nil && !done {
		v.Back, v.BackText = "/setup", "Back to setup"
	}
	s.page(w, r, p.Status, page, v)
}

// failHeadings holds headings for statuses, in words for people.
var failHeadings = map[int]string{http.StatusUnauthorized: "Another sign-in is needed", http.StatusForbidden: "This is not allowed",
	http.StatusNotFound:        "Not found",
	http.StatusTooManyRequests: "Too many requests", http.StatusInternalServerError: "Something went wrong",
	http.StatusServiceUnavailable: "Not available at the moment"}
