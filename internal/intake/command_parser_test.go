package intake

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

func TestNearestWord(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]word{
		"reveiw": wordReview, "reviw": wordReview, "review.": wordReview, "rewiev": wordReview, "puase": wordPause, "pausse": wordPause, "resum": wordResume,
		"hlep": wordHelp, "hepl": wordHelp, "explian": wordExplain, "ingore": wordIgnore, "fixx": wordFix,
		"here": "", "please": "", "what": "", "f": "", "deploy": "", strings.Repeat("review", 1000): "",
	} {
		t.Run(fmt.Sprintf("%.12s", said), func(t *testing.T) { testkit.Equal(t, "nearest", nearestWord(said), want) })
	}
}

// answers returns all answers in a language.
func answers(tag string) []markdown.Text {
	s := answerTexts{wording.In(tag)}
	all := []markdown.Text{s.Say(wording.SayPaused), s.Say(wording.SayNotOpen), s.Say(wording.SayRole), s.Say(wording.SayUnknown), s.Say(wording.SayWaitsNothing), s.Say(wording.SayOwnReview), s.Say(wording.SayRejected), s.otherWaits("0123456789ab"), s.help(), s.resume(""),
		s.resume("the pull request is a draft"), s.resume("reviews are off for this repository")}
	for _, w := range words {
		all = append(all, s.mistake(command{word: w, extra: true}), s.mistake(command{near: w}))
	}
	return all
}

// In every language, the first line of an answer is neither a command nor similar to one.
func TestNoAnswerIsACommand(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en", "de", "fr", "es", "pt", "ja", "zh"} {
		for _, text := range answers(tag) {
			if _, is := parseCommand(text.String()); is {
				t.Errorf("this is a command: %s", text)
			}
		}
	}
}

// Japanese answers contain no words in Latin letters, except commands and roles.
func TestAnswersInJapanese(t *testing.T) {
	t.Parallel()
	code, latin := regexp.MustCompile("`[^`]*`"), regexp.MustCompile(`[A-Za-z]{3,}`)
	for _, text := range answers("ja") {
		if found := latin.FindAllString(code.ReplaceAllString(text.String(), ""), -1); len(found) > 0 {
			t.Errorf("%q in %s", found, text)
		}
	}
}

// The documentation page has the lines of help, and no other working command.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/commands.md")
	testkit.OK(t, err)
	page, _, _ := strings.Cut(string(raw), "## ")
	for _, l := range helpLines {
		if line := fmt.Sprintf("| `%s` | %s | %s |\n", l.form, l.who, wording.English(l.does)); !strings.Contains(page, line) {
			t.Errorf("docs/commands.md lacks %s", line)
		}
	}
	testkit.Equal(t, "lines", strings.Count(page, "\n| `"), len(helpLines))
	for _, w := range words {
		if !strings.Contains(string(raw), "/assay "+string(w)) {
			t.Errorf("docs/commands.md lacks %s", w)
		}
	}
}
