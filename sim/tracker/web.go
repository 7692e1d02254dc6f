package tracker

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

//go:embed pages.tmpl
var pagesText string

var pages = template.Must(template.New("").Funcs(template.FuncMap{"when": formatTime}).Parse(pagesText))

func formatTime(us int64) string { return micros(us).Time().Format("2 Jan 2006, 15:04 UTC") }

// pageCSP forbids everything but the page's own style.
const pageCSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type shownComment struct {
	simapi.Comment
	Shown template.HTML
}

// pageHandler serves the public pages for people: a list of issues, and each with its comments and links.
func (s *Server) pageHandler() func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, path string) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if path == "" || path == "/" {
			s.index(w)
			return
		}
		for part := range strings.SplitSeq(path, "/") {
			if i, err := s.Issue(part); part != "" && err == nil {
				s.issuePage(w, i)
				return
			}
		}
		http.NotFound(w, r)
	}
}

func (s *Server) index(w http.ResponseWriter) {
	s.Mu.Lock()
	list := []simapi.Issue{}
	for _, p := range s.st.sortedProjects() {
		for _, i := range s.newest(p.Key) {
			list = append(list, s.describe(i))
		}
	}
	s.Mu.Unlock()
	s.show(w, "list", obj{"Title": "Issues", "Issues": list})
}

func (s *Server) issuePage(w http.ResponseWriter, i simapi.Issue) {
	var list []shownComment
	for _, c := range i.Comments {
		list = append(list, shownComment{c, s.render(c.Text)})
	}
	s.show(w, "issue", obj{"Title": i.Key + " " + i.Title, "Root": s.Below(), "Issue": i, "Text": s.render(i.Text), "Comments": list})
}

func (s *Server) show(w http.ResponseWriter, name string, v obj) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, v); err != nil {
		s.Log.Error("render a page", "error", err)
		http.Error(w, "Server error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", pageCSP)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(b.Bytes()) // the browser may have gone
}

// render shows a text of the dialect: Markdown and HTML formatted and sanitized, the text of ADF by its
// paragraphs, wiki text unchanged.
func (s *Server) render(text string) template.HTML {
	switch s.dialect {
	case simapi.JiraServer:
		return page.Log([]byte(text))
	case simapi.JiraCloud:
		var doc node
		if json.Unmarshal([]byte(text), &doc) != nil {
			return page.Log([]byte(text))
		}
		var b strings.Builder
		doc.plain(&b, 0)
		return page.Log([]byte(strings.TrimSpace(b.String())))
	}
	return page.Markdown(text)
}

// node is a node of ADF, reduced to what the pages show.
type node struct {
	Type, Text string
	Content    []node
}

func (n node) plain(b *strings.Builder, depth int) {
	switch n.Type {
	case "heading":
		b.WriteString("\n")
	case "listItem", "taskItem":
		b.WriteString("• ")
	}
	b.WriteString(n.Text)
	for _, c := range n.Content {
		if depth < 100 {
			c.plain(b, depth+1)
		}
	}
	switch n.Type {
	case "paragraph", "heading", "codeBlock", "tableRow", "rule":
		b.WriteString("\n")
	case "tableCell", "tableHeader":
		b.WriteString("\t")
	}
}
