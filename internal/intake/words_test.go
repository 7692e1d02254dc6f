package intake

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestNearestWord(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]word{
		"reveiw": wordReview, "reviw": wordReview, "review.": wordReview, "rewiev": wordReview, "puase": wordPause, "pausse": wordPause, "resum": wordResume,
		"hlep": wordHelp, "hepl": wordHelp, "explian": wordExplain, "ingore": wordIgnore, "fixx": wordFix,
		"here": "", "please": "", "what": "", "f": "", "deploy": "", strings.Repeat("review", 1000): "",
	} {
		t.Run(fmt.Sprintf("%.12s", said), func(t *testing.T) { testkit.Equal(t, "nearest", nearest(said), want) })
	}
}

// No first line of an answer is a command, or nearly one.
func TestNoAnswerIsACommand(t *testing.T) {
	t.Parallel()
	all := []markdown.Text{markdown.Const(sayPaused), markdown.Const(sayResumed), markdown.Const(sayNotOpen), markdown.Const(sayRole), markdown.Const(sayUnknown),
		sayHelp(), sayResume("the pull request is a draft")}
	for _, w := range words {
		all = append(all, sayUnbuiltCommand(w), sayMistake(command{word: w, extra: true}), sayMistake(command{near: w}))
	}
	for _, text := range all {
		if _, is := read(text.String()); is {
			t.Errorf("this is a command: %s", text)
		}
	}
}

// The page for people has the lines of help, and no other command that works.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/commands.md")
	testkit.OK(t, err)
	page, _, _ := strings.Cut(string(raw), "## ")
	for _, l := range list {
		if line := fmt.Sprintf("| `%s` | %s | %s |\n", l.form, l.who, l.does); !strings.Contains(page, line) {
			t.Errorf("docs/commands.md lacks %s", line)
		}
	}
	testkit.Equal(t, "lines", strings.Count(page, "\n| `"), len(list))
	for _, w := range words {
		if !strings.Contains(string(raw), "/assay "+string(w)) {
			t.Errorf("docs/commands.md lacks %s", w)
		}
	}
}
