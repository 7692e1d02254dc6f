package page

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// markdown renders GitHub-flavoured Markdown. Raw HTML passes through to the sanitizer, which keeps harmless
// elements such as <details> and drops comments, scripts, styles, event handlers and foreign addresses.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe(), html.WithHardWraps()))
})

var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowElements("details", "summary", "kbd", "sub", "sup")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`^$|^open$`)).OnElements("details")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[A-Za-z0-9]+$`)).OnElements("code")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
})

// Markdown renders and sanitizes a text.
func Markdown(text string) template.HTML {
	var b bytes.Buffer
	if err := markdown().Convert([]byte(text), &b); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(policy().SanitizeBytes(b.Bytes()))
}

// Log renders the unchanged text of a log.
func Log(text []byte) template.HTML {
	return template.HTML("<pre>" + template.HTMLEscapeString(string(text)) + "</pre>")
}

var fence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*(\\S*)\\s*$")

// Body renders a comment. Suggestion blocks become small diffs against the lines of the comment; path decides
// the colours of the code.
func Body(text, path string, lines []DiffLine) []Part {
	return Suggesting(text, path, func(info string) ([]DiffLine, bool) { return lines, info == "suggestion" })
}

// Suggesting renders a comment like [Body], for a host whose suggestion blocks name the lines to replace: old
// returns these lines for the info string of a block, and false if the block is not a suggestion.
func Suggesting(text, path string, old func(info string) ([]DiffLine, bool)) []Part {
	var parts []Part
	var prose, code []string
	var lines []DiffLine
	closing, isSuggestion := "", false
	flush := func() {
		if strings.TrimSpace(strings.Join(prose, "")) != "" {
			parts = append(parts, Part{HTML: Markdown(strings.Join(prose, "\n"))})
		}
		prose = nil
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case closing == "" && m != nil:
			closing = m[1]
			lines, isSuggestion = old(m[2])
			if isSuggestion {
				flush()
				code = nil
				continue
			}
			prose = append(prose, line)
		case closing != "" && m != nil && m[2] == "" && strings.HasPrefix(m[1], closing):
			closing = ""
			if isSuggestion {
				isSuggestion = false
				parts = append(parts, Part{Suggestion: suggestion(code, path, lines)})
				continue
			}
			prose = append(prose, line)
		case isSuggestion:
			code = append(code, line)
		default:
			prose = append(prose, line)
		}
	}
	if isSuggestion { // the block was not closed
		parts = append(parts, Part{Suggestion: suggestion(code, path, lines)})
	}
	flush()
	return parts
}

func suggestion(code []string, path string, lines []DiffLine) *Suggestion {
	s := &Suggestion{}
	for _, l := range lines {
		l.Kind, l.Threads, l.Marked = "del", nil, false
		s.Old = append(s.Old, l)
	}
	first := 0
	if len(lines) > 0 {
		first = lines[0].New
	}
	for i, l := range code {
		line := DiffLine{Kind: "add", Tokens: Colour(path, l)}
		if first != 0 {
			line.New = first + i
		}
		s.New = append(s.New, line)
	}
	return s
}
