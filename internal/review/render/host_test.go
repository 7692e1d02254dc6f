package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// sameReview has one of each element that hosts show differently: suggestions on one line and on
// several, a comment on several lines without a suggestion, and lists that fold.
func sameReview() Input {
	several := bug("fnd_2", func(f *domain.Finding) {
		f.Title, f.Evidence = "Total is computed twice", nil
		f.Anchor.StartLine, f.Anchor.EndLine = 18, 21
		f.Suggestion = &domain.Suggestion{Path: "shop/shop.go", Start: 18, End: 20, Old: "\ta := Total(items)\n\tb := Total(items)\n\treturn a + b", New: "\ta := Total(items)\n\treturn 2 * a",
			Applies: true, Parses: "yes"}
	})
	range3 := bug("fnd_3", func(f *domain.Finding) {
		f.Title, f.Suggestion, f.Evidence = "The loop ends one item early", nil, nil
		f.Anchor.StartLine, f.Anchor.EndLine = 30, 33
	})
	minor := bug("fnd_4", func(f *domain.Finding) {
		f.Severity, f.Route, f.Title = domain.Low, domain.RouteSummary, "Comment contradicts the code"
	})
	return input(bug("fnd_1", nil), several, range3, minor)
}

// The same review on every kind of host.
func TestGoldenByHost(t *testing.T) {
	t.Parallel()
	for _, p := range codehost.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			in := sameReview()
			in.Host = p.Capabilities
			out := Render(in)
			golden(t, "host-"+string(p.Kind)+".md", dump(out))
			texts := []string{out.Body.String()}
			for _, c := range out.Comments {
				texts = append(texts, c.Body.String())
				if c.StartLine != 0 && !p.MultiLine {
					t.Errorf("a comment on lines %d to %d, which the host does not have", c.StartLine, c.Line)
				}
			}
			for _, text := range texts {
				if !p.HTML && strings.ContainsAny(text, "<>") {
					t.Errorf("HTML, which the host shows as text:\n%s", text)
				}
				if p.Suggestions == codehost.SuggestNone && strings.Contains(text, "```suggestion") {
					t.Errorf("a suggestion, which the host does not have:\n%s", text)
				}
				if problems := mdcheck.Goldmark(text, mdcheck.Allowed{Frame: true, Links: []string{"https://host.example/*", "https://assay.example/*"}}); len(problems) > 0 {
					t.Errorf("%q in\n%s", problems, text)
				}
			}
		})
	}
}

// The zero value is GitHub: rendering without a host gives the same as rendering for GitHub.
func TestNoHostIsGitHub(t *testing.T) {
	t.Parallel()
	in := sameReview()
	want := dump(Render(in))
	in.Host = codehost.CapabilitiesOf(codehost.GitHub)
	if got := dump(Render(in)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// If a host puts a comment on one line, the comment names its range of lines in every language.
func TestTheRangeIsSaidInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en", "de", "fr", "es", "pt", "ja", "zh"} {
		in := sameReview()
		in.Host, in.Policy.Language = codehost.CapabilitiesOf(domain.Gitea), tag
		for _, c := range Render(in).Comments {
			first, _, _ := strings.Cut(c.Body.String(), "\n")
			if c.FindingID == "fnd_3" && (!strings.Contains(first, "30") || !strings.Contains(first, "33") || c.Line != 33) {
				t.Errorf("%s: %q on line %d", tag, first, c.Line)
			}
		}
	}
}

// The bounds of a host apply to texts and to the number of comments.
func TestBoundsOfTheHost(t *testing.T) {
	t.Parallel()
	var many []domain.Finding
	for i := range 60 {
		many = append(many, bug(fmt.Sprint("fnd_", i), func(f *domain.Finding) { f.Explanation = strings.Repeat("long words ", 130) }))
	}
	for _, p := range codehost.Profiles() {
		in := input(many...)
		in.MaxComments, in.Host = 100, p.Capabilities
		in.Host.MaxComment = 1200
		out := Render(in)
		if len(out.Comments) != p.MaxComments {
			t.Errorf("%s: %d comments", p.Name, len(out.Comments))
		}
		for _, c := range out.Comments {
			if n := c.Body.Len(); n > 1200-reserve {
				t.Errorf("%s: a comment of %d characters", p.Name, n)
			}
		}
	}
}
