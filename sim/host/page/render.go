package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed *.tmpl style.css
var files embed.FS

// Renderer holds the parsed templates. It is safe for concurrent use.
type Renderer struct{ t *template.Template }

// Brand holds the names and paths that a host uses on its pages.
type Brand struct {
	// Name is shown in titles and banners, such as "Simulated GitHub".
	Name string
	// Real is the real host, which is not contacted.
	Real string
	// PullWord is the path segment before the number of a pull request, such as "pull".
	PullWord string
	// ListWord is the path segment of the list of pull requests, and FilesWord that of the changed files after
	// a number; empty means "pulls" and "files".
	ListWord, FilesWord string
	// Noun is the host's word for a pull request, in lower case, and Sign precedes its number; empty means
	// "pull request" and "#".
	Noun, Sign string
	// Apps is the path of accounts of programs, with a slash at its end; empty means the path of people.
	Apps string
	// Root returns the path above the pages, without a slash at its end; nil means no path.
	Root func() string
}

// Whole returns the brand with defaults for the empty fields.
func (b Brand) Whole() Brand {
	b.ListWord, b.FilesWord = cmp.Or(b.ListWord, "pulls"), cmp.Or(b.FilesWord, "files")
	b.Noun, b.Sign = cmp.Or(b.Noun, "pull request"), cmp.Or(b.Sign, "#")
	if b.Root == nil {
		b.Root = func() string { return "" }
	}
	return b
}

// Title returns the noun in the plural, capitalised.
func (b Brand) Title() string { return strings.ToUpper(b.Noun[:1]) + b.Noun[1:] + "s" }

// New returns a renderer with parsed templates.
func New(b Brand) (*Renderer, error) {
	b = b.Whole()
	t, err := template.New("").Funcs(template.FuncMap{
		"brand": func() Brand { return b },
		"root":  func() string { return b.Root() },
		"home":  func(r Repo) string { return b.Root() + r.Path() },
		"when":  func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"kb":    size, "plural": plural, "hue": hue, "short": func(s string) string { return s[:min(7, len(s))] },
		"blocks": blocks, "name": func(s string) string { return strings.TrimSuffix(s, "[bot]") },
		"ink": ink,
	}).ParseFS(files, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("parse the templates: %w", err)
	}
	return &Renderer{t: t}, nil
}

func where(start, line int) string {
	switch {
	case line == 0:
		return ""
	case start == 0 || start == line:
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("lines %d to %d", start, line)
}

func size(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1024)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if s, ok := strings.CutSuffix(one, "y"); ok {
		return fmt.Sprintf("%d %sies", n, s)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// blocks returns the five small squares that show the share of additions in a change.
func blocks(add, del int) []string {
	out := []string{"", "", "", "", ""}
	total := add + del
	if total == 0 {
		return out
	}
	green := (add*5 + total/2) / total
	for i := range out {
		out[i] = "del"
		if i < green {
			out[i] = "add"
		}
	}
	return out
}

// hue returns the class name of an account's colour.
func hue(login string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(login)) // never fails
	return fmt.Sprintf("hue%d", h.Sum32()%6)
}

// ink returns the class of a label. The style sheet has the colours that the simulator assigns.
func ink(color string) string {
	for _, r := range color {
		if !strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return "lab"
		}
	}
	return "lab lab-" + strings.ToLower(color)
}

// CSP forbids everything but the page's own style sheet and images.
const CSP = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Page renders a view model with the template of that name.
func (r *Renderer) Page(w http.ResponseWriter, status int, name string, v any) error {
	var b bytes.Buffer
	if err := r.t.ExecuteTemplate(&b, name, v); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := directional.WriteString(w, b.String())
	return err
}

// directional writes the names of characters that turn the direction of text in their place, such as [U+202E], so that a page shows
// a text as compilers read it. None of them is part of the templates.
var directional = func() *strings.Replacer {
	var pairs []string
	for _, r := range "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		pairs = append(pairs, string(r), fmt.Sprintf("[U+%04X]", r))
	}
	return strings.NewReplacer(pairs...)
}()

// Style answers the style sheet.
func Style(w http.ResponseWriter) {
	css, _ := files.ReadFile("style.css") // embedded
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(css) // the client may have gone
}

// Avatar answers a small picture made of the first letter of a login; bots get a square one.
func Avatar(w http.ResponseWriter, login string, bot bool) {
	letter := "?"
	for _, r := range strings.ToUpper(login) {
		letter = template.HTMLEscapeString(string(r))
		break
	}
	colours := []string{"#3b6fd4", "#8a4fc7", "#1a7f64", "#b4541a", "#b0336f", "#4a6572"}
	h := fnv.New32a()
	_, _ = h.Write([]byte(login)) // never fails
	radius := 20
	if bot {
		radius = 8
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><rect width="40" `+
		`height="40" rx="%d" fill="%s"/>`+
		`<text x="20" y="27" font-family="system-ui,sans-serif" font-size="20" font-weight="600" fill="#fff" `+
		`text-anchor="middle">%s</text></svg>`,
		radius, colours[h.Sum32()%6], letter) // the client may have gone
}
