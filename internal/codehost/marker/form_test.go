package marker

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// A mark has the same content in both forms, and a marker that writes one form reads both.
func TestForms(t *testing.T) {
	t.Parallel()
	m := newMarker(t, one)
	for _, form := range []codehost.MarkForm{"", codehost.MarkComment, codehost.MarkReference, codehost.MarkProperty} {
		pub, finding, answer := lines(t, m.InForm(form), here)
		for _, reads := range []Marker{m, m.InForm(codehost.MarkReference)} {
			for want, text := range map[string]string{"pub pub_01hzx " + digest[:16]: pub, "finding fnd_1": finding, "answer ans_1": answer} {
				if got := found(reads, here, "pub_01hzx", "Body.\n\n"+text); got != want {
					t.Errorf("%q: found %q, want %q in %s", form, got, want, text)
				}
				if got := markdown.Stored("Body.\n\n" + text).WithoutMarks().String(); got != "Body." {
					t.Errorf("%q: without marks %q", form, got)
				}
			}
		}
	}
	if line, err := m.InForm("nonesuch").Answer(here, "ans_1"); err == nil {
		t.Errorf("a form that is not known was written as the text %q", line)
	}
}

// Rendered text shows no part of a mark in either form: no words and no link.
func TestAMarkIsNotSeen(t *testing.T) {
	t.Parallel()
	for _, form := range []codehost.MarkForm{codehost.MarkComment, codehost.MarkReference} {
		pub, _, _ := lines(t, newMarker(t, one).InForm(form), here)
		body := markdown.Blocks(markdown.Const("**Body**."), markdown.Stored(pub)).String()
		if problems := mdcheck.Goldmark(body, mdcheck.Allowed{Frame: true}); len(problems) > 0 {
			t.Errorf("%q: %q", form, problems)
		}
	}
}

// A mark in either form is found if it is the last line, whatever text surrounds it, and nothing else is
// found. The text before it is a stranger's, after the sanitiser. Text after a mark makes it invalid.
func TestTextsAroundAMarkNeitherForgeNorBreakIt(t *testing.T) {
	t.Parallel()
	m, evil := newMarker(t, one), newMarker(t, two)
	for seed := range uint64(120) {
		a := mdcheck.NewAdversary(seed)
		text := a.Text(30)
		for _, form := range []codehost.MarkForm{codehost.MarkComment, codehost.MarkReference} {
			pub, finding, answer := lines(t, m.InForm(form), here)
			forged, _, _ := lines(t, evil.InForm(form), here)
			elsewhere := here
			elsewhere.Number++
			copied, _, _ := lines(t, m.InForm(form), elsewhere)
			for want, line := range map[string]string{"pub pub_01hzx " + digest[:16]: pub, "finding fnd_1": finding, "answer ans_1": answer} {
				shown := markdown.Blocks(markdown.Prose(text+"\n\n"+forged+"\n"+copied+"\n"+text, 0), markdown.Code(text+"\n"+pub, ""), markdown.Stored(line)).String()
				if got := found(m, here, "pub_01hzx", shown); got != want {
					t.Fatalf("seed %d, %q: found %q, want %q in %q", seed, form, got, want, shown)
				}
				if problems := mdcheck.Goldmark(shown, mdcheck.Allowed{Frame: true}); len(problems) > 0 {
					t.Fatalf("seed %d, %q: %q in %q", seed, form, problems, shown)
				}
				if got := found(m, here, "pub_01hzx", line+"\n"+strings.TrimSpace(text)+"x"); got != "" {
					t.Fatalf("seed %d, %q: found %q before other text", seed, form, got)
				}
				for _, none := range []string{text + forged, text + "\n" + copied, text + " " + line, text + "\n> " + line} {
					if got := found(m, here, "pub_01hzx", none); got != "" && !strings.HasSuffix(text, "\n") {
						t.Fatalf("seed %d, %q: found %q in %q", seed, form, got, none)
					}
				}
			}
		}
	}
}
